/// The sums of a shift (docs/concepts/shifts.md): of an X report while it is open, of the Z with which
/// it closes. All amounts are minor units.
package struct ShiftSums: Hashable, Sendable {
    /// How many, and what they come to.
    package struct Count: Hashable, Sendable {
        /// 0 or more.
        package var count: Int64
        /// 0 or more.
        package var total: Int64

        /// Makes a sum; nothing by default.
        package init(count: Int64 = 0, total: Int64 = 0) {
            self.count = count
            self.total = total
        }
    }

    /// What one tender came to: sales less refunds and voids, change taken out.
    package struct Tender: Hashable, Sendable {
        /// As in the registry of tenders.
        package var method: String
        /// How many payments and repayments.
        package var count: Int64
        /// Negative where more went back than came in.
        package var amount: Int64

        package init(method: String, count: Int64, amount: Int64) {
            self.method = method
            self.count = count
            self.amount = amount
        }
    }

    /// What was paid under one rate, and the tax in it: sales less refunds and voids.
    package struct Tax: Hashable, Sendable {
        /// Hundredths of a percent.
        package var taxBasisPoints: Int64
        /// Tax included.
        package var paid: Int64
        /// The tax within ``paid``.
        package var tax: Int64

        package init(taxBasisPoints: Int64, paid: Int64, tax: Int64) {
            self.taxBasisPoints = taxBasisPoints
            self.paid = paid
            self.tax = tax
        }
    }

    /// Entries that are in no sum, since their amounts cannot be read or added.
    package struct Uncounted: Hashable, Sendable {
        /// How many.
        package private(set) var count: Int64 = 0
        /// The lowest ids of their mutations, at most ``maximumIds``.
        package private(set) var ids: [String] = []

        /// So many name what a person can look at; twice as many make a statement larger, and a terminal
        /// that is broken for good needs no complete list.
        static let maximumIds = 20

        /// None.
        package init() {}

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
    /// Cash put in, taken out and taken to the safe.
    package var cashIn: Int64 = 0
    /// Cash taken out for expenses.
    package var cashOut: Int64 = 0
    /// Cash taken to the safe.
    package var cashDrop: Int64 = 0
    /// How often the drawer was opened without a sale.
    package var noSales: Int64 = 0
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
}

extension ShiftSums {
    /// Reads the members that a `shift.closed` and a statement have in common.
    package init(json: JSONValue) throws(ShapeError) {
        self.init()
        sales = try Count(json.requiredObject("sales"))
        refunds = try Count(json.requiredObject("refunds"))
        voids = try Count(json.requiredObject("voids"))
        let moves = try json.requiredObject("cashMoves")
        cashIn = try moves.requiredInteger("in", in: PayloadRange.total)
        cashOut = try moves.requiredInteger("out", in: PayloadRange.total)
        cashDrop = try moves.requiredInteger("drop", in: PayloadRange.total)
        noSales = try moves.optionalInteger("noSale", in: PayloadRange.total) ?? 0
        for tender in try json.requiredArray("tenders") {
            tenders.append(
                Tender(
                    method: try tender.requiredString("method"),
                    count: try tender.requiredInteger("count", in: PayloadRange.total),
                    amount: try tender.requiredInteger("amount", in: PayloadRange.sum)))
        }
        for tax in try json.requiredArray("taxes") {
            taxes.append(
                Tax(
                    taxBasisPoints: try tax.requiredInteger("taxBasisPoints", in: 0...1_000_000),
                    paid: try tax.requiredInteger("paid", in: PayloadRange.sum),
                    tax: try tax.requiredInteger("tax", in: PayloadRange.sum)))
        }
        if let points = json["points"], points != .null {
            pointsEarned = try points.requiredInteger("earned", in: PayloadRange.sum)
            pointsSpent = try points.requiredInteger("spent", in: PayloadRange.sum)
        }
        if let left = json["uncounted"], left != .null { uncounted = try Uncounted(left) }
    }

    /// The members that a `shift.closed` and a statement have in common.
    package var json: JSONObject {
        var members = counted
        // Only where there are some: earlier versions read no statement with a member that they do not know.
        if uncounted.count > 0 { members["uncounted"] = uncounted.json }
        return members
    }

    private var counted: JSONObject {
        [
            "sales": sales.json, "refunds": refunds.json, "voids": voids.json,
            "cashMoves": [
                "in": .integer(cashIn), "out": .integer(cashOut), "drop": .integer(cashDrop),
                "noSale": .integer(noSales),
            ],
            "tenders": .array(
                tenders.map {
                    [
                        "method": .string($0.method), "count": .integer($0.count),
                        "amount": .integer($0.amount),
                    ]
                }),
            "taxes": .array(
                taxes.map {
                    [
                        "taxBasisPoints": .integer($0.taxBasisPoints), "paid": .integer($0.paid),
                        "tax": .integer($0.tax),
                    ]
                }),
            "points": ["earned": .integer(pointsEarned), "spent": .integer(pointsSpent)],
        ]
    }
}

extension ShiftSums.Uncounted {
    fileprivate init(_ json: JSONValue) throws(ShapeError) {
        count = try json.requiredInteger("count", in: PayloadRange.total)
        ids = try json.requiredArray("ids").compactMap(\.string)
        guard ids.count <= Self.maximumIds, ids.count <= count, ids == ids.sorted() else {
            throw ShapeError(path: "uncounted.ids", expected: "at most \(Self.maximumIds) ids in their order")
        }
    }

    fileprivate var json: JSONValue {
        ["count": .integer(count), "ids": .array(ids.map(JSONValue.string))]
    }
}

extension ShiftSums.Count {
    fileprivate init(_ json: JSONValue) throws(ShapeError) {
        self.init(
            count: try json.requiredInteger("count", in: PayloadRange.total),
            total: try json.requiredInteger("total", in: PayloadRange.total))
    }

    /// As in a payload.
    fileprivate var json: JSONValue { ["count": .integer(count), "total": .integer(total)] }
}
