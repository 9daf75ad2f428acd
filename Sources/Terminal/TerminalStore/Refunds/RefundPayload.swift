internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// The payload of `refund.completed` (http.md section 3) out of what the till has, and the way back.
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
        var refund = CompletedRefund()
        refund.approverId = content.approverId
        refund.arbiter = content.judgement?.arbiter.rawValue
        refund.businessDay = businessDay.text
        refund.cashRounding = content.cashRounding
        refund.cashierId = content.cashierId
        refund.currency = content.currency
        refund.hubTime = hubTime
        refund.lines = content.lines.map(line)
        refund.mode = content.mode.rawValue
        refund.orderId = origin.orderId
        refund.orderNumber = origin.orderNumber
        refund.payments = content.payments.map(RecordedPayment.init)
        refund.points = content.points
        refund.reason = content.reason
        refund.receiptCode = origin.receiptCode
        refund.refundId = id
        refund.shiftId = content.shiftId
        refund.tax = content.tax
        refund.taxIncluded = true
        refund.timeZone = content.timeZone
        refund.total = content.total
        refund.unseen = content.judgement?.unseen
        return refund.canonical
    }

    /// What ``completed(_:id:of:businessDay:hubTime:)`` was made of.
    ///
    /// - Parameter madeAt: the entry's time, Unix milliseconds.
    static func content(of payload: JSONValue, madeAt: Int64) throws -> RefundContent {
        let refund = try CompletedRefund(payload, .own)
        let lines = try (refund.lines ?? []).map(line)
        let totals = try ReceiptTotals(paid: lines.map { ($0.taxBasisPoints, $0.total) })
        var content = RefundContent(
            mode: try Mode(payload: refund.mode), madeAt: madeAt, timeZone: refund.timeZone ?? "",
            currency: refund.currency ?? "", cashierId: refund.cashierId, approverId: refund.approverId,
            reason: refund.reason, lines: lines, total: refund.total ?? 0, taxes: totals.taxes,
            cashRounding: refund.cashRounding ?? 0, payments: refund.payments?.map(SalePayment.init),
            shiftId: refund.shiftId, points: refund.points)
        content.judgement = refund.arbiter.flatMap(RefundArbiter.init).map {
            RefundJudgement($0, unseen: refund.unseen)
        }
        return content
    }

    static func line(_ returned: RefundLine) -> CompletedRefund.Line {
        var line = CompletedRefund.Line()
        line.barcode = returned.barcode
        line.name = returned.name
        line.place = Int64(returned.place)
        line.quantityMilli = returned.quantityMilli
        line.sku = returned.sku
        line.taxBasisPoints = returned.taxBasisPoints
        line.total = returned.total
        return line
    }

    static func line(_ line: CompletedRefund.Line) throws(ShapeError) -> RefundLine {
        let (total, rate) = (line.total ?? 0, line.taxBasisPoints ?? 0)
        guard total >= 0 else { throw ShapeError(path: "lines.total", expected: "0 or more") }
        guard (0...1_000_000).contains(rate) else {
            throw ShapeError(path: "lines.taxBasisPoints", expected: "an integer from 0 to 1000000")
        }
        return RefundLine(
            place: Int(line.place ?? 0), sku: line.sku ?? "", barcode: line.barcode ?? "",
            name: line.name ?? "", quantityMilli: line.quantityMilli ?? 0, total: total,
            taxBasisPoints: rate)
    }
}
