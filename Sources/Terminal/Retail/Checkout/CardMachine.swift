/// A card machine of the terminal's own, on the shop's network. It charges by itself while the hub is away.
///
/// Every call names the payment by its key and can be repeated: a machine charges a key once. It never
/// throws; every failure is an outcome.
public protocol CardMachine: Sendable {
    /// Requests one charge.
    func charge(_ intent: CardIntent, deadline: Duration) async -> MachineOutcome

    /// What became of a charge whose response was lost.
    func state(of key: String, deadline: Duration) async -> MachineOutcome

    /// Gives a charge back, or sees to it that a charge that comes late is declined.
    ///
    /// - Returns: whether it is certain that no money is taken under the key.
    func void(key: String, deadline: Duration) async -> Bool
}

/// What a card machine did.
public enum MachineOutcome: Hashable, Sendable {
    /// Charged. `reference` is the machine's own number.
    case charged(reference: String, approvalCode: String, isSimulated: Bool)
    case declined(reason: String)
    /// No response, or one that cannot be read.
    case unknown(detail: String)
}
