internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail

/// The document of `pos orders refund --json`, and of each refund in `orders show`.
enum RefundDocument {
    static func refund(_ refund: Refund) -> JSONValue {
        let content = refund.content
        return [
            "refundId": .string(refund.id), "orderId": .string(refund.orderId),
            "orderNumber": .string(refund.orderNumber.description), "mode": .string(content.mode.rawValue),
            "madeAt": .string(Timestamp.text(milliseconds: content.madeAt)),
            "total": money(content.total, content), "tax": money(content.tax, content),
            "cashRounding": money(content.cashRounding, content), "paid": money(content.paid, content),
            "reason": JSONValue(content.reason), "cashierId": JSONValue(content.cashierId),
            "approverId": JSONValue(content.approverId),
            "sync": .string(refund.sync.rawValue), "lines": .array(content.lines.map(line)),
            "shortCode": JSONValue(refund.shortCode),
        ]
    }

    private static func line(_ line: RefundLine) -> JSONValue {
        [
            "sku": .string(line.sku), "barcode": .string(line.barcode), "name": .string(line.name),
            "quantityMilli": .integer(line.quantityMilli), "total": .integer(line.total),
            "taxBasisPoints": .integer(line.taxBasisPoints),
        ]
    }

    private static func money(_ amount: Int64, _ content: RefundContent) -> JSONValue {
        ["amount": .integer(amount), "currency": .string(content.currency)]
    }
}
