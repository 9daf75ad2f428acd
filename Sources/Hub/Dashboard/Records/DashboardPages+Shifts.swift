import Base
package import HubProtocol
internal import Pricing

/// Shifts with what the hub countersigned, and debts: cards that were refused after their sales.
extension DashboardPages {
    /// Shifts, those that were opened last first.
    package func shifts(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        let states = ShiftSettlement.State.allCases.map { state -> PageValues in
            [
                "key": state.rawValue, "name": wording.texts.state(state), "chosen": state == query.shift,
            ]
        }
        return records(
            "shifts", frame, title: wording.texts.page(.shifts), list, rows: "shifts", path: "/shifts",
            query, with: ["states": states]
        ) { ShiftValues($0, wording).row }
    }

    /// One shift: its figures, what differs at the hub, the statements and its debts.
    package func shift(_ frame: PageFrame, _ shift: JSONValue) -> String {
        let values = ShiftValues(ListRow(shift), frame.wording).all
        return rendered(
            "shift", frame, title: frame.wording.texts.shift(.shift) + " \(values["day"] ?? "")", values)
    }

    /// Cards that terminals took offline and that were refused afterwards, each with the form that settles it
    /// where the person may do that, and the sums of what is open by store.
    package func debts(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        let sums = (list["sums"]?.array ?? []).map(ListRow<DebtMember>.init).map { sum -> PageValues in
            var row = RecordValues(sum, wording)
            row.set("count", number: .count)
            Self.set(sum, in: &row, wording)
            return row.values
        }
        return records(
            "debts", frame, title: wording.texts.page(.debts), list, rows: "debts", path: "/debts", query,
            with: ["sums": sums, "hasSums": !sums.isEmpty]
        ) { (debt: ListRow<DebtMember>) in
            var row = RecordValues(debt, wording)
            row.set("orderId", .orderId)
            row.set("number", debt[.orderNumber]?.string ?? debt[.orderId]?.string)
            row.set("shiftId", .shiftId)
            Self.set(debt, in: &row, wording)
            row.set("taken", time: .takenAt)
            row.set("refused", time: .refusedAt)
            row.set("why", wording.decline(debt[.reason]?.string))
            let isOpen = debt[.state]?.string == "open"
            row.values["open"] = isOpen
            if isOpen, frame.may(.resolve), let id = debt[.id]?.string { row.values["form"] = ["id": id] }
            if let settlement = debt[.settlement] {
                let decision = ListRow<DecisionMember>(settlement)
                row.set("by", decision.text(.by))
                row.set("note", decision.text(.reason))
            }
            return row.values
        }
    }

    /// The amount of a debt, for a page with its currency and for a table without.
    private static func set(
        _ debt: ListRow<DebtMember>, in row: inout RecordValues<DebtMember>, _ wording: Wording
    ) {
        let (amount, currency) = (debt.number(.amount), debt.text(.currency))
        row.set("amount", wording.money(amount, currency))
        row.set("sum", wording.amount(amount, currency))
        row.set("currency", currency)
    }
}

/// A shift for the templates.
private struct ShiftValues {
    private let shift: ListRow<ShiftMember>
    private let wording: Wording
    private let currency: String

    init(_ shift: ListRow<ShiftMember>, _ wording: Wording) {
        self.shift = shift
        self.wording = wording
        currency = shift.text(.currency)
    }

    private var isClosed: Bool { shift[.cash] != nil }

    private func amount(_ value: JSONValue?) -> String {
        value?.integer.map { wording.amount($0, currency) } ?? ""
    }

    /// In a list.
    var row: PageValues {
        var row = RecordValues(shift, wording)
        row.set("id", .shiftId)
        row.set("day", .businessDay)
        row.set("opened", time: .openedAt)
        row.set("closed", time: .closedAt)
        row.set("openedBy", .openedBy)
        row.set("closedBy", .closedBy)
        row.set("currency", currency)
        for name in ["expected", "counted", "difference"] { row.set(name, amount(shift[.cash]?[name])) }
        let debts = shift[.debtTotal]?.integer ?? 0
        row.set("debtTotal", debts == 0 ? "" : amount(.integer(debts)))
        let state = shift[.state]?.string.flatMap(ShiftSettlement.State.init(rawValue:)) ?? .open
        row.set("word", wording.texts.state(state))
        switch state {
        case .open: break
        case .provisional: row.set("tone", "warning")
        case .confirmed: row.set("tone", "good")
        case .disputed: row.set("tone", "bad")
        }
        return row.values
    }

    /// On its own page.
    var all: PageValues {
        var values = row
        values["isClosed"] = isClosed
        values["isDisputed"] = shift[.state]?.string == ShiftSettlement.State.disputed.rawValue
        values["facts"] = pairs(facts)
        values["drawer"] = pairs(drawer)
        values["tenders"] = tenders
        let taxes = taxes
        (values["taxes"], values["hasTaxes"]) = (taxes, !taxes.isEmpty)
        values["differences"] = shift.list(.differences).map(difference)
        let statements = statements
        (values["statements"], values["hasStatements"]) = (statements, !statements.isEmpty)
        let debts = debts
        (values["debts"], values["hasDebts"]) = (debts, !debts.isEmpty)
        values["debtTotal"] = wording.money(shift[.debtTotal]?.integer ?? 0, currency)
        values["cardMachine"] = cardMachine
        return values
    }

    /// Nil where there is nothing of one. Each amount has its own currency, which a terminal wrote.
    private var cardMachine: PageValues? {
        let said = ShiftCardMachine(shown: shift.json)
        let days = said.days.map { day -> PageValues in
            func money(_ amount: Int64?) -> String { amount.map { wording.money($0, day.currency) } ?? "-" }
            return [
                "day": day.businessDay, "machineId": day.machineId ?? "", "machine": money(day.machine),
                "till": money(day.till), "difference": money(day.difference),
                "tone": day.isDifferent ? "bad" : "good",
            ]
        }
        let decisions = said.decisions.map { decision -> PageValues in
            [
                "word": wording.texts.shift(Self.word(of: decision)),
                "key": decision.key, "amount": wording.money(decision.amount, decision.currency),
                "why": decision.reference ?? decision.reason ?? wording.texts.shift(.noReason),
                "person": decision.approverId ?? decision.cashierId ?? "",
            ]
        }
        return said.isEmpty
            ? nil
            : [
                "days": days, "hasDays": !days.isEmpty, "decisions": decisions,
                "hasDecisions": !decisions.isEmpty,
            ]
    }

    private static func word(of decision: CardDecision) -> PageText.Shift {
        switch (decision.purpose, decision.verdict) {
        case (.charge, .charged): .decidedCharged
        case (.charge, .notCharged): .decidedNotCharged
        case (.reversal, .charged): .decidedVoided
        case (.reversal, .notCharged): .decidedNotVoided
        case (.refund, .charged): .decidedRefunded
        case (.refund, .notCharged): .decidedNotRefunded
        }
    }

    private func pairs(_ pairs: [(String, String?)]) -> [PageValues] {
        pairs.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : ["name": name, "value": $0] as PageValues }
        }
    }

    private var facts: [(String, String?)] {
        func moment(_ time: ShiftMember, _ person: ShiftMember) -> String? {
            shift[time]?.string.flatMap(Timestamp.milliseconds(of:)).map { moment in
                wording.list([wording.clock(moment), shift[person]?.string].compactMap(\.self))
            }
        }
        let sequence = shift[.sequence]
        let range = sequence?["from"]?.integer.flatMap { from in
            sequence?["to"]?.integer.map { "\(from)–\($0)" }
        }
        return [
            (wording.texts.shift(.opened), moment(.openedAt, .openedBy)),
            (wording.texts.shift(.closed), moment(.closedAt, .closedBy)),
            (wording.texts.shift(.float), amount(shift[.float])),
            (wording.texts.frame(.currency), currency),
            (wording.texts.page(.sales), counted(.sales)),
            (wording.texts.sale(.refunds), counted(.refunds)),
            (wording.texts.name(.total(of: .voids)), counted(.voids)), (wording.texts.sale(.net), net),
            (wording.texts.shift(.journalEntries), range),
            (wording.texts.shift(.epoch), shift[.epoch]?.integer.map(wording.number)),
            (wording.texts.shift(.lastHash), shift[.head]?.string),
        ] + tendersSoFar + lack
    }

    /// What keeps it from being settled.
    private var lack: [(String, String?)] {
        let missing = shift.list(.missing).compactMap(\.integer)
        let heard = shift[.lastHeard]?.string.flatMap(Timestamp.milliseconds(of:))
        return [
            (wording.texts.fleet(.contact), heard.map { wording.clock($0) }),
            (
                wording.texts.fleet(.missingEntries),
                missing.isEmpty
                    ? nil
                    : wording.text(JournalRanges.text(missing), aside: wording.number(Int64(missing.count)))
            ),
        ]
    }

    /// A figure of the closing, or of an open one what it comes to so far.
    private func figure(_ member: ShiftMember) -> JSONValue? {
        isClosed ? shift[member] : shift[.soFar]?[member.rawValue]
    }

    private var tendersSoFar: [(String, String?)] {
        guard !isClosed else { return [] }
        return (figure(.tenders)?.array ?? []).map { tender in
            (
                tender["method"]?.string ?? "",
                wording.text(
                    amount(tender["amount"]), aside: wording.number(tender["count"]?.integer ?? 0))
            )
        }
    }

    private func counted(_ member: ShiftMember) -> String? {
        figure(member)?["count"]?.integer.map {
            wording.text(amount(figure(member)?["total"]), aside: wording.number($0))
        }
    }

    /// Sales less refunds and voids; each is at most 2^53.
    private var net: String? {
        guard let sales = figure(.sales)?["total"]?.integer else { return nil }
        let back = (figure(.refunds)?["total"]?.integer ?? 0) + (figure(.voids)?["total"]?.integer ?? 0)
        return amount(.integer(sales - back))
    }

    private var drawer: [(String, String?)] {
        let (cash, points) = (shift[.cash], shift[.points])
        func count(_ value: JSONValue?) -> String? {
            value?.integer.flatMap { $0 == 0 ? nil : wording.number($0) }
        }
        let moves = CashMove.Kind.allCases.map { kind -> (String, String?) in
            let figure = shift[.cashMoves]?[kind.rawValue]
            let shown = kind.hasAmount && figure?.integer != 0 ? amount(figure) : count(figure)
            return (wording.texts.name(.cashMove(kind)), shown)
        }
        return moves + [
            (wording.texts.shift(.expected), amount(cash?["expected"])),
            (wording.texts.shift(.cashCounted), amount(cash?["counted"])),
            (wording.texts.shift(.difference), amount(cash?["difference"])),
            (wording.texts.name(.pointsEarned), count(points?["earned"])),
            (wording.texts.name(.pointsSpent), count(points?["spent"])),
        ]
    }

    /// With what was counted of tenders other than cash.
    private var tenders: [PageValues] {
        let others = shift.list(.counted)
        return shift.list(.tenders).map { tender in
            var values: PageValues = [
                "method": tender["method"]?.string ?? "",
                "count": wording.number(tender["count"]?.integer ?? 0), "amount": amount(tender["amount"]),
                // Empty here, or the template would show the drawer's.
                "counted": "", "difference": "",
            ]
            let counted = others.first { $0["method"] == tender["method"] }?["amount"]?.integer
            if let counted {
                values["counted"] = amount(.integer(counted))
                values["difference"] = amount(.integer(counted - (tender["amount"]?.integer ?? 0)))
            }
            return values
        }
    }

    private var taxes: [PageValues] {
        shift.list(.taxes).map { tax in
            [
                "rate": QuantityText.text(milli: (tax["taxBasisPoints"]?.integer ?? 0) * 10),
                "paid": amount(tax["paid"]), "tax": amount(tax["tax"]),
            ]
        }
    }

    /// Amounts as money, counts as numbers, and the two hashes where the last entry is another one.
    private func difference(_ difference: JSONValue) -> PageValues {
        let figure = difference["figure"]?.string ?? ""
        if figure == "head" {
            return [
                "figure": wording.texts.name(.head),
                "terminal": short(shift[.head]),
                "hub": short(shift[.statements]?.array?.last?["head"]),
            ]
        }
        let named = ShiftFigure(figure)
        func text(_ value: JSONValue?) -> String {
            named.isAmount ? amount(value) : wording.number(value?.integer ?? 0)
        }
        return [
            "figure": wording.texts.name(named), "terminal": text(difference["terminal"]),
            "hub": text(difference["hub"]),
        ]
    }

    /// Enough of a hash to see that it is another one, and short enough for a column.
    private func short(_ hash: JSONValue?) -> String {
        let text = hash?.string ?? ""
        return text.count > 16 ? String(text.prefix(16)) + "…" : text
    }

    private var statements: [PageValues] {
        shift.list(.statements).map(ListRow<StatementMember>.init).map { statement in
            func number(_ member: StatementMember) -> String { wording.number(statement.number(member)) }
            var row = RecordValues(statement, wording)
            row.set("epoch", number(.epoch))
            row.set(
                "text",
                wording.texts.entries(
                    sold: number(.sold), received: number(.received), gap: number(.gap)))
            row.set("keyId", .keyId)
            row.set("issued", time: .issuedAt)
            return row.values
        }
    }

    private var debts: [PageValues] {
        shift.list(.debts).map(ListRow<DebtMember>.init).map { debt in
            var row = RecordValues(debt, wording)
            row.set("orderId", .orderId)
            row.set("number", debt[.orderNumber]?.string ?? debt[.orderId]?.string)
            row.set("amount", amount(debt[.amount]))
            row.set("why", wording.decline(debt[.reason]?.string))
            row.set("refused", time: .refusedAt)
            let isOpen = debt[.state]?.string == "open"
            row.set("word", isOpen ? wording.texts.record(.openOne) : wording.texts.shift(.settled))
            row.set("tone", isOpen ? "warning" : "good")
            return row.values
        }
    }
}

extension Wording {
    /// A gateway's stable word as people read it.
    fileprivate func decline(_ reason: String?) -> String {
        guard let reason, !reason.isEmpty else { return texts.shift(.noReason) }
        return reason.replacing("_", with: " ")
    }
}

/// Sequences of a journal for people.
private enum JournalRanges {
    /// Some of them say where to look; a page of hundreds says no more.
    private static let most = 12

    /// Those that follow each other as one range: `5, 7–9`; the first ranges of a longer list, and `…`.
    ///
    /// - Parameter sequences: in their order.
    static func text(_ sequences: [Int64]) -> String {
        var ranges: [ClosedRange<Int64>] = []
        for sequence in sequences {
            if let last = ranges.last, sequence == last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...sequence
            } else {
                ranges.append(sequence...sequence)
            }
        }
        let texts = ranges.prefix(most).map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
        }
        return (texts + (ranges.count > most ? ["…"] : [])).joined(separator: ", ")
    }
}
