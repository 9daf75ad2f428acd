package import HubProtocol

/// What documents of the types `order`, `void` and `refund` say: the amounts of a sale, or of what came back
/// of one, taken apart so that every view adds up to them. Minor units, tax included; of a void and a refund
/// they are positive and mean back.
///
/// Unless ``differs``: payments less change are the total with the rounding of cash, the totals of the lines
/// come to the total, and so do the taxes of the rates to the tax.
package struct SaleDocument: Fact {
    /// One line, in the order of the sale.
    package struct Line: Fact {
        package var barcode: String?
        package var department: String?
        /// All that was given off it, the rounding of a label aside.
        package var discount: Int64?
        package var name: String?
        /// Parts of ``discount``.
        package var offers: [CompletedOrder.Offer]?
        /// The part of ``discount`` that points paid.
        package var pointsValue: Int64?
        /// Thousandths of a unit.
        package var quantityMilli: Int64?
        package var sku: String?
        /// Its share of the tax of its rate.
        package var tax: Int64?
        package var taxBasisPoints: Int64 = 0
        package var total: Int64 = 0
        /// Per whole unit.
        package var unitPrice: Int64?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("barcode", &barcode, .optional)
            try m.text("department", &department, .optional)
            try m.number("discount", &discount, .optional)
            try m.text("name", &name, .optional)
            try m.list("offers", &offers, .optional)
            try m.number("pointsValue", &pointsValue, .optional)
            try m.number("quantityMilli", &quantityMilli, .optional)
            try m.text("sku", &sku, .optional)
            try m.number("tax", &tax, .optional)
            try m.number("taxBasisPoints", &taxBasisPoints)
            try m.number("total", &total)
            try m.number("unitPrice", &unitPrice, .optional)
        }
    }

    /// What the lines of one rate come to.
    package struct Tax: Fact {
        /// Hundredths of a percent.
        package var basisPoints: Int64 = 0
        /// The totals of the lines.
        package var gross: Int64 = 0
        /// The tax within it.
        package var tax: Int64 = 0

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("basisPoints", &basisPoints)
            try m.number("gross", &gross)
            try m.number("tax", &tax)
        }
    }

    /// What one tender paid, or got back.
    package struct Payment: Fact {
        /// The kind of what ends a debt in place of money.
        package static let debt = "debt"

        package var amount: Int64 = 0
        /// The key of the card's authorisation, which is the id of what is owed of it; nil: no card's.
        package var key: String?
        /// A ``TenderKind``, or ``debt``; nil: of no known kind.
        package var kind: String?
        /// As the store names the tender.
        package var method = ""

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("amount", &amount)
            try m.text("key", &key, .optional)
            try m.text("kind", &kind, .optional)
            try m.text("method", &method)
        }
    }

    /// What its member's balance changed by, as a sale or a return says it.
    package struct Points: Fact {
        package var earned: Int64?
        package var earnedReturned: Int64?
        package var spent: Int64?
        package var spentReturned: Int64?
        /// Minor units that the spent points took off, or that those which went back had taken off.
        package var value: Int64?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("earned", &earned, .optional)
            try m.number("earnedReturned", &earnedReturned, .optional)
            try m.number("spent", &spent, .optional)
            try m.number("spentReturned", &spentReturned, .optional)
            try m.number("value", &value, .optional)
        }
    }

    package var approverId: String?
    /// Added to the total by rounding the cash part to the smallest coin; of a return, to what went back.
    package var cashRounding: Int64 = 0
    package var cashierId: String?
    /// What the customer got back in cash; 0 of a void and a refund.
    package var change: Int64 = 0
    /// Those of the intake.
    package var flags: [String] = []
    package var lines: [Line] = []
    package var memberId: String?
    /// In the order of the sale; of a void and a refund net of change.
    package var payments: [Payment] = []
    /// Nil: none moved.
    package var points: Points?
    /// The refused mutation whose place it takes.
    package var replaces: String?
    /// Of a void of a sale that the hub does not have: what went back by the terminal, which is in no other
    /// amount; nil: all else.
    package var statedTotal: Int64?
    package var tax: Int64 = 0
    /// None where the lines do not explain the total.
    package var taxes: [Tax] = []
    package var total: Int64 = 0

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approverId", &approverId, .optional)
        try m.number("cashRounding", &cashRounding)
        try m.text("cashierId", &cashierId, .optional)
        try m.number("change", &change)
        try m.texts("flags", &flags, .optional)
        try m.list("lines", &lines)
        try m.text("memberId", &memberId, .optional)
        try m.list("payments", &payments)
        try m.part("points", &points, .optional)
        try m.text("replaces", &replaces, .optional)
        try m.number("statedTotal", &statedTotal, .optional)
        try m.number("tax", &tax)
        try m.list("taxes", &taxes)
        try m.number("total", &total)
    }
}
