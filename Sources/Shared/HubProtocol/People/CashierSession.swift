/// The response of `POST /v1/sessions` `{"cashierId","pin"}` (http.md section 6): `201` for a right PIN, else
/// `422` `pin_refused`, or `422` `pin_locked` after too many wrong ones.
public struct CashierSession: Hashable, Sendable {
    public let cashierId: String
    public let name: String
    public let role: CashierRecord.Role

    public init(_ cashier: CashierRecord) {
        cashierId = cashier.id
        name = cashier.name
        role = cashier.role
    }

    public init(json: JSONValue) throws(ShapeError) {
        cashierId = try json.requiredString("cashierId")
        name = try json.requiredString("name")
        guard let role = CashierRecord.Role(rawValue: try json.requiredString("role")) else {
            throw ShapeError(path: "role", expected: "cashier or manager")
        }
        self.role = role
    }

    public var json: JSONValue {
        ["cashierId": .string(cashierId), "name": .string(name), "role": .string(role.rawValue)]
    }
}
