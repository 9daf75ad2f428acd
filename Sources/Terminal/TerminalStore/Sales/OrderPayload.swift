import Base

internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// The payloads about a sale (http.md section 3) out of what the till has, and the way back.
enum OrderPayload {
    /// - Parameters:
    ///   - hubTime: ``JournalWriter/hubTime``.
    ///   - cart: what it was; nil, the default: a cart that was never put aside.
    static func completed(
        _ content: SaleContent, orderId: String, orderNumber: OrderNumber, businessDay: BusinessDay,
        hubTime: String?, cart: SoldCart? = nil
    ) -> CanonicalObject {
        var order = CompletedOrder()
        order.approverId = content.approverId
        order.businessDay = businessDay.text
        order.cartId = cart?.id
        order.cashRounding = content.cashRounding
        order.cashierId = content.cashierId
        order.change = content.change
        order.copiedFrom = cart?.copiedFrom
        order.coupons = content.coupons
        order.currency = content.currency
        order.hubTime = hubTime
        order.leases = content.leases.isEmpty ? nil : content.leases
        order.lines = content.lines.map(line)
        order.memberId = content.memberId
        order.mode = content.mode.rawValue
        order.orderId = orderId
        order.orderNumber = orderNumber.description
        order.payments = content.payments.map(RecordedPayment.init)
        order.points = content.points
        order.shiftId = content.shiftId
        order.tax = content.totals.tax
        order.taxIncluded = true
        order.timeZone = content.timeZone
        order.total = content.totals.total
        return order.canonical
    }

    /// - Parameters:
    ///   - hubTime: ``JournalWriter/hubTime``.
    ///   - given: what the void gives back besides goods.
    static func voided(
        _ sale: Sale, entry: VoidEntry, businessDay: BusinessDay, hubTime: String?,
        given: VoidReturns = VoidReturns()
    ) -> CanonicalObject {
        var void = VoidedOrder()
        void.approverId = entry.approverId
        void.arbiter = entry.judgement?.arbiter.rawValue
        void.businessDay = businessDay.text
        void.cashierId = entry.cashierId
        void.currency = sale.content.currency
        void.hubTime = hubTime
        void.leases = given.leases.isEmpty ? nil : given.leases
        void.lines = sale.content.lines.map { sold in
            var line = VoidedOrder.Line()
            line.quantityMilli = sold.price.quantityMilli
            line.sku = sold.sku
            return line
        }
        void.mode = entry.mode.rawValue
        void.orderId = sale.orderId
        void.orderNumber = sale.orderNumber.description
        void.payments = given.payments.isEmpty ? nil : given.payments.map(RecordedPayment.init)
        void.points = given.points
        void.reason = entry.reason
        void.shiftId = given.shiftId
        void.total = sale.content.totals.total
        void.unseen = entry.judgement?.unseen
        return void.canonical
    }

    static func paymentVoided(
        authorizationKey: String, orderId: String, amount: Int64, currency: String, reason: String
    ) -> CanonicalObject {
        var payment = VoidedPayment()
        payment.amount = amount
        payment.currency = currency
        payment.key = authorizationKey
        payment.orderId = orderId
        payment.reason = reason
        return payment.canonical
    }

    private static func line(_ sold: SaleLine) -> CompletedOrder.Line {
        var line = CompletedOrder.Line()
        line.barcode = sold.barcode
        line.department = sold.department
        line.discount = sold.price.discount
        line.discountReason = sold.discountReason
        line.labelRounding = sold.labelRounding > 0 ? sold.labelRounding : nil
        line.listPrice = sold.listPrice
        line.name = sold.name
        line.offers = sold.offers.isEmpty ? nil : sold.offers.map(offer)
        line.openItem = sold.department == nil ? nil : true
        line.pointsValue = sold.pointsValue > 0 ? sold.pointsValue : nil
        line.quantityMilli = sold.price.quantityMilli
        line.sku = sold.sku
        line.taxBasisPoints = sold.price.taxBasisPoints
        line.total = sold.price.total
        line.unitPrice = sold.price.unitPrice
        return line
    }

    private static func offer(_ part: Reductions.Part) -> CompletedOrder.Offer {
        var offer = CompletedOrder.Offer()
        offer.amount = part.amount
        offer.coupon = part.coupon
        offer.name = part.name
        offer.promotionId = part.promotionId
        return offer
    }
}

extension OrderPayload {
    /// What ``completed(_:orderId:orderNumber:businessDay:hubTime:cart:)`` was made of.
    ///
    /// - Parameters:
    ///   - madeAt: the entry's time, Unix milliseconds.
    ///   - isCounted: whether the line with this number moved a counted stock; the payload does not contain
    ///     it.
    static func content(
        of payload: JSONValue, madeAt: Int64, isCounted: (Int) -> Bool
    ) throws -> SaleContent {
        let order = try CompletedOrder(payload, .own)
        let lines = try order.lines.enumerated().map { number, line in
            try Self.line(line, isCounted: isCounted(number))
        }
        return SaleContent(
            mode: try Mode(payload: order.mode), madeAt: madeAt, timeZone: order.timeZone ?? "",
            currency: order.currency, cashierId: order.cashierId, approverId: order.approverId,
            memberId: order.memberId, memberName: order.memberName, coupons: order.coupons, lines: lines,
            totals: try ReceiptTotals(lines: lines.map(\.price)),
            payments: (order.payments ?? []).map(SalePayment.init), cashRounding: order.cashRounding ?? 0,
            change: order.change ?? 0, shiftId: order.shiftId, points: order.points,
            leases: order.leases ?? [])
    }

    private static func line(_ line: CompletedOrder.Line, isCounted: Bool) throws -> SaleLine {
        let price = try PricedLine(
            quantityMilli: line.quantityMilli, unitPrice: line.unitPrice, discount: line.discount ?? 0,
            taxBasisPoints: line.taxBasisPoints ?? 0)
        let offers = (line.offers ?? []).map { offer in
            Reductions.Part(
                promotionId: offer.promotionId ?? "", name: offer.name ?? "", coupon: offer.coupon,
                amount: offer.amount ?? 0)
        }
        let points = line.pointsValue ?? 0
        guard try MoneyRange.sum(offers.map(\.amount) + [points, line.rounding]) <= price.discount else {
            throw ShapeError(path: "lines.offers", expected: "no more than the line's discount")
        }
        return SaleLine(
            sku: line.sku, barcode: line.barcode ?? "", name: line.name ?? "", price: price, offers: offers,
            listPrice: line.listPrice, discountReason: line.discountReason, isCounted: isCounted,
            department: line.openItem == true ? line.department : nil, pointsValue: points,
            labelRounding: line.rounding)
    }
}

extension Mode {
    /// - Throws: ``ShapeError`` for a member `mode` that is none.
    init(payload text: String?) throws(ShapeError) {
        guard let mode = text.flatMap(Mode.init(rawValue:)) else {
            throw ShapeError(path: "mode", expected: "online or offline")
        }
        self = mode
    }
}
