import Base

/// The payload of `shift.closed` (docs/concepts/shifts.md).
package struct ShiftClosing: Hashable, Sendable {
    /// Counted cash against what should be there, minor units.
    package struct Cash: Hashable, Sendable {
        /// The float, cash of sales less refunds and voids, and what was moved.
        package var expected: Int64
        /// What the cashier counted.
        package var counted: Int64
        /// Counted less expected.
        package var difference: Int64 { counted - expected }

        package init(expected: Int64, counted: Int64) {
            self.expected = expected
            self.counted = counted
        }
    }

    /// What the cashier counted of a tender that is not cash.
    package struct Counted: Hashable, Sendable {
        /// As in the registry of tenders.
        package var method: String
        /// Minor units.
        package var amount: Int64

        package init(method: String, amount: Int64) {
            self.method = method
            self.amount = amount
        }
    }

    /// The mutation's type.
    package static let type = "shift.closed"

    /// How the shift began.
    package var opening: ShiftOpening
    /// Unix milliseconds.
    package var closedAt: Int64
    /// The cashier's id; nil in a store without cashiers.
    package var closedBy: String?
    /// Whose PIN allowed a difference above the tolerated one; nil: none was needed.
    package var closeApproverId: String?
    /// Counted cash against the expected.
    package var cash: Cash
    /// Other tenders that were counted; empty: none was.
    package var counted: [Counted]
    /// What the shift came to.
    package var sums: ShiftSums
    /// The sequence of the shift's `shift.opened`.
    package var from: Int64
    /// The sequence of the last entry before the `shift.closed`.
    package var to: Int64
    /// The hash of the entry at ``to``, lower-case hexadecimal.
    package var head: String

    package init(
        opening: ShiftOpening, closedAt: Int64, closedBy: String?, closeApproverId: String? = nil, cash: Cash,
        counted: [Counted], sums: ShiftSums, from: Int64, to: Int64, head: String
    ) {
        self.opening = opening
        self.closedAt = closedAt
        self.closedBy = closedBy
        self.closeApproverId = closeApproverId
        self.cash = cash
        self.counted = counted
        self.sums = sums
        self.from = from
        self.to = to
        self.head = head
    }

    package init(payload: JSONValue) throws(ShapeError) {
        let cash = try payload.requiredObject("cash")
        let sequence = try payload.requiredObject("sequence")
        let positive = 1...JSONValue.exactIntegers.upperBound
        var counted: [Counted] = []
        for tender in try payload.requiredArray("counted") {
            counted.append(
                Counted(
                    method: try tender.requiredString("method"),
                    amount: try tender.requiredInteger("amount", in: PayloadRange.count)))
        }
        self.init(
            opening: try ShiftOpening(payload: payload),
            closedAt: try payload.requiredMoment("closedAt"),
            closedBy: try payload.optionalString("closedBy"),
            closeApproverId: try payload.optionalString("closeApproverId"),
            cash: Cash(
                expected: try cash.requiredInteger("expected", in: Self.expectable),
                counted: try cash.requiredInteger("counted", in: PayloadRange.count)),
            counted: counted, sums: try ShiftSums(json: payload),
            from: try sequence.requiredInteger("from", in: positive),
            to: try sequence.requiredInteger("to", in: positive),
            head: try payload.requiredString("head"))
        guard to >= from else { throw ShapeError(path: "sequence.to", expected: "not before `from`") }
    }

    /// What ``ShiftSums/expectedCash(float:)`` can come to: five figures, each of at most 10^15.
    private static let expectable: ClosedRange<Int64> =
        (5 * PayloadRange.sum.lowerBound)...(5 * PayloadRange.sum.upperBound)

    /// The payload as it is written.
    package var payload: JSONValue {
        var members = sums.json
        for (name, value) in opening.payload.object ?? [:] { members[name] = value }
        members["closedAt"] = .string(Timestamp.text(milliseconds: closedAt))
        members["closedBy"] = closedBy.map(JSONValue.string) ?? .null
        if let closeApproverId { members["closeApproverId"] = .string(closeApproverId) }
        members["cash"] = [
            "expected": .integer(cash.expected), "counted": .integer(cash.counted),
            "difference": .integer(cash.difference),
        ]
        members["counted"] = .array(
            counted.map { ["method": .string($0.method), "amount": .integer($0.amount)] })
        members["sequence"] = ["from": .integer(from), "to": .integer(to)]
        members["head"] = .string(head)
        return .object(members)
    }
}
