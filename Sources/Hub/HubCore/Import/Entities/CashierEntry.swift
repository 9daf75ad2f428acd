package import Base
package import HubProtocol

/// A cashier of an import, with the PIN that is hashed before anything is kept.
package struct CashierEntry: Fact {
    /// Unique in the chain; 1 to 128 bytes in an import file.
    package private(set) var id = ""
    /// What terminals show and receipts print; 1 to 256 bytes in an import file.
    package private(set) var name = ""
    /// 4 to 12 digits in plain text. It is never stored, printed or sent to a terminal.
    @Secret package private(set) var pin: String = ""
    /// `cashier` or `manager`; a manager may approve what the rules of the store name.
    package private(set) var role = CashierRecord.Role.cashier
    /// The one store that the cashier works in; nil: every store.
    package private(set) var storeId: String?
    /// What the PIN is checked against, when that was worked out ahead of the import; nil: not yet.
    @Secret package var pinHash: String?

    /// Makes an entry without a check of the PIN. By default it is for every store and its PIN is not hashed
    /// yet.
    package init(
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

    /// Whether `text` is a PIN: 4 to 12 digits.
    package static func isPIN(_ text: String) -> Bool {
        (4...12).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The fewest digits of a manager's PIN. At 0.3 s a guess on one core a thief of a terminal's disk tries
    /// all PINs of 6 digits in 3.5 days and all of 4 in 50 minutes; 5 would be 8 hours, 7 a month, and a
    /// manager approves what moves money.
    package static let shortestManagerPIN = 6

    /// Whether the PIN is too short for what its owner may do.
    package var isTooShort: Bool { role == .manager && pin.utf8.count < Self.shortestManagerPIN }

    package init() {}

    /// With the plain PIN, for the hub's local socket; it belongs in no log.
    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("id", &id)
        try m.text("name", &name)
        try m.text("pin", &pin)
        try m.check(Self.isPIN(pin), "pin", "4 to 12 digits")
        try m.text("pinHash", &pinHash, .valid.orNull)
        try m.word("role", &role, of: "cashier or manager")
        try m.text("storeId", &storeId, .valid.orNull)
        try m.check(storeId.map(StoreIdentifier.isValid) ?? true, "storeId", "the id of a store")
    }
}

extension CashierRecord: ImportedEntity {
    package var key: EntityKey { EntityKey("cashier", id) }
    /// The cashier's one store; empty for a cashier of every store.
    package var audience: String { storeId ?? "" }
    /// The record replaces what was known: no field of a cashier is merged.
    package func value(over known: JSONValue?) -> JSONValue { json }
}
