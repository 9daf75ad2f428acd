internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// The payload of `refund.completed` (http.md section 3); every amount counts minor units.
enum RefundPayload {
    struct Origin {
        /// Nil where this terminal does not have it.
        var orderId: String?
        /// Nil without a receipt.
        var orderNumber: String?
        /// The code by which the sale is named instead of a dependency; nil for a sale of this terminal.
        var receiptCode: String?
    }

    static func completed(
        _ content: RefundContent, id: String, of origin: Origin, businessDay: BusinessDay, hubTime: String?
    ) -> CanonicalObject {
        var payload = CanonicalObject()
        if let approver = content.approverId { payload.add("approverId", approver) }
        payload.add("businessDay", businessDay.text)
        payload.add("cashRounding", content.cashRounding)
        payload.add("cashierId", content.cashierId)
        payload.add("currency", content.currency)
        payload.add("hubTime", hubTime)
        payload.add("lines", content.lines.map(line))
        payload.add("mode", content.mode.rawValue)
        if let orderId = origin.orderId { payload.add("orderId", orderId) }
        if let number = origin.orderNumber { payload.add("orderNumber", number) }
        payload.add("payments", content.payments.map(PaymentPayload.canonical))
        if let points = content.points { payload.add("points", points.canonical) }
        payload.add("reason", content.reason)
        if let code = origin.receiptCode { payload.add("receiptCode", code) }
        payload.add("refundId", id)
        if let shiftId = content.shiftId { payload.add("shiftId", shiftId) }
        payload.add("tax", content.tax)
        payload.add("taxIncluded", true)
        payload.add("timeZone", content.timeZone)
        payload.add("total", content.total)
        return payload
    }

    /// What ``completed(_:id:of:businessDay:hubTime:)`` was made of.
    ///
    /// - Parameter madeAt: the entry's time, Unix milliseconds.
    static func content(of payload: JSONValue, madeAt: Int64) throws -> RefundContent {
        guard let mode = Mode(rawValue: try payload.requiredString("mode")) else {
            throw ShapeError(path: "mode", expected: "online or offline")
        }
        let lines = try payload.requiredArray("lines").map(line)
        let totals = try ReceiptTotals(paid: lines.map { ($0.taxBasisPoints, $0.total) })
        return RefundContent(
            mode: mode, madeAt: madeAt, timeZone: try payload.requiredString("timeZone"),
            currency: try payload.requiredString("currency"),
            cashierId: try payload.optionalString("cashierId"),
            approverId: try payload.optionalString("approverId"),
            reason: try payload.optionalString("reason"),
            lines: lines, total: try payload.requiredInteger("total"), taxes: totals.taxes,
            cashRounding: try payload.requiredInteger("cashRounding"),
            payments: try payload["payments"].map { _ in
                try payload.requiredArray("payments").map(PaymentPayload.payment)
            },
            shiftId: try payload.optionalString("shiftId"),
            points: try payload["points"].map { try ReturnedPoints(json: $0) })
    }

    private static func line(_ line: RefundLine) -> CanonicalObject {
        var members = CanonicalObject()
        members.add("barcode", line.barcode)
        members.add("name", line.name)
        members.add("place", Int64(line.place))
        members.add("quantityMilli", line.quantityMilli)
        members.add("sku", line.sku)
        members.add("taxBasisPoints", line.taxBasisPoints)
        members.add("total", line.total)
        return members
    }

    private static func line(_ line: JSONValue) throws -> RefundLine {
        RefundLine(
            place: Int(try line.requiredInteger("place", in: 0...9_999)),
            sku: try line.requiredString("sku"), barcode: try line.requiredString("barcode"),
            name: try line.requiredString("name"),
            quantityMilli: try line.requiredInteger("quantityMilli", in: 1...MoneyRange.maximum),
            total: try line.requiredInteger("total", in: 0...MoneyRange.maximum),
            taxBasisPoints: try line.requiredInteger("taxBasisPoints", in: 0...1_000_000))
    }
}
