import Pricing

/// The payload of `order.completed`: a finished sale (http.md section 3). Amounts are minor units.
///
/// Every member but the required ones can be missing at the hub, since a sale has happened whatever its
/// document looks like.
package struct CompletedOrder: Fact {
    /// The mutation's type.
    package static let type = "order.completed"

    /// One line of a sale.
    package struct Line: Fact {
        /// As scanned.
        package var barcode: String?
        /// What an article was sold as that the catalogue did not have.
        package var department: String?
        /// All that is taken off: the cashier's discount, offers, points and the rounding of a label.
        package var discount: Int64?
        /// As typed.
        package var discountReason: String?
        /// As the line has it; ``rounding`` is what counts.
        package var labelRounding: Int64?
        /// The catalogue's price where the cashier entered another one.
        package var listPrice: Int64?
        package var name: String?
        /// Parts of ``discount``.
        package var offers: [Offer]?
        /// Whether it was sold by department.
        package var openItem: Bool?
        /// The part of ``discount`` that points pay.
        package var pointsValue: Int64?
        /// Thousandths of a unit: 1000 is one piece, or one kilogram of weighed goods.
        package var quantityMilli: Int64 = 0
        /// The product; it need not be in the hub's catalogue.
        package var sku = ""
        /// Hundredths of a percent.
        package var taxBasisPoints: Int64?
        /// What is paid for the line.
        package var total: Int64?
        /// Per whole unit.
        package var unitPrice: Int64 = 0

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("barcode", &barcode, .expected)
            try m.text("department", &department, .optional)
            try m.number("discount", &discount, .expected)
            try m.text("discountReason", &discountReason, .optional)
            try m.number("labelRounding", &labelRounding, .optional)
            try m.number("listPrice", &listPrice, .optional)
            try m.text("name", &name, .expected)
            try m.list("offers", &offers, .checked)
            try m.flag("openItem", &openItem, .optional)
            try m.number("pointsValue", &pointsValue, .checked, in: PayloadRange.count)
            try m.number("quantityMilli", &quantityMilli, in: 1...MoneyRange.maximum)
            try m.text("sku", &sku)
            try m.number("taxBasisPoints", &taxBasisPoints, .expected)
            try m.number("total", &total, .optional)
            try m.number("unitPrice", &unitPrice, in: 0...MoneyRange.maximum)
        }
    }

    /// What one offer takes off a line.
    package struct Offer: Fact {
        /// At least 1.
        package var amount: Int64?
        /// Nil: it needs no coupon.
        package var coupon: String?
        package var name: String?
        package var promotionId: String?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("amount", &amount, .expected, in: 1...MoneyRange.maximum)
            try m.text("coupon", &coupon, .checked.orNull)
            try m.text("name", &name, .expected)
            try m.text("promotionId", &promotionId, .expected)
        }
    }

    /// Whose PIN allowed what the cashier's role does not.
    package var approverId: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay: String?
    /// The id of the cart that it was, where that was ever put aside: two sales of one are seen by it.
    package var cartId: String?
    /// Added to the total by rounding the cash part to the smallest coin.
    package var cashRounding: Int64?
    package var cashierId: String?
    /// What the customer got back in cash.
    package var change: Int64?
    /// The first cart that its cart is a copy of.
    package var copiedFrom: String?
    /// As typed.
    package var coupons: [String] = []
    /// ISO 4217.
    package var currency = ""
    /// The hub's time as the terminal followed it, RFC 3339.
    package var hubTime: String?
    package var leases: [LeaseUse]?
    /// In the order of the sale; two of them may have the same sku.
    package var lines: [Line] = []
    /// The member's id, or the text as typed when no member was found.
    package var memberId: String?
    /// No till writes it any more.
    package var memberName: String?
    /// `online` or `offline`.
    package var mode: String?
    /// A ULID that the terminal minted; refunds and voids refer to it.
    package var orderId = ""
    /// `<store>-<terminal>-<business day>-<counter>`, as the receipt prints it.
    package var orderNumber = ""
    package var payments: [RecordedPayment]?
    package var points: SalePoints?
    package var shiftId: String?
    package var tax: Int64?
    package var taxIncluded: Bool?
    /// A name of the tz database.
    package var timeZone: String?
    package var total: Int64 = 0
    /// Whether points, leases, the shift or what a payment carries is there and cannot be read.
    package var isUnread = false

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approverId", &approverId, .optional)
        try m.text("businessDay", &businessDay, .optional)
        try m.text("cartId", &cartId, .optional)
        try m.number("cashRounding", &cashRounding, .expected)
        try m.text("cashierId", &cashierId, .optional.orNull)
        try m.number("change", &change, .expected)
        try m.text("copiedFrom", &copiedFrom, .optional)
        try m.texts("coupons", &coupons, .checked)
        try m.text("currency", &currency)
        try m.text("hubTime", &hubTime, .optional.orNull)
        try m.list("leases", &leases, .noted)
        try m.list("lines", &lines)
        try m.text("memberId", &memberId, .optional.orNull)
        try m.text("memberName", &memberName, .optional)
        try m.text("mode", &mode, .expected)
        try m.text("orderId", &orderId)
        try m.text("orderNumber", &orderNumber)
        try m.list("payments", &payments, .expected)
        try m.part("points", &points, .noted)
        try m.text("shiftId", &shiftId, .noted)
        try m.number("tax", &tax, .optional)
        try m.flag("taxIncluded", &taxIncluded, .optional)
        try m.text("timeZone", &timeZone, .expected)
        try m.number("total", &total, in: 0...MoneyRange.maximum)
        try m.note(&isUnread)
    }
}
