/// What a cashier may do by themselves.
public enum CashierRole: String, Hashable, Sendable, CaseIterable {
    case cashier
    case manager

    /// A role that this version does not know may do what a cashier may.
    public init(_ text: String?) {
        self = text.flatMap(CashierRole.init(rawValue:)) ?? .cashier
    }
}

/// A person who may sell at this terminal.
public struct Cashier: Hashable, Sendable {
    public let id: String
    public let name: String
    public let role: CashierRole
    /// What the PIN is checked against here, another one after the PIN was changed; nil: only the hub can
    /// check it.
    public let verifier: String?

    public init(id: String, name: String, role: CashierRole, verifier: String?) {
        self.id = id
        self.name = name
        self.role = role
        self.verifier = verifier
    }
}

/// Checks whether a PIN is a cashier's: the hub's service `account`, or the terminal by its own copy.
public protocol CashierVerifying: Sendable {
    func verdict(on pin: String, of cashierId: String) async throws(InquiryError) -> PINVerdict
}

/// What was found of a PIN.
public enum PINVerdict: Hashable, Sendable {
    case right(Cashier)
    /// Another PIN than the cashier's, or nobody has that id.
    case wrong
    /// Too many wrong ones in a row.
    case locked(remaining: Duration)
}

/// The store's cashiers as the terminal's own copy has them. Checking a PIN takes some tenths of a second,
/// and blocks nobody.
public protocol CashierRoster: CashierVerifying {
    /// While there is none, nobody has to sign in. Read with every sale, so it is kept in memory.
    var hasCashiers: Bool { get }

    /// Whether anybody could approve something.
    var hasManager: Bool { get }

    /// Nil: the copy has nobody of that id.
    func cashier(_ id: String) -> Cashier?
}
