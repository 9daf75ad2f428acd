/// The body of `POST /v1/promotions/evaluate` (http.md section 6):
/// `{"memberId","coupons":[…],"timeZone","lines":[{"sku","department","quantityMilli","unitPrice",
/// "discount"}]}`.
///
/// Amounts are minor units of the catalogue's currency. `memberId`, `coupons`, `timeZone`, `discount` and
/// `department` may be missing; a missing department is looked up by the sku.
package struct BasketShape: Fact {
    /// One line of the sale; the response has a line in the same place.
    package struct Line: Fact {
        /// The article's key in the catalogue.
        package private(set) var sku = ""
        /// Nil: as the hub's catalogue has it.
        package private(set) var department: String?
        /// Thousandths of a unit, from 1 on.
        package private(set) var quantityMilli: Int64 = 0
        /// Minor units per whole unit.
        package private(set) var unitPrice: Int64 = 0
        /// Minor units that the cashier takes off the whole line.
        package private(set) var discount: Int64 = 0

        package init(
            sku: String, department: String?, quantityMilli: Int64, unitPrice: Int64, discount: Int64
        ) {
            self.sku = sku
            self.department = department
            self.quantityMilli = quantityMilli
            self.unitPrice = unitPrice
            self.discount = discount
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("department", &department, .valid.orNull)
            try m.number("discount", &discount, .valid, in: 0...JSONValue.exactIntegers.upperBound)
            try m.number("quantityMilli", &quantityMilli, in: 1...JSONValue.exactIntegers.upperBound)
            try m.text("sku", &sku)
            try m.number("unitPrice", &unitPrice, in: 0...JSONValue.exactIntegers.upperBound)
        }
    }

    /// The member that the sale is for; nil: none.
    package private(set) var memberId: String?
    /// Codes as they were typed, in that order; at most 50.
    package private(set) var coupons: [String] = []
    /// The store's by the terminal, a name of the tz database; nil: as the hub has it.
    package private(set) var timeZone: String?
    /// In the order of the sale; at most 500.
    package private(set) var lines: [Line] = []

    /// The most lines and coupons that one call evaluates.
    package static let limits = (lines: 500, coupons: 50)

    /// Makes a basket without a check of ``limits``.
    package init(memberId: String?, coupons: [String], timeZone: String? = nil, lines: [Line]) {
        self.memberId = memberId
        self.timeZone = timeZone
        self.coupons = coupons
        self.lines = lines
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.texts("coupons", &coupons, .valid)
        try m.check(
            coupons.count <= Self.limits.coupons, "coupons", "at most \(Self.limits.coupons) long")
        try m.list("lines", &lines)
        try m.check(lines.count <= Self.limits.lines, "lines", "at most \(Self.limits.lines) long")
        try m.text("memberId", &memberId, .valid.orNull)
        try m.text("timeZone", &timeZone, .valid)
    }
}
