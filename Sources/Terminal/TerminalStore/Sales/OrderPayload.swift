import Base

internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// The payloads about a sale for the hub (http.md section 3); every amount is in minor units.
enum OrderPayload {
    /// - Parameter hubTime: ``JournalWriter/hubTime``.
    static func completed(
        _ content: SaleContent, orderId: String, orderNumber: OrderNumber, businessDay: BusinessDay,
        hubTime: String?
    ) -> CanonicalObject {
        var payload = CanonicalObject()
        if let approver = content.approverId { payload.add("approverId", approver) }
        payload.add("businessDay", businessDay.text)
        payload.add("cashRounding", content.cashRounding)
        payload.add("cashierId", content.cashierId)
        payload.add("change", content.change)
        payload.add("coupons", content.coupons)
        payload.add("currency", content.currency)
        payload.add("hubTime", hubTime)
        if !content.leases.isEmpty { payload.add("leases", content.leases.map(\.canonical)) }
        payload.add("lines", content.lines.map(line))
        payload.add("memberId", content.memberId)
        payload.add("mode", content.mode.rawValue)
        payload.add("orderId", orderId)
        payload.add("orderNumber", orderNumber.description)
        payload.add("payments", content.payments.map(PaymentPayload.canonical))
        if let points = content.points { payload.add("points", points.canonical) }
        if let shiftId = content.shiftId { payload.add("shiftId", shiftId) }
        payload.add("tax", content.totals.tax)
        payload.add("taxIncluded", true)
        payload.add("timeZone", content.timeZone)
        payload.add("total", content.totals.total)
        return payload
    }

    /// - Parameters:
    ///   - hubTime: ``JournalWriter/hubTime``.
    ///   - given: what the void gives back besides goods.
    static func voided(
        _ sale: Sale, entry: VoidEntry, businessDay: BusinessDay, hubTime: String?,
        given: VoidReturns = VoidReturns()
    ) -> CanonicalObject {
        var payload = CanonicalObject()
        if let approver = entry.approverId { payload.add("approverId", approver) }
        payload.add("businessDay", businessDay.text)
        payload.add("cashierId", entry.cashierId)
        payload.add("currency", sale.content.currency)
        payload.add("hubTime", hubTime)
        if !given.leases.isEmpty { payload.add("leases", given.leases.map(\.canonical)) }
        payload.add("lines", sale.content.lines.map(returnedLine))
        payload.add("mode", entry.mode.rawValue)
        payload.add("orderId", sale.orderId)
        payload.add("orderNumber", sale.orderNumber.description)
        if !given.payments.isEmpty {
            payload.add("payments", given.payments.map(PaymentPayload.canonical))
        }
        if let points = given.points { payload.add("points", points.canonical) }
        payload.add("reason", entry.reason)
        if let shiftId = given.shiftId { payload.add("shiftId", shiftId) }
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
        if let department = line.department { members.add("department", department) }
        members.add("discount", line.price.discount)
        if let reason = line.discountReason { members.add("discountReason", reason) }
        if line.labelRounding > 0 { members.add("labelRounding", line.labelRounding) }
        if let price = line.listPrice { members.add("listPrice", price) }
        members.add("name", line.name)
        if !line.offers.isEmpty { members.add("offers", line.offers.map(offer)) }
        if line.department != nil { members.add("openItem", true) }
        if line.pointsValue > 0 { members.add("pointsValue", line.pointsValue) }
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
}

extension OrderPayload {
    /// What ``completed(_:orderId:orderNumber:businessDay:hubTime:)`` was made of.
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
            payments: try payload.requiredArray("payments").map(PaymentPayload.payment),
            cashRounding: try payload.requiredInteger("cashRounding"),
            change: try payload.requiredInteger("change"),
            shiftId: try payload.optionalString("shiftId"),
            points: try payload["points"].map { try SalePoints(json: $0) },
            leases: try LeaseUse.all(in: payload))
    }

    private static func line(_ line: JSONValue, isCounted: Bool) throws -> SaleLine {
        let price = try PricedLine(
            quantityMilli: line.requiredInteger("quantityMilli"),
            unitPrice: line.requiredInteger("unitPrice"), discount: line.requiredInteger("discount"),
            taxBasisPoints: line.requiredInteger("taxBasisPoints"))
        let offers = try line["offers"].map { _ in try line.requiredArray("offers").map(offer) } ?? []
        let points = try line.optionalInteger("pointsValue", in: PayloadRange.count) ?? 0
        let rounding = LabelRounding.amount(in: line)
        guard try MoneyRange.sum(offers.map(\.amount) + [points, rounding]) <= price.discount else {
            throw ShapeError(path: "lines.offers", expected: "no more than the line's discount")
        }
        return SaleLine(
            sku: try line.requiredString("sku"), barcode: try line.requiredString("barcode"),
            name: try line.requiredString("name"), price: price, offers: offers,
            listPrice: line["listPrice"]?.integer, discountReason: line["discountReason"]?.string,
            isCounted: isCounted,
            department: line["openItem"]?.bool == true ? line["department"]?.string : nil,
            pointsValue: points, labelRounding: rounding)
    }

    private static func offer(_ offer: JSONValue) throws -> Reductions.Part {
        Reductions.Part(
            promotionId: try offer.requiredString("promotionId"), name: try offer.requiredString("name"),
            coupon: try offer.optionalString("coupon"),
            amount: try offer.requiredInteger("amount", in: 1...MoneyRange.maximum))
    }
}
