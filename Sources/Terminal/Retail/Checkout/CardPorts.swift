public import Base

/// The record that the terminal is about to request a card authorisation, durable before the first byte is
/// sent.
public struct CardIntent: Hashable, Sendable {
    /// The authorisation's idempotency key, a ULID.
    public let key: String
    /// The order that the authorisation is for; the sale takes it over.
    public let orderId: String
    /// The key of the sale request that the card is to pay; a repeated request has the same key.
    public let saleKey: ULID
    /// Minor units.
    public let amount: Int64
    /// ISO 4217.
    public let currency: String
    /// Unix milliseconds of the wall clock.
    public let openedAt: Int64

    /// Makes an intent with its keys; ``CardIntentLedger/open(saleKey:amount:currency:at:)`` mints and stores
    /// them.
    public init(
        key: String, orderId: String, saleKey: ULID, amount: Int64, currency: String, openedAt: Int64
    ) {
        self.key = key
        self.orderId = orderId
        self.saleKey = saleKey
        self.amount = amount
        self.currency = currency
        self.openedAt = openedAt
    }
}

/// Keeps card intents until a sale, a decline or a void settles them. Every change is durable on return.
public protocol CardIntentLedger: Sendable {
    /// Mints key and order id and stores the intent.
    func open(
        saleKey: ULID, amount: Int64, currency: String, at wallMilliseconds: Int64
    ) async throws(StorageError) -> CardIntent

    /// The service declined: no money is reserved, nothing has to be undone.
    func decline(_ intent: CardIntent) async throws(StorageError)

    /// Cancels the intent: in one transaction it is settled and a `payment.voided` mutation goes into the
    /// outbox. Does nothing to an intent that is settled already.
    func void(
        _ intent: CardIntent, reason: String, at wallMilliseconds: Int64
    ) async throws(StorageError)

    /// Intents that nothing settled, oldest first.
    func unsettled() async throws(StorageError) -> [CardIntent]

    /// Intents whose sale was made and whose response no person has seen yet, oldest first; voided sales are
    /// left out.
    func unseen() async throws(StorageError) -> [CardIntent]

    /// The requester of the order's sale has its response, or a person has checked the sale.
    func noteSeen(orderId: String) async throws(StorageError)
}

/// The hub's payment service. Its adapter uses the network. It never throws: every failure is an outcome.
public protocol CardAuthorizing: Sendable {
    /// Sends one request under the intent's key; an adapter never repeats it.
    ///
    /// - Parameter deadline: for the complete exchange; the cashier's wait budget does not apply to it.
    func authorize(_ intent: CardIntent, deadline: Duration) async -> CardOutcome

    /// The outcome of an authorisation whose response was lost.
    func query(key: String, deadline: Duration) async -> CardOutcome
}

/// The state of an authorisation.
public enum CardOutcome: Hashable, Sendable {
    /// Granted: the issuer has reserved the money. `approvalCode` is empty when the service gave none; with
    /// `isSimulated` no money is moved.
    case authorized(approvalCode: String, isSimulated: Bool = false)
    /// Refused by the issuer; `reason` is for the cashier. No money is reserved.
    case declined(reason: String)
    /// Unknown: the response was lost or malformed, or the hub does not have the key (yet).
    case unknown(detail: String)
}
