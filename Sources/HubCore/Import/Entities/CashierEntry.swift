public import HubProtocol

/// A cashier of an import, with the PIN that the hub hashes before anything is kept.
public struct CashierEntry: Hashable, Sendable {
    public let id: String
    public let name: String
    public let pin: String
    public let role: CashierRecord.Role

    public init(id: String, name: String, pin: String, role: CashierRecord.Role) {
        self.id = id
        self.name = name
        self.pin = pin
        self.role = role
    }

    public init(json: JSONValue) throws(ShapeError) {
        id = try json.requiredString("id")
        name = try json.requiredString("name")
        pin = try json.requiredString("pin")
        guard Self.isPIN(pin) else { throw ShapeError(path: "pin", expected: "4 to 12 digits") }
        guard let role = CashierRecord.Role(rawValue: try json.requiredString("role")) else {
            throw ShapeError(path: "role", expected: "cashier or manager")
        }
        self.role = role
    }

    public var json: JSONValue {
        ["id": .string(id), "name": .string(name), "pin": .string(pin), "role": .string(role.rawValue)]
    }

    /// Whether `text` is a PIN: 4 to 12 digits.
    public static func isPIN(_ text: String) -> Bool {
        (4...12).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension CashierRecord: ImportedEntity {
    public var key: EntityKey { EntityKey("cashier", id) }
    public func value(over known: JSONValue?) -> JSONValue { json }
}
