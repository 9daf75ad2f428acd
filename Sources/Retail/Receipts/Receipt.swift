internal import OfflineCore
internal import Pricing

/// The receipt of a sale as text of 40 columns; East Asian characters count two.
///
/// A pure function of the sale and the store's header, so a receipt printed again is the same receipt.
public struct Receipt: Sendable {
    /// The columns of a line.
    public static let width = 40

    private let sale: Sale
    private let header: [String]
    private let calendar: BusinessCalendar

    public init(sale: Sale, policy: CheckoutPolicy) {
        self.sale = sale
        header = policy.receiptHeader
        calendar = policy.calendar
    }

    /// The lines, each ended by a line feed.
    public var text: String {
        let rule = String(repeating: "-", count: Self.width)
        let blocks = [headLines, saleLines, sumLines + taxLines, footLines]
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
            .joined(separator: "\n\(rule)\n") + "\n"
    }

    private var content: SaleContent { sale.content }

    private var headLines: [String] {
        var lines = header.map(Self.centred)
        if sale.voidedAt != nil { lines.append(Self.centred("*** VOID 作废 ***")) }
        if content.mode == .offline { lines.append(Self.centred("*** OFFLINE 离线 ***")) }
        lines.append("No. \(sale.orderNumber)")
        lines.append(calendar.localTime(at: content.madeAt))
        if let cashier = content.cashierId { lines.append(Self.clipped("Cashier \(cashier)")) }
        if let member = content.memberId {
            let words = content.memberName.map { "\($0) (\(member))" } ?? member
            lines.append(Self.clipped("Member " + words))
        }
        return lines
    }

    private var saleLines: [String] {
        content.lines.flatMap { line in
            let quantity = QuantityText.text(milli: line.price.quantityMilli)
            var lines = [
                Self.clipped(line.name),
                Self.row("  \(quantity) x \(amount(line.price.unitPrice))", amount(line.price.gross)),
            ]
            if line.ownDiscount > 0 {
                let reason = line.discountReason.map { " (\($0))" } ?? ""
                lines.append(Self.row("  Discount" + reason, amount(-line.ownDiscount)))
            }
            return lines + line.offers.map(offerLine)
        }
    }

    private func offerLine(_ offer: Reductions.Part) -> String {
        let coupon = offer.coupon.map { " (\($0))" } ?? ""
        let name = offer.name.isEmpty ? offer.promotionId : offer.name
        return Self.row("  \(name)\(coupon)", amount(-offer.amount))
    }

    private var sumLines: [String] {
        var lines = [Self.row("TOTAL \(content.currency)", amount(content.totals.total))]
        if content.cashRounding != 0 { lines.append(Self.row("Cash rounding", amount(content.cashRounding))) }
        for payment in content.payments {
            let label = payment.card.map { "Card \($0.approvalCode)" } ?? "Cash"
            lines.append(Self.row(label, amount(payment.amount)))
        }
        if content.change > 0 { lines.append(Self.row("Change", amount(content.change))) }
        return lines
    }

    private var taxLines: [String] {
        content.totals.taxes.filter { $0.basisPoints > 0 }.map { share in
            let rate = QuantityText.text(milli: share.basisPoints * 10)
            return Self.row("Tax \(rate) % of \(amount(share.paid))", amount(share.tax))
        }
    }

    private var footLines: [String] {
        (content.payments.contains { $0.card?.isSimulated == true } ? [Self.centred("SIMULATED")] : [])
            + (content.mode == .offline ? [Self.centred("Recorded offline, delivered later")] : [])
            + Self.codeLines(sale.shortCode)
    }

    /// What ties the paper to the journal's entry.
    static func codeLines(_ shortCode: String?) -> [String] {
        shortCode.map { [centred("Code \($0)")] } ?? []
    }

    private func amount(_ amount: Int64) -> String {
        AmountText.text(amount, currency: content.currency)
    }

    /// `left` and `right` at the two margins; what does not fit is cut from `left`.
    static func row(_ left: String, _ right: String) -> String {
        let room = max(0, width - TextWidth.columns(right) - 1)
        let kept = TextWidth.prefix(left, limit: room)
        let gap = max(1, width - TextWidth.columns(kept) - TextWidth.columns(right))
        return kept + String(repeating: " ", count: gap) + right
    }

    static func centred(_ text: String) -> String {
        let kept = clipped(text)
        return String(repeating: " ", count: (width - TextWidth.columns(kept)) / 2) + kept
    }

    static func clipped(_ text: String) -> String {
        TextWidth.prefix(text, limit: width)
    }
}
