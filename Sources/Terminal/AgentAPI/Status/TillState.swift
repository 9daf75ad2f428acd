package import HubProtocol

/// What a screen says of the till itself: where it stands, who is signed in, and whether a shift is open.
package struct TillState: AgentDocument {
    /// `store.name`, or the store's id.
    package let storeName: String
    /// The terminal's number in its store, as in its order numbers; nil: not enrolled.
    package let number: Int64?
    /// The store's zone in the tz database, in which people read times.
    package let timeZone: String
    /// Who is signed in; nil: nobody, or a store without cashiers.
    package let cashier: SessionResponse.Cashier?
    /// The open shift; nil: none is open.
    package let shiftId: String?
    /// `checkout.equalScans`: whether equal scans are one line.
    package var joinsEqualScans = false
    /// `cash.roundingMinor`: the smallest coin in minor units; 1: cash is not rounded.
    package var smallestCoin: Int64 = 1

    /// A state; nil is explained at each property.
    package init(
        storeName: String, number: Int64?, timeZone: String, cashier: SessionResponse.Cashier?,
        shiftId: String?
    ) {
        self.storeName = storeName
        self.number = number
        self.timeZone = timeZone
        self.cashier = cashier
        self.shiftId = shiftId
    }

    /// Every member is there, those that may be nil are null then; only true is `joinsEqualScans` there, only
    /// above 1 `smallestCoin`.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            storeName: try members.read("storeName"),
            number: try members.nullable("number"),
            timeZone: try members.read("timeZone"),
            cashier: try (members.read("cashier") as SessionResponse).cashier,
            shiftId: try members.nullable("shiftId"))
        joinsEqualScans = try members.optional("joinsEqualScans") ?? false
        smallestCoin = try members.optional("smallestCoin") ?? 1
    }

    /// `cashier` as in the response to `GET /v1/session`; `joinsEqualScans` where it is true, `smallestCoin`
    /// where it is above 1.
    package var json: JSONValue {
        var members: JSONObject = [
            "storeName": .string(storeName), "number": JSONValue(number), "timeZone": .string(timeZone),
            "cashier": SessionResponse(cashier).json, "shiftId": JSONValue(shiftId),
        ]
        if joinsEqualScans { members["joinsEqualScans"] = true }
        if smallestCoin > 1 { members["smallestCoin"] = .integer(smallestCoin) }
        return .object(members)
    }
}
