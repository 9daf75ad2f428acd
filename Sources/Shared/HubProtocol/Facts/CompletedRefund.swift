import Pricing

/// The payload of `refund.completed`: what was given back of a sale, or of none (http.md section 3). Amounts
/// are minor units.
package struct CompletedRefund: Fact {
    /// The mutation's type.
    package static let type = "refund.completed"

    /// The part of a sale's line that came back.
    package struct Line: Fact {
        package var barcode: String?
        package var name: String?
        /// The line's place in the sale, from 0.
        package var place: Int64?
        /// Thousandths of a unit; nil: nothing came back.
        package var quantityMilli: Int64?
        package var sku: String?
        /// Hundredths of a percent.
        package var taxBasisPoints: Int64?
        /// What was given back for it.
        package var total: Int64?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("barcode", &barcode, .expected)
            try m.text("name", &name, .expected)
            try m.number("place", &place, .expected, in: 0...9_999)
            try m.number("quantityMilli", &quantityMilli, .stated, in: 1...MoneyRange.maximum)
            try m.text("sku", &sku, .expected)
            try m.number("taxBasisPoints", &taxBasisPoints, .expected)
            try m.number("total", &total, .expected)
        }
    }

    /// Whose PIN allowed it.
    package var approverId: String?
    /// Who decided it (``RefundArbiter``); nil: the terminal sees no other tills.
    package var arbiter: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay: String?
    /// Added to the total by rounding the cash of it to the smallest coin.
    package var cashRounding: Int64?
    package var cashierId: String?
    /// ISO 4217, the sale's.
    package var currency: String?
    /// The hub's time as the terminal followed it, RFC 3339.
    package var hubTime: String?
    /// No till writes leases with a refund.
    package var leases: [LeaseUse]?
    package var lines: [Line]?
    /// `online` or `offline`.
    package var mode: String?
    /// Nil where the terminal does not have the sale.
    package var orderId: String?
    /// Nil without a receipt.
    package var orderNumber: String?
    /// Where the money went; nil: in cash.
    package var payments: [RecordedPayment]?
    package var points: ReturnedPoints?
    /// As typed.
    package var reason: String?
    /// The signed code by which the sale is named instead of its id.
    package var receiptCode: String?
    package var refundId: String?
    package var shiftId: String?
    package var tax: Int64?
    package var taxIncluded: Bool?
    /// A name of the tz database.
    package var timeZone: String?
    package var total: Int64?
    /// The ids of the store's tills that did not respond when it was decided, and may have given money back
    /// too; nil: the hub decided, or the terminal sees no other tills.
    package var unseen: [String]?
    /// Whether points, leases, the shift or what a payment carries is there and cannot be read.
    package var isUnread = false

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approverId", &approverId, .checked)
        try m.text("arbiter", &arbiter, .optional)
        try m.text("businessDay", &businessDay, .optional)
        try m.number("cashRounding", &cashRounding, .expected)
        try m.text("cashierId", &cashierId, .checked.orNull)
        try m.text("currency", &currency, .expected)
        try m.text("hubTime", &hubTime, .optional.orNull)
        try m.list("leases", &leases, .noted)
        try m.list("lines", &lines, .expected)
        try m.text("mode", &mode, .expected)
        try m.text("orderId", &orderId, .optional)
        try m.text("orderNumber", &orderNumber, .optional)
        try m.list("payments", &payments, .checked)
        try m.part("points", &points, .noted)
        try m.text("reason", &reason, .checked.orNull)
        try m.text("receiptCode", &receiptCode, .valid)
        try m.text("refundId", &refundId, .optional)
        try m.text("shiftId", &shiftId, .noted)
        try m.number("tax", &tax, .optional)
        try m.flag("taxIncluded", &taxIncluded, .optional)
        try m.text("timeZone", &timeZone, .expected)
        try m.number("total", &total, .stated, in: 0...MoneyRange.maximum)
        try m.texts("unseen", &unseen)
        try m.note(&isUnread)
    }
}
