internal import HubProtocol
internal import Pricing

/// A sale that is checked and priced, and not yet paid.
struct Cart {
    let lines: [SaleLine]
    let currency: String
    /// Those that took something off, and those that the terminal could not check.
    let coupons: [String]
    let totals: ReceiptTotals
    let settlement: Settlement
    /// Those of ``coupons`` of which the evaluation says that the sale uses a lease.
    var leasedCoupons: Set<String> = []
    /// What was queried about offers; nil: the store gives none, and the sale has no coupon.
    var offerQuery: OfferQuery?
    /// What the sale does to the member's points; nil: nothing.
    var points: SalePoints?
    /// What it uses of the terminal's leases.
    var leases: [LeaseUse] = []

    /// How it is paid: cash last.
    var payments: [PlannedPayment] = []

    /// What cards and wallets are to pay, in the order in which they are authorised.
    var cards: [PlannedPayment] { payments.filter(\.isAuthorized) }
}

/// A payment of a cart, before it is taken.
struct PlannedPayment: Hashable {
    let tender: Tender
    /// Minor units.
    let amount: Int64
    /// The number of a voucher; nil: none.
    let reference: String?

    /// Whether a payment service has to grant it.
    var isAuthorized: Bool { tender.kind.isChargedWithSale }

    /// As settled and recorded.
    var method: Settlement.Method { Settlement.Method(tender.method, isCash: tender.kind == .cash) }

    /// What a sale's payment says of it beside method and amount.
    var details: PaymentDetails {
        PaymentDetails(
            kind: tender.kind.rawValue == tender.method ? nil : tender.kind, reference: reference)
    }
}

extension Cart {
    /// Coupons that nothing here could check: the hub checks them with the sale.
    var uncheckedCoupons: [String] {
        let taken = Set(lines.flatMap(\.offers).compactMap(\.coupon))
        return coupons.filter { !taken.contains($0) }
    }
}
