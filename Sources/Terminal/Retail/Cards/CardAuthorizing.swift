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
