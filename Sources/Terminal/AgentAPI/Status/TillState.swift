/// What a screen says of the till itself: where it stands, who is signed in, and whether a shift is open.
package struct TillState: MemberDocument {
    /// `store.name`, or the store's id.
    package var storeName = ""
    /// The terminal's number in its store, as in its order numbers; nil: not enrolled.
    package var number: Int64?
    /// The store's zone in the tz database, in which people read times.
    package var timeZone = ""
    /// Who is signed in; nil: nobody, or a store without cashiers.
    package var cashier: SessionResponse.Cashier?
    /// The open shift; nil: none is open.
    package var shiftId: String?
    /// `checkout.equalScans`: whether equal scans are one line.
    package var joinsEqualScans = false
    /// `cash.roundingMinor`: the smallest coin in minor units; 1: cash is not rounded.
    package var smallestCoin: Int64 = 1

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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("storeName", &storeName)
        try m.nullable("number", &number)
        try m("timeZone", &timeZone)
        var session = SessionResponse(cashier)
        try m("cashier", &session)
        cashier = session.cashier
        try m.nullable("shiftId", &shiftId)
        try m.optional("joinsEqualScans", &joinsEqualScans, absent: false)
        try m.optional("smallestCoin", &smallestCoin, absent: 1)
    }
}
