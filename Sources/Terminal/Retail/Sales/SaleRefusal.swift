public import Pricing

/// Why nothing was sold.
public enum SaleRefusal: Refusal {
    case noLines
    case tooManyLines(count: Int, limit: Int)
    case unknownBarcode(String)
    /// A text of the request is longer than a receipt and a request can contain.
    case textTooLong(field: String, limit: Int)
    case tooManyCoupons(count: Int, limit: Int)
    /// The quantity, in thousandths, is not from 1 up to the limit.
    case quantityOutOfRange(barcode: String, quantityMilli: Int64, limit: Int64)
    /// A fraction of an article that is sold in full units.
    case fractionOfPiece(barcode: String, quantityMilli: Int64)
    case negativePrice(barcode: String)
    case negativeDiscount(barcode: String)
    case discountAboveLine(barcode: String, discount: String, line: String)
    /// An amount beyond the range of money.
    case amountTooLarge
    case mixedCurrencies(String, String)
    case unknownPaymentMethod(String)
    /// The cashier has no right to it, or is not known.
    case authority(AuthorityRefusal)
    case couponRefused(code: String, objection: CouponObjection)
    case negativePayment
    case severalOpenPayments
    case severalCards
    case paymentShort(due: String, tendered: String)
    case cardAboveTotal(total: String, card: String)
    /// No card is accepted while the payment service is unavailable.
    case cardOffline(reason: String)
    case cardDeclined(reason: String)
    /// The response was lost and the outcome is unknown; the authorisation is being voided.
    case cardOutcomeUnknown(detail: String)
    /// The requester cancelled the sale during the card authorisation; the authorisation is being voided.
    case cardGivenUp
    /// The total is no longer the one that the customer was shown.
    case priceChanged(quoted: String, total: String)
    /// The terminal's clock and the hub's differ by more than any time zone; both as texts for people.
    case clockDiffers(own: String, hub: String)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled
}
