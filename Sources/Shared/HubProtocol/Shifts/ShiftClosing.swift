/// The payload of `shift.closed` (docs/concepts/shifts.md).
package struct ShiftClosing: Fact {
    /// Counted cash against what should be there, minor units.
    package struct Cash: Fact {
        /// The float, cash of sales less refunds and voids, and what was moved.
        package var expected: Int64 = 0
        /// What the cashier counted.
        package var counted: Int64 = 0
        /// Counted less expected.
        package var difference: Int64 { counted - expected }

        package init(expected: Int64, counted: Int64) {
            self.expected = expected
            self.counted = counted
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("counted", &counted, in: PayloadRange.count)
            // It follows from the two others, and is not read.
            var difference: Int64? = difference
            try m.number("difference", &difference, .optional)
            try m.number("expected", &expected, in: Self.expectable)
        }

        /// What ``ShiftSums/expectedCash(float:)`` can come to: five figures, each of at most 10^15.
        private static let expectable: ClosedRange<Int64> =
            (5 * PayloadRange.sum.lowerBound)...(5 * PayloadRange.sum.upperBound)
    }

    /// What the cashier counted of a tender that is not cash.
    package struct Counted: Fact {
        /// As in the registry of tenders.
        package var method = ""
        /// Minor units.
        package var amount: Int64 = 0

        package init(method: String, amount: Int64) {
            self.method = method
            self.amount = amount
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("amount", &amount, in: PayloadRange.count)
            try m.text("method", &method)
        }
    }

    /// The mutation's type.
    package static let type = "shift.closed"

    /// How the shift began.
    package var opening = ShiftOpening()
    /// Unix milliseconds.
    package var closedAt: Int64 = 0
    /// The cashier's id; nil in a store without cashiers.
    package var closedBy: String?
    /// Whose PIN allowed a difference above the tolerated one; nil: none was needed.
    package var closeApproverId: String?
    /// Counted cash against the expected.
    package var cash = Cash()
    /// Other tenders that were counted; empty: none was.
    package var counted: [Counted] = []
    /// What the shift came to.
    package var sums = ShiftSums()
    /// The sequence of the shift's `shift.opened`.
    package var from: Int64 = 0
    /// The sequence of the last entry before the `shift.closed`.
    package var to: Int64 = 0
    /// The hash of the entry at ``to``, lower-case hexadecimal.
    package var head = ""

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

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.include(&opening)
        try m.part("cash", &cash)
        try m.text("closeApproverId", &closeApproverId, .valid)
        try m.moment("closedAt", &closedAt)
        try m.text("closedBy", &closedBy, .valid.orNull)
        try m.list("counted", &counted)
        try m.text("head", &head)
        if var sequence = try m.group("sequence", .required) {
            try sequence.number("from", &from, in: 1...JSONValue.exactIntegers.upperBound)
            try sequence.number("to", &to, in: 1...JSONValue.exactIntegers.upperBound)
            try sequence.check(to >= from, "to", "not before `from`")
            m.end(sequence)
        }
        try m.include(&sums)
    }
}
