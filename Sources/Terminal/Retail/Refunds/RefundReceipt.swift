internal import HubProtocol
internal import OfflineCore
internal import Pricing

/// The receipt of a refund, in the layout of a ``Receipt``.
package struct RefundReceipt: Sendable {
    private let refund: Refund
    private let header: [String]
    private let calendar: BusinessCalendar
    private let words: any ReceiptTexts

    /// Makes the receipt; of `policy` it uses header and calendar.
    ///
    /// - Parameter texts: the language. Default: that of `policy`.
    package init(refund: Refund, policy: CheckoutPolicy, texts: (any ReceiptTexts)? = nil) {
        self.refund = refund
        header = policy.receiptHeader
        calendar = policy.calendar
        words = texts ?? policy.language.receiptTexts
    }

    /// The lines, each ended by a line feed.
    package var text: String { ReceiptPart.text(of: parts) }

    /// The same without a layout.
    package var parts: [ReceiptPart] { ReceiptPart.joined([headParts, goodsParts, sumParts]) }

    private var content: RefundContent { refund.content }

    private var headParts: [ReceiptPart] {
        var parts = header.map(ReceiptPart.title)
        parts.append(.mark(.refund))
        if content.mode == .offline { parts.append(.mark(.offline)) }
        parts.append(.text(refund.orderNumber.map(words.of) ?? words.withoutReceipt))
        parts.append(.text(calendar.receiptTime(at: content.madeAt)))
        if let cashier = content.cashierId { parts.append(.text(words.cashier(cashier))) }
        if let reason = content.reason { parts.append(.text(words.reason(reason))) }
        return parts
    }

    private var goodsParts: [ReceiptPart] {
        content.lines.flatMap { line -> [ReceiptPart] in
            [
                .text(line.name),
                .row(words.back(QuantityText.text(milli: line.quantityMilli)), amount(-line.total)),
            ]
        }
    }

    private var sumParts: [ReceiptPart] {
        var parts: [ReceiptPart] = [.total(words.total(content.currency), amount(-content.total))]
        if content.cashRounding != 0 {
            parts.append(.row(words.cashRounding, amount(-content.cashRounding)))
        }
        for payment in content.payments {
            if let card = payment.card, refund.refusedCards.contains(card.authorizationKey) {
                parts.append(.row(words.unpaid(by: words.payment(payment)), amount(payment.amount)))
                parts += words.refusedAfterSale.map(ReceiptPart.text)
                continue
            }
            let label = payment.method == .cash ? cashLabel : words.back(to: words.payment(payment))
            parts.append(.row(label, amount(payment.amount)))
            // The card has it once the hub has the refund, and never where that refused it.
            if payment.card != nil { parts += words.backByHub(refund.sync).map(ReceiptPart.text) }
        }
        for card in refund.returns { parts += words.backToCard(card.state).map(ReceiptPart.text) }
        for share in content.taxes where share.basisPoints > 0 {
            let rate = percentText(share.basisPoints)
            parts.append(.row(words.tax(rate, of: amount(share.paid)), amount(-share.tax)))
        }
        if let points = content.points {
            if points.earnedReturned > 0 { parts.append(.text(words.takenBack(points.earnedReturned))) }
            if points.spentReturned > 0 { parts.append(.text(words.givenBack(points.spentReturned))) }
        }
        return parts + Receipt.codeParts(refund.shortCode, words)
    }

    private var cashLabel: String { refund.isOfExchange ? words.usedForExchange : words.cashBack }

    private func amount(_ amount: Int64) -> String {
        AmountText.text(amount, currency: content.currency)
    }
}
