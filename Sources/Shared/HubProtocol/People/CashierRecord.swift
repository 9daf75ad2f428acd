package import Base

/// A `cashier` of the change feed, and of the response of `POST /v1/sessions` without the hash.
package struct CashierRecord: Fact {
    /// Decides who approves; the raw value is the text of `role`.
    package enum Role: String, Hashable, Sendable, CaseIterable {
        case cashier
        case manager
    }

    /// Unique in the chain; what a cashier types to sign in.
    package private(set) var id = ""
    /// What terminals show and receipts print.
    package private(set) var name = ""
    /// A manager needs no approver and may be one.
    package private(set) var role = Role.cashier
    /// What a PIN is checked against, as `Credentials` writes it.
    @Secret package private(set) var pinHash: String = ""
    /// The one store that the cashier works in; nil: every store.
    package private(set) var storeId: String?

    /// Makes a record; without a `storeId` the cashier works in every store.
    package init(id: String, name: String, role: Role, pinHash: String, storeId: String? = nil) {
        self.id = id
        self.name = name
        self.role = role
        self.pinHash = pinHash
        self.storeId = storeId
    }

    package func works(in storeId: String) -> Bool { self.storeId == nil || self.storeId == storeId }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("id", &id)
        try m.text("name", &name)
        try m.text("pinHash", &pinHash)
        try m.word("role", &role, of: "cashier or manager")
        try m.text("storeId", &storeId, .valid)
    }
}
