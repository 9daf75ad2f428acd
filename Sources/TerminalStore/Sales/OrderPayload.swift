internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// The payloads that tell the hub of a sale (http.md section 3); every amount counts minor units.
enum OrderPayload {
    static func completed(
        _ content: SaleContent, orderId: String, orderNumber: OrderNumber
    ) -> JSONValue {
        [
            "orderId": .string(orderId), "orderNumber": .string(orderNumber.description),
            "mode": .string(content.mode.rawValue), "businessDay": .string(orderNumber.businessDay.text),
            "timeZone": .string(content.timeZone), "cashierId": JSONValue(content.cashierId),
            "memberId": JSONValue(content.memberId),
            "coupons": .array(content.coupons.map(JSONValue.string)),
            "currency": .string(content.currency), "taxIncluded": true,
            "lines": .array(content.lines.map(line)), "payments": .array(content.payments.map(payment)),
            "total": .integer(content.totals.total), "tax": .integer(content.totals.tax),
            "cashRounding": .integer(content.cashRounding), "change": .integer(content.change),
        ]
    }

    static func voided(
        _ sale: Sale, entry: VoidEntry, businessDay: BusinessDay
    ) -> JSONValue {
        [
            "orderId": .string(sale.orderId), "orderNumber": .string(sale.orderNumber.description),
            "mode": .string(entry.mode.rawValue), "businessDay": .string(businessDay.text),
            "cashierId": JSONValue(entry.cashierId), "reason": JSONValue(entry.reason),
            "currency": .string(sale.content.currency), "total": .integer(sale.content.totals.total),
            "lines": .array(
                sale.content.lines.map { line in
                    ["sku": .string(line.sku), "quantityMilli": .integer(line.price.quantityMilli)]
                }),
        ]
    }

    static func paymentVoided(
        authorizationKey: String, orderId: String, amount: Int64, currency: String, reason: String
    ) -> JSONValue {
        [
            "key": .string(authorizationKey), "orderId": .string(orderId),
            "amount": .integer(amount), "currency": .string(currency), "reason": .string(reason),
        ]
    }

    private static func line(_ line: SaleLine) -> JSONValue {
        var members: [String: JSONValue] = [
            "sku": .string(line.sku), "barcode": .string(line.barcode), "name": .string(line.name),
            "quantityMilli": .integer(line.price.quantityMilli), "unitPrice": .integer(line.price.unitPrice),
            "discount": .integer(line.price.discount), "total": .integer(line.price.total),
            "taxBasisPoints": .integer(line.price.taxBasisPoints),
        ]
        if let reason = line.discountReason { members["discountReason"] = .string(reason) }
        return .object(members)
    }

    private static func payment(_ payment: SalePayment) -> JSONValue {
        var members: [String: JSONValue] = [
            "method": .string(payment.method.rawValue), "amount": .integer(payment.amount),
        ]
        if let card = payment.card {
            members["authorizationKey"] = .string(card.authorizationKey)
            members["approvalCode"] = .string(card.approvalCode)
        }
        return .object(members)
    }
}
