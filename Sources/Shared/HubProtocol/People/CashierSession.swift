/// The response of `POST /v1/sessions` `{"cashierId","pin"}` (http.md section 6): `201` for a right PIN, else
/// `422` `pin_refused`, or `422` `pin_locked` after too many wrong ones.
package struct CashierSession: Fact {
    /// The id that was typed.
    package private(set) var cashierId = ""
    /// What terminals show and receipts print.
    package private(set) var name = ""
    /// `cashier` or `manager`.
    package private(set) var role = CashierRecord.Role.cashier

    /// The response for `cashier`, without the PIN's hash and the store.
    package init(_ cashier: CashierRecord) {
        cashierId = cashier.id
        name = cashier.name
        role = cashier.role
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("cashierId", &cashierId)
        try m.text("name", &name)
        try m.word("role", &role, of: "cashier or manager")
    }
}
