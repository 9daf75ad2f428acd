internal import HubProtocol
internal import Pricing
internal import Retail

extension RecordedPayment {
    /// As it is written into a sale, a void or a refund.
    init(_ payment: SalePayment) {
        self.init()
        amount = payment.amount
        approvalCode = payment.card?.approvalCode
        authorizationKey = payment.card?.authorizationKey
        method = payment.method.name
        simulated = payment.card?.isSimulated == true ? true : nil
        shownDetails = payment.details
    }
}

extension SalePayment {
    /// What the payment of a fact was made of, which was read as the till's own.
    init(_ payment: RecordedPayment) {
        let card = payment.authorizationKey.map {
            CardApproval(
                authorizationKey: $0, approvalCode: payment.approvalCode ?? "",
                isSimulated: payment.simulated ?? false)
        }
        self.init(
            method: Settlement.Method(payment.method ?? "", isCash: payment.kind == .cash),
            amount: payment.amount ?? 0, card: card, details: payment.shownDetails)
    }

    /// Those payments of an entry of the journal that can be read completely.
    static func readable(in payments: [RecordedPayment]?) -> [SalePayment] {
        (payments ?? []).filter { !$0.isUnread && $0.method != nil && $0.amount != nil }.map(SalePayment.init)
    }
}

/// What a void gives back besides goods; each is nothing by default.
struct VoidReturns {
    /// The shift that is open at the void.
    var shiftId: String?
    /// What the void does to the member's points.
    var points: ReturnedPoints?
    /// Of the terminal's leases.
    var leases: [LeaseUse] = []
    /// To tenders other than by `payment.voided`.
    var payments: [SalePayment] = []
}
