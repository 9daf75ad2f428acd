package import HubProtocol

/// A card that was taken offline in a shift and refused afterwards.
package struct ShiftDebt: MemberDocument {
    /// The number of its sale; nil where the database lost the sale.
    package var orderNumber: String?
    /// Minor units of the shift's currency.
    package var amount: Int64 = 0
    /// Why it was refused; nil where no reason came.
    package var reason: String?
    /// The key by which the hub settles it.
    package var id = ""
    /// Whether an operator noted at the hub that it was paid or written off.
    package var isSettled = false

    /// A debt; `orderNumber` and `reason` are nil where they are not known.
    package init(orderNumber: String?, amount: Int64, reason: String?, id: String, isSettled: Bool) {
        self.orderNumber = orderNumber
        self.amount = amount
        self.reason = reason
        self.id = id
        self.isSettled = isSettled
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m.nullable("orderNumber", &orderNumber)
        try m("amount", &amount)
        try m.nullable("reason", &reason)
        try m("id", &id)
        var state = isSettled ? "settled" : "open"
        try m("state", &state)
        isSettled = state == "settled"
    }
}

/// One shift of this terminal: the document of `pos shift report|close|show --json`. Of a blind shift totals
/// and points are null.
package struct ShiftRecord: MemberDocument {
    /// A ULID.
    package var shiftId = ""
    package var state = ShiftSettlement.State.open
    /// ISO 4217.
    package var currency = ""
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay = ""
    /// RFC 3339.
    package var openedAt = ""
    /// Nil in a store without cashiers.
    package var openedBy: String?
    /// RFC 3339; nil while it is open.
    package var closedAt: String?
    /// Nil while it is open, and in a store without cashiers.
    package var closedBy: String?
    /// Minor units at the begin.
    package var float: Int64 = 0
    /// Minor units that should be in the drawer; nil before the count in a store that counts blind.
    package var expectedCash: Int64?
    /// Minor units that were counted; nil while it is open.
    package var countedCash: Int64?
    /// What it came to; all 0 for the open one of a list, and its amounts of one that is counted blind.
    package var sums = ShiftSums()
    /// The first entry of the journal that belongs to it.
    package var from: Int64 = 0
    /// The last one.
    package var to: Int64 = 0
    /// The hash of the entry at ``to``.
    package var head = ""
    /// The hub's statements, in the order of their epochs; empty before the first.
    package var statements: [ShiftStatement] = []
    /// Figures that the hub has otherwise, `{"figure","terminal","hub"}`; empty unless it is disputed.
    package var differences: [JSONValue] = []
    /// Cards that were taken offline in it and refused afterwards; they change none of its sums.
    package var debts: [ShiftDebt] = []
    /// What of ``debts`` is not settled, in minor units.
    package var debtTotal: Int64 = 0
    /// What people decided of the card machine, as `card.decided` has it.
    package var cardDecisions: [JSONValue] = []
    /// Ends of the card machine's own day, as `card.dayClosed` has them; empty before a blind count.
    package var cardDays: [JSONValue] = []
    /// The report as text of 40 columns; nil in a list.
    package var report: String?

    package init(
        shiftId: String, state: ShiftSettlement.State, currency: String, businessDay: String,
        openedAt: String,
        openedBy: String?, closedAt: String?, closedBy: String?, float: Int64, expectedCash: Int64?,
        countedCash: Int64?, sums: ShiftSums, from: Int64, to: Int64, head: String,
        statements: [ShiftStatement], differences: [JSONValue], debts: [ShiftDebt] = [],
        debtTotal: Int64 = 0, report: String?
    ) {
        self.shiftId = shiftId
        self.state = state
        self.currency = currency
        self.businessDay = businessDay
        self.openedAt = openedAt
        self.openedBy = openedBy
        self.closedAt = closedAt
        self.closedBy = closedBy
        self.float = float
        self.expectedCash = expectedCash
        self.countedCash = countedCash
        self.sums = sums
        self.from = from
        self.to = to
        self.head = head
        self.statements = statements
        self.differences = differences
        self.debts = debts
        self.debtTotal = debtTotal
        self.report = report
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("shiftId", &shiftId)
        try m("state", &state)
        try m("currency", &currency)
        try m("businessDay", &businessDay)
        try m("openedAt", &openedAt)
        try m.nullable("openedBy", &openedBy)
        try m.nullable("closedAt", &closedAt)
        try m.nullable("closedBy", &closedBy)
        try m("float", &float)
        try m.object("cash") { m throws(M.Failure) in
            try m.nullable("expected", &expectedCash)
            try m.nullable("counted", &countedCash)
            // For readers other than the commands: it follows from both.
            var difference = difference
            try m.nullable("difference", &difference)
        }
        let isBlind = isBlind
        let written = sums.json.object ?? [:]
        try m.others(isBlind ? Self.setTotals(to: .null, in: written) : written) {
            json throws(ShapeError) in
            let shown = json.object ?? [:]
            sums = try ShiftSums(json: isBlind ? .object(Self.setTotals(to: 0, in: shown)) : json)
        }
        try m.object("sequence") { m throws(M.Failure) in
            try m("from", &from)
            try m("to", &to)
        }
        try m("head", &head)
        try m.statements(&statements)
        try m.optional("differences", &differences, absent: [])
        try m.optional("cardDecisions", &cardDecisions, absent: [])
        try m.optional("cardDays", &cardDays, absent: [])
        try m("debts", &debts, missing: [])
        try m("debtTotal", &debtTotal, missing: 0)
        try m.optional("report", &report)
    }

    /// Whether what it came to is not shown, since its drawer is counted blind and was not counted yet.
    package var isBlind: Bool { state == .open && expectedCash == nil }

    /// Counts without their amounts, which a blind shift does not have, like its points.
    private static let blindCounts = ["sales", "refunds", "voids"]

    private static func setTotals(to total: JSONValue, in members: JSONObject) -> JSONObject {
        var members = members
        for name in blindCounts {
            guard var count = members[name]?.object else { continue }
            count["total"] = total
            members[name] = .object(count)
        }
        members["points"] = .null
        return members
    }

    /// Minor units that were counted above what should be in the drawer; nil while it is open.
    package var difference: Int64? {
        guard let countedCash, let expectedCash else { return nil }
        return countedCash - expectedCash
    }
}

extension DocumentMembers {
    /// `statement` is the last one, null for none; `statements` are there where a restored database made
    /// several.
    mutating func statements(_ statements: inout [ShiftStatement]) throws(Failure) {
        var last = statements.last
        try nullable("statement", &last)
        var several = statements.count > 1 ? statements : []
        try optional("statements", &several, absent: [])
        statements = several.isEmpty ? last.map { [$0] } ?? [] : several
    }
}
