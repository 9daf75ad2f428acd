internal import Base
internal import HubProtocol
internal import Pricing

/// The slip of a movement of cash, for the drawer.
struct CashSlip {
    let move: CashMove
    /// Unix milliseconds.
    let at: Int64
    let policy: CheckoutPolicy
    let texts: any ReportTexts

    var parts: [ReceiptPart] {
        var parts = policy.receiptHeader.map(ReceiptPart.title)
        parts.append(.title(texts.title(of: move.kind)))
        parts.append(.text(policy.calendar.localTime(at: at) + (move.cashierId.map { " \($0)" } ?? "")))
        if move.kind.hasAmount {
            parts.append(
                .total(move.currency, AmountText.text(move.amount, currency: move.currency)))
        }
        if let reason = move.reason { parts.append(.text(reason)) }
        return parts
    }
}

/// The report of a shift: X while it is open, Z when it is closed. As parts for paper and as text of 40
/// columns.
package struct ShiftReport: Sendable {
    private let shift: Shift
    private let header: [String]
    private let calendar: BusinessCalendar
    private let words: any ReportTexts

    /// Makes the report; of `policy` it uses header and calendar.
    ///
    /// - Parameter texts: the language. Default: that of `policy`.
    package init(shift: Shift, policy: CheckoutPolicy, texts: (any ReportTexts)? = nil) {
        self.shift = shift
        header = policy.receiptHeader
        calendar = policy.calendar
        words = texts ?? policy.language.reportTexts
    }

    /// The lines, each ended by a line feed.
    package var text: String { ReceiptPart.text(of: parts) }

    /// The same without a layout.
    package var parts: [ReceiptPart] {
        ReceiptPart.joined([
            headParts, saleParts, tenderParts, drawerParts, taxParts, cardMachineParts, debtParts, footParts,
        ])
    }

    private func amount(_ amount: Int64) -> String {
        AmountText.text(amount, currency: shift.opening.currency)
    }

    private var headParts: [ReceiptPart] {
        var parts = header.map(ReceiptPart.title)
        parts.append(.title(shift.closing == nil ? words.xReport : words.zReport))
        parts.append(.text(words.shift(shift.opening.shiftId)))
        parts.append(.text(words.opened(moment(shift.opening.openedAt, shift.opening.openedBy))))
        if let closing = shift.closing {
            parts.append(.text(words.closed(moment(closing.closedAt, closing.closedBy))))
        }
        return parts
    }

    private func moment(_ milliseconds: Int64, _ person: String?) -> String {
        calendar.localTime(at: milliseconds) + (person.map { " \($0)" } ?? "")
    }

    private var saleParts: [ReceiptPart] {
        let sums = shift.shownSums
        let left = sums.uncounted
        var uncounted: [ReceiptPart] = []
        if left.count > 0 {
            uncounted.append(.text(words.notCounted(left.count)))
            uncounted += left.ids.map { .text("  \($0)") }
        }
        let parts =
            uncounted + [
                counted(words.name(.total(of: .sales)), sums.sales.count, sums.sales.total),
                counted(words.name(.total(of: .refunds)), sums.refunds.count, -sums.refunds.total),
                counted(words.name(.total(of: .voids)), sums.voids.count, -sums.voids.total),
            ]
        guard !shift.isBlind else {
            return parts + [.text(words.amountsAfterCount)]
        }
        return parts + [.total(words.net(shift.opening.currency), amount(net))]
    }

    private var net: Int64 {
        shift.shownSums.sales.total - shift.shownSums.refunds.total - shift.shownSums.voids.total
    }

    private func counted(_ name: String, _ count: Int64, _ total: Int64) -> ReceiptPart {
        .row("\(name) (\(count))", shift.isBlind ? "" : amount(total))
    }

    private var tenderParts: [ReceiptPart] {
        let tenders = shift.shownSums.tenders
        var parts = tenders.map { counted(words.tender($0.method), $0.count, $0.amount) }
        let rounding = tenders.reduce(0) { $0 + $1.amount } - net
        if rounding != 0 { parts.append(.row(words.cashRounding, amount(rounding))) }
        for other in shift.closing?.counted ?? [] {
            let taken = tenders.first { $0.method == other.method }?.amount ?? 0
            let name = words.tender(other.method)
            parts.append(.row(words.counted(name), amount(other.amount)))
            if other.amount != taken {
                parts.append(.row(words.difference(of: name), amount(other.amount - taken)))
            }
        }
        return parts
    }

    private var drawerParts: [ReceiptPart] {
        let sums = shift.sums
        var parts: [ReceiptPart] = [.row(words.float, amount(shift.opening.float))]
        for kind in CashMove.Kind.allCases where sums.cashMoves[kind] != 0 {
            let figure = sums.cashMoves[kind]
            let shown = kind.hasAmount ? amount(kind.sign * figure) : "\(figure)"
            parts.append(.row(words.name(.cashMove(kind)), shown))
        }
        if !shift.isBlind { parts.append(.row(words.cashExpected, amount(shift.expectedCash))) }
        if let cash = shift.closing?.cash {
            parts.append(.row(words.cashCounted, amount(cash.counted)))
            parts.append(.total(words.difference, amount(cash.difference)))
        }
        return parts
    }

    private var taxParts: [ReceiptPart] {
        let sums = shift.shownSums
        var parts: [ReceiptPart] = sums.taxes.filter { $0.taxBasisPoints > 0 }.map { tax in
            .row(words.tax(percentText(tax.taxBasisPoints), of: amount(tax.paid)), amount(tax.tax))
        }
        if sums.pointsEarned != 0 || sums.pointsSpent != 0 {
            parts.append(.row(words.name(.pointsEarned), "\(sums.pointsEarned)"))
            parts.append(.row(words.name(.pointsSpent), "\(sums.pointsSpent)"))
        }
        return parts
    }

    /// The card machine's own ends of day beside the till's, and what people decided of it.
    private var cardMachineParts: [ReceiptPart] {
        var parts: [ReceiptPart] = []
        for day in shift.cardMachine.days {
            let money = { AmountText.text($0, currency: day.currency) }
            parts.append(.row(words.cardMachineDay, day.machine.map(money) ?? "-"))
            parts.append(.row(words.tillWithCardMachine, money(day.till)))
            if day.isDifferent { parts.append(.total(words.difference, day.difference.map(money) ?? "?")) }
        }
        for decision in shift.cardMachine.decisions {
            let person = decision.approverId ?? decision.cashierId
            parts.append(
                .row(
                    words.decided(decision),
                    AmountText.text(decision.amount, currency: decision.currency)))
            let why = decision.reference ?? decision.reason ?? words.noReason
            parts.append(.text("  " + (person.map { words.decided(by: $0) + ": " } ?? "") + why))
        }
        return parts
    }

    /// What customers owe, since their cards were refused after the sale.
    private var debtParts: [ReceiptPart] {
        guard !shift.debts.isEmpty else { return [] }
        var parts: [ReceiptPart] = [.text(words.cardsRefused)]
        for debt in shift.debts {
            let number = debt.orderNumber ?? debt.key
            parts.append(.row(number, AmountText.text(debt.amount, currency: debt.currency)))
            let reason = debt.reason ?? words.noReason
            parts.append(.text("  " + (debt.isSettled ? words.settled(reason) : reason)))
        }
        let owed = CardDebt.open(shift.debts)
        parts.append(.total(words.owed, amount(owed)))
        if owed > 0 { parts.append(.note(words.customersOwe)) }
        return parts
    }

    private var footParts: [ReceiptPart] {
        let entries = shift.to - shift.from + 1
        guard let settlement = shift.settlement else {
            return [.note(words.entriesSoFar(entries))]
        }
        let received = shift.statements.reduce(0) { $0 + $1.received }
        let gap = shift.statements.reduce(0) { $0 + $1.gap }
        switch settlement.state {
        case .open, .provisional:
            return [
                .note(words.entries(entries)),
                .note(words.provisional),
            ]
        case .confirmed:
            return [
                .note(
                    words.entries(entries, received: received, gap: gap)),
                .note(words.confirmed),
            ]
        case .disputed: return disputeParts(settlement, entries, received, gap)
        }
    }

    private func disputeParts(
        _ settlement: ShiftSettlement, _ entries: Int64, _ received: Int64, _ gap: Int64
    ) -> [ReceiptPart] {
        var parts: [ReceiptPart] = [
            .note(words.disputed),
            .note(
                words.entries(entries, received: received, gap: gap)),
        ]
        if !settlement.isHeadEqual {
            parts.append(.text(words.endsDiffer))
        }
        for difference in settlement.differences {
            let figure = ShiftFigure(difference.figure)
            func value(_ number: Int64) -> String { figure.isAmount ? amount(number) : "\(number)" }
            parts.append(.text(words.name(figure)))
            parts.append(
                .row(
                    words.ofTill(value(difference.terminal)),
                    words.ofHub(value(difference.hub))))
        }
        return parts
    }
}
