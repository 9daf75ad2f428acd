/// The sale of a receipt with what came back of it, for a refund at a terminal that does not hold it
/// (http.md section 6).
///
/// Request: `POST /v1/receipts/lookup` with `{"receiptCode"}`. Response: this object.
package struct ReceiptSale: Fact {
    /// A line as it was sold.
    package struct Line: Fact {
        /// The article.
        package private(set) var sku = ""
        /// As sold; the catalogue may have another one now.
        package private(set) var barcode = ""
        /// The article's name when it was sold.
        package private(set) var name = ""
        /// Thousandths of a unit.
        package private(set) var quantityMilli: Int64 = 0
        /// Minor units that were paid for the line.
        package private(set) var total: Int64 = 0
        /// Hundredths of a percent.
        package private(set) var taxBasisPoints: Int64 = 0

        package init(
            sku: String, barcode: String, name: String, quantityMilli: Int64, total: Int64,
            taxBasisPoints: Int64
        ) {
            self.sku = sku
            self.barcode = barcode
            self.name = name
            self.quantityMilli = quantityMilli
            self.total = total
            self.taxBasisPoints = taxBasisPoints
        }

        /// Nil for a line of a sale of which something cannot be read.
        package init?(_ line: CompletedOrder.Line) {
            guard let barcode = line.barcode, let name = line.name, let total = line.total,
                let taxBasisPoints = line.taxBasisPoints
            else { return nil }
            self.init(
                sku: line.sku, barcode: barcode, name: name, quantityMilli: line.quantityMilli, total: total,
                taxBasisPoints: taxBasisPoints)
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("barcode", &barcode)
            try m.text("name", &name)
            try m.number("quantityMilli", &quantityMilli)
            try m.text("sku", &sku)
            try m.number("taxBasisPoints", &taxBasisPoints)
            try m.number("total", &total)
        }
    }

    /// One refund of the sale that the hub has, of any terminal; or its void.
    package struct Refund: Fact {
        /// Where and when it was made.
        package struct Place: Hashable, Sendable {
            /// The terminal's store.
            package let storeId: String
            /// The number in the terminal's order numbers; nil for one that the hub did not enrol.
            package let terminalNumber: Int64?
            /// By the terminal's clock, of what is reserved by the hub's; RFC 3339.
            package let at: String

            package init(storeId: String, terminalNumber: Int64?, at: String) {
                (self.storeId, self.terminalNumber, self.at) = (storeId, terminalNumber, at)
            }
        }

        /// A ULID.
        package private(set) var refundId = ""
        /// Minor units.
        package private(set) var total: Int64 = 0
        /// Thousandths of a unit that came back, by sku.
        package private(set) var quantities: [String: Int64] = [:]
        /// Where and when; nil: the hub does not report it.
        package private(set) var place: Place?
        /// Whether the complete sale was voided.
        package private(set) var isVoid = false
        /// Whether a terminal is only about to make it.
        package private(set) var isReserved = false

        /// Makes a refund; nothing is checked here. By default it was made, nobody knows where.
        package init(
            refundId: String, total: Int64, quantities: [String: Int64], place: Place? = nil,
            isVoid: Bool = false, isReserved: Bool = false
        ) {
            self.refundId = refundId
            self.total = total
            self.quantities = quantities
            self.place = place
            self.isVoid = isVoid
            self.isReserved = isReserved
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            var (storeId, number, at) = (place?.storeId, place?.terminalNumber, place?.at)
            var kind: RefundInquiry.Kind? = isVoid ? .void : .refund
            var counts: JSONValue? = .object(JSONObject(quantities.mapValues(JSONValue.integer)))
            try m.text("at", &at, .valid)
            try m.word("kind", &kind, .optional, of: "refund or void")
            try m.document("quantities", &counts)
            try m.text("refundId", &refundId)
            try m.mark("reserved", &isReserved)
            try m.text("storeId", &storeId, .valid)
            try m.number("terminalNumber", &number, place == nil ? .valid : .valid.orNull, in: 0...(1 << 31))
            try m.number("total", &total)
            isVoid = kind == .void
            // A quantity that is no whole number is left out.
            quantities = (counts?.object ?? [:]).compactMapValues(\.integer)
            place = storeId.flatMap { storeId in
                at.map { Place(storeId: storeId, terminalNumber: number, at: $0) }
            }
        }
    }

    /// What paid a part of the sale.
    package struct Payment: Fact {
        /// The tender's name in the list of the store that sold it.
        package private(set) var method = ""
        /// Nil: not known.
        package private(set) var kind: TenderKind?
        /// Minor units, of cash with the change.
        package private(set) var amount: Int64 = 0

        package init(method: String, kind: TenderKind?, amount: Int64) {
            (self.method, self.kind, self.amount) = (method, kind, amount)
        }

        /// Nil for a payment of a sale of which something cannot be read. Its method's name is its kind where
        /// none is there.
        package init?(_ payment: RecordedPayment) {
            guard let method = payment.method, let amount = payment.amount else { return nil }
            self.init(
                method: method,
                kind: payment.isUnread ? payment.shownDetails.kind : payment.kind,
                amount: amount)
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("amount", &amount)
            var word = kind?.rawValue
            try m.text("kind", &word, .valid)
            try m.text("method", &method)
            kind = TenderKind(rawValue: word ?? method)
        }
    }

    private enum State: String {
        case completed, voided
    }

    /// A ULID.
    package private(set) var orderId = ""
    /// As printed.
    package private(set) var orderNumber = ""
    /// The store that sold it.
    package private(set) var storeId = ""
    /// Minor units, tax included.
    package private(set) var total: Int64 = 0
    /// ISO 4217.
    package private(set) var currency = ""
    /// Whether its money came back with a void.
    package private(set) var isVoided = false
    /// All lines, in the order of the sale.
    package private(set) var lines: [Line] = []
    /// What came back of it so far.
    package private(set) var refunds: [Refund] = []
    /// What paid it; nil: the hub does not report it.
    package private(set) var payments: [Payment]?

    package init(
        orderId: String, orderNumber: String, storeId: String, total: Int64, currency: String,
        isVoided: Bool, lines: [Line], refunds: [Refund], payments: [Payment]? = nil
    ) {
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.storeId = storeId
        self.total = total
        self.currency = currency
        self.isVoided = isVoided
        self.lines = lines
        self.refunds = refunds
        self.payments = payments
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var state = isVoided ? State.voided : .completed
        try m.text("currency", &currency)
        try m.list("lines", &lines)
        try m.text("orderId", &orderId)
        try m.text("orderNumber", &orderNumber)
        try m.list("payments", &payments, .optional)
        try m.list("refunds", &refunds)
        try m.word("state", &state, of: "completed or voided")
        try m.text("storeId", &storeId)
        try m.number("total", &total)
        isVoided = state == .voided
    }
}
