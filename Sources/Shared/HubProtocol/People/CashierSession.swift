/// The response of `POST /v1/sessions` `{"cashierId","pin"}` (http.md section 6): `201` for a right PIN, else
/// `422` `pin_refused`, or `422` `pin_locked` after too many wrong ones.
package struct CashierSession: Hashable, Sendable {
    /// The id that was typed.
    package let cashierId: String
    /// What terminals show and receipts print.
    package let name: String
    /// `cashier` or `manager`.
    package let role: CashierRecord.Role

    /// The response for `cashier`, without the PIN's hash and the store.
    package init(_ cashier: CashierRecord) {
        cashierId = cashier.id
        name = cashier.name
        role = cashier.role
    }

    /// Reads the response. Throws ``ShapeError`` for a role that this version does not have.
    package init(json: JSONValue) throws(ShapeError) {
        cashierId = try json.requiredString("cashierId")
        name = try json.requiredString("name")
        guard let role = CashierRecord.Role(rawValue: try json.requiredString("role")) else {
            throw ShapeError(path: "role", expected: "cashier or manager")
        }
        self.role = role
    }

    /// `{"cashierId","name","role"}`.
    package var json: JSONValue {
        ["cashierId": .string(cashierId), "name": .string(name), "role": .string(role.rawValue)]
    }
}
