package import HubCore
package import HubProtocol

/// The store of orders and of all that belongs to them. Every call is one transaction, durable when it
/// returns.
///
/// Here is what each store does in its own way; the rest is written once, over SQL, in the files of
/// `Ledgers`.
package protocol Ledger: SQLStore, JournalLedger {
    /// Whether a transaction that writes can begin now.
    ///
    /// - Throws: within about a second when it cannot.
    func checkWritable() async throws(LedgerError)

    /// Reads everything and lists what is not as the store left it. Takes minutes on a large one.
    func check() async throws(LedgerError) -> StoreCheck

    /// Imports products, all or none. Products that the list does not name stay as they are.
    ///
    /// - Parameter gone: the skus of products that are withdrawn: a tombstone takes their place in the feed.
    func importProducts(
        _ products: [ProductRecord], withdrawing gone: [String], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome

    /// What its intake keeps.
    var memory: IntakeMemory { get }

    /// Runs `body` in a transaction with an intake that has no push.
    ///
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    func intake<Value: Sendable>(
        for purpose: IntakePurpose, at now: Int64,
        _ body: @escaping @Sendable (any StoreIntake) throws -> Value
    ) async throws(LedgerError) -> Value

    /// Runs `body` in a transaction that publishes to the change feed, and gives it the hub's clock.
    ///
    /// - Parameters:
    ///   - ticks: how many changes there can be.
    ///   - now: the wall clock, in milliseconds since 1970.
    ///   - isLong: as in ``SQLStore/perform(_:isLong:_:)``.
    func publish<Value: Sendable>(
        _ ticks: Int, at now: Int64, isLong: Bool,
        _ body:
            @escaping @Sendable (any FeedSession, inout HybridLogicalClock) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value
}

/// Accepts what terminals send.
package protocol JournalLedger: Sendable {
    /// Accepts a push: effects, keys, responses and feed entries together, or nothing.
    func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse

    /// Takes a report of a terminal in. Of its versions the ten that spoke last are kept.
    func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError)
}

/// What a check of a whole store came to.
package struct StoreCheck: Hashable, Sendable {
    /// What is damaged, in the store's messages; empty when all is well.
    package let findings: [String]
    package let looked: [String]

    /// The most findings that are listed: a damaged page brings hundreds of them, and the first ones show
    /// where.
    package static let listed = 100

    package init(findings: [String], looked: [String]) {
        self.findings = findings
        self.looked = looked
    }

    /// `{"intact","findings","checked"}`; `intact` is true without findings.
    package var json: JSONValue {
        [
            "intact": .bool(findings.isEmpty), "findings": .array(findings.map(JSONValue.string)),
            "checked": .array(looked.map(JSONValue.string)),
        ]
    }
}
