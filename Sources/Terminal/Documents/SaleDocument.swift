internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import Retail

/// The documents of sales and orders, in the shape of `pos sell --json`.
enum SaleDocument {
    /// What `pos sell --json` prints.
    static func answer(_ answer: SaleAnswer) -> JSONValue {
        var members = sale(answer.sale)
        members["receipt"] = .string(answer.receipt)
        members["sync"] = .string(answer.sync.rawValue)
        members["durableMs"] = milliseconds(answer.durable)
        members["elapsedMs"] = milliseconds(answer.elapsed)
        return .object(members)
    }

    /// What a basket comes to (`POST /v1/quotes`).
    static func quote(_ quote: Quote) -> JSONValue {
        let messages = quote.member != nil && !quote.isMemberKnown ? [JSONValue.string("member_unknown")] : []
        return [
            "lines": .array(quote.lines.map(line)),
            "offers": .array(quote.lines.flatMap(\.offers).map(offer)),
            "total": money(quote.totals.total, quote.currency),
            "tax": money(quote.totals.tax, quote.currency),
            "cashRounding": money(quote.cashRounding, quote.currency),
            "member": quote.member.map { member -> JSONValue in
                [
                    "memberId": .string(member.id), "name": JSONValue(member.name),
                    "known": .bool(quote.isMemberKnown),
                ]
            } ?? .null,
            "messages": .array(messages), "validUntil": .null,
        ]
    }

    /// A sale in short.
    static func brief(_ sale: Sale) -> JSONValue {
        [
            "orderId": .string(sale.orderId), "orderNumber": .string(sale.orderNumber.description),
            "total": money(sale.content.totals.total, sale.content.currency),
            "madeAt": .string(Timestamp.text(milliseconds: sale.content.madeAt)),
        ]
    }

    /// One entry of `pos orders list --json`.
    static func order(_ order: Order) -> JSONValue {
        var members = sale(order.sale)
        members["sync"] = .string(order.sync.rawValue)
        members["cashierId"] = JSONValue(order.sale.content.cashierId)
        members["approverId"] = JSONValue(order.sale.content.approverId)
        members["state"] = order.sale.voidedAt == nil ? "completed" : "voided"
        members["voidedAt"] =
            order.sale.voidedAt.map { .string(Timestamp.text(milliseconds: $0)) } ?? .null
        members["refunded"] = money(
            order.refunds.reduce(0) { $0 + $1.content.total }, order.sale.content.currency)
        members["refunds"] = .array(order.refunds.map(RefundDocument.refund))
        members["madeAt"] = .string(Timestamp.text(milliseconds: order.sale.content.madeAt))
        return .object(members)
    }

    private static func sale(_ sale: Sale) -> JSONObject {
        let content = sale.content
        let currency = content.currency
        return [
            "key": .string(sale.key.description), "orderId": .string(sale.orderId),
            "orderNumber": .string(sale.orderNumber.description),
            "mode": .string(content.mode.rawValue),
            "total": money(content.totals.total, currency), "tax": money(content.totals.tax, currency),
            "paid": .array(content.payments.map { payment($0, currency) }),
            "cashRounding": money(content.cashRounding, currency),
            "change": money(content.change, currency), "lines": .array(content.lines.map(line)),
            "shortCode": JSONValue(sale.shortCode),
        ]
    }

    private static func line(_ line: SaleLine) -> JSONValue {
        var members: JSONObject = [
            "sku": .string(line.sku), "barcode": .string(line.barcode), "name": .string(line.name),
            "quantityMilli": .integer(line.price.quantityMilli), "unitPrice": .integer(line.price.unitPrice),
            "discount": .integer(line.price.discount), "total": .integer(line.price.total),
            "taxBasisPoints": .integer(line.price.taxBasisPoints),
        ]
        if !line.offers.isEmpty { members["offers"] = .array(line.offers.map(offer)) }
        return .object(members)
    }

    private static func offer(_ offer: Reductions.Part) -> JSONValue {
        [
            "promotionId": .string(offer.promotionId), "name": .string(offer.name),
            "coupon": JSONValue(offer.coupon), "amount": .integer(offer.amount),
        ]
    }

    private static func payment(_ payment: SalePayment, _ currency: String) -> JSONValue {
        var members: JSONObject = [
            "method": .string(payment.method.rawValue), "amount": .integer(payment.amount),
            "currency": .string(currency),
        ]
        if let card = payment.card {
            members["approvalCode"] = .string(card.approvalCode)
            if card.isSimulated { members["simulated"] = true }
        }
        return .object(members)
    }

    private static func money(_ amount: Int64, _ currency: String) -> JSONValue {
        ["amount": .integer(amount), "currency": .string(currency)]
    }

    /// Milliseconds with microseconds behind the point.
    private static func milliseconds(_ duration: Duration) -> JSONValue {
        let microseconds =
            duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        return microseconds % 1000 == 0
            ? .integer(microseconds / 1000) : .double(Double(microseconds) / 1000)
    }
}
