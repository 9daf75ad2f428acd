internal import Base
package import HubProtocol
package import OfflineCore
package import Pricing

/// Why nothing was sold.
package enum SaleRefusal: StorageRefusal {
    case noLines
    case tooManyLines(count: Int, limit: Int)
    case unknownBarcode(String)
    /// A code in the form of GS1 or of `barcode.rules` that cannot be read.
    case misreadBarcode(String, BarcodeFault)
    /// A text of the request is longer than a receipt and a request can contain.
    case textTooLong(field: String, limit: Int)
    case tooManyCoupons(count: Int, limit: Int)
    /// The quantity, in thousandths, is not from 1 up to the limit.
    case quantityOutOfRange(barcode: String, quantityMilli: Int64, limit: Int64)
    /// A fraction of an article that is sold in full units.
    case fractionOfPiece(barcode: String, quantityMilli: Int64)
    case negativePrice(barcode: String)
    /// The article is sold by weight or measure, and neither the line nor its code has one.
    case quantityRequired(barcode: String, name: String)
    /// The article has no fixed price, and the line has none above zero.
    case priceRequired(barcode: String, name: String, currency: String)
    /// The catalogue has no article of the department.
    case departmentUnknown(String, known: [String])
    /// The department's articles have several tax rates, in hundredths of a percent, and the line names none
    /// of them.
    case departmentRateRequired(String, rates: [Int64])
    case negativeDiscount(barcode: String)
    case discountAboveLine(barcode: String, discount: String, line: String)
    /// An amount beyond the range of money.
    case amountTooLarge
    case mixedCurrencies(String, String)
    case unknownPaymentMethod(String, known: [String])
    /// Only a voucher has a number.
    case referenceUnused(String)
    /// A voucher without its number.
    case referenceRequired(String)
    /// The voucher's number paid another order of this terminal, whose number is `order`; nil: it is twice in
    /// this sale.
    case voucherUsed(number: String, order: String?)
    /// The store does not take the tender in this mode; the hub is away, or it is not.
    case tenderRefused(String, isOnline: Bool)
    /// The cashier has no right to it, or is not known.
    case authority(AuthorityRefusal)
    /// The goods that were to come back for it cannot.
    case refund(OrderRefusal)
    case couponRefused(code: String, objection: CouponObjection)
    /// The points of the request cannot be spent.
    case points(PointsRefusal)
    case negativePayment
    case severalOpenPayments
    case severalCards
    case paymentShort(due: String, tendered: String)
    case cardAboveTotal(total: String, card: String)
    /// More comes back than the largest note of any currency.
    case changeTooLarge(change: String)
    /// No card is accepted while the payment service is unavailable.
    case cardOffline(CardAbsence)
    /// The terminal's own card machine was not requested; nothing was charged.
    case cardMachine(DeviceTrouble)
    /// Without the payment service a limit would be exceeded, and nobody can approve that here.
    case offlineCardLimit(OfflineCardExcess)
    /// The card machine charged without its bank more than a limit leaves, and the charge goes back.
    case chargeAboveLimit(OfflineCardExcess)
    /// With `isVoidOpen` the machine has not confirmed the void of the sale's other card, which is repeated.
    case cardDeclined(reason: String, isVoidOpen: Bool = false)
    /// The response was lost and the outcome is unknown; the sale waits as the parked cart of this id. Nil:
    /// it cannot wait, and the authorisation is being voided.
    case cardOutcomeUnknown(detail: String, cart: String?)
    /// The requester cancelled the sale during the card authorisation; the authorisation is being voided.
    case cardGivenUp
    /// The total is no longer the one that the customer was shown.
    case priceChanged(quoted: String, total: String)
    /// The terminal's clock and the hub's differ by more than any time zone; both as texts for people.
    case clockDiffers(own: String, hub: String)
    /// The store sells in an open shift alone.
    case shiftRequired
    /// Another till of the store has the cart whose sale it would be.
    case cartGranted(to: String)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled
}

extension SaleRefusal {
    /// For example `unknown_barcode`; a refusal about a person has the code of its ``AuthorityRefusal``.
    package var code: String {
        switch self {
        case .noLines: "no_lines"
        case .tooManyLines: "too_many_lines"
        case .unknownBarcode: "unknown_barcode"
        case .misreadBarcode: "misread_barcode"
        case .textTooLong: "text_too_long"
        case .tooManyCoupons: "too_many_coupons"
        case .quantityOutOfRange: "quantity_out_of_range"
        case .fractionOfPiece: "fraction_of_piece"
        case .negativePrice: "negative_price"
        case .quantityRequired: "quantity_required"
        case .priceRequired: "price_required"
        case .departmentUnknown: "department_unknown"
        case .departmentRateRequired: "department_rate_required"
        case .negativeDiscount: "negative_discount"
        case .discountAboveLine: "discount_above_line"
        case .amountTooLarge: "amount_too_large"
        case .mixedCurrencies: "mixed_currencies"
        case .unknownPaymentMethod: "unknown_payment_method"
        case .referenceUnused: "reference_unused"
        case .referenceRequired: "reference_required"
        case .voucherUsed: "voucher_used"
        case .tenderRefused: "tender_refused"
        case .authority(let refusal): refusal.code
        case .refund(let refusal): refusal.code
        case .couponRefused: "coupon_refused"
        case .points(let refusal): refusal.code
        case .negativePayment: "negative_payment"
        case .severalOpenPayments: "several_open_payments"
        case .severalCards: "several_cards"
        case .paymentShort: "payment_short"
        case .cardAboveTotal: "card_above_total"
        case .changeTooLarge: "change_too_large"
        case .cardOffline: "card_offline"
        case .cardMachine(let trouble): trouble.code
        case .offlineCardLimit, .chargeAboveLimit: "offline_card_limit"
        case .cardDeclined: "card_declined"
        case .cardOutcomeUnknown: "card_outcome_unknown"
        case .cardGivenUp: "card_given_up"
        case .priceChanged: "price_changed"
        case .clockDiffers: "clock_differs"
        case .shiftRequired: "shift_required"
        case .cartGranted: "cart_granted"
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    package func text(from texts: any RefusalTexts) -> String { texts.text(self) }

    /// ``RefusalExit/usage`` for a malformed request, ``RefusalExit/tryAgain`` while a card's outcome is
    /// unknown, or the card machine cannot be used.
    package var exit: RefusalExit {
        switch self {
        case .noLines, .textTooLong, .unknownPaymentMethod, .referenceUnused, .referenceRequired,
            .severalOpenPayments, .severalCards:
            .usage
        case .tooManyLines, .tooManyCoupons, .unknownBarcode, .misreadBarcode, .quantityOutOfRange,
            .fractionOfPiece, .negativePrice, .quantityRequired, .priceRequired, .departmentUnknown,
            .departmentRateRequired,
            .negativeDiscount, .discountAboveLine, .amountTooLarge, .mixedCurrencies, .couponRefused, .points,
            .negativePayment, .paymentShort, .cardAboveTotal, .changeTooLarge, .tenderRefused, .voucherUsed,
            .offlineCardLimit, .chargeAboveLimit, .cardOffline,
            .cardDeclined, .cardGivenUp,
            .priceChanged, .clockDiffers, .shiftRequired, .cartGranted:
            .rule
        case .authority(let refusal): refusal.exit
        case .refund(let refusal): refusal.exit
        case .cardOutcomeUnknown, .cardMachine: .tryAgain
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }
}

extension SaleRefusal {
    /// The same of a charge that is there already, and goes back.
    var ofCharge: SaleRefusal {
        guard case .offlineCardLimit(let excess) = self else { return self }
        return .chargeAboveLimit(excess)
    }

    /// Those of a refusal about a person, about goods that come back, or about a missing price; empty
    /// for every other case.
    package var details: RefusalDetails {
        switch self {
        case .authority(let refusal): refusal.details
        case .refund(let refusal): refusal.details
        case .quantityRequired(_, let name): RefusalDetails(article: name)
        case .priceRequired(_, let name, let currency): RefusalDetails(article: name, currency: currency)
        case .cardOutcomeUnknown(_, let cart): RefusalDetails(cart: cart)
        case .cartGranted(let taker): RefusalDetails(terminalId: taker)
        case _: RefusalDetails()
        }
    }

    init(_ error: CatalogueError) {
        switch error {
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        }
    }
}

/// Why no card can be taken by the payment service.
package enum CardAbsence: Hashable, Sendable {
    /// The hub has none.
    case notConfigured
    /// The hub does not accept this terminal.
    case notEnrolled
    case offline([OfflineCause])
    /// It does not respond, or is switched off.
    case unavailable
    /// It takes no further request of this terminal now.
    case busy
}
