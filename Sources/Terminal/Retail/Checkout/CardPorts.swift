package import Base

/// The record that the terminal is about to request a card authorisation, durable before the first byte is
/// sent.
package struct CardIntent: Hashable, Sendable {
    /// The authorisation's idempotency key, a ULID.
    package let key: String
    /// The order that the authorisation is for; the sale takes it over.
    package let orderId: String
    /// The key of the sale request that the card is to pay; a repeated request has the same key.
    package let saleKey: ULID
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// Unix milliseconds of the wall clock.
    package let openedAt: Int64
    /// The tender's name in the store's list.
    package let method: String
    /// What the service granted, of an intent whose sale waits; nil: nothing is known yet.
    package var approval: CardApproval?
    /// Who is asked for the money.
    package let channel: Channel
    /// Whether its money is to be given back, and the machine has not confirmed that; no sale takes it over.
    package var isVoiding = false

    /// Who takes a card's money.
    package enum Channel: String, Hashable, Sendable {
        /// The hub's payment service.
        case service
        /// The terminal's own card machine.
        case machine
    }

    /// Makes an intent with its keys; ``CardIntentLedger/open(_:at:)`` mints and stores them. By default it
    /// is a card's, and nothing is known of it.
    package init(
        key: String, orderId: String, saleKey: ULID, amount: Int64, currency: String, openedAt: Int64,
        method: String = "card", approval: CardApproval? = nil, channel: Channel = .service
    ) {
        self.channel = channel
        self.key = key
        self.orderId = orderId
        self.saleKey = saleKey
        self.amount = amount
        self.currency = currency
        self.openedAt = openedAt
        self.method = method
        self.approval = approval
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

/// Keeps card intents until a sale, a decline or a void settles them. Every change is durable on return.
package protocol CardIntentLedger: Sendable {
    /// Mints the key, and the order id of a sale's first card, and stores the intent.
    func open(_ request: CardRequest, at wallMilliseconds: Int64) async throws(StorageError) -> CardIntent

    /// Lets the sale of `intents` wait as `cart`, in one transaction: their outcome is unknown, or granted
    /// beside one that is. Intents that wait already stay so.
    func suspend(_ intents: [CardIntent], as cart: KeptCart) async throws(StorageError)

    /// Intents whose sale waits, and those that are being voided, oldest first.
    func suspended() async throws(StorageError) -> [CardIntent]

    /// The service granted what a waiting sale requested.
    func grant(_ intent: CardIntent, _ approval: CardApproval) async throws(StorageError)

    /// The service declined: no money is reserved, nothing has to be undone.
    func decline(_ intent: CardIntent) async throws(StorageError)

    /// Cancels the intent: in one transaction it is settled and a `payment.voided` mutation goes into the
    /// outbox. Does nothing to an intent that is settled already.
    func void(
        _ intent: CardIntent, reason: String, at wallMilliseconds: Int64
    ) async throws(StorageError)

    /// Decides that the intent's money is given back; from here on no sale takes it over. To be called before
    /// a machine is requested to void, which cannot be undone.
    ///
    /// - Returns: false where a sale, decline or void has settled it already.
    func beginVoid(_ intent: CardIntent) async throws(StorageError) -> Bool

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
    func authorize(_ intent: CardIntent, deadline: Duration) async -> CardOutcome

    /// The outcome of an authorisation whose response was lost.
    func query(key: String, deadline: Duration) async -> CardOutcome

    /// What became of a payment that was taken without the service and forwarded by the hub.
    func forwarded(key: String, deadline: Duration) async -> StoredCardOutcome
}

/// What became of a card's money, whoever was requested for it: the hub's payment service or the terminal's
/// own card machine.
package enum CardOutcome: Hashable, Sendable {
    /// Granted by the service: the issuer has reserved the money. `approvalCode` is empty when the service
    /// gave none; with `isSimulated` no money is moved.
    case authorized(approvalCode: String, isSimulated: Bool = false)
    /// The machine took the money.
    case charged(DeviceProof)
    /// Refused by the issuer; `reason` is for the cashier. No money is reserved.
    case declined(reason: String)
    /// Whoever was requested did not begin with this request: nothing is kept of it, and no money moves by
    /// it. What an earlier one under the same key came to is another matter.
    case notSent(DeviceTrouble)
    /// Unknown: the response was lost or malformed, or the hub does not have the key (yet).
    case unknown(detail: String)
}
