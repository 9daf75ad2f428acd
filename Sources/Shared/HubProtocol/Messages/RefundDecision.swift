/// What a terminal is about to give back, for the hub to decide on before any money moves (http.md section
/// 6).
///
/// Request: `POST /v1/refunds/decisions` with this object. Response: ``RefundDecision``.
package struct RefundInquiry: Fact {
    /// What is to be made of the sale.
    package enum Kind: String, Hashable, Sendable {
        /// Goods come back.
        case refund
        /// The complete sale is undone.
        case void
    }

    package enum Sale: Hashable, Sendable {
        /// The number on the receipt, of a sale of the terminal's own store.
        case number(String)
        /// The text of a receipt's signed code, of any store's sale.
        case receipt(String)
    }

    /// Goods that come back.
    package struct Line: Fact {
        /// The article.
        package private(set) var sku = ""
        /// Thousandths of a unit.
        package private(set) var quantityMilli: Int64 = 0

        package init(sku: String, quantityMilli: Int64) {
            (self.sku, self.quantityMilli) = (sku, quantityMilli)
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("quantityMilli", &quantityMilli, in: 1...JSONValue.exactIntegers.upperBound)
            try m.text("sku", &sku)
        }
    }

    /// The id that the mutation will have as its entity; of a void the order's id.
    package private(set) var refundId = ""
    /// What is to be made of the sale.
    package private(set) var kind = Kind.refund
    private var number: String?
    private var code: String?
    /// Empty for a void, of which all lines are.
    package private(set) var lines: [Line] = []
    /// Minor units in the sale's currency, without the rounding of cash; of a void the sale's total.
    package private(set) var amount: Int64 = 0
    /// When it was sent by the terminal's wall clock, the one that signs its heads, in milliseconds since
    /// 1970; nil: not known, as from terminals of earlier versions.
    package var date: Int64?

    /// The most refunds that one terminal has reserved at once: 20. A till makes one at a time, and what it
    /// leaves is given back, or ends with its next push. Half of it refuses a till with many windows after an
    /// hour without a line; double lets a hostile terminal keep twice as many sales from being refunded.
    package static let mostOpen = 20
    /// The most lines: what one sale can have.
    package static let mostLines = 500
    /// The longest ``refundId`` in bytes.
    package static let longestId = 128

    package init(refundId: String, kind: Kind, sale: Sale, lines: [Line], amount: Int64) {
        self.refundId = refundId
        self.kind = kind
        switch sale {
        case .number(let number): self.number = number
        case .receipt(let code): self.code = code
        }
        self.lines = lines
        self.amount = amount
    }

    package init() {}

    package var sale: Sale { code.map(Sale.receipt) ?? .number(number ?? "") }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: 0...JSONValue.exactIntegers.upperBound)
        try m.moment("date", &date, .valid)
        try m.word("kind", &kind, of: "refund or void")
        try m.list("lines", &lines, .valid)
        try m.check(lines.count <= Self.mostLines, "lines", "at most \(Self.mostLines) lines")
        try m.text("orderNumber", &number, .valid)
        try m.text("receiptCode", &code, .valid)
        try m.text("refundId", &refundId, upTo: Self.longestId)
        try m.check(
            number != nil || code != nil, "orderNumber", "a string, where `receiptCode` is missing")
        if code != nil { number = nil }
    }
}

/// Who decided that a refund or void may be made: a member of the mutation.
package enum RefundArbiter: String, Hashable, Sendable {
    /// The hub, before it was made.
    case hub
    /// The till that sold it, which subtracts it from what it gives back itself.
    case seller
    /// Nobody: neither responded, and the terminal's own rules held.
    case none
}

/// What the hub decided about a ``RefundInquiry``.
package struct RefundDecision: Fact {
    /// The raw value is the text of `decision`.
    package enum Verdict: String, Hashable, Sendable {
        /// It is reserved for the terminal, until its mutation arrives or it is given back.
        case granted
        /// Nothing may be given back; ``RefundDecision/reason`` has why.
        case refused
        /// The sale has not arrived: the terminal decides as without the hub.
        case unknown
    }

    /// Why the hub refuses; the raw value is the text of `reason`. A struct, since a newer hub may have
    /// others.
    package struct Reason: RawRepresentable, Hashable, Sendable {
        /// The text on the wire.
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// More would come back than was sold, with what is back or reserved for other terminals.
        package static let exceedsSale = Reason(rawValue: "refund_exceeds_sale")
        /// The sale is voided, or its void is reserved: its money comes back with that.
        package static let voided = Reason(rawValue: "voided_already")
        /// A void of a sale of which something is back, or reserved.
        package static let refunded = Reason(rawValue: "refunded_already")
        /// Another store's sale, without the signed code of its receipt.
        package static let foreignStore = Reason(rawValue: "order_foreign_store")
    }

    /// What can still be given back of the sale: what was sold, less what is back or reserved, this inquiry
    /// included where it was granted.
    package struct Left: Fact {
        /// Minor units.
        package private(set) var amount: Int64 = 0
        /// By article, each once; articles of which nothing is left are missing.
        package private(set) var lines: [RefundInquiry.Line] = []

        package init(amount: Int64, lines: [RefundInquiry.Line]) {
            (self.amount, self.lines) = (amount, lines)
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("amount", &amount)
            try m.list("lines", &lines)
        }
    }

    /// What was decided.
    package private(set) var verdict = Verdict.unknown
    /// Nil unless it was refused.
    package private(set) var reason: Reason?
    /// Nil where the terminal may not see the sale, or it has not arrived.
    package private(set) var left: Left?
    /// What is back of the sale, or reserved for other terminals, oldest first.
    package private(set) var returned: [ReceiptSale.Refund] = []

    /// Makes a decision; by default it shows nothing of the sale.
    package init(
        _ verdict: Verdict, reason: Reason? = nil, left: Left? = nil, returned: [ReceiptSale.Refund] = []
    ) {
        self.verdict = verdict
        self.reason = reason
        self.left = left
        self.returned = returned
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.word("decision", &verdict, of: "granted, refused or unknown")
        try m.part("left", &left, .valid.orNull)
        try m.word("reason", &reason, .valid.orNull, of: "a string or null")
        try m.list("returned", &returned, .optional)
    }
}
