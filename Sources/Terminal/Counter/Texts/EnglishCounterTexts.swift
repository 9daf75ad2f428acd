internal import AgentAPI
internal import Base
internal import HubProtocol
internal import Pricing

struct EnglishCounterTexts: CounterTexts {
    let language = Language.english

    func label(_ action: CounterAction, isCartEmpty: Bool, isSignedIn: Bool) -> String {
        switch action {
        case .help: "Help"
        case .search: "Search"
        case .quantity: "Quantity"
        case .discount: "Discount"
        case .price: "Price"
        case .member: "Member"
        case .coupon: "Coupon"
        case .park: isCartEmpty ? "Resume" : "Park"
        case .refund: "Refund"
        case .pay: "Pay"
        case .sign: isSignedIn ? "Sign out" : "Sign in"
        case .banner: "State"
        case .offline: "Go offline"
        case .remove: "Remove line"
        case .openItem: "Sell by department"
        case .discountAll: "Discount on the whole cart"
        case .points: "Spend points"
        case .voidLast: "Void the last sale"
        case .shift: "Shift and drawer"
        case .decide: "What waits for you"
        case .printer: "Printer"
        case .tills: "Other tills"
        case .leave: "Leave"
        }
    }

    func bannerKey(_ command: String) -> String {
        let words = command.split(separator: " ").drop { $0 == "pos" }.joined(separator: " ")
        return switch words {
        case "sync now": "try now"
        case "offline off": "go online"
        case "sync rejected": "decide"
        case let words where words.hasPrefix("sign-in"): "sign in"
        default: "what to do"
        }
    }

    var unreadableReceipt: String { "That is not the whole code of a receipt. Scan it again." }

    func unknownReceipt(_ typed: String) -> String {
        "None of the newest sales here has the number \(typed). Scan the receipt's code."
    }

    func leftKnown(by source: LeftBy?) -> String? {
        switch source {
        case .hub: nil
        case .till: "Without head office: what came back at other tills is not known."
        case nil: "looking for what came back before …"
        }
    }

    func unpaid(_ amount: MoneyAmount, by method: String) -> [String] {
        ["\(self.method(method)) \(amount.text): refused after the sale,", "nothing goes back to it."]
    }

    func title(of field: CounterDialog.Field) -> String {
        switch field {
        case .quantity: "Quantity of the line"
        case .discount: "Discount on the line"
        case .discountAll: "Discount on the whole cart"
        case .points: "Points to spend"
        case .voucherNumber(let choice): "Number of \(choice.method)"
        case .price: "Price for one unit"
        case .openQuantity(_, let name): "How much of \(name)?"
        case .openPrice(_, let name, _): "Price of \(name)"
        case .member: "Member"
        case .memberName(let phone): "New member \(phone): the name"
        case .coupon: "Coupon"
        case .parkName: "Park this cart"
        case .offlineReason: "Go offline by hand"
        case .cashier: "Sign in"
        case .cashierPIN(let id): "PIN of \(id)"
        case .approver: "A manager has to approve"
        case .approverPIN(let id, _): "PIN of \(id)"
        case .refundReason: "Why do the goods come back?"
        case .dropReason: "Drop this cart for good"
        case .voidReason(let sale): "Void \(sale.orderNumber)"
        case .shiftFloat: "Open a shift: the float"
        case .shiftCounted: "Close the shift: the cash in the drawer"
        case .cashAmount(let kind, _), .cashReason(let kind, _, _): title(ofCash: kind)
        case .discardReason(let refusal): "Give up \(title(of: refusal))"
        }
    }

    func hint(of field: CounterDialog.Field, currency: String) -> String {
        switch field {
        case .quantity, .openQuantity: "2, or 0.357 of what is weighed"
        case .discount: "\(example(currency)) off the whole line, or 10%; 0 takes it back"
        case .discountAll: "\(example(currency)) off everything, or 10%; 0 takes it back"
        case .points: "a number; 0 or just Enter spends none"
        case .voucherNumber: "scan or type it"
        case .price, .openPrice, .shiftFloat, .shiftCounted, .cashAmount:
            "in \(currency): \(example(currency))"
        case .member: "card, id or telephone number; empty: no member"
        case .memberName: "Enter makes the member; Esc leaves the number as typed"
        case .coupon: "scan or type its code; empty: no coupons"
        case .parkName: "a name to find it by, or just Enter"
        case .offlineReason: "why, or just Enter"
        case .cashier: "your id"
        case .cashierPIN, .approverPIN: "it is not shown"
        case .approver(let action): "for \(approval(action)) · the manager's id"
        case .cashReason: "why; it goes to head office"
        case .refundReason, .voidReason: "a few words, or just Enter"
        case .dropReason: "why; nothing was sold from it"
        case .discardReason: "why; the sale stays on this till"
        }
    }

    private func approval(_ action: String) -> String {
        switch action {
        case "refund": "a refund"
        case "refundLimit": "a refund above the limit"
        case "void": "a void"
        case "priceOverride": "another price"
        case "discount": "this discount"
        case "manualOffline": "the manual switch"
        case "cashMovement": "a movement of cash"
        case "noSale": "opening the drawer"
        case "cardOffline": "a card while offline"
        case "openItem": "an open item"
        case "refusals": "a refused entry"
        case "cartCopy": "a cart of another window or till"
        case "cardDecision": "what became of a card"
        default: action
        }
    }

    func pinLocked(_ seconds: Int) -> String {
        "Too many wrong PINs: wait \(seconds) s, or somebody else signs in."
    }

    var notExchanged: String { "Nothing comes back with this sale now." }
    var noDepartments: String { "The catalogue has no departments, so nothing can be sold by one." }
    var noTender: String { "No tender can be taken now; the reason is below." }
    var numberMissing: String { "The voucher's number is missing." }
    var malformedPoints: String { "Points are a whole number: 500." }
    var pointsNeedMember: String { "Points need a member: F6 first." }
    var nothingToVoid: String { "There is no last sale to void." }

    func route(_ route: String) -> String {
        switch route {
        case "machine": "machine"
        case "stored": "stored"
        default: ""
        }
    }

    var nothingScanned: String { "Nothing is scanned yet: scan an article first." }
    var nothingMarked: String { "Mark what comes back: Space for a line, A for all." }
    var reasonMissing: String { "Say why, in a few words." }

    func unseenWait(_ count: Int) -> String {
        (count == 1
            ? "Nobody saw the result of a card sale" : "Nobody saw the results of \(count) card sales")
            + ": Alt-W, once this cart is done."
    }

    func back(_ card: CardReturnRecord) -> [String] {
        let money = card.amount.text
        switch card.state {
        case .returned: return ["\(money) is back on the card."]
        case .requested: return ["\(money) was requested", "and goes back to the card."]
        case .refused:
            return [
                "The card machine refused \(money):", card.reason ?? "",
                "pay it in cash: pos orders owed",
            ]
        case .paidInCash: return ["\(money) was paid in cash."]
        case .waiting where card.needsCard:
            return ["\(money) goes back when the card is", "presented again: pos orders owed"]
        case .waiting:
            return ["\(money) goes back to the card", "when the machine can be reached."]
        }
    }

    func voided(_ number: String, _ cards: [CardReturnRecord]) -> String {
        "Void: \(number). " + cards.flatMap(back).joined(separator: " ")
    }

    func voided(_ number: String, inCash cash: MoneyAmount, _ cards: [CardReturnRecord]) -> String {
        "Void: \(number). Give back \(cash.text) in cash. "
            + cards.flatMap(back).joined(separator: " ")
    }

    func voided(_ number: String, _ total: MoneyAmount) -> String {
        "Void: \(number), \(total.text) goes back to the card."
    }

    var nothingToDo: String { "All is well: there is nothing to do." }
    var busy: String { "One moment: the last request is not answered yet." }

    var gone: String {
        "The till's service has stopped. The cart is kept; scan or pay again once it is back."
    }

    var agentStopped: String { "THE TILL'S SERVICE HAS STOPPED · the cart is kept; wait until it is back" }
    var agentBack: String { "The till's service is back: scan or pay again." }
    var signedOut: String { "Signed out. What waits to be sent is kept." }
    var malformedQuantity: String { "A quantity is 2 or 0.357." }
    func malformedDiscount(_ currency: String) -> String { "A discount is \(example(currency)) or 10%." }
    func malformedAmount(_ currency: String) -> String { "An amount is written as \(example(currency))." }
    func stillPricing(_ count: Int) -> String { "\(count) still being priced; pay in a moment." }
    func signedIn(_ name: String) -> String { "Signed in: \(name)" }

    func unknownMember(_ id: String) -> String {
        "Nobody knows the member \(id); noted as typed. F6 changes it."
    }

    func wanted(by name: String) -> String { "\(name) wants this cart: F8 parks it for there." }
    var soldUnseen: String { "That sale was made: F10 shows it again." }
    var nothingComesBack: String { "The goods for its exchange cannot come back any more." }
    var offerDeclined: String { "It is kept: F8 brings it back." }

    func soldBefore(_ number: String, _ time: String) -> String {
        "This cart was sold already: \(number), \(time). Give the money back."
    }

    func outside(_ command: String) -> String {
        "`pos \(command)` works outside the counter; Ctrl-Q leaves it."
    }

    func paper(_ paper: Paper) -> String {
        switch paper {
        case .unknown, .none: ""
        case .printing: "the receipt is printing …"
        case .printed: "the receipt is printed"
        case .waiting: "! the receipt is not printed"
        }
    }

    func noPaper(_ detail: String?) -> String {
        "The receipt waits: \(detail ?? "the printer did not take it"). Alt-T shows the printer."
    }

    func subject(_ subject: CounterRefusal.Subject) -> String {
        switch subject {
        case .sale: "Sale"
        case .refund: "Refund"
        case .void: "Void"
        case .cardVoid: "Void of a card"
        case .cashMovement: "Cash in or out"
        case .shift: "Shift"
        case .note: "Note"
        case .member: "Member"
        case .other(let type): type
        }
    }

    func kind(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: "refused"
        case .conflicted: "differs"
        case .heldBack: "held back"
        }
    }

    func withoutReason(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: "Head office gave no reason."
        case .conflicted: "Head office has another state of it."
        case .heldBack: "Its content is not what was written."
        }
    }

    func keys(_ refusal: CounterRefusal) -> [String] {
        switch refusal.kind {
        case .rejected:
            [
                "R sends it again, once its reason is gone.",
                "D gives it up: head office never counts it, and is informed. It stays on this till.",
                "`pos sync edit` corrects it.",
            ]
        case .conflicted:
            [
                "M sends it again: head office is to count it, too.",
                "S leaves it: head office never counts it. It stays on this till.",
            ]
        case .heldBack: ["R sends it as it is now, and head office marks it."]
        }
    }

    func state(_ shift: ShiftRecord) -> String {
        switch shift.state {
        case .open: "open"
        case .provisional: "closed; head office compares later"
        case .confirmed: "confirmed by head office"
        case .disputed: "head office has other figures"
        }
    }

    private func title(ofCash kind: CashMove.Kind) -> String {
        switch kind {
        case .in: "Cash into the drawer"
        case .out: "Cash out of the drawer"
        case .drop: "Cash to the safe"
        case .noSale: "Open the drawer without a sale"
        }
    }

    func module(_ module: TillModule) -> String {
        switch module {
        case .checkout: "Sales"
        case .cash: "Cash"
        case .card: "Cards"
        case .coupons: "Coupons"
        case .exchange: "Exchanges"
        case .priceOverride: "Other prices"
        case .park: "Parking"
        case .manualOffline: "The manual switch"
        case .refund: "Refunds"
        case .void: "Voids"
        case .notes: "Notes"
        case .sync: "Sending to head office"
        case .catalogue: "Prices and articles"
        case .account: "Cashiers' PINs"
        case .member: "Members"
        case .marketing: "Offers and coupons"
        }
    }

    func printer(_ state: PrinterCall.Response.State) -> String {
        switch state {
        case .ready: "ready"
        case .paperLow: "little paper left"
        case .paperOut: "out of paper"
        case .noResponse: "no response"
        case .untried: "not used yet"
        case .none: "none"
        }
    }

    func paperKind(_ kind: PrintJobRecord.Kind) -> String {
        switch kind {
        case .receipt: "receipt"
        case .refund: "refund"
        case .void: "void"
        case .shift: "shift"
        case .test: "test page"
        }
    }

    func jobState(_ state: PrintJobRecord.State) -> String {
        switch state {
        case .waiting: "waits"
        case .printing: "printing"
        case .interrupted: "interrupted: R prints a copy"
        case .failed: "not printed"
        }
    }

    func beforeKey(_ words: String) -> String { words }
    func reasonOfHub(_ refusal: CounterRefusal) -> String? { nil }

    func cameBack(_ money: String, till: String, store: String) -> String {
        "\(money) came back at till \(till) of store \(store)"
    }
    func unknownCode(_ code: String) -> String {
        "No article has the code \(code). Scan again; F2 finds it by name, Alt-U sells it by department."
    }
    var cardNumberRefused: String {
        "That looks like a card number, which is never entered here. Use the card machine."
    }
    var cardOutcomeUnknown: String {
        "The card is not confirmed. F10 tries it again; cash is right too: then the card is given back."
    }
    var wrongPIN: String { "That is not the PIN. Enter it again." }
    var signInFirst: String { "Nobody is signed in. Enter your id and PIN." }
    var needsManager: String { "This needs a manager. What was entered is kept." }
    var totalChanged: String { "The total has changed. Look at it, then F10 again." }
    var clocksDiffer: String {
        "The clocks of till and head office differ. Look at them; F10 again sells all the same."
    }
    func exchanged(for money: String) -> String {
        "Goods for \(money) come back. Scan what the customer takes, then F10."
    }
    func largeChange(_ money: String) -> String {
        "The change would be \(money). Check the cash; the same amount again takes it."
    }
    func tax(_ rate: String) -> String { "tax \(rate) %" }
    func parked(_ name: String, content: String, total: String) -> String {
        "Parked\(name): \(content), \(total). F8 brings it back."
    }
    func stillToPay(_ money: String) -> String { "\(money) still due. Del hands back what was taken." }
    func stillToCharge(_ money: String) -> String { "\(money) still due. Nothing is charged yet." }
    var countAgain: String { " To confirm it, enter the same count." }
    var enterAgain: String { " To confirm it, enter it again." }
    var payAgain: String { " To confirm it, pay with it again." }
    var cashWentBack: String {
        "The sale's cash went back then, and the shift counts that. No key moves cash."
    }
    var notInDrawer: String { "The drawer has nothing to do with it." }
    func cashLeft(_ amount: String) -> String {
        "\(amount) in cash left the drawer then, and the shift counts it. No key moves cash."
    }
    func cashCame(_ amount: String) -> String {
        "\(amount) in cash came into the drawer then, and the shift counts it. No key moves cash."
    }
}
