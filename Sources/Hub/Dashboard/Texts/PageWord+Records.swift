/// More words of the hub's documents; one of a later version is shown as it is.
extension PageWord {
    /// A type of mutation.
    package enum Entry: String, CaseIterable {
        case orderCompleted = "order.completed"
        case orderVoided = "order.voided"
        case refundCompleted = "refund.completed"
        case mutationDiscarded = "mutation.discarded"
        case memberCreated = "member.created"
        case memberUpdated = "member.updated"
        case pointsAdjusted = "points.adjusted"
        case couponRedeemed = "coupon.redeemed"
        case noteUpserted = "note.upserted"
        case noteDeleted = "note.deleted"
        case paymentCaptured = "payment.captured"
        case paymentVoided = "payment.voided"
        case shiftOpened = "shift.opened"
        case shiftClosed = "shift.closed"
        case cashMoved = "cash.moved"
        case cardDecided = "card.decided"
        case cardDayClosed = "card.dayClosed"
        case leaseGiven = "lease.given"
        case leaseTaken = "lease.taken"
    }

    /// What the hub flagged, beside what is an alarm, too.
    package enum Flag: String, CaseIterable {
        case orderNumberForeign = "order_number_foreign"
        case orderNumberImplausible = "order_number_implausible"
        case businessDayImplausible = "business_day_implausible"
        case amountImplausible = "amount_implausible"
        case lineTotalDiffers = "line_total_differs"
        case totalDiffers = "total_differs"
        case taxDiffers = "tax_differs"
        case paymentDiffers = "payment_differs"
        case amountsDiffer = "amounts_differ"
        case priceDiffers = "price_differs"
        case stockNegative = "stock_negative"
        case currencyDiffers = "currency_differs"
        case orderUnknown = "order_unknown"
        case refundUnmatched = "refund_unmatched"
        case refundRepeated = "refund_repeated"
        case refundExceedsSale = "refund_exceeds_sale"
        case memberUnknown = "member_unknown"
        case memberMerged = "member_merged"
        case pointsNegative = "points_negative"
        case pointsIgnored = "points_ignored"
        case pointsDiffer = "points_differ"
        case pointsLimit = "points_limit"
        case leaseExceeded = "lease_exceeded"
        case couponUnknown = "coupon_unknown"
        case couponOverused = "coupon_overused"
        case cartSoldTwice = "cart_sold_twice"
        case refundNotOnCard = "refund_not_on_card"
        case paymentUnmatched = "payment_unmatched"
        case approvalMissing = "approval_missing"
        case detailsUnreadable = "details_unreadable"
        case shiftOverlaps = "shift_overlaps"
        case cardDecided = "card_decided"
        case cardDayDiffers = "card_day_differs"
        case relayedConflict = "relayed_conflict"
        case textTooLong = "text_too_long"
    }

    /// What a role may not do, as the log has it: rows of the table of rights, of those that a person or a
    /// program of a back office can be refused.
    package enum Right: String, CaseIterable {
        case readOperations, exportRecords, acknowledgeAlarm, overrideStore, overrideChain, confirmOverride
        case importMasterData, mintEnrolmentCodes
    }
}
