package import Base

/// A card's request as its sale has it. It is durable before the first byte is sent, and what becomes of it
/// is decided by ``DeviceRequest``.
package struct CardIntent: Hashable, Sendable {
    /// How far it is, and what proves it.
    package var request: DeviceRequest
    /// The order that the money is for; the sale takes it over.
    package let orderId: String
    /// The key of the sale request that the card is to pay; a repeated request has the same key.
    package let saleKey: ULID
    /// The tender's name in the store's list.
    package let method: String

    /// Who takes a card's money.
    package enum Channel: String, Hashable, Sendable {
        /// The hub's payment service.
        case service
        /// The terminal's own card machine.
        case machine

        /// Why a void is open, for people.
        var openVoid: String {
            switch self {
            case .service: "the void could not be recorded"
            case .machine: "the card machine did not confirm the void"
            }
        }
    }

    /// As it was kept.
    package init(_ request: DeviceRequest, orderId: String, saleKey: ULID, method: String) {
        (self.request, self.orderId, self.saleKey, self.method) = (request, orderId, saleKey, method)
    }

    /// One of which nothing was sent. That of the hub's service counts as sent with this: its first byte is
    /// next.
    package init(
        key: String, orderId: String, saleKey: ULID, amount: Int64, currency: String, openedAt: Int64,
        method: String = "card", channel: Channel = .service
    ) {
        let isService = channel == .service
        self.init(
            DeviceRequest(
                .charge, key: key, chargeKey: key, amount: amount, currency: currency, openedAt: openedAt,
                state: isService ? .sent : .intent,
                origin: isService ? DeviceRequest.Origin(kind: .hub, address: "") : nil, reported: nil),
            orderId: orderId, saleKey: saleKey, method: method)
    }

    /// The authorisation's idempotency key, a ULID.
    package var key: String { request.key }
    /// Minor units.
    package var amount: Int64 { request.amount }
    /// ISO 4217.
    package var currency: String { request.currency }

    /// Who is requested for the money.
    package var channel: Channel { request.origin?.kind == .hub ? .service : .machine }

    /// What the service granted; nil: nothing, or a machine charged.
    package var approval: CardApproval? {
        guard channel == .service, let proof = request.proof else { return nil }
        return CardApproval(
            authorizationKey: key, approvalCode: proof.approvalCode, isSimulated: proof.isSimulated)
    }

    /// Whether its money goes back, so that no sale takes it over.
    package var isVoiding: Bool {
        if case .voiding = request.state { return true }
        return request.isGivenUp
    }
}

/// What an authorisation is about to be requested for.
package struct CardRequest: Hashable, Sendable {
    /// The key of the sale request that the card is to pay.
    package let saleKey: ULID
    /// The order of the sale's first card; nil: this is the first.
    package let orderId: String?
    /// The tender's name in the store's list.
    package let method: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// Who is asked for the money.
    package let channel: CardIntent.Channel

    /// Makes a request; nothing is checked here. By default the hub's payment service is asked.
    package init(
        saleKey: ULID, orderId: String?, method: String, amount: Int64, currency: String,
        channel: CardIntent.Channel = .service
    ) {
        self.channel = channel
        self.saleKey = saleKey
        self.orderId = orderId
        self.method = method
        self.amount = amount
        self.currency = currency
    }
}

/// Keeps what sales request of cards until a sale, a decline or a void settles it. Every change is durable on
/// return.
package protocol CardIntentLedger: Sendable {
    /// Mints the key, and the order id of a sale's first card, and stores the intent.
    func open(_ request: CardRequest, at wallMilliseconds: Int64) async throws(StorageError) -> CardIntent

    /// Lets the sale of `intents` wait as `cart`, in one transaction: their outcome is unknown, or granted
    /// beside one that is. Intents that wait already stay so.
    func suspend(_ intents: [CardIntent], as cart: KeptCart) async throws(StorageError)

    /// Intents whose sale waits, and those that are being voided, oldest first.
    func suspended() async throws(StorageError) -> [CardIntent]

    /// Keeps what became of its request. One that had ended stays as it was.
    func keep(_ intent: CardIntent) async throws(StorageError)

    /// No sale takes it over: from here on none does. In the same transaction the journal has the void of
    /// what the hub's payment service undoes by its key, as `payment.voided`; what a machine charged goes
    /// back after this, which cannot be undone.
    ///
    /// - Parameter onlyUnsettled: nothing happens unless ``unsettled()`` has it at that moment: its sale may
    ///   wait as a cart by now.
    /// - Returns: the request as it is then; nil where it had ended before, or nothing happened.
    func giveUp(
        _ intent: CardIntent, reason: String, onlyUnsettled: Bool, at wallMilliseconds: Int64
    ) async throws(StorageError) -> DeviceRequest?

    /// Intents that nothing settled and that no sale will take over, oldest first: those that are open or
    /// being voided, and those that wait although their cart is gone or their sale is recorded.
    func unsettled() async throws(StorageError) -> [CardIntent]

    /// Intents whose sale was made and whose response no person has seen yet, oldest first; voided sales are
    /// left out.
    func unseen() async throws(StorageError) -> [CardIntent]

    /// The requester of the order's sale has its response, or a person has checked the sale.
    func noteSeen(orderId: String) async throws(StorageError)
}

/// The hub's payment service. Its adapter uses the network. It never throws: every failure is an outcome.
package protocol CardAuthorizing: Sendable {
    /// Why the hub refuses every request of this terminal, as far as its last response said so; nil: it does
    /// not.
    var obstacle: TillObstacle? { get }

    /// Sends one request under the intent's key; an adapter never repeats it.
    ///
    /// - Parameter deadline: for the complete exchange; the cashier's wait budget does not apply to it.
    func authorize(_ intent: CardIntent, deadline: Duration) async -> DeviceResponse

    /// What became of an authorisation whose response was lost.
    func query(key: String, deadline: Duration) async -> DeviceFinding

    /// What became of a payment that was taken without the service and forwarded by the hub.
    func forwarded(key: String, deadline: Duration) async -> StoredCardOutcome
}
