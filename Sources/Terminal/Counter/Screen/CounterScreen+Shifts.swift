package import AgentAPI

internal import HubProtocol

/// What the screen shows of the drawer's shift.
package struct CounterShift: Sendable {
    /// The open one, or the one that was just closed; nil: none is open.
    package let record: ShiftRecord?
    /// ISO 4217, of the till's articles.
    package let currency: String

    /// A shift as the agent has it.
    package init(_ record: ShiftRecord?, currency: String) {
        (self.record, self.currency) = (record, currency)
    }

    var isOpen: Bool { record?.state == .open }
}

/// The day's money: the float, movements of cash, counting the drawer.
extension CounterScreen {
    mutating func showShift() {
        dialog = .shift(nil)
        act(.shift)
    }

    mutating func takeAtShift(_ key: Key, _ shift: CounterShift?) {
        guard let shift, case .typed(let letter) = key else { return }
        let currency = shift.currency
        switch (Character(letter).lowercased(), shift.isOpen) {
        case ("o", false): dialog = .entry(.shiftFloat(currency: currency), LineEditor())
        case ("i", true): dialog = .entry(.cashAmount(.in, currency: currency), LineEditor())
        case ("o", true): dialog = .entry(.cashAmount(.out, currency: currency), LineEditor())
        case ("s", true): dialog = .entry(.cashAmount(.drop, currency: currency), LineEditor())
        case ("n", _):
            dialog = .entry(.cashReason(.noSale, amount: 0, currency: currency), LineEditor())
        case ("c", true): dialog = .entry(.shiftCounted(currency: currency), LineEditor())
        default: break
        }
    }

    /// What was typed into one of the fields of a shift.
    mutating func acceptShift(_ entered: String, for field: CounterDialog.Field) {
        switch field {
        case .shiftFloat(let currency):
            guard let amount = Entry.amount(entered, currency: currency) else {
                return refuse(text.malformedAmount(field.currency ?? cart.currency), field)
            }
            act(.openShift(OpenShiftCall(float: amount, person: person)))
        case .shiftCounted(let currency):
            guard let amount = Entry.amount(entered, currency: currency) else {
                return refuse(text.malformedAmount(field.currency ?? cart.currency), field)
            }
            var call = CloseShiftCall(counted: amount, others: [], person: person)
            // The same count a second time is one that was counted again.
            call.isConfirmed = warnings.contains(.count(amount))
            act(.closeShift(call))
        case .cashAmount(let kind, let currency):
            guard let amount = Entry.amount(entered, currency: currency), amount > 0 else {
                return refuse(text.malformedAmount(field.currency ?? cart.currency), field)
            }
            dialog = .entry(.cashReason(kind, amount: amount, currency: currency), LineEditor())
        case .cashReason(let kind, let amount, _):
            guard !entered.isEmpty else { return refuse(text.reasonMissing, field) }
            var call = MoveCashCall(kind, amount: amount, reason: entered, person: person)
            call.isConfirmed = warnings.contains(.drawer(amount))
            act(.moveCash(call))
        default: break
        }
    }

    /// Goes back to the field whose amount was refused; the same amount again confirms it.
    mutating func enterAgain(_ request: CounterRequest) {
        switch request {
        case .closeShift(let call):
            warnings.insert(.count(call.counted))
            dialog = .entry(.shiftCounted(currency: currencyOfDrawer), LineEditor())
        case .moveCash(let call):
            warnings.insert(.drawer(call.amount))
            dialog = .entry(.cashAmount(call.kind, currency: currencyOfDrawer), LineEditor())
        default: break
        }
    }

    mutating func receive(_ shift: CounterShift) {
        approver = nil
        warnings = []
        currencyOfDrawer = shift.currency
        dialog = .shift(shift)
    }
}
