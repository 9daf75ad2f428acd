internal import AgentAPI
internal import HubProtocol
internal import Pricing

/// The card machine as text.
enum CardText {
    static func status(_ status: CardMachineCall.Response, _ text: any PosTexts) -> String {
        guard let kind = status.kind, let address = status.address else {
            return ([text.noCardMachine] + waiting(status, text)).joined(separator: "\n")
        }
        var head = "\(kind), \(address): \(text.word(status.state.rawValue))"
        if let id = status.machineId { head += ", \(id)" }
        var lines = [head]
        if status.isForeign { lines.append(text.foreignBooking(status.lastReceipt ?? 0)) }
        lines += waiting(status, text)
        return lines.joined(separator: "\n")
    }

    private static func waiting(_ status: CardMachineCall.Response, _ text: any PosTexts) -> [String] {
        status.waiting.map { open in
            let (state, purpose) = (text.word(open.state), text.word(open.purpose))
            let money = AmountText.money(open.amount, open.currency)
            let what = open.isForPerson ? "  " + text.decideCard(open.key) : ""
            return "  \(state)  \(purpose)  \(money)  \(open.since)  \(open.key)\(what)"
        }
    }

    static func last(_ last: CardLastCall.Response, _ text: any PosTexts) -> String {
        guard last.receipt != nil || last.at != nil || last.amount != nil else { return text.noBooking }
        let parts = [
            last.receipt.map { "\($0)" }, last.at,
            last.amount.map { AmountText.money($0, last.currency ?? "") },
            last.isReversal ? text.word("reversal") : nil,
            text.word(last.isApproved ? "approved" : "declined"),
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    static func closed(_ closed: CardCloseDayCall.Response, _ text: any PosTexts) -> String {
        func money(_ amount: Int64) -> String { AmountText.money(amount, closed.currency) }
        if let second = closed.secondSum {
            let sums = text.machineClosedTwice(money(second), till: money(closed.till))
            return ([sums] + decided(closed, text)).joined(separator: "\n")
        }
        guard let machine = closed.machine, let difference = closed.difference else {
            let sums = text.machineClosed(nil, till: money(closed.till), difference: nil)
            return ([sums] + decided(closed, text)).joined(separator: "\n")
        }
        let sums = text.machineClosed(
            money(machine), till: money(closed.till), difference: difference == 0 ? nil : money(difference))
        return ([sums] + decided(closed, text)).joined(separator: "\n")
    }

    /// What people decided and the machine's figures do not confirm.
    private static func decided(_ closed: CardCloseDayCall.Response, _ text: any PosTexts) -> [String] {
        closed.decided.compactMap { try? CardDecision(json: $0) }.map { decision in
            text.notConfirmed(
                decision.key, purpose: text.word(decision.purpose.rawValue),
                verdict: decision.verdict == .charged,
                AmountText.money(decision.amount, decision.currency))
        }
    }

    static func decided(_ decided: DecideCardCall.Response, _ text: any PosTexts) -> String {
        text.cardDecided(decided.key, decided.state)
    }
}
