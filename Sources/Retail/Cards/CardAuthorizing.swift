/// The hub's payment service. The network is behind it; it never throws, whatever went wrong is an outcome.
public protocol CardAuthorizing: Sendable {
    /// Asks once, under the intent's key; an adapter never sends a second time by itself.
    ///
    /// - Parameter deadline: for the whole exchange; the cashier's budget does not apply to it.
    func authorize(_ intent: CardIntent, deadline: Duration) async -> CardOutcome

    /// What became of an authorisation whose answer was lost.
    func query(key: String, deadline: Duration) async -> CardOutcome
}

/// How an authorisation stands.
public enum CardOutcome: Hashable, Sendable {
    /// Granted, money is held. `approvalCode` is empty when the service gave none; with `isSimulated` no
    /// money moves.
    case authorized(approvalCode: String, isSimulated: Bool = false)
    /// Refused by the issuer; `reason` is for the cashier. No money is held.
    case declined(reason: String)
    /// Nobody can tell: the answer was lost, broken, or the key is not known (yet).
    case unknown(detail: String)
}
