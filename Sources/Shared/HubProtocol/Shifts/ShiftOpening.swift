import Base

/// The payload of `shift.opened` (docs/concepts/shifts.md). Its entity is `shift`, the entity's id the
/// shift's.
package struct ShiftOpening: Hashable, Sendable {
    /// The mutation's type.
    package static let type = "shift.opened"
    /// The mutation's entity, that of ``ShiftClosing`` too.
    package static let entity = "shift"

    /// A ULID; what is done in the shift carries it as `shiftId`.
    package var shiftId: String
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay: String
    /// A name of the tz database.
    package var timeZone: String
    /// ISO 4217.
    package var currency: String
    /// Unix milliseconds.
    package var openedAt: Int64
    /// The cashier's id; nil in a store without cashiers.
    package var openedBy: String?
    /// Whose PIN allowed it; nil: none was needed.
    package var approverId: String?
    /// Minor units of cash in the drawer at the begin.
    package var float: Int64

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

    /// Reads the payload; the float is from 0 to 10^12.
    package init(payload: JSONValue) throws(ShapeError) {
        self.init(
            shiftId: try payload.requiredName("shiftId"),
            businessDay: try payload.requiredString("businessDay"),
            timeZone: try payload.requiredString("timeZone"),
            currency: try payload.requiredString("currency"),
            openedAt: try payload.requiredMoment("openedAt"),
            openedBy: try payload.optionalString("openedBy"),
            approverId: try payload.optionalString("approverId"),
            float: try payload.requiredInteger("float", in: PayloadRange.count))
    }

    /// Whether the payload of a shift's mutation or of a cash movement has an id, which those that were
    /// written before the contract gave them a form have not.
    package static func isIdentified(_ payload: JSONValue) -> Bool {
        payload["shiftId"] != nil || payload["moveId"] != nil
    }

    /// The payload as it is written.
    package var payload: JSONValue {
        var members: JSONObject = [
            "shiftId": .string(shiftId), "businessDay": .string(businessDay),
            "timeZone": .string(timeZone), "currency": .string(currency),
            "openedAt": .string(Timestamp.text(milliseconds: openedAt)),
            "openedBy": openedBy.map(JSONValue.string) ?? .null, "float": .integer(float),
        ]
        if let approverId { members["approverId"] = .string(approverId) }
        return .object(members)
    }
}
