public import OfflineMode

/// The checkout's sources about people and offers: the hub while the service's route is online, else the
/// terminal's own copy.
public struct CounterPorts: Sendable {
    public var cashiers: any CashierVerifying
    public var roster: any CashierRoster
    public var failedPINs: any FailedPINStore
    public var signIns: any SignInStore
    public var members: any MemberFinding
    public var memberBook: any MemberBook
    public var offers: any OfferEvaluating
    public var offerCopy: any OfferCopy

    public init(
        cashiers: any CashierVerifying, roster: any CashierRoster, failedPINs: any FailedPINStore,
        signIns: any SignInStore, members: any MemberFinding, memberBook: any MemberBook,
        offers: any OfferEvaluating,
        offerCopy: any OfferCopy
    ) {
        self.cashiers = cashiers
        self.roster = roster
        self.failedPINs = failedPINs
        self.signIns = signIns
        self.members = members
        self.memberBook = memberBook
        self.offers = offers
        self.offerCopy = offerCopy
    }
}

/// The hub's clock as the terminal has observed it.
public protocol HubClock: Sendable {
    /// The hub's time now in Unix milliseconds, from its latest response and the time since then; nil: no
    /// response in this run.
    func hubMilliseconds() -> Int64?
}

/// A terminal without the hub's time.
public struct NoHubClock: HubClock {
    public init() {}

    public func hubMilliseconds() -> Int64? { nil }
}

/// The ports of a checkout. It gets modes and routes through ``OfflineModeProviding`` and does not use the
/// network.
public struct CheckoutPorts: Sendable {
    public var modes: any OfflineModeProviding
    public var catalogue: any Catalogue
    public var ledger: any SaleLedger
    public var intents: any CardIntentLedger
    public var cards: any CardAuthorizing
    public var counter: CounterPorts
    public var delivery: any SaleDelivery
    public var time: any SystemTime
    public var hubClock: any HubClock

    public init(
        modes: any OfflineModeProviding, catalogue: any Catalogue, ledger: any SaleLedger,
        intents: any CardIntentLedger, cards: any CardAuthorizing, counter: CounterPorts,
        delivery: any SaleDelivery, time: any SystemTime, hubClock: any HubClock = NoHubClock()
    ) {
        self.modes = modes
        self.catalogue = catalogue
        self.ledger = ledger
        self.intents = intents
        self.cards = cards
        self.counter = counter
        self.delivery = delivery
        self.time = time
        self.hubClock = hubClock
    }
}
