/// The payload of `shift.opened` (docs/concepts/shifts.md). Its entity is `shift`, the entity's id the
/// shift's.
package struct ShiftOpening: Fact {
    /// The mutation's type.
    package static let type = "shift.opened"
    /// The mutation's entity, that of ``ShiftClosing`` too.
    package static let entity = "shift"

    /// A ULID; what is done in the shift carries it as `shiftId`.
    package var shiftId = ""
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay = ""
    /// A name of the tz database.
    package var timeZone = ""
    /// ISO 4217.
    package var currency = ""
    /// Unix milliseconds.
    package var openedAt: Int64 = 0
    /// The cashier's id; nil in a store without cashiers.
    package var openedBy: String?
    /// Whose PIN allowed it; nil: none was needed.
    package var approverId: String?
    /// Minor units of cash in the drawer at the begin.
    package var float: Int64 = 0

    package init(
        shiftId: String, businessDay: String, timeZone: String, currency: String, openedAt: Int64,
        openedBy: String?, approverId: String? = nil, float: Int64
    ) {
        self.shiftId = shiftId
        self.businessDay = businessDay
        self.timeZone = timeZone
        self.currency = currency
        self.openedAt = openedAt
        self.openedBy = openedBy
        self.approverId = approverId
        self.float = float
    }

    /// Whether the payload of a shift's mutation or of a cash movement has an id, which those that were
    /// written before the contract gave them a form have not.
    package static func isIdentified(_ payload: JSONValue) -> Bool {
        payload["shiftId"] != nil || payload["moveId"] != nil
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approverId", &approverId, .valid)
        try m.text("businessDay", &businessDay)
        try m.text("currency", &currency)
        try m.number("float", &float, in: PayloadRange.count)
        try m.moment("openedAt", &openedAt)
        try m.text("openedBy", &openedBy, .valid.orNull)
        try m.text("shiftId", &shiftId, upTo: TextBound.name)
        try m.text("timeZone", &timeZone)
    }
}
