package import HubProtocol

/// What a mutation does to the hub's state besides entering the journal, in the same transaction.
package enum IntakeEffect: Hashable, Sendable {
    /// Remembers a finished sale.
    case recordOrder(OrderFacts)
    /// Counts thousandths of a unit out of (or, negative, back into) the stock of a product.
    case countStock(sku: String, soldMilli: Int64)
    /// Remembers what was given back of a sale.
    case recordRefund(id: String, of: RefundedSale, RefundFacts)
    /// Marks a sale as voided, and gives back the uses of its coupons.
    case voidOrder(orderId: String)
    /// Voids a card authorisation, also one that has not arrived yet.
    case voidPayment(key: String)
    /// Compares a card that a sale names with what the hub has of it, and keeps one of which it has nothing.
    case keepPayment(PaymentAuthorization)
    /// Captures a card authorisation.
    case capturePayment(key: String)
    /// Gives money back to a card that paid the sale; the amount is minor units.
    case refundPayment(key: String, amount: Int64, refundId: String, of: RefundedSale)
    /// Keeps that a voucher paid a part of the sale, and compares its number with those before it.
    case useVoucher(VoucherUse, orderId: String)
    /// Gives money of the sale back to a voucher.
    case returnVoucher(VoucherUse, orderId: String)
    /// Keeps a token to be forwarded to the payment service.
    case storePayment(StoredPayment)
    /// Puts a note into the change feed of its store.
    case publishNote(id: String, FieldChange)
    /// Leaves a note's tombstone in the change feed of its store.
    case removeNote(id: String)
    /// Writes fields of a member's profile and puts the member into the change feed of every store.
    case writeMember(id: String, FieldChange)
    /// Adds to a member's points and puts the member into the change feed of every store.
    case adjustPoints(memberId: String, delta: Int64)
    /// Counts what a sale spent of its terminal's leases.
    case useLeases(LeaseClaim)
    /// Adds to a coupon's uses and puts the coupon into the change feed of every store.
    case countCoupon(code: String, uses: Int64)
    /// Keeps that a shift began.
    case openShift(ShiftOpening)
    /// Keeps that a shift ended; the hub compares it once it has everything up to its end.
    case closeShift(ShiftClosing)
    /// Marks a mutation as discarded by a person; what depends on it is rejected.
    case discard(mutationId: String)
}

/// A finished sale, as far as the hub computes with it.
package struct OrderFacts: Hashable, Sendable {
    /// One line of the sale, without names, discounts and tax.
    package struct Line: Hashable, Sendable {
        /// The product; it need not be in the hub's catalogue.
        package let sku: String
        /// Thousandths of a unit: 1000 is one piece, or one kilogram of weighed goods.
        package let quantityMilli: Int64
        /// Minor units per whole unit.
        package let unitPrice: Int64

        package init(sku: String, quantityMilli: Int64, unitPrice: Int64) {
            self.sku = sku
            self.quantityMilli = quantityMilli
            self.unitPrice = unitPrice
        }
    }

    /// A ULID that the terminal minted; refunds and voids refer to it.
    package let orderId: String
    /// `<store>-<terminal>-<business day>-<counter>`, as the receipt prints it.
    package let orderNumber: String
    /// Minor units.
    package let total: Int64
    /// ISO 4217.
    package let currency: String
    /// In the order of the sale; two of them may have the same sku.
    package let lines: [Line]
    /// The coupons that it took, each once.
    package let coupons: [String]

    /// Makes the facts of a sale; by default it took no coupons.
    package init(
        orderId: String, orderNumber: String, total: Int64, currency: String, lines: [Line],
        coupons: [String] = []
    ) {
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.total = total
        self.currency = currency
        self.lines = lines
        self.coupons = coupons
    }

    /// Reads the payload of an `order.completed`.
    package init(payload: JSONValue) throws(ShapeError) {
        self = try SaleRules.facts(of: payload)
    }
}

extension JSONValue {
    /// What a payload names as its order, as the hub looks it up; nil: nothing.
    package var namedOrder: String? { self["orderId"]?.string.map(TextBound.key) }
}
