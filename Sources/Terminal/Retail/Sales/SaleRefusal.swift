internal import Base
package import HubProtocol
package import Pricing

/// Why nothing was sold.
package enum SaleRefusal: Refusal {
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
    case cardOffline(reason: String)
    /// Without the payment service a limit would be exceeded, and nobody can approve that here.
    case offlineCardLimit(OfflineCardExcess)
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
        case .offlineCardLimit: "offline_card_limit"
        case .cardDeclined: "card_declined"
        case .cardOutcomeUnknown: "card_outcome_unknown"
        case .cardGivenUp: "card_given_up"
        case .priceChanged: "price_changed"
        case .clockDiffers: "clock_differs"
        case .shiftRequired: "shift_required"
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    /// In English, one line; amounts are in the currency's own decimals.
    package var message: String {
        switch self {
        case .noLines: "The sale has no lines; scan an article first."
        case .tooManyLines(let count, let limit):
            "The sale has \(count) lines and may have \(limit); split it."
        case .unknownBarcode(let barcode):
            "No article has the barcode \(CardNumber.masked(barcode)); check it, or pull the catalogue with "
                + "`pos sync now`."
        case .misreadBarcode(let barcode, let fault):
            "\(CardNumber.masked(barcode)) cannot be read: \(Language.english.sharedTexts.text(fault)); scan it again, or enter the article's own barcode."
        case .textTooLong(let field, let limit): "`\(field)` is longer than \(limit) bytes; shorten it."
        case .tooManyCoupons(let count, let limit):
            "The sale has \(count) coupons and may have \(limit); take some away."
        case .quantityOutOfRange(let barcode, let quantity, let limit):
            "The quantity of \(barcode) is \(QuantityText.text(milli: quantity)); it must be above 0 and at most "
                + "\(QuantityText.text(milli: limit))."
        case .fractionOfPiece(let barcode, let quantity):
            "\(barcode) is sold by the piece, not \(QuantityText.text(milli: quantity)) of it; "
                + "enter a whole number."
        case .negativePrice(let barcode): "The price of \(barcode) is below zero; enter 0 or more."
        case .quantityRequired(let barcode, let name):
            "\(name) is sold by weight or measure; enter how much (--line \(barcode):0.357)."
        case .priceRequired(let barcode, let name, _):
            "\(name) has no fixed price; enter one above zero (--line \(barcode)@PRICE)."
        case .departmentUnknown(let name, let known): Self.unknown(department: name, known)
        case .departmentRateRequired(let name, let rates):
            "The articles of \(name) have the tax rates \(Self.percents(rates)); name one of them "
                + "(--line CODE@PRICE#\(name)/\(Self.percent(rates[0])))."
        case .negativeDiscount(let barcode): "The discount of \(barcode) is below zero; enter 0 or more."
        case .discountAboveLine(let barcode, let discount, let line):
            "The discount of \(discount) is more than the line of \(barcode), \(line); lower it."
        case .amountTooLarge: "The amount is too large to be money; check prices and quantities."
        case .mixedCurrencies(let one, let other):
            "The articles are priced in \(one) and \(other); sell them apart."
        case .unknownPaymentMethod(let method, let known):
            "`\(method)` is no payment method of this store; use \(known.joined(separator: ", "))."
        case .referenceUnused(let method):
            "`\(method)` takes no number; leave the reference out."
        case .referenceRequired(let method):
            "`\(method)` needs the number of the voucher: \(method):AMOUNT:NUMBER."
        case .voucherUsed(let number, nil):
            "The voucher \(number) is twice in this sale; enter it once."
        case .voucherUsed(let number, let order?):
            "The voucher \(number) has paid \(order) already; take another tender, or confirm that there is "
                + "money left on it (--voucher-confirmed)."
        case .tenderRefused(let method, let isOnline):
            "The store does not take `\(method)` while the hub \(isOnline ? "can be reached" : "is away"); "
                + "take another tender."
        case .authority(let refusal): refusal.message
        case .refund(let refusal): refusal.message
        case .couponRefused(let code, let objection): objection.message(of: code)
        case .points(let refusal): refusal.message
        case .negativePayment: "A payment is below zero; enter what was tendered."
        case .severalOpenPayments: "Only one payment may come without an amount; state the others."
        case .severalCards: "A sale takes two cards or wallets; pay the rest otherwise."
        case .paymentShort(let due, let tendered):
            "\(due) is due and \(tendered) was tendered; ask for the rest."
        case .cardAboveTotal(let total, let card):
            "\(card) would be paid of \(total) without cash, and only cash gives change; lower it."
        case .changeTooLarge(let change):
            "The change would be \(change); check the cash that was entered, it may be a scanned barcode."
        case .cardOffline(let reason): "No card can be taken now: \(Self.part(reason)); take cash."
        case .offlineCardLimit(.unreadable):
            "Without the hub no card can be taken: what was taken before cannot be read (offline-cards.json); "
                + "take cash until the hub was reached."
        case .offlineCardLimit(let excess):
            "Without the hub no more can be taken by card: offlineCard.\(excess.rawValue) is reached; take cash."
        case .cardDeclined(let reason, let isVoidOpen):
            "The card was declined: \(Self.part(reason)); take another card or cash."
                + (isVoidOpen
                    ? " The card machine has not confirmed that it gives the first card's money back; that is repeated."
                    : "")
        case .cardOutcomeUnknown(let detail, nil):
            "The card's outcome is unknown (\(detail)); it is being voided, nothing was sold; try again or take cash."
        case .cardOutcomeUnknown(let detail, let cart?):
            "The card's outcome is unknown (\(detail)). The sale waits as the parked cart \(cart): sell that cart "
                + "again, which charges nothing twice, or drop it, which voids the card."
        case .cardGivenUp:
            "The sale was given up during the card authorisation, which is being voided; nothing was sold."
        case .priceChanged(let quoted, let total):
            "The total is \(total) now and was \(quoted); inform the customer, then pay again."
        case .clockDiffers(let own, let hub):
            "This till's clock says \(own), the hub's \(hub); set the clock, or confirm it (--clock-confirmed)."
        case .shiftRequired:
            "No shift is open; count the drawer and open one with `pos shift open --float AMOUNT`."
        case .diskFull(let path):
            "The disk of \(path) is full, nothing was sold; free some space and sell again."
        case .notRecorded(let detail): "The sale cannot be recorded, nothing was sold: \(detail)."
        case .notEnrolled: "The terminal belongs to no store yet; run `pos init`."
        }
    }

    private static func unknown(department: String, _ known: [String]) -> String {
        guard !known.isEmpty else {
            return
                "The catalogue's articles have no departments, so nothing can be sold as \(department); import "
                + "them with a department."
        }
        // Some thirty names are a line that can still be read.
        let names = known.prefix(30).joined(separator: ", ") + (known.count > 30 ? ", …" : "")
        return "No article has the department \(department); the departments are: \(names)."
    }

    static func percents(_ rates: [Int64]) -> String {
        rates.map { percent($0) + " %" }.joined(separator: ", ")
    }

    private static func percent(_ basisPoints: Int64) -> String {
        QuantityText.text(milli: basisPoints * 10)
    }

    /// A message as a part of another sentence: without its full stop.
    private static func part(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    /// ``RefusalExit/usage`` for a malformed request, ``RefusalExit/tryAgain`` while a card's outcome is
    /// unknown.
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
            .offlineCardLimit, .cardOffline,
            .cardDeclined, .cardGivenUp,
            .priceChanged, .clockDiffers, .shiftRequired:
            .rule
        case .authority(let refusal): refusal.exit
        case .refund(let refusal): refusal.exit
        case .cardOutcomeUnknown: .tryAgain
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }
}

extension SaleRefusal {
    /// Those of a refusal about a person, about goods that come back, or about a missing price; empty
    /// for every other case.
    package var details: RefusalDetails {
        switch self {
        case .authority(let refusal): refusal.details
        case .refund(let refusal): refusal.details
        case .quantityRequired(_, let name): RefusalDetails(article: name)
        case .priceRequired(_, let name, let currency): RefusalDetails(article: name, currency: currency)
        case .cardOutcomeUnknown(_, let cart): RefusalDetails(cart: cart)
        case _: RefusalDetails()
        }
    }

    init(_ error: StorageError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .notEnrolled: self = .notEnrolled
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        case .leaseSpent: self = .notRecorded(detail: "another sale spent the lease meanwhile")
        }
    }

    init(_ error: CatalogueError) {
        switch error {
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        }
    }
}
