/// A card machine of the terminal's own, on the shop's network. It charges by itself while the hub is away.
///
/// Every call names the payment by its key and can be repeated: a machine charges a key once. It never
/// throws; every failure is an outcome.
package protocol CardMachine: Sendable {
    /// Requests one charge.
    func charge(_ intent: CardIntent, deadline: Duration) async -> MachineOutcome

    /// What became of a charge whose response was lost.
    func state(of key: String, deadline: Duration) async -> MachineOutcome

    /// Gives a charge back, or sees to it that a charge that comes late is declined.
    ///
    /// - Returns: whether it is certain that no money is taken under the key.
    func void(key: String, deadline: Duration) async -> Bool

    /// Gives a part of a charge back to its card, or all of it. Idempotent by both keys together: the same
    /// request again gives nothing more back, and has the first response. A machine never gives back more
    /// than is left of the charge.
    ///
    /// - Parameters:
    ///   - key: of the charge.
    ///   - refundId: a ULID; one refund gives a charge back once.
    ///   - amount: minor units, above 0.
    func refund(
        key: String, refundId: String, amount: Int64, currency: String, deadline: Duration
    ) async -> MachineRefund
}

/// What a card machine did.
package enum MachineOutcome: Hashable, Sendable {
    /// Charged. `reference` is the machine's own number.
    case charged(reference: String, approvalCode: String, isSimulated: Bool)
    case declined(reason: String)
    /// No response, or one that cannot be read.
    case unknown(detail: String)
}

/// What a card machine gave back.
package enum MachineRefund: Hashable, Sendable {
    case refunded
    /// Not given back, and never by this request: the customer is owed the money.
    case refused(reason: String)
    /// No response, or one that cannot be read: it may have been given back or not.
    case unknown(detail: String)
}
