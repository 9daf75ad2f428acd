import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import OfflineMode
internal import Pricing
internal import Retail

/// Sales and quotes as the agent's responses.
extension SaleResponse {
    /// - Parameter slip: of what came back.
    init(_ response: SaleResult, receiptCode: String?, slip: (Refund) -> String) {
        let content = response.sale.content
        self.init(
            sale: SaleRecord(response.sale, receiptCode: receiptCode), receipt: response.receipt,
            sync: response.sync.rawValue,
            durableMicroseconds: response.durable.wholeMicroseconds,
            elapsedMicroseconds: response.elapsed.wholeMicroseconds,
            exchange: response.refund.map { refund in
                Exchange(
                    refund: RefundRecord(refund), receipt: slip(refund),
                    due: MoneyAmount(
                        content.totals.total + content.cashRounding - refund.content.paid, content.currency))
            })
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

extension QuoteResponse {
    init(_ quote: Quote) {
        self.init(
            lines: quote.lines.map(SoldLine.init), total: MoneyAmount(quote.totals.total, quote.currency),
            tax: MoneyAmount(quote.totals.tax, quote.currency),
            cashRounding: MoneyAmount(quote.cashRounding, quote.currency),
            member: quote.member.map {
                Member(memberId: $0.id, name: $0.name, isKnown: quote.isMemberKnown)
            }, messages: quote.messages.map(\.rawValue),
            validUntil: quote.validUntil.map(Timestamp.text(milliseconds:)))
        points = quote.points
    }
}

extension UnseenSalesCall.Sale {
    init(_ sale: Sale) {
        self.init(
            orderId: sale.orderId, orderNumber: sale.orderNumber.description,
            total: MoneyAmount(sale.content.totals.total, sale.content.currency),
            madeAt: Timestamp.text(milliseconds: sale.content.madeAt))
    }
}

extension SaleRecord {
    init(_ sale: Sale, receiptCode: String? = nil) {
        let content = sale.content
        let currency = content.currency
        self.init(
            key: sale.key.description, orderId: sale.orderId, orderNumber: sale.orderNumber.description,
            mode: content.mode, total: MoneyAmount(content.totals.total, currency),
            tax: MoneyAmount(content.totals.tax, currency),
            paid: content.payments.map { Payment($0, currency) },
            cashRounding: MoneyAmount(content.cashRounding, currency),
            change: MoneyAmount(content.change, currency), lines: content.lines.map(SoldLine.init),
            shortCode: sale.shortCode, receiptCode: receiptCode)
        points = content.points
    }
}

extension SaleRecord.Payment {
    init(_ payment: SalePayment, _ currency: String) {
        self.init(
            method: payment.method.name, amount: MoneyAmount(payment.amount, currency),
            approvalCode: payment.card?.approvalCode ?? payment.details.machine?.approvalCode,
            isSimulated: payment.isSimulated,
            kind: payment.kind.rawValue, state: payment.details.state?.rawValue,
            reference: payment.details.reference)
        machine = payment.details.machine?.json
    }
}

extension SoldLine {
    fileprivate init(_ line: SaleLine) {
        self.init(
            sku: line.sku, barcode: line.barcode, name: line.name, quantityMilli: line.price.quantityMilli,
            unitPrice: line.price.unitPrice, discount: line.price.discount - line.labelRounding,
            total: line.price.total,
            taxBasisPoints: line.price.taxBasisPoints, offers: line.offers.map(AppliedOffer.init))
        pointsValue = line.pointsValue
        labelRounding = line.labelRounding
    }
}

extension AppliedOffer {
    fileprivate init(_ offer: Reductions.Part) {
        self.init(
            promotionId: offer.promotionId, name: offer.name, coupon: offer.coupon, amount: offer.amount)
    }
}
