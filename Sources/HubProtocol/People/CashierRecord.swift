/// A `cashier` of the change feed, and of the answer of `POST /v1/sessions` without the hash.
public struct CashierRecord: Hashable, Sendable {
    public enum Role: String, Hashable, Sendable, CaseIterable {
        case cashier
        case manager
    }

    public let id: String
    public let name: String
    public let role: Role
    /// What a PIN is checked against, as `Credentials` writes it.
    public let pinHash: String

    public init(id: String, name: String, role: Role, pinHash: String) {
        self.id = id
        self.name = name
        self.role = role
        self.pinHash = pinHash
    }

    public init(json: JSONValue) throws(ShapeError) {
        id = try json.requiredString("id")
        name = try json.requiredString("name")
        guard let role = Role(rawValue: try json.requiredString("role")) else {
            throw ShapeError(path: "role", expected: "cashier or manager")
        }
        self.role = role
        pinHash = try json.requiredString("pinHash")
    }

    public var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "role": .string(role.rawValue),
            "pinHash": .string(pinHash),
        ]
    }
}
