/// What a cashier may do by themselves.
package enum CashierRole: String, Hashable, Sendable, CaseIterable {
    case cashier
    case manager

    /// A role that is unknown to this version has the rights of a cashier.
    package init(_ text: String?) {
        self = text.flatMap(CashierRole.init(rawValue:)) ?? .cashier
    }
}

/// A person who may sell at this terminal.
package struct Cashier: Hashable, Sendable {
    /// The id that the person types to sign in, as imported at the hub.
    package let id: String
    /// The name for screens, as imported at the hub.
    package let name: String
    /// ``CashierRole/manager`` may approve; a role of a newer hub counts as ``CashierRole/cashier``.
    package let role: CashierRole
    /// What the PIN is checked against here, another one after the PIN was changed; nil: only the hub can
    /// check it.
    package let verifier: String?

    /// Makes a cashier; nil as `verifier` means that only the hub can check the PIN.
    package init(id: String, name: String, role: CashierRole, verifier: String?) {
        self.id = id
        self.name = name
        self.role = role
        self.verifier = verifier
    }
}

/// Checks whether a PIN is a cashier's: the hub's service `account`, or the terminal by its own copy.
package protocol CashierVerifying: Sendable {
    func check(_ pin: String, of cashierId: String) async throws(InquiryError) -> PINResult
}

/// What was found of a PIN.
package enum PINResult: Hashable, Sendable {
    case right(Cashier)
    /// Another PIN than the cashier's, or no cashier has that id.
    case wrong
    /// Too many wrong ones in a row.
    case locked(remaining: Duration)
}

/// The store's cashiers as the terminal's own copy has them. Checking a PIN takes some tenths of a second,
/// and blocks no other work.
package protocol CashierRoster: CashierVerifying {
    /// Without cashiers no sign-in is needed. Read with every sale, so it is kept in memory.
    var hasCashiers: Bool { get }

    /// Whether anybody could approve something.
    var hasManager: Bool { get }

    /// Nil: the copy has no cashier of that id.
    func cashier(_ id: String) -> Cashier?
}
