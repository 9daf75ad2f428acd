internal import AgentAPI
internal import Pricing

/// How the store's tenders and points go now, as a line each.
struct TenderText {
    private let text: any PosTexts

    init(_ text: any PosTexts) { self.text = text }

    /// `card: hub`, with limit, needs and reason where there are some.
    func line(_ tender: TenderState, currency: String? = nil) -> String {
        var words = "\(text.word(tender.method)): \(text.word(tender.route))"
        if let limit = tender.limitMinor {
            let amount =
                currency.map { AmountText.money(limit, $0) } ?? text.minorUnits(limit)
            words += text.upTo(amount)
        }
        words += needs(tender.needs)
        let why = tender.text(in: text.language)
        return why.isEmpty ? words : words + " (\(why))"
    }

    /// What the member has and can spend.
    func line(_ points: PointsState) -> String {
        var words = text.word(points.route)
        if let balance = points.balance {
            words +=
                text.comma + (points.isBalanceOld ? text.pointsOnce(balance) : text.pointsOfMember(balance))
        }
        if let limit = points.limit, !points.isRefused {
            words += text.comma + text.spendable(limit)
        }
        words += needs(points.needs)
        let why = points.text(in: text.language)
        return why.isEmpty ? words : words + " (\(why))"
    }

    private func needs(_ needs: [String]) -> String {
        let words = needs.map { need in
            switch need {
            case "signIn": text.aSignIn
            case "approval": text.anApproval
            case "reference": text.voucherNumber
            default: need
            }
        }
        let list = words.joined(separator: text.and)
        return words.isEmpty ? "" : text.needs(list)
    }
}
