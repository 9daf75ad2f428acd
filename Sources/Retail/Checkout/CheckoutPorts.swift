public import OfflineMode

/// What a checkout is given. It knows modes and routes through ``OfflineModeProviding`` and nothing of the
/// network.
public struct CheckoutPorts: Sendable {
    public var modes: any OfflineModeProviding
    public var catalogue: any Catalogue
    public var ledger: any SaleLedger
    public var intents: any CardIntentLedger
    public var cards: any CardAuthorizing
    public var delivery: any SaleDelivery
    public var time: any SystemTime

    public init(
        modes: any OfflineModeProviding, catalogue: any Catalogue, ledger: any SaleLedger,
        intents: any CardIntentLedger, cards: any CardAuthorizing, delivery: any SaleDelivery,
        time: any SystemTime
    ) {
        self.modes = modes
        self.catalogue = catalogue
        self.ledger = ledger
        self.intents = intents
        self.cards = cards
        self.delivery = delivery
        self.time = time
    }
}
