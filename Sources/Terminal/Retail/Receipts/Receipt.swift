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
    private let words: ReceiptTexts
    private let isCopy: Bool

    /// Makes the receipt; of `policy` it uses header, calendar and language.
    ///
    /// - Parameter isCopy: whether it is marked as a copy. Default false.
    package init(sale: Sale, policy: CheckoutPolicy, isCopy: Bool = false) {
        self.sale = sale
        self.isCopy = isCopy
        header = policy.receiptHeader
        calendar = policy.calendar
        words = ReceiptTexts(isChinese: policy.isChinese)
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
        parts.append(.text(calendar.localTime(at: content.madeAt)))
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
            let rate = QuantityText.text(milli: share.basisPoints * 10)
            return .row(words.tax(rate, of: amount(share.paid)), amount(share.tax))
        }
    }

    private var footParts: [ReceiptPart] {
        (content.payments.contains(where: \.isSimulated) ? [.mark(.simulated)] : [])
            + pointsParts
            + (content.mode == .offline ? [.note(words.recordedOffline)] : [])
            + Self.codeParts(sale.shortCode)
    }

    private var pointsParts: [ReceiptPart] {
        guard let points = content.points else { return [] }
        return (points.earned > 0 ? [.text(words.earned(points.earned))] : [])
            + (points.spent > 0 ? [.text(words.spent(points.spent))] : [])
    }

    /// What ties the paper to the journal's entry.
    static func codeParts(_ shortCode: String?) -> [ReceiptPart] {
        shortCode.map { [.note("Code \($0)")] } ?? []
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

/// The texts of a receipt in one language. The marks of offline, void and refund are required and printed in
/// both languages on every receipt.
struct ReceiptTexts {
    let isChinese: Bool

    private func said(_ english: String, _ chinese: String) -> String { isChinese ? chinese : english }

    func number(_ number: String) -> String { said("No. \(number)", "单号 \(number)") }
    func of(_ number: String) -> String { said("Of \(number)", "原单 \(number)") }
    var withoutReceipt: String { said("Without a receipt", "无小票退货") }
    func cashier(_ id: String) -> String { said("Cashier \(id)", "收银员 \(id)") }
    func member(_ name: String) -> String { said("Member \(name)", "会员 \(name)") }
    func reason(_ text: String) -> String { said("Reason: \(text)", "原因：\(text)") }
    func total(_ currency: String) -> String { said("TOTAL \(currency)", "合计 \(currency)") }
    func card(_ code: String) -> String { said("Card \(code)", "刷卡 \(code)") }
    /// The tender with what the customer can name it by.
    func payment(_ payment: SalePayment) -> String {
        let code =
            payment.details.state == .storedOffline
            ? said("(not approved yet)", "（待授权）")
            : payment.card?.approvalCode ?? payment.details.machine?.approvalCode
                ?? payment.details.reference ?? ""
        switch payment.kind {
        case .cash: return cash
        case .card: return card(code)
        case .wallet, .voucher: return code.isEmpty ? payment.method.name : "\(payment.method.name) \(code)"
        }
    }
    func back(_ quantity: String) -> String { said("  \(quantity) back", "  退 \(quantity)") }
    func tax(_ rate: String, of paid: String) -> String {
        said("Tax \(rate) % of \(paid)", "含税 \(rate) %，计税额 \(paid)")
    }

    func earned(_ points: Int64) -> String { said("Points earned: \(points)", "本单积分：\(points)") }
    func spent(_ points: Int64) -> String { said("Points spent: \(points)", "使用积分：\(points)") }
    func takenBack(_ points: Int64) -> String {
        said("Points taken back: \(points)", "扣回积分：\(points)")
    }
    func givenBack(_ points: Int64) -> String {
        said("Points given back: \(points)", "退还积分：\(points)")
    }

    var points: String { said("  Points", "  积分抵扣") }
    func back(to payment: SalePayment) -> String {
        said("Back to \(self.payment(payment))", "退回 \(self.payment(payment))")
    }
    func unpaid(by payment: SalePayment) -> String {
        said("Not paid by \(self.payment(payment))", "未付：\(self.payment(payment))")
    }
    /// Behind ``unpaid(by:)``.
    var refusedAfterSale: [String] {
        isChinese
            ? ["  该卡事后被拒，无款可退"]
            : ["  the card was refused after its sale:", "  no money goes back to it"]
    }
    /// How far a card's money is that the hub gives back; nothing once the hub has the refund.
    func backByHub(_ sync: SyncState) -> [String] {
        switch sync {
        case .acknowledged, .superseded: []
        case .pending:
            isChinese ? ["  总部收到后退回原卡"] : ["  goes back to the card when the", "  hub has this refund"]
        case .rejected, .conflicted, .discarded:
            isChinese ? ["  总部拒绝，未退回原卡"] : ["  refused by the hub: the card", "  does not get it"]
        }
    }
    /// How far a card's money is that the terminal's own machine gives back; nothing once it is there.
    func backToCard(_ card: CardReturn) -> [String] {
        switch card.state {
        case .returned: []
        case .waiting:
            isChinese
                ? ["  待刷卡机连通后退回原卡"]
                : ["  goes back to the card when the", "  machine can be reached"]
        case .refused(let reason):
            isChinese
                ? ["  刷卡机拒绝退款：\(reason)", "  请付现金"]
                : ["  refused by the card machine:", "  \(reason)", "  to be paid in cash"]
        case .paidInCash: [said("  paid in cash instead", "  已改付现金")]
        }
    }
    var discount: String { said("  Discount", "  减价") }
    var cashRounding: String { said("Cash rounding", "现金抹零") }
    var cash: String { said("Cash", "现金") }
    /// What paid a part of an exchange, and on the slip of those goods what became of their worth.
    var goodsReturned: String { said("Goods returned", "退回商品") }
    var usedForExchange: String { said("Used for the exchange", "抵作换货款") }
    var cashBack: String { said("Cash given back", "退还现金") }
    var change: String { said("Change", "找零") }
    var recordedOffline: String { said("Recorded offline, delivered later", "离线记录，恢复后上传") }
}
