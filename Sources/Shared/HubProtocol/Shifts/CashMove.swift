/// The payload of `cash.moved` (docs/concepts/shifts.md): cash that enters or leaves the drawer outside
/// a sale, or the drawer opened without one. Its entity is `cashMove`, the entity's id the move's.
package struct CashMove: Hashable, Sendable {
    /// What happened to the drawer.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Cash was put in.
        case `in`
        /// Cash was taken out, for an expense.
        case out
        /// Cash was taken to the safe.
        case drop
        /// The drawer was opened and nothing moved.
        case noSale
    }

    /// The mutation's type.
    package static let type = "cash.moved"
    /// The mutation's entity.
    package static let entity = "cashMove"

    /// A ULID; the same one again moves nothing more.
    package var moveId: String
    /// The shift that was open; nil: none was.
    package var shiftId: String?
    /// What happened to the drawer.
    package var kind: Kind
    /// Minor units, 0 or more; 0 for ``Kind/noSale``.
    package var amount: Int64
    /// ISO 4217.
    package var currency: String
    /// As typed.
    package var reason: String?
    /// Nil in a store without cashiers.
    package var cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    package var approverId: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay: String
    /// A name of the tz database.
    package var timeZone: String

    package init(
        moveId: String, shiftId: String?, kind: Kind, amount: Int64, currency: String, reason: String?,
        cashierId: String?, approverId: String? = nil, businessDay: String, timeZone: String
    ) {
        self.moveId = moveId
        self.shiftId = shiftId
        self.kind = kind
        self.amount = amount
        self.currency = currency
        self.reason = reason
        self.cashierId = cashierId
        self.approverId = approverId
        self.businessDay = businessDay
        self.timeZone = timeZone
    }

    /// Reads the payload; the amount is from 0 to 10^12.
    package init(payload: JSONValue) throws(ShapeError) {
        guard let kind = Kind(rawValue: try payload.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "in, out, drop or noSale")
        }
        self.init(
            moveId: try payload.requiredName("moveId"), shiftId: try payload.optionalString("shiftId"),
            kind: kind, amount: try payload.requiredInteger("amount", in: PayloadRange.count),
            currency: try payload.requiredString("currency"), reason: try payload.optionalString("reason"),
            cashierId: try payload.optionalString("cashierId"),
            approverId: try payload.optionalString("approverId"),
            businessDay: try payload.requiredString("businessDay"),
            timeZone: try payload.requiredString("timeZone"))
    }

    /// The payload as it is written.
    package var payload: JSONValue {
        var members: JSONObject = [
            "moveId": .string(moveId), "kind": .string(kind.rawValue), "amount": .integer(amount),
            "currency": .string(currency), "reason": reason.map(JSONValue.string) ?? .null,
            "cashierId": cashierId.map(JSONValue.string) ?? .null,
            "businessDay": .string(businessDay), "timeZone": .string(timeZone),
        ]
        if let shiftId { members["shiftId"] = .string(shiftId) }
        if let approverId { members["approverId"] = .string(approverId) }
        return .object(members)
    }
}
