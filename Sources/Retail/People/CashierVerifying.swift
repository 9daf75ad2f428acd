/// Tells whether a PIN is a cashier's: the hub's service `account`, or the till from its own copy.
public protocol CashierVerifying: Sendable {
    func verdict(on pin: String, of cashierId: String) async throws(InquiryError) -> PINVerdict
}

/// What was found of a PIN.
public enum PINVerdict: Hashable, Sendable {
    case right
    /// Another PIN than the cashier's, or nobody has that id.
    case wrong
    /// Too many wrong ones in a row.
    case locked(remaining: Duration)
}

/// The store's cashiers as the till's own copy has them. Checking a PIN takes some hundredths of a second,
/// and blocks nobody.
public protocol CashierRoster: CashierVerifying {
    /// While there is none, no sale needs one. Read with every sale, so it is kept in memory.
    var hasCashiers: Bool { get }

    /// What a cashier's PIN is checked against, another one after the PIN was changed; nil: nobody has that
    /// id.
    func pinHash(of cashierId: String) -> String?
}
