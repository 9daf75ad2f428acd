internal import Base

/// What a terminal is about to give back, for the hub to decide on before any money moves (http.md section
/// 6).
///
/// Request: `POST /v1/refunds/decisions` with this object. Response: ``RefundDecision``.
package struct RefundWish: Hashable, Sendable {
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
    package struct Line: Hashable, Sendable {
        /// The article.
        package let sku: String
        /// Thousandths of a unit.
        package let quantityMilli: Int64

        package init(sku: String, quantityMilli: Int64) {
            (self.sku, self.quantityMilli) = (sku, quantityMilli)
        }

        /// The line as it travels.
        package var json: JSONValue {
            ["sku": .string(sku), "quantityMilli": .integer(quantityMilli)]
        }
    }

    /// The id that the mutation will have as its entity; of a void the order's id.
    package let refundId: String
    /// What is to be made of the sale.
    package let kind: Kind
    package let sale: Sale
    /// Empty for a void, of which all lines are.
    package let lines: [Line]
    /// Minor units in the sale's currency, without the rounding of cash; of a void the sale's total.
    package let amount: Int64
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
        self.sale = sale
        self.lines = lines
        self.amount = amount
    }

    /// Reads the request.
    package init(json: JSONValue) throws(ShapeError) {
        refundId = try json.requiredString("refundId")
        guard (1...Self.longestId).contains(refundId.utf8.count) else {
            throw ShapeError(path: "refundId", expected: "1 to \(Self.longestId) bytes")
        }
        guard let kind = Kind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "refund or void")
        }
        self.kind = kind
        let number = try json.optionalString("orderNumber")
        if let code = try json.optionalString("receiptCode") {
            sale = .receipt(code)
        } else if let number {
            sale = .number(number)
        } else {
            throw ShapeError(path: "orderNumber", expected: "a string, where `receiptCode` is missing")
        }
        let items = json["lines"] == nil ? [] : try json.requiredArray("lines")
        guard items.count <= Self.mostLines else {
            throw ShapeError(path: "lines", expected: "at most \(Self.mostLines) lines")
        }
        var lines: [Line] = []
        for (index, item) in items.enumerated() {
            do throws(ShapeError) {
                lines.append(
                    Line(
                        sku: try item.requiredString("sku"),
                        quantityMilli: try item.requiredInteger("quantityMilli", in: 1...Self.mostUnits)))
            } catch {
                throw ShapeError(path: "lines[\(index)].\(error.path)", expected: error.expected)
            }
        }
        self.lines = lines
        amount = try json.requiredInteger("amount", in: 0...Self.mostUnits)
        date = try json.optionalMoment("date")
    }

    /// Below 2⁵³, as every number of the contract.
    private static let mostUnits: Int64 = (1 << 53) - 1

    /// The request as it travels.
    package var json: JSONValue {
        var members: JSONObject = [
            "refundId": .string(refundId), "kind": .string(kind.rawValue),
            "lines": .array(lines.map(\.json)), "amount": .integer(amount),
        ]
        switch sale {
        case .number(let number): members["orderNumber"] = .string(number)
        case .receipt(let code): members["receiptCode"] = .string(code)
        }
        if let date { members["date"] = .string(Timestamp.text(milliseconds: date)) }
        return .object(members)
    }
}

/// What the hub decided about a ``RefundWish``.
package struct RefundDecision: Hashable, Sendable {
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

    /// What can still be given back of the sale: what was sold, less what is back or reserved, this wish
    /// included where it was granted.
    package struct Left: Hashable, Sendable {
        /// Minor units.
        package let amount: Int64
        /// By article, each once; articles of which nothing is left are missing.
        package let lines: [RefundWish.Line]

        package init(amount: Int64, lines: [RefundWish.Line]) {
            (self.amount, self.lines) = (amount, lines)
        }

        fileprivate init(json: JSONValue) throws(ShapeError) {
            amount = try json.requiredInteger("amount")
            var lines: [RefundWish.Line] = []
            for line in try json.requiredArray("lines") {
                lines.append(
                    RefundWish.Line(
                        sku: try line.requiredString("sku"),
                        quantityMilli: try line.requiredInteger("quantityMilli")))
            }
            self.lines = lines
        }

        fileprivate var json: JSONValue {
            ["amount": .integer(amount), "lines": .array(lines.map(\.json))]
        }
    }

    /// What was decided.
    package let verdict: Verdict
    /// Nil unless it was refused.
    package let reason: Reason?
    /// Nil where the terminal may not see the sale, or it has not arrived.
    package let left: Left?
    /// What is back of the sale, or reserved for other terminals, oldest first.
    package let returned: [ReceiptSale.Refund]

    /// Makes a decision; by default it shows nothing of the sale.
    package init(
        _ verdict: Verdict, reason: Reason? = nil, left: Left? = nil, returned: [ReceiptSale.Refund] = []
    ) {
        self.verdict = verdict
        self.reason = reason
        self.left = left
        self.returned = returned
    }

    /// Reads the response.
    package init(json: JSONValue) throws(ShapeError) {
        guard let verdict = Verdict(rawValue: try json.requiredString("decision")) else {
            throw ShapeError(path: "decision", expected: "granted, refused or unknown")
        }
        self.verdict = verdict
        reason = try json.optionalString("reason").map(Reason.init(rawValue:))
        left = json["left"]?.object == nil ? nil : try Left(json: json["left"] ?? .null)
        var returned: [ReceiptSale.Refund] = []
        for refund in json["returned"]?.array ?? [] {
            returned.append(try ReceiptSale.Refund(json: refund))
        }
        self.returned = returned
    }

    /// The response as it travels.
    package var json: JSONValue {
        [
            "decision": .string(verdict.rawValue), "reason": JSONValue(reason?.rawValue),
            "left": left?.json ?? .null, "returned": .array(returned.map(\.json)),
        ]
    }
}
