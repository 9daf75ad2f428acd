package import HubProtocol

/// A card that was taken offline in a shift and refused afterwards.
package struct ShiftDebt: AgentDocument {
    /// The number of its sale; nil where the database lost the sale.
    package let orderNumber: String?
    /// Minor units of the shift's currency.
    package let amount: Int64
    /// Why it was refused; nil where no reason came.
    package let reason: String?
    /// The key by which the hub settles it.
    package let id: String
    /// Whether an operator noted at the hub that it was paid or written off.
    package let isSettled: Bool

    /// A debt; `orderNumber` and `reason` are nil where they are not known.
    package init(orderNumber: String?, amount: Int64, reason: String?, id: String, isSettled: Bool) {
        self.orderNumber = orderNumber
        self.amount = amount
        self.reason = reason
        self.id = id
        self.isSettled = isSettled
    }

    /// `orderNumber` and `reason` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            orderNumber: try members.nullable("orderNumber"),
            amount: try members.read("amount"), reason: try members.nullable("reason"),
            id: try members.read("id"), isSettled: try members.read("state") == "settled")
    }

    /// `{"orderNumber","amount","reason","id","state":"open|settled"}`.
    package var json: JSONValue {
        [
            "orderNumber": JSONValue(orderNumber), "amount": .integer(amount), "reason": JSONValue(reason),
            "id": .string(id), "state": .string(isSettled ? "settled" : "open"),
        ]
    }
}

/// One shift of this terminal.
package struct ShiftRecord: AgentDocument {
    /// A ULID.
    package let shiftId: String
    /// `open`, `provisional`, `confirmed` or `disputed`.
    package let state: String
    /// ISO 4217.
    package let currency: String
    /// `YYYY-MM-DD` in the store's time zone.
    package let businessDay: String
    /// RFC 3339.
    package let openedAt: String
    /// Nil in a store without cashiers.
    package let openedBy: String?
    /// RFC 3339; nil while it is open.
    package let closedAt: String?
    /// Nil while it is open, and in a store without cashiers.
    package let closedBy: String?
    /// Minor units at the begin.
    package let float: Int64
    /// Minor units that should be in the drawer; nil before the count in a store that counts blind.
    package let expectedCash: Int64?
    /// Minor units that were counted; nil while it is open.
    package let countedCash: Int64?
    /// What it came to; all 0 for the open one of a list, and its amounts of one that is counted blind.
    package let sums: ShiftSums
    /// The first entry of the journal that belongs to it.
    package let from: Int64
    /// The last one.
    package let to: Int64
    /// The hash of the entry at ``to``.
    package let head: String
    /// The hub's statements, in the order of their epochs; empty before the first.
    package let statements: [ShiftStatement]
    /// Figures that the hub has otherwise, `{"figure","terminal","hub"}`; empty unless it is disputed.
    package let differences: [JSONValue]
    /// Cards that were taken offline in it and refused afterwards; they change none of its sums.
    package let debts: [ShiftDebt]
    /// What of ``debts`` is not settled, in minor units.
    package let debtTotal: Int64
    /// The report as text of 40 columns; nil in a list.
    package let report: String?

    /// A shift; the nil values are those of the properties.
    package init(
        shiftId: String, state: String, currency: String, businessDay: String, openedAt: String,
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

    /// `report`, `statements`, `differences` and, from an agent of before, the debts may be missing.
    package init(_ members: AgentMembers) throws(ShapeError) {
        let (cash, sequence) = (try members.members("cash"), try members.members("sequence"))
        var statements: [ShiftStatement] = []
        for json: JSONValue in try members.optional("statements") ?? [] {
            statements.append(try ShiftStatement(json: json))
        }
        if statements.isEmpty, let json: JSONValue = try members.nullable("statement") {
            statements = [try ShiftStatement(json: json)]
        }
        let state: String = try members.read("state")
        let expected: Int64? = try cash.nullable("expected")
        let isBlind = Self.isBlind(state: state, expectedCash: expected)
        self.init(
            shiftId: try members.read("shiftId"), state: state,
            currency: try members.read("currency"), businessDay: try members.read("businessDay"),
            openedAt: try members.read("openedAt"),
            openedBy: try members.nullable("openedBy"),
            closedAt: try members.nullable("closedAt"),
            closedBy: try members.nullable("closedBy"),
            float: try members.read("float"), expectedCash: expected,
            countedCash: try cash.nullable("counted"),
            sums: try ShiftSums(json: isBlind ? Self.withTotals(members.whole) : members.whole),
            from: try sequence.read("from"),
            to: try sequence.read("to"), head: try members.read("head"), statements: statements,
            differences: try members.optional("differences") ?? [],
            debts: try members.optional("debts") ?? [],
            debtTotal: try members.optional("debtTotal") ?? 0,
            report: try members.optional("report"))
    }

    /// Whether what it came to is not shown, since its drawer is counted blind and was not counted yet.
    package var isBlind: Bool { Self.isBlind(state: state, expectedCash: expectedCash) }

    private static func isBlind(state: String, expectedCash: Int64?) -> Bool {
        state == "open" && expectedCash == nil
    }

    /// Counts without their amounts, which a blind shift does not have, like its points.
    private static let blindCounts = ["sales", "refunds", "voids"]

    private static func withTotals(_ json: JSONValue) -> JSONValue {
        setTotals(to: 0, in: json.object ?? [:])
    }

    private static func setTotals(to total: JSONValue, in members: JSONObject) -> JSONValue {
        var members = members
        for name in blindCounts {
            guard var count = members[name]?.object else { continue }
            count["total"] = total
            members[name] = .object(count)
        }
        members["points"] = .null
        return .object(members)
    }

    /// Minor units that were counted above what should be in the drawer; nil while it is open.
    package var difference: Int64? {
        guard let countedCash, let expectedCash else { return nil }
        return countedCash - expectedCash
    }

    /// The document of `pos shift report|close|show --json`; `statement` is the last one, `statements` are
    /// there where a restored database made several. Of a blind shift totals and points are null.
    package var json: JSONValue {
        var members = sums.json.object ?? [:]
        if isBlind { members = Self.setTotals(to: .null, in: members).object ?? members }
        members["shiftId"] = .string(shiftId)
        members["state"] = .string(state)
        members["currency"] = .string(currency)
        members["businessDay"] = .string(businessDay)
        members["openedAt"] = .string(openedAt)
        members["openedBy"] = JSONValue(openedBy)
        members["closedAt"] = JSONValue(closedAt)
        members["closedBy"] = JSONValue(closedBy)
        members["float"] = .integer(float)
        members["cash"] = [
            "expected": JSONValue(expectedCash), "counted": JSONValue(countedCash),
            "difference": JSONValue(difference),
        ]
        members["sequence"] = ["from": .integer(from), "to": .integer(to)]
        members["head"] = .string(head)
        members["statement"] = statements.last?.json ?? .null
        if statements.count > 1 { members["statements"] = .array(statements.map(\.json)) }
        if !differences.isEmpty { members["differences"] = .array(differences) }
        members["debts"] = debts.json
        members["debtTotal"] = .integer(debtTotal)
        members["report"] = report.map(JSONValue.string)
        return .object(members)
    }
}
