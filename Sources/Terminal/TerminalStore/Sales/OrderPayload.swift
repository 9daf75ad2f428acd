internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// The payloads about a sale for the hub (http.md section 3); every amount is in minor units.
enum OrderPayload {
    static func completed(
        _ content: SaleContent, orderId: String, orderNumber: OrderNumber, businessDay: BusinessDay
    ) -> CanonicalObject {
        var payload = CanonicalObject()
        if let approver = content.approverId { payload.add("approverId", approver) }
        payload.add("businessDay", businessDay.text)
        payload.add("cashRounding", content.cashRounding)
        payload.add("cashierId", content.cashierId)
        payload.add("change", content.change)
        payload.add("coupons", content.coupons)
        payload.add("currency", content.currency)
        payload.add("lines", content.lines.map(line))
        payload.add("memberId", content.memberId)
        payload.add("mode", content.mode.rawValue)
        payload.add("orderId", orderId)
        payload.add("orderNumber", orderNumber.description)
        payload.add("payments", content.payments.map(payment))
        payload.add("tax", content.totals.tax)
        payload.add("taxIncluded", true)
        payload.add("timeZone", content.timeZone)
        payload.add("total", content.totals.total)
        return payload
    }

    static func voided(
        _ sale: Sale, entry: VoidEntry, businessDay: BusinessDay
    ) -> CanonicalObject {
        var payload = CanonicalObject()
        if let approver = entry.approverId { payload.add("approverId", approver) }
        payload.add("businessDay", businessDay.text)
        payload.add("cashierId", entry.cashierId)
        payload.add("currency", sale.content.currency)
        payload.add("lines", sale.content.lines.map(returnedLine))
        payload.add("mode", entry.mode.rawValue)
        payload.add("orderId", sale.orderId)
        payload.add("orderNumber", sale.orderNumber.description)
        payload.add("reason", entry.reason)
        payload.add("total", sale.content.totals.total)
        return payload
    }

    static func paymentVoided(
        authorizationKey: String, orderId: String, amount: Int64, currency: String, reason: String
    ) -> CanonicalObject {
        var payload = CanonicalObject()
        payload.add("amount", amount)
        payload.add("currency", currency)
        payload.add("key", authorizationKey)
        payload.add("orderId", orderId)
        payload.add("reason", reason)
        return payload
    }

    private static func line(_ line: SaleLine) -> CanonicalObject {
        var members = CanonicalObject()
        members.add("barcode", line.barcode)
        members.add("discount", line.price.discount)
        if let reason = line.discountReason { members.add("discountReason", reason) }
        if let price = line.listPrice { members.add("listPrice", price) }
        members.add("name", line.name)
        if !line.offers.isEmpty { members.add("offers", line.offers.map(offer)) }
        members.add("quantityMilli", line.price.quantityMilli)
        members.add("sku", line.sku)
        members.add("taxBasisPoints", line.price.taxBasisPoints)
        members.add("total", line.price.total)
        members.add("unitPrice", line.price.unitPrice)
        return members
    }

    private static func offer(_ offer: Reductions.Part) -> CanonicalObject {
        var members = CanonicalObject()
        members.add("amount", offer.amount)
        members.add("coupon", offer.coupon)
        members.add("name", offer.name)
        members.add("promotionId", offer.promotionId)
        return members
    }

    private static func returnedLine(_ line: SaleLine) -> CanonicalObject {
        var members = CanonicalObject()
        members.add("quantityMilli", line.price.quantityMilli)
        members.add("sku", line.sku)
        return members
    }

    private static func payment(_ payment: SalePayment) -> CanonicalObject {
        var members = CanonicalObject()
        members.add("amount", payment.amount)
        if let card = payment.card {
            members.add("approvalCode", card.approvalCode)
            members.add("authorizationKey", card.authorizationKey)
        }
        members.add("method", payment.method.rawValue)
        if payment.card?.isSimulated == true { members.add("simulated", true) }
        return members
    }
}
