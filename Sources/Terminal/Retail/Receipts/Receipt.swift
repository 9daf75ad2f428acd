internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing

/// The receipt of a sale, as parts and as text of 40 columns; East Asian characters count two.
///
/// A pure function of the sale and the store's header, so a receipt printed again is the same receipt.
package struct Receipt: Sendable {
    /// The columns of a line.
    package static let width = 40

    private let sale: Sale
    private let header: [String]
    private let calendar: BusinessCalendar
    private let words: any ReceiptTexts
    private let isCopy: Bool

    /// Makes the receipt; of `policy` it uses header and calendar.
    ///
    /// - Parameters:
    ///   - texts: the language. Default: that of `policy`.
    ///   - isCopy: whether it is marked as a copy. Default false.
    package init(
        sale: Sale, policy: CheckoutPolicy, texts: (any ReceiptTexts)? = nil, isCopy: Bool = false
    ) {
        self.sale = sale
        self.isCopy = isCopy
        header = policy.receiptHeader
        calendar = policy.calendar
        words = texts ?? policy.language.receiptTexts
    }

    /// The lines, each ended by a line feed.
    package var text: String { ReceiptPart.text(of: parts) }

    /// The same without a layout.
    package var parts: [ReceiptPart] {
        ReceiptPart.joined([headParts, saleParts, sumParts + taxParts, footParts])
    }

    private var content: SaleContent { sale.content }

    private var headParts: [ReceiptPart] {
        var parts = header.map(ReceiptPart.title)
        if isCopy { parts.append(.mark(.copy)) }
        if sale.voidedAt != nil { parts.append(.mark(.void)) }
        if content.mode == .offline { parts.append(.mark(.offline)) }
        parts.append(.text(words.number("\(sale.orderNumber)")))
        parts.append(.text(calendar.receiptTime(at: content.madeAt)))
        if let cashier = content.cashierId { parts.append(.text(words.cashier(cashier))) }
        if let member = content.memberId {
            let name = content.memberName.map { "\($0) (\(member))" } ?? member
            parts.append(.text(words.member(name)))
        }
        return parts
    }

    /// What a coupon or points take off stands once behind the lines, as the customer knows it; the share of
    /// each line is in the journal alone.
    private var saleParts: [ReceiptPart] { lineParts + couponParts + spentPart }

    private var lineParts: [ReceiptPart] {
        content.lines.flatMap { line in
            let quantity = QuantityText.text(milli: line.price.quantityMilli)
            var parts: [ReceiptPart] = [
                .text(line.name),
                .row("  \(quantity) x \(amount(line.price.unitPrice))", amount(line.gross)),
            ]
            if line.ownDiscount > 0 {
                let reason = line.discountReason.map { " (\($0))" } ?? ""
                parts.append(.row(words.discount + reason, amount(-line.ownDiscount)))
            }
            parts += line.offers.filter { $0.coupon == nil }.map(offerPart)
            return parts
        }
    }

    private var couponParts: [ReceiptPart] {
        var sums: [Reductions.Part] = []
        for offer in content.lines.flatMap(\.offers) where offer.coupon != nil {
            let isSame = { (sum: Reductions.Part) in
                sum.coupon == offer.coupon && sum.promotionId == offer.promotionId
            }
            guard let place = sums.firstIndex(where: isSame) else {
                sums.append(offer)
                continue
            }
            let amount = sums[place].amount + offer.amount
            sums[place] = Reductions.Part(
                promotionId: offer.promotionId, name: offer.name, coupon: offer.coupon, amount: amount)
        }
        return sums.map(offerPart)
    }

    private var spentPart: [ReceiptPart] {
        let value = content.lines.reduce(0) { $0 + $1.pointsValue }
        return value > 0 ? [.row(words.points, amount(-value))] : []
    }

    private func offerPart(_ offer: Reductions.Part) -> ReceiptPart {
        let coupon = offer.coupon.map { " (\($0))" } ?? ""
        let name = offer.name.isEmpty ? offer.promotionId : offer.name
        return .row("  \(name)\(coupon)", amount(-offer.amount))
    }

    private var sumParts: [ReceiptPart] {
        var parts: [ReceiptPart] = [.total(words.total(content.currency), amount(content.totals.total))]
        if content.cashRounding != 0 {
            parts.append(.row(words.cashRounding, amount(content.cashRounding)))
        }
        if let goods = sale.goodsReturned {
            parts.append(.row(words.goodsReturned, amount(goods.amount)))
        }
        for payment in content.payments.dropFirst(sale.goodsReturned == nil ? 0 : 1) {
            parts.append(.row(words.payment(payment), amount(payment.amount)))
        }
        if content.change > 0 { parts.append(.row(words.change, amount(content.change))) }
        return parts
    }

    private var taxParts: [ReceiptPart] {
        content.totals.taxes.filter { $0.basisPoints > 0 }.map { share in
            let rate = percentText(share.basisPoints)
            return .row(words.tax(rate, of: amount(share.paid)), amount(share.tax))
        }
    }

    private var footParts: [ReceiptPart] {
        (content.payments.contains(where: \.isSimulated) ? [.mark(.simulated)] : [])
            + pointsParts
            + (content.mode == .offline ? [.note(words.recordedOffline)] : [])
            + Self.codeParts(sale.shortCode, words)
    }

    private var pointsParts: [ReceiptPart] {
        guard let points = content.points else { return [] }
        return (points.earned > 0 ? [.text(words.earned(points.earned))] : [])
            + (points.spent > 0 ? [.text(words.spent(points.spent))] : [])
    }

    /// What ties the paper to the journal's entry.
    static func codeParts(_ shortCode: String?, _ words: any ReceiptTexts) -> [ReceiptPart] {
        shortCode.map { [.note(words.code($0))] } ?? []
    }

    private func amount(_ amount: Int64) -> String {
        AmountText.text(amount, currency: content.currency)
    }

    /// `left` and `right` at the two margins; what does not fit is cut from `left`.
    static func row(_ left: String, _ right: String) -> String {
        let room = max(0, width - TextWidth.columns(right) - 1)
        let kept = TextWidth.clipped(left, limit: room)
        let gap = max(1, width - TextWidth.columns(kept) - TextWidth.columns(right))
        return kept + String(repeating: " ", count: gap) + right
    }

    static func centred(_ text: String) -> String {
        let kept = clipped(text)
        return String(repeating: " ", count: (width - TextWidth.columns(kept)) / 2) + kept
    }

    static func clipped(_ text: String) -> String {
        TextWidth.clipped(text, limit: width)
    }
}
