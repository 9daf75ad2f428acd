internal import OfflineCore
internal import Pricing

/// The receipt of a refund, in the layout of a ``Receipt``.
public struct RefundReceipt: Sendable {
    private let refund: Refund
    private let header: [String]
    private let calendar: BusinessCalendar
    private let words: ReceiptTexts

    /// Makes the receipt; of `policy` it uses header, calendar and language.
    public init(refund: Refund, policy: CheckoutPolicy) {
        self.refund = refund
        header = policy.receiptHeader
        calendar = policy.calendar
        words = ReceiptTexts(isChinese: policy.isChinese)
    }

    /// The lines, each ended by a line feed.
    public var text: String {
        let rule = String(repeating: "-", count: Receipt.width)
        return [headLines, goodsLines, sumLines].map { $0.joined(separator: "\n") }
            .joined(separator: "\n\(rule)\n") + "\n"
    }

    private var content: RefundContent { refund.content }

    private var headLines: [String] {
        var lines = header.map(Receipt.centred)
        lines.append(Receipt.centred("*** REFUND 退货 ***"))
        if content.mode == .offline { lines.append(Receipt.centred("*** OFFLINE 离线 ***")) }
        lines.append(Receipt.clipped(words.of("\(refund.orderNumber)")))
        lines.append(calendar.localTime(at: content.madeAt))
        if let cashier = content.cashierId { lines.append(Receipt.clipped(words.cashier(cashier))) }
        if let reason = content.reason { lines.append(Receipt.clipped(words.reason(reason))) }
        return lines
    }

    private var goodsLines: [String] {
        content.lines.flatMap { line in
            [
                Receipt.clipped(line.name),
                Receipt.row(words.back(QuantityText.text(milli: line.quantityMilli)), amount(-line.total)),
            ]
        }
    }

    private var sumLines: [String] {
        var lines = [Receipt.row(words.total(content.currency), amount(-content.total))]
        if content.cashRounding != 0 {
            lines.append(Receipt.row(words.cashRounding, amount(-content.cashRounding)))
        }
        lines.append(Receipt.row(words.cashBack, amount(content.paid)))
        for share in content.taxes where share.basisPoints > 0 {
            let rate = QuantityText.text(milli: share.basisPoints * 10)
            lines.append(Receipt.row(words.tax(rate, of: amount(share.paid)), amount(-share.tax)))
        }
        return lines + Receipt.codeLines(refund.shortCode)
    }

    private func amount(_ amount: Int64) -> String {
        AmountText.text(amount, currency: content.currency)
    }
}
