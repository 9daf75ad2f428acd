internal import AgentAPI
internal import Base
internal import HubProtocol
internal import Pricing

/// What does here what a command does in a shell.
private let screenKeys: [(command: String, key: String)] = [
    ("pos sign-in", "F11"), ("pos sync now", "F12"), ("pos offline off", "F12"),
    ("pos sync rejected", "Alt-W"), ("pos shift open", "Alt-Z"), ("pos shift close", "Alt-Z"),
    ("pos printer", "Alt-T"), ("pos neighbours", "Alt-L"), ("pos orders refund", "F9"),
    ("pos orders void", "Alt-V"),
    ("pos cart list", "F8"), ("pos cart drop", "F8"),
]

/// What the screen puts together of its texts.
extension CounterTexts {
    /// A text of the agent as this screen shows it: in the words of a shop, and with the key that does here
    /// what a command does in a shell. Commands without a key stay: they are the manager's.
    func words(_ text: String) -> String {
        let parts = ShopWords.text(ShopWords.withoutOptions(text)).split(
            separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().reduce(into: "") { shown, next in
            guard !next.offset.isMultiple(of: 2) else {
                shown += next.element
                return
            }
            guard let key = screenKeys.first(where: { next.element.hasPrefix($0.command) })?.key else {
                shown += "`" + next.element + (next.offset + 1 < parts.count ? "`" : "")
                return
            }
            shown = beforeKey(shown) + key
        }
    }

    /// What came back at another terminal.
    func elsewhere(_ refund: ReceiptSale.Refund, _ currency: String) -> String {
        let money = AmountText.money(refund.total, currency)
        let till = refund.place?.terminalNumber.map(String.init) ?? "?"
        let store = refund.place?.storeId ?? "?"
        return cameBack(money, till: till, store: store)
    }

    /// What was refused, and what to do next.
    ///
    /// - Parameter hasPINs: the store has cashiers, so that digits may be a PIN.
    func refusal(_ failure: AgentFailure, of change: CartChange?, hasPINs: Bool = false) -> String {
        let words = self.words(failure.text(in: language))
        switch failure.code {
        case "unknown_barcode":
            guard case .scan(let line, _) = change else { return words }
            return unknownCode(UnknownCode.shown(line.barcode, hasPINs: hasPINs))
        case "card_number_refused": return cardNumberRefused
        case "card_outcome_unknown": return cardOutcomeUnknown
        case "wrong_pin": return wrongPIN
        case "sign_in_required": return signInFirst
        case "approval_required": return needsManager
        case "price_changed": return totalChanged
        case "voucher_used": return words + payAgain
        case "count_differs": return words + countAgain
        case "drawer_short": return words + enterAgain
        case "clock_differs": return clocksDiffer
        default: return words
        }
    }

    func exchanged(_ worth: Int64, _ currency: String) -> String {
        exchanged(for: AmountText.money(worth, currency))
    }

    func largeChange(_ amount: Int64, _ currency: String) -> String {
        largeChange(AmountText.money(amount, currency))
    }

    func department(_ department: DepartmentRecord) -> String {
        tax(QuantityText.text(milli: department.taxBasisPoints * 10))
    }

    /// What the member has and can spend of it.
    ///
    /// - Parameter most: what this sale can spend for certain; nil: the hub decides that.
    func points(_ points: PointsState, most: Int64?, isOld: Bool) -> String {
        let balance = points.balance.map { isOld ? pointsOnce($0) : pointsOfMember($0) }
        let limit = points.isRefused ? nil : most.map { spendable($0) }
        let why = points.isRefused ? words(points.text(in: language)) : nil
        return [balance, limit, why].compactMap(\.self).joined(separator: " · ")
    }

    /// An amount as it is typed: 12.50 EUR, 1250 JPY, 12.500 KWD.
    func example(_ currency: String) -> String {
        let decimals = AmountText.decimals(of: currency)
        let minor = decimals == 0 ? 1250 : (1..<decimals).reduce(Int64(125)) { minor, _ in minor * 10 }
        return AmountText.text(minor, currency: currency)
    }

    func parked(_ cart: CartRecord) -> String {
        let name = cart.name.map { " \"\($0)\"" } ?? ""
        return parked(name, content: cart.content(in: language), total: cart.total.text)
    }

    func priceChanged(_ name: String, from old: Int64, to new: Int64, currency: String) -> String {
        let (was, now) = (AmountText.text(old, currency: currency), AmountText.text(new, currency: currency))
        return priceChanged(of: name, from: was, to: now)
    }

    func stillDue(_ amount: Int64, _ currency: String, of money: TakenMoney) -> String {
        let due = AmountText.money(amount, currency)
        return money.inHand > 0
            ? stillToPay(due)
            : stillToCharge(due)
    }

    /// `Refund S1-1-20261122-0007`.
    func title(of refusal: CounterRefusal) -> String {
        [subject(refusal.subject), refusal.orderNumber].compactMap(\.self).joined(separator: " ")
    }

    /// Why, as head office sent it.
    func reason(_ refusal: CounterRefusal) -> String {
        reasonOfHub(refusal) ?? refusal.reason.map(words) ?? withoutReason(refusal.kind)
    }

    /// What became of the cash. The shift counts an entry as it was made, whatever is decided on it.
    func drawer(_ refusal: CounterRefusal) -> String {
        if refusal.subject == .void { return cashWentBack }
        guard refusal.cash != 0, let currency = refusal.total?.currency else { return notInDrawer }
        let amount = AmountText.money(abs(refusal.cash), currency)
        return refusal.cash < 0 ? cashLeft(amount) : cashCame(amount)
    }
}
