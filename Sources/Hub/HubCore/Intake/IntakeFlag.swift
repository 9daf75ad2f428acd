package import HubProtocol

/// What the hub flags on a mutation that it accepts.
package enum IntakeFlag: String, Hashable, Sendable, Comparable, CaseIterable {
    /// The carried hash is not the document's. An alarm.
    case hashMismatch = "hash_mismatch"
    /// `previousHash` is not the neighbour's hash. An alarm.
    case chainBroken = "chain_broken"
    /// Another order has the same number. An alarm.
    case orderNumberRepeated = "order_number_repeated"
    /// The order number's store and terminal are not this terminal's; it counts as used for nobody.
    case orderNumberForeign = "order_number_foreign"
    /// The order number has no such day, one that is far from today, or a counter from 10⁹ on.
    case orderNumberImplausible = "order_number_implausible"
    /// The business day is none, or far from today.
    case businessDayImplausible = "business_day_implausible"
    /// The sale comes to more than `limits.plausibleSaleAmount`.
    case amountImplausible = "amount_implausible"
    /// A line's total is not its price times quantity, less its discount.
    case lineTotalDiffers = "line_total_differs"
    /// The total is not the sum of the lines.
    case totalDiffers = "total_differs"
    /// The tax is not what the rates give.
    case taxDiffers = "tax_differs"
    /// Payments less change are not the total of a sale, or those of a refund not its total.
    case paymentDiffers = "payment_differs"
    /// What the entry says of its amounts does not add up, so that its total alone counts (``SaleDocument``).
    case amountsDiffer = "amounts_differ"
    /// A unit price is not the catalogue's.
    case priceDiffers = "price_differs"
    /// More was sold than the catalogue counted.
    case stockNegative = "stock_negative"
    /// The currency is not the catalogue's.
    case currencyDiffers = "currency_differs"
    /// A refund or a void of a sale that the hub does not have, so that nothing caps it; it moves no stock.
    case orderUnknown = "order_unknown"
    /// A refund by a receipt's code whose sale has not arrived, or whose signature no terminal made.
    case refundUnmatched = "refund_unmatched"
    /// A receipt's code is signed about a sale of another terminal than the signer; the refund counts against
    /// no sale. An alarm.
    case receiptCodeForeign = "receipt_code_foreign"
    /// With the refunds before it, more came back by a receipt's code than was sold; or the sale was voided.
    case refundRepeated = "refund_repeated"
    /// By itself a refund by a receipt's code is more than the sale.
    case refundExceedsSale = "refund_exceeds_sale"

    /// Points or a profile of a member that the hub does not have.
    case memberUnknown = "member_unknown"
    /// A member was made whose telephone number another member has: they are that member.
    case memberMerged = "member_merged"
    /// More points were spent than the member had.
    case pointsNegative = "points_negative"
    /// A profile carried `points`, which travel as differences only; they were left aside.
    case pointsIgnored = "points_ignored"
    /// A void or refund gave other points back than the hub has of its sale, by which it moved the balance;
    /// or a sale earned other points than its store gives for its total, or took off another value for them.
    case pointsDiffer = "points_differ"
    /// A sale's points are beyond what its store gives and its leases cover, and past what a terminal moves
    /// by itself on a day: it moved none.
    case pointsLimit = "points_limit"
    /// A sale earned more than is left of the measure of its terminal and business day: what it earned waits
    /// for a person (``HeldPoints``). An alarm.
    case pointsHeld = "points_held"
    /// A sale spent points, or took a coupon for a limited number of sales, without a lease of that; more of
    /// a lease than was lent; or one that is not its terminal's or not open any more. Or a terminal gave more
    /// of a lease to others than it had, which is an alarm, or something else that is not its own.
    case leaseExceeded = "lease_exceeded"

    /// A coupon that the hub does not know; nothing was counted.
    case couponUnknown = "coupon_unknown"
    /// A coupon was taken more often than it is for.
    case couponOverused = "coupon_overused"

    /// A voucher's number paid another sale before, or twice of this one. An alarm.
    case voucherRepeated = "voucher_repeated"

    /// Money was to go back to a card that the hub does not have, that paid another sale, or on which less is
    /// left.
    case refundNotOnCard = "refund_not_on_card"

    /// Another sale of the store is of the same cart, or of a copy of it.
    case cartSoldTwice = "cart_sold_twice"

    /// A sale names a card that the hub does not know as authorised for it. One of which it knows nothing, as
    /// after a restore, is captured: the payment service refuses that without a payment.
    case paymentUnmatched = "payment_unmatched"

    /// A person decided what a card machine could not prove: compare its paper.
    case cardDecided = "card_decided"
    /// A card machine's own end of day has another sum than what its terminal did with it.
    case cardDayDiffers = "card_day_differs"

    /// What was done needs an approver by the store's configuration, and names none who may approve.
    case approvalMissing = "approval_missing"

    /// A member about points, leases, payments or a shift does not have the contract's form; it is kept, and
    /// the hub computes nothing with it.
    case detailsUnreadable = "details_unreadable"

    /// A shift was closed over entries of another closed one, or a second time in one epoch of the journal;
    /// the closing is not compared.
    case shiftOverlaps = "shift_overlaps"

    /// Another terminal handed it in, another entry held a sequence of its piece, and a person accepted it.
    case relayedConflict = "relayed_conflict"

    /// A text is longer than its bound (``TextBound``); it is kept as it is and shown in part.
    case textTooLong = "text_too_long"

    /// What it raises, where a person should look at it soon; nil for the others.
    package var alarm: AlarmKind? {
        switch self {
        case .hashMismatch: .hashMismatch
        case .chainBroken: .chainBroken
        case .orderNumberRepeated: .orderNumberRepeated
        case .receiptCodeForeign: .receiptCodeForeign
        case .voucherRepeated: .voucherRepeated
        case .pointsHeld: .pointsHeld
        case .lineTotalDiffers, .totalDiffers, .taxDiffers, .paymentDiffers, .amountsDiffer, .priceDiffers,
            .stockNegative,
            .currencyDiffers, .orderUnknown, .refundUnmatched, .refundRepeated,
            .refundExceedsSale, .orderNumberForeign, .orderNumberImplausible,
            .businessDayImplausible, .amountImplausible, .memberUnknown, .memberMerged, .pointsNegative,
            .pointsIgnored, .pointsDiffer, .pointsLimit, .leaseExceeded,
            .couponUnknown, .couponOverused, .approvalMissing, .detailsUnreadable,
            .refundNotOnCard, .paymentUnmatched, .shiftOverlaps, .textTooLong, .cardDecided,
            .cardDayDiffers, .relayedConflict, .cartSoldTwice:
            nil
        }
    }

    /// By raw value, so that lists of flags have one order in every response.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
