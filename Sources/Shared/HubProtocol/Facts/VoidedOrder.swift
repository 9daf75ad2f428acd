/// The payload of `order.voided`: a sale that is taken back as a whole (http.md section 3). Amounts are minor
/// units. None of its members is required: an entry without an order names it as its entity.
package struct VoidedOrder: Fact {
    /// The mutation's type.
    package static let type = "order.voided"

    /// Goods that came back.
    package struct Line: Fact {
        /// Thousandths of a unit.
        package var quantityMilli: Int64?
        package var sku: String?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("quantityMilli", &quantityMilli, .optional)
            try m.text("sku", &sku, .optional)
        }
    }

    /// Whose PIN allowed it.
    package var approverId: String?
    /// Who decided it (``RefundArbiter``); nil: the terminal sees no other tills.
    package var arbiter: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay: String?
    package var cashierId: String?
    /// ISO 4217, the sale's.
    package var currency: String?
    /// The hub's time as the terminal followed it, RFC 3339.
    package var hubTime: String?
    /// Of the terminal's leases, what the sale had used.
    package var leases: [LeaseUse]?
    package var lines: [Line]?
    /// `online` or `offline`.
    package var mode: String?
    package var orderId: String?
    package var orderNumber: String?
    /// What went back to tenders other than by `payment.voided`.
    package var payments: [RecordedPayment]?
    package var points: ReturnedPoints?
    /// As typed.
    package var reason: String?
    /// The shift that was open at the void.
    package var shiftId: String?
    /// Of the sale.
    package var total: Int64?
    /// The ids of the store's tills that did not respond when it was decided, and may have given money back
    /// too; nil: the hub decided, or the terminal sees no other tills.
    package var unseen: [String]?
    /// Whether points, leases, the shift or what a payment carries is there and cannot be read.
    package var isUnread = false

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approverId", &approverId, .optional)
        try m.text("arbiter", &arbiter, .optional)
        try m.text("businessDay", &businessDay, .optional)
        try m.text("cashierId", &cashierId, .optional.orNull)
        try m.text("currency", &currency, .optional)
        try m.text("hubTime", &hubTime, .optional.orNull)
        try m.list("leases", &leases, .noted)
        try m.list("lines", &lines, .optional)
        try m.text("mode", &mode, .optional)
        try m.text("orderId", &orderId, .optional)
        try m.text("orderNumber", &orderNumber, .optional)
        try m.list("payments", &payments, .optional)
        try m.part("points", &points, .noted)
        try m.text("reason", &reason, .optional.orNull)
        try m.text("shiftId", &shiftId, .noted)
        try m.number("total", &total, .optional)
        try m.texts("unseen", &unseen)
        try m.note(&isUnread)
    }
}

/// The payload of `payment.voided`: an authorisation that is given up (http.md section 3); and of
/// `payment.captured`, of which the hub reads the key.
package struct VoidedPayment: Fact {
    /// The mutation's type.
    package static let type = "payment.voided"

    /// Minor units.
    package var amount: Int64?
    /// ISO 4217.
    package var currency: String?
    /// The key of the authorisation; nil: it is the mutation's entity.
    package var key: String?
    /// The order that it was requested for.
    package var orderId: String?
    package var reason: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, .optional)
        try m.text("currency", &currency, .optional)
        try m.text("key", &key, .optional)
        try m.text("orderId", &orderId, .optional)
        try m.text("reason", &reason, .optional)
    }
}
