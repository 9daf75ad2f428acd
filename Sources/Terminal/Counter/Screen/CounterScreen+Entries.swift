internal import AgentAPI

internal import Pricing

extension CounterScreen {
    mutating func takeAtEntry(_ key: Key, _ field: CounterDialog.Field, _ editor: LineEditor) {
        var edited = editor
        for single in key.pressed {
            guard case .line(let line) = edited.take(single) else { continue }
            return accept(String(line.trimmed), for: field)
        }
        dialog = .entry(field, edited)
    }

    private mutating func accept(_ entered: String, for field: CounterDialog.Field) {
        message = nil
        switch field {
        case .quantity:
            guard let milli = Entry.milli(entered) else { return refuse(text.malformedQuantity, field) }
            edit(.quantity(selected, milli: milli))
        case .discount:
            guard let minor = discount(entered) else { return refuse(text.malformedDiscount, field) }
            edit(.discount(selected, minor: minor))
        case .price:
            guard let minor = Entry.amount(entered, currency: cart.currency) else {
                return refuse(text.malformedAmount, field)
            }
            edit(.price(selected, minor: minor))
        case .openPrice(var line, _, let currency):
            // A barcode that is scanned into the field is no price: it has more digits.
            guard entered.utf8.count < 8, let minor = Entry.amount(entered, currency: currency), minor > 0
            else {
                return refuse(text.malformedAmount, field)
            }
            line.unitPriceMinor = minor
            edit(.scan(line))
        case .member: edit(.member(entered.isEmpty ? nil : entered))
        case .memberName(let phone):
            // Just Enter: the number stays noted as typed.
            guard !entered.isEmpty else { return dialog = nil }
            act(.addMember(AddMemberCall(phone: phone, name: entered, person: person)))
        case .coupon: edit(.coupon(entered.isEmpty ? nil : entered))
        case .parkName: act(.park(cart.kept(taking: cart.tenders), name: entered.isEmpty ? nil : entered))
        case .offlineReason:
            dialog = nil
            act(
                .setManual(SetManualCall(isOn: true, reason: entered.isEmpty ? nil : entered, person: person))
            )
        case .refundReason(let goods, let marked):
            let reason = entered.isEmpty ? nil : entered
            act(.refund(goods.call(marked, reason: reason, by: person)))
        case .dropReason(let cart):
            guard !entered.isEmpty else { return refuse(text.reasonMissing, field) }
            drop(cart, reason: entered)
        case .voidReason(let sale):
            let reason = entered.isEmpty ? nil : entered
            act(.void(VoidOrderCall(id: sale.orderId, reason: reason, person: person)))
        case .discardReason(let refusal):
            guard !entered.isEmpty else { return refuse(text.reasonMissing, field) }
            resolve(refusal, .discard(reason: entered, by: nil))
        case .shiftFloat, .shiftCounted, .cashAmount, .cashReason: acceptShift(entered, for: field)
        case .cashier, .cashierPIN, .approver, .approverPIN: identify(entered, for: field)
        }
    }

    private mutating func edit(_ change: CartChange) {
        dialog = nil
        self.change(change)
    }

    mutating func refuse(_ text: String, _ field: CounterDialog.Field) {
        dialog = .entry(field, LineEditor())
        complain(text)
    }

    private mutating func identify(_ entered: String, for field: CounterDialog.Field) {
        guard !entered.isEmpty else { return }
        switch field {
        case .cashier: dialog = .entry(.cashierPIN(id: entered), LineEditor())
        case .cashierPIN(let id): act(.signIn(cashierId: id, pin: entered))
        case .approver(let action): dialog = .entry(.approverPIN(id: entered, action: action), LineEditor())
        case .approverPIN(let id, _):
            dialog = nil
            approver = AgentPerson.Approver(id: id, pin: entered)
            resumeInterrupted()
        default: break
        }
    }

    /// `1.50` off the whole line, or `10%` of it.
    private func discount(_ entered: String) -> Int64? {
        guard entered.hasSuffix("%") else { return Entry.amount(entered, currency: cart.currency) }
        guard let quote = cart.quote, quote.lines.indices.contains(selected),
            let milli = Entry.milli(entered.dropLast().trimmed), milli <= 100_000
        else { return nil }
        let line = quote.lines[selected]
        return try? MoneyRange.share(of: cart.gross(of: line), times: milli, over: 100_000)
    }

    // MARK: - Money

    /// A way to pay that the tender dialog offers.
    public struct TenderChoice: Hashable, Sendable {
        /// `cash` or `card`.
        public let method: String
        /// Minor units; of cash what is handed over.
        public let amount: Int64
        /// Cash that goes back; below 0 what is still due behind it.
        public let change: Int64
    }

    /// What is still due, in cash and by card.
    var due: (cash: Int64, card: Int64) { (max(0, cart.rest.cash), max(0, cart.rest.card)) }

    /// The rows of the tender dialog for what is typed; empty for what is no amount.
    public func tenderChoices(_ typed: String) -> [TenderChoice] {
        let due = due
        let entered = String(typed.trimmed)
        if !entered.isEmpty {
            guard let amount = Entry.amount(entered, currency: cart.currency), amount > 0 else { return [] }
            let cash = TenderChoice(method: "cash", amount: amount, change: amount - cart.rest.cash)
            let byCard = min(amount, due.card)
            return [cash] + card(byCard, change: byCard - due.card)
        }
        guard cart.rest.cash > 0 else {
            return [TenderChoice(method: "cash", amount: 0, change: -cart.rest.cash)]
        }
        var amounts = [due.cash]
        for note in Self.notes {
            let unit = note * Self.whole(AmountText.decimals(of: cart.currency))
            let next = (due.cash + unit - 1) / unit * unit
            if next > due.cash, !amounts.contains(next), amounts.count < 5 { amounts.append(next) }
        }
        return amounts.map { TenderChoice(method: "cash", amount: $0, change: $0 - due.cash) }
            + card(due.card, change: 0)
    }

    /// None while no card can be taken: the dialog says why.
    private func card(_ amount: Int64, change: Int64) -> [TenderChoice] {
        guard status?.cardObstacle == nil else { return [] }
        return [TenderChoice(method: "card", amount: amount, change: change)]
    }

    /// What people hand over: the next multiple of these in whole units of the currency.
    private static let notes: [Int64] = [1, 5, 10, 50, 100, 500, 1_000]

    private static func whole(_ decimals: Int) -> Int64 { (0..<decimals).reduce(1) { unit, _ in unit * 10 } }

    mutating func takeAtTender(_ key: Key, _ editor: LineEditor, _ selected: Int) {
        let choices = tenderChoices(String(editor.text))
        switch key {
        case .up: dialog = .tender(editor, selected: max(0, selected - 1))
        case .down: dialog = .tender(editor, selected: min(max(0, choices.count - 1), selected + 1))
        case .tab: dialog = .tender(editor, selected: (selected + 1) % max(1, choices.count))
        case .function(10), .enter:
            guard choices.indices.contains(selected) else {
                dialog = .tender(LineEditor(), selected: 0)
                return complain(text.malformedAmount)
            }
            tender(choices[selected])
        case .delete where editor.text.isEmpty && cart.taken > 0:
            handBack()
        case .delete where editor.text.isEmpty && cart.returned != nil:
            cart.returned = nil
            dialog = nil
            say(text.notExchanged)
        default:
            var edited = editor
            _ = edited.take(key)
            dialog = .tender(edited, selected: edited.text == editor.text ? selected : 0)
        }
    }

    private mutating func tender(_ choice: TenderChoice) {
        message = nil
        // What comes back may cover everything.
        let tender = SellCall.Tender(method: choice.method, amountMinor: choice.amount)
        let paying = cart.tenders + (choice.amount > 0 || cart.returned == nil ? [tender] : [])
        guard choice.change >= 0 else {
            return act(.take(keepCall(taking: paying)))
        }
        var call = cart.call(by: person, paying: paying)
        call.isClockConfirmed = isClockConfirmed
        act(.sell(call))
    }
}
