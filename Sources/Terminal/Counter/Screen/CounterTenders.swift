internal import Base
package import AgentAPI

internal import HubProtocol
internal import Pricing

/// What the pay dialog knows of the tenders and points that the till takes now.
package struct CounterTenders: Hashable, Sendable {
    /// In the store's order; never empty.
    package let tenders: [TenderState]
    /// Of the cart's member; nil: the agent has not said.
    package let points: PointsState?

    /// What the agent has decided; while it has decided nothing, cash and cards.
    package init(tenders: [TenderState], points: PointsState? = nil) {
        self.tenders = tenders.isEmpty ? Self.standard : tenders
        self.points = points
    }

    private static let standard = ["cash", "card"].map { method in
        TenderState(
            method: method, kind: method, route: method == "cash" ? "local" : "hub", limitMinor: nil,
            needs: [], reason: nil, ends: AbilityEnd(), texts: nil)
    }

    subscript(method: String) -> TenderState? { tenders.first { $0.method == method } }

    /// What is refused now, with the line that says why; several with one reason stand together.
    func refused(in language: Language) -> [(methods: [String], text: String)] {
        grouped(tenders.filter(\.isRefused), language)
    }

    /// What the hub takes while the till's own card machine, which comes first, is passed over; with why.
    func besideMachine(in language: Language) -> [(methods: [String], text: String)] {
        grouped(
            tenders.filter { tender in
                tender.route == "hub" && tender.needs.isEmpty && !tender.text(in: language).isEmpty
            }, language)
    }

    private func grouped(
        _ tenders: [TenderState], _ language: Language
    ) -> [(methods: [String], text: String)] {
        var groups: [(methods: [String], text: String)] = []
        for tender in tenders {
            let text = language.counterTexts.words(tender.text(in: language))
            if let place = groups.firstIndex(where: { $0.text == text }) {
                groups[place].methods.append(tender.method)
            } else {
                groups.append(([tender.method], text))
            }
        }
        return groups
    }
}

extension CounterScreen {
    /// A way to pay that the tender dialog offers.
    package struct TenderChoice: Hashable, Sendable {
        /// A tender of the store, or ``points``.
        package let method: String
        /// `cash`, `card`, `wallet`, `voucher` or ``points``.
        package let kind: String
        /// Minor units; of cash what is handed over, of points what they are worth.
        package let amount: Int64
        /// Cash that goes back; below 0 what is still due behind it.
        package let change: Int64
        /// `hub`, `machine`, `stored` or `local`.
        package let route: String
        /// Whether a manager has to approve it.
        package var needsApproval = false

        /// Whether it is the same row of the dialog, by another route or up to another limit.
        fileprivate func isSame(as other: TenderChoice) -> Bool {
            method == other.method && needsApproval == other.needsApproval
                && (kind != "cash" || amount == other.amount)
        }

        /// What ``method`` and ``kind`` are of points.
        package static let points = "points"
    }

    /// What is still due, in cash and by card.
    var due: (cash: Int64, card: Int64) { (max(0, cart.rest.cash), max(0, cart.rest.card)) }

    /// The rows of the tender dialog for what is typed; empty for what is no amount.
    package func tenderChoices(_ typed: String) -> [TenderChoice] {
        let due = due
        let entered = String(typed.trimmed)
        let offers = { (amount: Int64) in
            tenders.tenders.flatMap { self.choices(of: $0, amount) }
        }
        func cash(_ amounts: [Int64]) -> [TenderChoice] {
            guard tenders["cash"]?.isRefused != true else { return [] }
            return amounts.map {
                TenderChoice(
                    method: "cash", kind: "cash", amount: $0, change: $0 - cart.rest.cash, route: "local")
            }
        }
        if !entered.isEmpty {
            guard let amount = Entry.amount(entered, currency: cart.currency), amount > 0 else { return [] }
            return cash([amount]) + offers(min(amount, due.card))
        }
        guard cart.rest.cash > 0 else { return cash([0]) }
        return cash([due.cash] + CashProposals.amounts(for: due.cash, currency: cart.currency))
            + offers(due.card) + pointsChoice
    }

    /// None of cash, of what is refused, and of what the sale has no room for. What is above a limit that a
    /// manager can exceed is a row of its own.
    private func choices(of tender: TenderState, _ wanted: Int64) -> [TenderChoice] {
        guard tender.kind != "cash", !tender.isRefused else { return [] }
        var amount = wanted
        if tender.isChargedWithSale {
            let cards = cart.money.parts.filter { !$0.isInHand }
            guard cards.count < Self.mostCards else { return [] }
            let taken = cards.reduce(0) { $0 + $1.amount.amount }
            if let limit = tender.limitMinor { amount = min(amount, limit - taken) }
        }
        let isApproved = tender.needs.contains("approval")
        func choice(_ amount: Int64, needsApproval: Bool) -> TenderChoice {
            var choice = TenderChoice(
                method: tender.method, kind: tender.kind, amount: amount, change: amount - due.card,
                route: tender.route)
            choice.needsApproval = needsApproval
            return choice
        }
        return (amount > 0 ? [choice(amount, needsApproval: isApproved)] : [])
            + (tender.canExceed && amount < wanted ? [choice(wanted, needsApproval: true)] : [])
    }

    /// As many as the checkout takes in one sale.
    private static let mostCards = 2

    private var pointsChoice: [TenderChoice] {
        guard let points = tenders.points, let most = spendablePoints, most > 0 else { return [] }
        let worth = (cart.points ?? most).multipliedReportingOverflow(by: points.valueMinor)
        guard !worth.overflow else { return [] }
        return [
            TenderChoice(
                method: TenderChoice.points, kind: TenderChoice.points, amount: worth.partialValue,
                change: 0, route: points.route)
        ]
    }

    /// The most points that the sale can spend now; nil: none, or it is not known.
    var spendablePoints: Int64? {
        guard let points = tenders.points, !points.isRefused, points.valueMinor > 0, cart.member != nil else {
            return nil
        }
        // Points pay at most what is still due, without those that it spends already: they lower the total,
        // and what was taken stays taken. Where the hub decides how many, no more than the member has, as far
        // as that is known, is offered.
        let byDue = (due.card + (cart.quote?.points?.value ?? 0)) / points.valueMinor
        let most = min(points.limit ?? points.balance ?? byDue, byDue)
        return most >= max(1, points.minimum) ? most : nil
    }

    // MARK: - Keys

    /// Opens the tender dialog, and reads what is possible anew: who is signed in, the limits and the member
    /// may be others since the last status.
    mutating func openTenders() {
        dialog = .tender(LineEditor(), selected: 0)
        readTenders()
    }

    /// A sign-in, a limit that was used or the way to the hub changes what the open dialog offers.
    mutating func receive(_ status: CounterStatus, before: CounterStatus?) {
        guard status.tenders != before?.tenders else { return }
        receive(tenders: CounterTenders(tenders: status.tenders, points: tenders.points))
        if case .tender = dialog { readTenders() }
    }

    /// Whether the member's balance is that of the last pull.
    var isBalanceOld: Bool { status?.isOffline == true || tenders.points?.isBalanceOld == true }

    mutating func readTenders() { readingTenders = send(.tenders(member: cart.member)) }

    /// The chosen way to pay stays chosen when others come or go. Of one that is gone none is, until the
    /// cashier chooses: the key that was meant for a card would take cash.
    mutating func receive(tenders next: CounterTenders) {
        guard case .tender(let editor, let selected) = dialog else {
            tenders = next
            return
        }
        let chosen = tenderChoices(String(editor.text))[safe: selected]
        tenders = next
        guard let chosen else { return }
        let place = tenderChoices(String(editor.text)).firstIndex { $0.isSame(as: chosen) }
        dialog = .tender(editor, selected: place ?? Self.noTenderChosen)
    }

    /// The row before the first one.
    static let noTenderChosen = -1

    mutating func takeAtTender(_ key: Key, _ editor: LineEditor, _ selected: Int) {
        let choices = tenderChoices(String(editor.text))
        switch key {
        case .up: dialog = .tender(editor, selected: max(0, selected - 1))
        case .down: dialog = .tender(editor, selected: min(max(0, choices.count - 1), selected + 1))
        case .tab: dialog = .tender(editor, selected: (selected + 1) % max(1, choices.count))
        case .function(4):
            perform(.discountAll)
            paysNext = true
        case .function(10), .enter:
            guard selected != Self.noTenderChosen || choices.isEmpty else {
                dialog = .tender(editor, selected: 0)
                effects.append(.bell)
                return
            }
            guard choices.indices.contains(selected) else {
                dialog = .tender(LineEditor(), selected: 0)
                return complain(
                    choices.isEmpty && editor.text.isEmpty
                        ? text.noTender : text.malformedAmount(cart.currency))
            }
            choose(choices[selected])
        case .delete where editor.text.isEmpty && cart.taken > 0:
            handBack()
        case .delete where editor.text.isEmpty && cart.returned != nil:
            cart.returned = nil
            dialog = nil
            keepCart()
            say(text.notExchanged)
        default:
            var edited = editor
            _ = edited.take(key)
            dialog = .tender(edited, selected: edited.text == editor.text ? selected : 0)
        }
    }

    private mutating func choose(_ choice: TenderChoice) {
        switch TenderKind(rawValue: choice.kind) {
        case .voucher: dialog = .entry(.voucherNumber(choice), LineEditor())
        case nil where choice.kind == TenderChoice.points: dialog = .entry(.points, LineEditor())
        case .cash, .card, .wallet, nil: tender(choice)
        }
    }

    /// - Parameter reference: of a voucher its number.
    mutating func tender(_ choice: TenderChoice, reference: String? = nil) {
        message = nil
        // What comes back may cover everything.
        let tender = SellCall.Tender(
            method: choice.method, amountMinor: choice.amount, reference: reference)
        let paying = cart.tenders + (choice.amount > 0 || cart.returned == nil ? [tender] : [])
        guard choice.change >= 0 else {
            return act(.take(keepCall(taking: paying)))
        }
        // What goods that come back are worth is no cash that was entered.
        if cart.returned == nil, choice.change > CashProposals.largestNote(of: cart.currency) {
            guard !warnings.insert(.change(choice.change, cart: cart.key)).inserted else {
                dialog = .tender(LineEditor(), selected: 0)
                return complain(text.largeChange(choice.change, cart.currency))
            }
        }
        var call = cart.call(by: person, paying: paying)
        call.isClockConfirmed = isClockConfirmed
        call.isVoucherConfirmed = warnings.contains(.voucher(cart: cart.key))
        act(.sell(call))
    }

    // MARK: - Before it is paid

    /// Points of the member that the sale spends; an empty entry or 0 takes them back.
    mutating func acceptPoints(_ entered: String) {
        guard let points = entered.isEmpty ? 0 : Int64(entered), points >= 0 else {
            return refuse(text.malformedPoints, .points)
        }
        dialog = nil
        paysNext = true
        change(.points(points == 0 ? nil : points))
    }

    /// `1.50` off the whole cart, or `10%` of it, spread over the lines.
    mutating func acceptDiscount(_ entered: String) {
        let gross = (cart.quote?.lines ?? []).map { cart.gross(of: $0) }
        let all = gross.reduce(0, +)
        let amount: Int64?
        if entered.hasSuffix("%") {
            amount = Entry.milli(entered.dropLast().trimmed).flatMap { milli in
                milli <= 100_000 ? try? MoneyRange.share(of: all, times: milli, over: 100_000) : nil
            }
        } else {
            amount = Entry.amount(entered, currency: cart.currency)
        }
        guard let amount, amount <= all, let parts = try? MoneyRange.parts(of: amount, over: gross) else {
            return refuse(text.malformedDiscount(cart.currency), .discountAll)
        }
        dialog = nil
        change(.discounts(parts))
    }

    // MARK: - The last sale

    /// Voids the last sale of this till, by whichever window it was made.
    mutating func voidLast() { act(.orders(limit: 1)) }

    mutating func receive(last order: OrderEntry?) {
        guard let order, order.voidedAt == nil else { return complain(text.nothingToVoid) }
        let sale = order.sale
        dialog = .entry(
            .voidReason(
                UnseenSalesCall.Sale(
                    orderId: sale.orderId, orderNumber: sale.orderNumber, total: sale.total,
                    madeAt: order.madeAt)), LineEditor())
    }
}
