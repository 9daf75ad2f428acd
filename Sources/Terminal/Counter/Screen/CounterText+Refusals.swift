internal import AgentAPI
internal import Pricing

/// What a cashier reads of an entry that head office refused: what it is, in money, what became of the cash,
/// and what each key does.
extension CounterText {
    /// `Refund S1-1-20261122-0007`.
    func title(of refusal: CounterRefusal) -> String {
        [subject(refusal.subject), refusal.orderNumber].compactMap(\.self).joined(separator: " ")
    }

    private func subject(_ subject: CounterRefusal.Subject) -> String {
        switch subject {
        case .sale: self("Sale", "销售")
        case .refund: self("Refund", "退货")
        case .void: self("Void", "作废")
        case .cardVoid: self("Void of a card", "撤销刷卡")
        case .cashMovement: self("Cash in or out", "现金进出")
        case .shift: self("Shift", "班次")
        case .note: self("Note", "便签")
        case .member: self("Member", "会员")
        case .other(let type): type
        }
    }

    func kind(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: self("refused", "被拒")
        case .conflicted: self("differs", "不一致")
        case .heldBack: self("held back", "暂停发送")
        }
    }

    /// Why, as head office sent it.
    func reason(_ refusal: CounterRefusal) -> String {
        if isChinese, let reason = chineseReason(refusal) { return reason }
        if let reason = refusal.reason { return Self.words(reason) }
        return switch refusal.kind {
        case .rejected: self("Head office gave no reason.", "总部未说明原因。")
        case .conflicted: self("Head office has another state of it.", "总部的记录与本机不同。")
        case .heldBack: self("Its content is not what was written.", "内容与写入时不一致。")
        }
    }

    /// The hub writes its reasons in English; nil for a code without a Chinese one.
    private func chineseReason(_ refusal: CounterRefusal) -> String? {
        switch refusal.reasonCode {
        case "conflict" where refusal.subject == .refund: "按总部的记录，该单可退的已不足此数，或已作废。"
        case "conflict" where refusal.subject == .void: "按总部的记录，该单已有退货，或已作废。"
        case "conflict": "总部的记录与本机不同。"
        case "invalid_mutation": "总部认为内容无效。"
        case "dependency_rejected": "所依据的单据被总部拒绝，请先处理那一笔。"
        case "superseded", "edit_repeated": "总部已收到更正后的版本。"
        case "expired_replay": "重复发送，距首次已久；未执行两次。"
        case "mutation_foreign": "所依据的是其他收银机的单据，请在那台处理。"
        case "order_foreign_store": "该单属于其他门店，请在那家店处理。"
        case "points_limit": "积分超过每笔上限。"
        default: nil
        }
    }

    /// What became of the cash. The shift counts an entry as it was made, whatever is decided on it.
    func drawer(_ refusal: CounterRefusal) -> String {
        if refusal.subject == .void {
            return self(
                "The sale's cash went back then, and the shift counts that. No key moves cash.",
                "当时已退还该单的现金，已计入班次。以下按键都不动现金。")
        }
        guard refusal.cash != 0, let currency = refusal.total?.currency else {
            return self("The drawer has nothing to do with it.", "与钱箱无关。")
        }
        let amount = AmountText.money(abs(refusal.cash), currency)
        return refusal.cash < 0
            ? self(
                "\(amount) in cash left the drawer then, and the shift counts it. No key moves cash.",
                "当时已从钱箱付出现金 \(amount)，已计入班次。以下按键都不动现金。")
            : self(
                "\(amount) in cash came into the drawer then, and the shift counts it. No key moves cash.",
                "当时钱箱收入现金 \(amount)，已计入班次。以下按键都不动现金。")
    }

    /// What each key does, one line for each.
    func keys(_ refusal: CounterRefusal) -> [String] {
        switch refusal.kind {
        case .rejected:
            [
                self("R sends it again, once its reason is gone.", "R：原因消除后重新发送。"),
                self(
                    "D gives it up: head office never counts it, and is informed. It stays on this till.",
                    "D：放弃。总部不计入，并会收到通知；单据仍留在本机。"),
                self("`pos sync edit` corrects it.", "`pos sync edit` 可更正内容。"),
            ]
        case .conflicted:
            [
                self("M sends it again: head office is to count it, too.", "M：重新发送，请总部计入。"),
                self(
                    "S leaves it: head office never counts it. It stays on this till.",
                    "S：不再发送。总部不计入；单据仍留在本机。"),
            ]
        case .heldBack:
            [self("R sends it as it is now, and head office marks it.", "R：按现有内容发送，总部会标记。")]
        }
    }
}
