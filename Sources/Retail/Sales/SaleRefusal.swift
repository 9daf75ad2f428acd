public import Pricing

/// Why nothing was sold.
public enum SaleRefusal: Refusal {
    case noLines
    case tooManyLines(count: Int, limit: Int)
    case unknownBarcode(String)
    /// A word of the request is longer than a receipt and a request can take.
    case textTooLong(field: String, limit: Int)
    case tooManyCoupons(count: Int, limit: Int)
    /// The quantity, in thousandths, is not from 1 up to the limit.
    case quantityOutOfRange(barcode: String, quantityMilli: Int64, limit: Int64)
    /// A part of an article that is sold by the piece.
    case fractionOfPiece(barcode: String, quantityMilli: Int64)
    case negativePrice(barcode: String)
    case negativeDiscount(barcode: String)
    case discountAboveLine(barcode: String, discount: String, line: String)
    /// An amount beyond what money can hold.
    case amountTooLarge
    case mixedCurrencies(String, String)
    case unknownPaymentMethod(String)
    /// Whoever sells may not, or is not known.
    case authority(AuthorityRefusal)
    case couponRefused(code: String, objection: CouponObjection)
    case negativePayment
    case severalOpenPayments
    case severalCards
    case paymentShort(due: String, tendered: String)
    case cardAboveTotal(total: String, card: String)
    /// No card is taken while the payment service cannot be asked.
    case cardOffline(reason: String)
    case cardDeclined(reason: String)
    /// The answer was lost and cannot be found out; the authorisation is being voided.
    case cardOutcomeUnknown(detail: String)
    /// Whoever asked for the sale gave it up while the card was asked; the authorisation is being voided.
    case cardGivenUp
    /// The total is no longer the one that the customer was shown.
    case priceChanged(quoted: String, total: String)
    /// The till's clock and the hub's are further apart than any time zone; both as people read them.
    case clockDiffers(own: String, hub: String)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled
}
