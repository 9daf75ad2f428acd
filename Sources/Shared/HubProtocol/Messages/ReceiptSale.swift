/// The sale of a receipt with what came back of it, for a refund at a terminal that does not hold it
/// (http.md section 6).
///
/// Request: `POST /v1/receipts/lookup` with `{"receiptCode"}`. Response: this object.
package struct ReceiptSale: Hashable, Sendable {
    /// A line as it was sold.
    package struct Line: Hashable, Sendable {
        /// The article.
        package let sku: String
        /// As sold; the catalogue may have another one now.
        package let barcode: String
        /// The article's name when it was sold.
        package let name: String
        /// Thousandths of a unit.
        package let quantityMilli: Int64
        /// Minor units that were paid for the line.
        package let total: Int64
        /// Hundredths of a percent.
        package let taxBasisPoints: Int64

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

        /// Reads a line of this response.
        package init(json: JSONValue) throws(ShapeError) {
            self.init(
                sku: try json.requiredString("sku"), barcode: try json.requiredString("barcode"),
                name: try json.requiredString("name"),
                quantityMilli: try json.requiredInteger("quantityMilli"),
                total: try json.requiredInteger("total"),
                taxBasisPoints: try json.requiredInteger("taxBasisPoints"))
        }

        /// The line as it travels.
        package var json: JSONValue {
            [
                "sku": .string(sku), "barcode": .string(barcode), "name": .string(name),
                "quantityMilli": .integer(quantityMilli), "total": .integer(total),
                "taxBasisPoints": .integer(taxBasisPoints),
            ]
        }
    }

    /// One refund of the sale that the hub has, of any terminal; or its void.
    package struct Refund: Hashable, Sendable {
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
        package let refundId: String
        /// Minor units.
        package let total: Int64
        /// Thousandths of a unit that came back, by sku.
        package let quantities: [String: Int64]
        /// Where and when; nil: the hub does not report it.
        package let place: Place?
        /// Whether the complete sale was voided.
        package let isVoid: Bool
        /// Whether a terminal is only about to make it.
        package let isReserved: Bool

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

        /// Reads a refund; a quantity that is no whole number is left out.
        package init(json: JSONValue) throws(ShapeError) {
            let storeId = try json.optionalString("storeId")
            let number = try json.optionalInteger("terminalNumber", in: 0...(1 << 31))
            let at = try json.optionalString("at")
            self.init(
                refundId: try json.requiredString("refundId"), total: try json.requiredInteger("total"),
                quantities: (json["quantities"]?.object ?? [:]).compactMapValues(\.integer),
                place: storeId.flatMap { storeId in
                    at.map { Place(storeId: storeId, terminalNumber: number, at: $0) }
                }, isVoid: json["kind"] == "void", isReserved: json["reserved"] == true)
        }

        /// The refund as it travels.
        package var json: JSONValue {
            var members: JSONObject = [
                "refundId": .string(refundId), "total": .integer(total),
                "kind": .string((isVoid ? RefundWish.Kind.void : .refund).rawValue),
                "quantities": .object(JSONObject(quantities.mapValues(JSONValue.integer))),
            ]
            if let place {
                members["storeId"] = .string(place.storeId)
                members["terminalNumber"] = JSONValue(place.terminalNumber)
                members["at"] = .string(place.at)
            }
            if isReserved { members["reserved"] = true }
            return .object(members)
        }
    }

    /// What paid a part of the sale.
    package struct Payment: Hashable, Sendable {
        /// The tender's name in the list of the store that sold it.
        package let method: String
        /// Nil: not known.
        package let kind: TenderKind?
        /// Minor units, of cash with the change.
        package let amount: Int64

        package init(method: String, kind: TenderKind?, amount: Int64) {
            (self.method, self.kind, self.amount) = (method, kind, amount)
        }

        /// Nil for a payment of a sale of which something cannot be read. Its method's name is its kind where
        /// none is there.
        package init?(_ payment: RecordedPayment) {
            guard let method = payment.method, let amount = payment.amount else { return nil }
            self.init(
                method: method,
                kind: payment.shownDetails.kind ?? (payment.isUnread ? nil : TenderKind(rawValue: method)),
                amount: amount)
        }

        /// Reads a payment of this response.
        package init(json: JSONValue) throws(ShapeError) {
            method = try json.requiredString("method")
            kind = TenderKind(rawValue: try json.optionalString("kind") ?? method)
            amount = try json.requiredInteger("amount")
        }

        /// The payment as it travels.
        package var json: JSONValue {
            var members: JSONObject = ["method": .string(method), "amount": .integer(amount)]
            members["kind"] = kind.map { .string($0.rawValue) }
            return .object(members)
        }
    }

    /// A ULID.
    package let orderId: String
    /// As printed.
    package let orderNumber: String
    /// The store that sold it.
    package let storeId: String
    /// Minor units, tax included.
    package let total: Int64
    /// ISO 4217.
    package let currency: String
    /// Whether its money came back with a void.
    package let isVoided: Bool
    /// All lines, in the order of the sale.
    package let lines: [Line]
    /// What came back of it so far.
    package let refunds: [Refund]
    /// What paid it; nil: the hub does not report it.
    package let payments: [Payment]?

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

    /// Reads the response.
    package init(json: JSONValue) throws(ShapeError) {
        var lines: [Line] = []
        for line in try json.requiredArray("lines") { lines.append(try Line(json: line)) }
        var refunds: [Refund] = []
        for refund in try json.requiredArray("refunds") { refunds.append(try Refund(json: refund)) }
        var payments: [Payment] = []
        for payment in json["payments"]?.array ?? [] { payments.append(try Payment(json: payment)) }
        let state = try json.requiredString("state")
        guard ["completed", "voided"].contains(state) else {
            throw ShapeError(path: "state", expected: "completed or voided")
        }
        self.init(
            orderId: try json.requiredString("orderId"), orderNumber: try json.requiredString("orderNumber"),
            storeId: try json.requiredString("storeId"), total: try json.requiredInteger("total"),
            currency: try json.requiredString("currency"), isVoided: state == "voided", lines: lines,
            refunds: refunds, payments: json["payments"]?.array == nil ? nil : payments)
    }

    /// The response as it travels.
    package var json: JSONValue {
        var members: JSONObject = [
            "orderId": .string(orderId), "orderNumber": .string(orderNumber), "storeId": .string(storeId),
            "total": .integer(total), "currency": .string(currency),
            "state": .string(isVoided ? "voided" : "completed"), "lines": .array(lines.map(\.json)),
            "refunds": .array(refunds.map(\.json)),
        ]
        members["payments"] = payments.map { .array($0.map(\.json)) }
        return .object(members)
    }
}
