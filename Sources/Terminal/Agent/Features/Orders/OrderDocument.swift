import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import Retail

/// Orders and refunds as the agent's responses.
extension OrderEntry {
    init(_ order: Order, receiptCode: String? = nil) {
        let content = order.sale.content
        self.init(
            sale: SaleRecord(order.sale, receiptCode: receiptCode), sync: order.sync.rawValue,
            cashierId: content.cashierId,
            approverId: content.approverId,
            voidedAt: order.sale.voidedAt.map(Timestamp.text(milliseconds:)),
            refunded: MoneyAmount(order.refunded, content.currency),
            refunds: order.refunds.map(RefundRecord.init),
            madeAt: Timestamp.text(milliseconds: content.madeAt))
        cardReturns = order.returns.map(CardReturnRecord.init)
    }
}

extension Order {
    /// Minor units of all refunds.
    fileprivate var refunded: Int64 { refunds.reduce(0) { $0 + $1.content.total } }
}

extension LeftBy {
    init(_ left: OrderLeft) { self = left.isByHub ? .hub : .till }
}

extension ReceiptLeftResponse {
    init(_ goods: ReceiptGoods) {
        self.init(
            orderNumber: goods.orderNumber, currency: goods.currency,
            lines: zip(goods.lines, goods.left.quantities).map { line, left in
                Line(
                    sku: line.sku, barcode: line.barcode, name: line.name, quantityMilli: line.quantityMilli,
                    total: line.total, left: left)
            }, leftBy: LeftBy(goods.left), returnedElsewhere: goods.left.elsewhere)
    }
}

extension OrderListResponse {
    /// - Parameter isFull: whether there may be older ones.
    init(_ orders: [Order], isFull: Bool) {
        self.init(
            orders: orders.map { OrderEntry($0) }, sums: Self.sums(of: orders),
            next: isFull ? orders.last?.sale.orderId : nil)
    }

    private static func sums(of orders: [Order]) -> [Sum] {
        struct Key: Hashable {
            let currency: String
            let sync: String
        }
        var sums: [Key: (orders: Int64, amount: Int64, refunded: Int64)] = [:]
        for order in orders where order.sale.voidedAt == nil {
            let content = order.sale.content
            let key = Key(currency: content.currency, sync: order.sync.rawValue)
            sums[key, default: (0, 0, 0)].orders += 1
            sums[key, default: (0, 0, 0)].amount += content.totals.total
            sums[key, default: (0, 0, 0)].refunded += order.refunded
        }
        return sums.sorted { ($0.key.currency, $0.key.sync) < ($1.key.currency, $1.key.sync) }.map {
            key, sum in
            Sum(
                currency: key.currency, sync: key.sync, orders: sum.orders, amount: sum.amount,
                refunded: sum.refunded)
        }
    }
}

extension RefundRecord {
    init(_ refund: Refund) {
        let content = refund.content
        func money(_ amount: Int64) -> MoneyAmount { MoneyAmount(amount, content.currency) }
        self.init(
            refundId: refund.id, orderId: refund.orderId, orderNumber: refund.orderNumber,
            mode: content.mode, madeAt: Timestamp.text(milliseconds: content.madeAt),
            total: money(content.total), tax: money(content.tax), cashRounding: money(content.cashRounding),
            paid: money(content.paid), reason: content.reason, cashierId: content.cashierId,
            approverId: content.approverId, sync: refund.sync.rawValue,
            lines: content.lines.map(Line.init), shortCode: refund.shortCode,
            payments: content.payments.map { payment in
                var shown = payment
                // The hub gives a card's money back with the refund, and never where it refused that.
                if refund.isRefused, payment.card != nil { shown.details.state = nil }
                if let card = payment.card, refund.refusedCards.contains(card.authorizationKey) {
                    shown.details.state = .forwardDeclined
                }
                return SaleRecord.Payment(shown, content.currency)
            })
        points = content.points
        cardReturns = refund.returns.map(CardReturnRecord.init)
        isOfExchange = refund.isOfExchange
    }
}

extension Refund {
    fileprivate var isRefused: Bool {
        switch sync {
        case .rejected, .conflicted, .discarded: true
        case .pending, .acknowledged, .superseded: false
        }
    }
}

extension CardReturnRecord {
    init(_ card: CardReturn) {
        let (state, reason): (State, String?) =
            switch card.state {
            case .waiting: (.waiting, nil)
            case .requested: (.requested, nil)
            case .returned: (.returned, nil)
            case .refused(let reason): (.refused, reason)
            case .paidInCash: (.paidInCash, nil)
            }
        self.init(
            refundId: card.refundId, orderId: card.orderId, orderNumber: card.orderNumber,
            method: card.method, amount: MoneyAmount(card.amount, card.currency),
            madeAt: Timestamp.text(milliseconds: card.madeAt), state: state, reason: reason)
    }
}

extension RefundRecord.Line {
    fileprivate init(_ line: RefundLine) {
        self.init(
            sku: line.sku, barcode: line.barcode, name: line.name, quantityMilli: line.quantityMilli,
            total: line.total, taxBasisPoints: line.taxBasisPoints)
    }
}

extension GrantedRefundRecord {
    init(_ refund: GrantedRefund) {
        self.init()
        (refundId, orderNumber) = (refund.refundId, refund.orderNumber)
        amount = MoneyAmount(refund.amount, refund.currency)
        (terminalId, number) = (refund.terminalId, refund.terminalNumber)
        madeAt = Timestamp.text(milliseconds: refund.madeAt)
        silentSeconds = refund.silence.components.seconds
    }
}
