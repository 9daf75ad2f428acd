internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    /// Characters from which on an entry is a scanned barcode and no quantity or price: EAN-8 is the
    /// shortest.
    private static let leastBarcode = 8

    mutating func takeAtEntry(_ key: Key, _ field: CounterDialog.Field, _ editor: LineEditor) {
        var edited = editor
        for single in key.pressed {
            guard case .line(let line) = edited.take(single) else { continue }
            return accept(field.isProse ? String(line.trimmed) : line.trimmed.halfWidth, for: field)
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
            guard let minor = discount(entered) else {
                return refuse(text.malformedDiscount(cart.currency), field)
            }
            edit(.discount(selected, minor: minor))
        case .price:
            guard let minor = Entry.amount(entered, currency: cart.currency) else {
                return refuse(text.malformedAmount(field.currency ?? cart.currency), field)
            }
            edit(.price(selected, minor: minor))
        case .openQuantity(var line, _):
            guard entered.utf8.count < Self.leastBarcode, let milli = Entry.milli(entered) else {
                return refuse(text.malformedQuantity, field)
            }
            line.quantityMilli = milli
            edit(.scan(line, joining: false))
        case .openPrice(var line, _, let currency):
            guard entered.utf8.count < Self.leastBarcode,
                let minor = Entry.amount(entered, currency: currency), minor > 0
            else {
                return refuse(text.malformedAmount(field.currency ?? cart.currency), field)
            }
            line.unitPriceMinor = minor
            edit(.scan(line, joining: false))
        case .member: edit(.member(entered.isEmpty ? nil : entered))
        case .memberName(let phone):
            // Just Enter: the number stays noted as typed.
            guard !entered.isEmpty else { return dialog = nil }
            act(.addMember(AddMemberCall(phone: phone, name: entered, person: person)))
        case .coupon: edit(.coupon(entered.isEmpty ? nil : entered))
        case .points: acceptPoints(entered)
        case .discountAll: acceptDiscount(entered)
        case .voucherNumber(let choice):
            guard !entered.isEmpty else { return refuse(text.numberMissing, field) }
            dialog = .tender(LineEditor(), selected: 0)
            tender(choice, reference: entered)
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
}
