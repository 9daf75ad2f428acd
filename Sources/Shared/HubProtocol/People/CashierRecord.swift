package import Base

/// A `cashier` of the change feed, and of the response of `POST /v1/sessions` without the hash.
package struct CashierRecord: Hashable, Sendable {
    /// Decides who approves; the raw value is the text of `role`.
    package enum Role: String, Hashable, Sendable, CaseIterable {
        case cashier
        case manager
    }

    /// Unique in the chain; what a cashier types to sign in.
    package let id: String
    /// What terminals show and receipts print.
    package let name: String
    /// A manager needs no approver and may be one.
    package let role: Role
    /// What a PIN is checked against, as `Credentials` writes it.
    @Secret package private(set) var pinHash: String
    /// The one store that the cashier works in; nil: every store.
    package let storeId: String?

    /// Makes a record; without a `storeId` the cashier works in every store.
    package init(id: String, name: String, role: Role, pinHash: String, storeId: String? = nil) {
        self.id = id
        self.name = name
        self.role = role
        self.pinHash = pinHash
        self.storeId = storeId
    }

    package func works(in storeId: String) -> Bool { self.storeId == nil || self.storeId == storeId }

    /// Reads the value of a `cashier`; `storeId` may be missing. Throws ``ShapeError`` for a role that this
    /// version does not have.
    package init(json: JSONValue) throws(ShapeError) {
        id = try json.requiredString("id")
        name = try json.requiredString("name")
        guard let role = Role(rawValue: try json.requiredString("role")) else {
            throw ShapeError(path: "role", expected: "cashier or manager")
        }
        self.role = role
        pinHash = try json.requiredString("pinHash")
        storeId = try json.optionalString("storeId")
    }

    /// Without `storeId` for a cashier of every store, as in earlier versions.
    package var json: JSONValue {
        var fields: JSONObject = [
            "id": .string(id), "name": .string(name), "role": .string(role.rawValue),
            "pinHash": .string(pinHash),
        ]
        if let storeId { fields["storeId"] = .string(storeId) }
        return .object(fields)
    }
}
