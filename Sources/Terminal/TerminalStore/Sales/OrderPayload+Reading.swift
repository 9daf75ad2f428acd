internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

extension OrderPayload {
    /// What ``completed(_:orderId:orderNumber:)`` was made of.
    ///
    /// - Parameters:
    ///   - madeAt: the entry's time, Unix milliseconds.
    ///   - isCounted: whether the line with this number moved a counted stock; the payload does not contain
    ///     it.
    static func content(
        of payload: JSONValue, madeAt: Int64, isCounted: (Int) -> Bool
    ) throws -> SaleContent {
        guard let mode = Mode(rawValue: try payload.requiredString("mode")) else {
            throw ShapeError(path: "mode", expected: "online or offline")
        }
        let lines = try payload.requiredArray("lines").enumerated().map { number, line in
            try Self.line(line, isCounted: isCounted(number))
        }
        return SaleContent(
            mode: mode, madeAt: madeAt, timeZone: try payload.requiredString("timeZone"),
            currency: try payload.requiredString("currency"), cashierId: payload["cashierId"]?.string,
            approverId: payload["approverId"]?.string,
            memberId: payload["memberId"]?.string, memberName: payload["memberName"]?.string,
            coupons: try payload.strings("coupons"), lines: lines,
            totals: try ReceiptTotals(lines: lines.map(\.price)),
            payments: try payload.requiredArray("payments").map(payment),
            cashRounding: try payload.requiredInteger("cashRounding"),
            change: try payload.requiredInteger("change"))
    }

    private static func line(_ line: JSONValue, isCounted: Bool) throws -> SaleLine {
        let price = try PricedLine(
            quantityMilli: line.requiredInteger("quantityMilli"),
            unitPrice: line.requiredInteger("unitPrice"), discount: line.requiredInteger("discount"),
            taxBasisPoints: line.requiredInteger("taxBasisPoints"))
        let offers = try line["offers"].map { _ in try line.requiredArray("offers").map(offer) } ?? []
        guard try MoneyRange.sum(offers.map(\.amount)) <= price.discount else {
            throw ShapeError(path: "lines.offers", expected: "no more than the line's discount")
        }
        return SaleLine(
            sku: try line.requiredString("sku"), barcode: try line.requiredString("barcode"),
            name: try line.requiredString("name"), price: price, offers: offers,
            listPrice: line["listPrice"]?.integer, discountReason: line["discountReason"]?.string,
            isCounted: isCounted)
    }

    private static func offer(_ offer: JSONValue) throws -> Reductions.Part {
        Reductions.Part(
            promotionId: try offer.requiredString("promotionId"), name: try offer.requiredString("name"),
            coupon: try offer.optionalString("coupon"),
            amount: try offer.requiredInteger("amount", in: 1...MoneyRange.maximum))
    }

    private static func payment(_ payment: JSONValue) throws -> SalePayment {
        guard let method = Settlement.Method(rawValue: try payment.requiredString("method")) else {
            throw ShapeError(path: "payments.method", expected: "a payment method of this release")
        }
        let card = payment["authorizationKey"]?.string.map {
            CardApproval(
                authorizationKey: $0, approvalCode: payment["approvalCode"]?.string ?? "",
                isSimulated: payment["simulated"]?.bool ?? false)
        }
        return SalePayment(method: method, amount: try payment.requiredInteger("amount"), card: card)
    }
}
