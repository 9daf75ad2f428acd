package import HubProtocol

/// What a mutation does to the hub's state besides entering the journal, in the same transaction.
package enum IntakeEffect: Hashable, Sendable {
    /// Remembers a finished sale.
    indirect case recordOrder(CompletedOrder)
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
    /// Keeps of which cart a sale is, and compares it with those before it.
    case sellCart(CartSale, orderId: String)
    /// Gives money of the sale back to a voucher.
    case returnVoucher(VoucherUse, orderId: String)
    /// Keeps a token to be forwarded to the payment service.
    case storePayment(StoredPayment)
    /// Counts what the terminal's own card machine took without its bank.
    case countMachineCard(MachineCard)
    /// The machine's end of day has sent to its bank what it took without it.
    case closeMachineDay
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
    /// Books a part of a lease to the terminal that another one gave it to; `isTaken`: as that one says.
    case moveLease(MovedLease, isTaken: Bool)
    /// Adds to a coupon's uses and puts the coupon into the change feed of every store.
    case countCoupon(code: String, uses: Int64)
    /// Keeps that a shift began.
    case openShift(ShiftOpening)
    /// Keeps that a shift ended; the hub compares it once it has everything up to its end.
    case closeShift(ShiftClosing)
    /// Marks a mutation as discarded by a person; what depends on it is rejected.
    case discard(mutationId: String)
}
