public import HubProtocol

/// A cashier of an import, with the PIN that is hashed before anything is kept.
public struct CashierEntry: Hashable, Sendable {
    public let id: String
    public let name: String
    public let pin: String
    public let role: CashierRecord.Role
    /// The one store that the cashier works in; nil: every store.
    public let storeId: String?
    /// What the PIN is checked against, when that was worked out ahead of the import; nil: not yet.
    public var pinHash: String?

    public init(
        id: String, name: String, pin: String, role: CashierRecord.Role, storeId: String? = nil,
        pinHash: String? = nil
    ) {
        self.id = id
        self.name = name
        self.pin = pin
        self.role = role
        self.storeId = storeId
        self.pinHash = pinHash
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
        storeId = try json.optionalString("storeId")
        guard storeId.map(StoreIdentifier.isValid) ?? true else {
            throw ShapeError(path: "storeId", expected: "the id of a store")
        }
        pinHash = try json.optionalString("pinHash")
    }

    public var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "pin": .string(pin), "role": .string(role.rawValue),
            "storeId": JSONValue(storeId), "pinHash": JSONValue(pinHash),
        ]
    }

    /// Whether `text` is a PIN: 4 to 12 digits.
    public static func isPIN(_ text: String) -> Bool {
        (4...12).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The fewest digits of a manager's PIN. At 0.3 s a guess on one core a thief of a terminal's disk tries
    /// all PINs of 6 digits in 3.5 days and all of 4 in 50 minutes; 5 would be 8 hours, 7 a month, and a
    /// manager approves what moves money.
    public static let shortestManagerPIN = 6

    /// Whether the PIN is too short for what its owner may do.
    public var isTooShort: Bool { role == .manager && pin.utf8.count < Self.shortestManagerPIN }
}

extension CashierRecord: ImportedEntity {
    public var key: EntityKey { EntityKey("cashier", id) }
    public var audience: String { storeId ?? "" }
    public func value(over known: JSONValue?) -> JSONValue { json }
}
