/// The sums of a shift (docs/concepts/shifts.md): of an X report while it is open, of the Z with which
/// it closes. All amounts are minor units.
package struct ShiftSums: Fact {
    /// How many, and what they come to.
    package struct Count: Fact {
        /// 0 or more.
        package var count: Int64 = 0
        /// 0 or more.
        package var total: Int64 = 0

        package init(count: Int64, total: Int64) {
            self.count = count
            self.total = total
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("count", &count, in: PayloadRange.total)
            try m.number("total", &total, in: PayloadRange.total)
        }
    }

    /// What one tender came to: sales less refunds and voids, change taken out.
    package struct Tender: Fact {
        /// As in the registry of tenders.
        package var method = ""
        /// How many payments and repayments.
        package var count: Int64 = 0
        /// Negative where more went back than came in.
        package var amount: Int64 = 0

        package init(method: String, count: Int64, amount: Int64) {
            self.method = method
            self.count = count
            self.amount = amount
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("amount", &amount, in: PayloadRange.sum)
            try m.number("count", &count, in: PayloadRange.total)
            try m.text("method", &method)
        }
    }

    /// What was paid under one rate, and the tax in it: sales less refunds and voids.
    package struct Tax: Fact {
        /// Hundredths of a percent.
        package var taxBasisPoints: Int64 = 0
        /// Tax included.
        package var paid: Int64 = 0
        /// The tax within ``paid``.
        package var tax: Int64 = 0

        package init(taxBasisPoints: Int64, paid: Int64, tax: Int64) {
            self.taxBasisPoints = taxBasisPoints
            self.paid = paid
            self.tax = tax
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("paid", &paid, in: PayloadRange.sum)
            try m.number("tax", &tax, in: PayloadRange.sum)
            try m.number("taxBasisPoints", &taxBasisPoints, in: 0...1_000_000)
        }
    }

    /// What happened to the drawer outside of sales, a figure for each kind.
    package struct CashMoves: Fact {
        /// In the order of the kinds.
        private var figures = [Int64](repeating: 0, count: CashMove.Kind.allCases.count)

        package init() {}

        /// Minor units of a kind that has amounts, 0 or more; of another one how often it happened.
        package subscript(kind: CashMove.Kind) -> Int64 {
            get { figures[Self.place(of: kind)] }
            set { figures[Self.place(of: kind)] = newValue }
        }

        /// What the drawer has more by all of them.
        var inDrawer: Int64 { CashMove.Kind.allCases.reduce(0) { $0 + $1.sign * self[$1] } }

        private static func place(of kind: CashMove.Kind) -> Int {
            CashMove.Kind.allCases.firstIndex(of: kind) ?? 0
        }

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("drop", &self[.drop], in: PayloadRange.total)
            try m.number("in", &self[.in], in: PayloadRange.total)
            try m.number("noSale", &self[.noSale], .valid, in: PayloadRange.total)
            try m.number("out", &self[.out], in: PayloadRange.total)
        }
    }

    /// Entries that are in no sum, since their amounts cannot be read or added.
    package struct Uncounted: Fact {
        /// How many.
        package private(set) var count: Int64 = 0
        /// The lowest ids of their mutations, at most ``maximumIds``.
        package private(set) var ids: [String] = []

        /// So many name what a person can look at; twice as many make a statement larger, and a terminal
        /// that is broken for good needs no complete list.
        static let maximumIds = 20

        /// None.
        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("count", &count, in: PayloadRange.total)
            try m.texts("ids", &ids, .required)
            try m.check(
                ids.count <= Self.maximumIds && ids.count <= count && ids == ids.sorted(), "ids",
                "at most \(Self.maximumIds) ids in their order")
        }

        mutating func add(_ id: String) {
            count += 1
            insert([id])
        }

        mutating func add(_ other: Uncounted) {
            count += other.count
            insert(other.ids)
        }

        /// The lowest ones stay, so that the order in which entries are added changes nothing.
        private mutating func insert(_ more: [String]) {
            ids = Array((ids + more).sorted().prefix(Self.maximumIds))
        }
    }

    /// Completed sales, voided ones too.
    package var sales = Count()
    package var refunds = Count()
    /// Voids, at the totals of their sales.
    package var voids = Count()
    /// What happened to the drawer outside of sales.
    package var cashMoves = CashMoves()
    /// By method, in the order of the names.
    package var tenders: [Tender] = []
    /// Lowest rate first.
    package var taxes: [Tax] = []
    /// Points that members earned, less returned ones.
    package var pointsEarned: Int64 = 0
    /// Points that members spent, less returned ones.
    package var pointsSpent: Int64 = 0
    /// What is in none of the sums.
    package var uncounted = Uncounted()

    package init() {}

    /// The members that a `shift.closed` and a statement have in common.
    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("cashMoves", &cashMoves)
        if var points = try m.group("points", .valid) {
            try points.number("earned", &pointsEarned, in: PayloadRange.sum)
            try points.number("spent", &pointsSpent, in: PayloadRange.sum)
            m.end(points)
        }
        try m.part("refunds", &refunds)
        try m.part("sales", &sales)
        try m.list("taxes", &taxes)
        try m.list("tenders", &tenders)
        // Only where there are some: earlier versions read no statement with a member that they do not know.
        var left = uncounted.count > 0 ? uncounted : nil
        try m.part("uncounted", &left, .valid)
        uncounted = left ?? Uncounted()
        try m.part("voids", &voids)
    }
}
