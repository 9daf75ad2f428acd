internal import AgentAPI
internal import Pricing

/// How the store's tenders and points go now, as a line each.
struct TenderText {
    private let text: CheckoutText

    init(_ text: CheckoutText) { self.text = text }

    /// `card: hub`, with limit, needs and reason where there are some.
    func line(_ tender: TenderState, currency: String? = nil) -> String {
        var words = "\(tender.method): \(tender.route)"
        if let limit = tender.limitMinor {
            let amount = currency.map { AmountText.money(limit, $0) }
            words += text(", up to ", "，最多 ") + (amount ?? text("\(limit) minor units", "\(limit)（最小单位）"))
        }
        words += needs(tender.needs)
        let why = tender.text(in: text.language)
        return why.isEmpty ? words : words + " (\(why))"
    }

    /// What the member has and can spend.
    func line(_ points: PointsState) -> String {
        var words = points.route
        if let balance = points.balance {
            words +=
                points.isBalanceOld
                ? text(", the member had \(balance)", "，会员曾有 \(balance)")
                : text(", \(balance) of the member", "，会员共 \(balance)")
        }
        if let limit = points.limit, !points.isRefused {
            words += text(", \(limit) can be spent now", "，目前可用 \(limit)")
        }
        words += needs(points.needs)
        let why = points.text(in: text.language)
        return why.isEmpty ? words : words + " (\(why))"
    }

    private func needs(_ needs: [String]) -> String {
        let words = needs.map { need in
            switch need {
            case "signIn": text("a sign-in", "登录")
            case "approval": text("an approval", "批准")
            case "reference": text("the voucher's number", "券号")
            default: need
            }
        }
        return words.isEmpty ? "" : text(", needs ", "，需要") + words.joined(separator: text(" and ", "、"))
    }
}
