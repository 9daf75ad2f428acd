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
                "key": state.rawValue, "name": wording.shift(state).word, "chosen": state == query.shift,
            ]
        }
        return records(
            "shifts", frame, title: wording.text("Shifts", "班次"), list, rows: "shifts", path: "/shifts",
            query, with: ["states": states]
        ) { ShiftValues($0, wording).row }
    }

    /// One shift: its figures, what differs at the hub, the statements and its debts.
    package func shift(_ frame: PageFrame, _ shift: JSONValue) -> String {
        let values = ShiftValues(shift, frame.wording).all
        return rendered(
            "shift", frame, title: frame.wording.text("Shift", "班次") + " \(values["day"] ?? "")", values)
    }

    /// Cards that terminals took offline and that were refused afterwards, each with the form that settles it
    /// where the person may do that, and the sums of what is open by store.
    package func debts(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        let sums = (list["sums"]?.array ?? []).map { sum -> PageValues in
            [
                "storeId": sum["storeId"]?.string ?? "",
                "count": wording.number(sum["count"]?.integer ?? 0), "amount": Self.money(sum),
            ]
        }
        return records(
            "debts", frame, title: wording.text("Debts", "欠款"), list, rows: "debts", path: "/debts", query,
            with: ["sums": sums, "hasSums": !sums.isEmpty]
        ) { debt in
            var row = RecordValues(debt, wording)
            row.set("orderId", debt["orderId"]?.string)
            row.set("number", debt["orderNumber"]?.string ?? debt["orderId"]?.string)
            row.set("shiftId", debt["shiftId"]?.string)
            row.set("amount", Self.money(debt))
            row.set("taken", time: "takenAt")
            row.set("refused", time: "refusedAt")
            row.set("why", wording.decline(debt["reason"]?.string))
            let isOpen = debt["state"]?.string == "open"
            row.values["open"] = isOpen
            if isOpen, frame.may(.resolve), let id = debt["id"]?.string { row.values["form"] = ["id": id] }
            if let settlement = debt["settlement"], settlement != .null {
                row.set("by", settlement["by"]?.string)
                row.set("note", settlement["reason"]?.string)
            }
            return row.values
        }
    }

    private static func money(_ json: JSONValue) -> String {
        AmountText.money(json["amount"]?.integer ?? 0, json["currency"]?.string ?? "")
    }
}

/// A shift for the templates.
private struct ShiftValues {
    private let shift: JSONValue
    private let wording: Wording
    private let currency: String

    init(_ shift: JSONValue, _ wording: Wording) {
        self.shift = shift
        self.wording = wording
        currency = shift["currency"]?.string ?? ""
    }

    private var isClosed: Bool { (shift["cash"] ?? .null) != .null }

    private func amount(_ value: JSONValue?) -> String {
        value?.integer.map { AmountText.text($0, currency: currency) } ?? ""
    }

    /// In a list.
    var row: PageValues {
        var row = RecordValues(shift, wording)
        row.set("id", shift["shiftId"]?.string)
        row.set("day", shift["businessDay"]?.string)
        row.set("opened", time: "openedAt")
        row.set("closed", time: "closedAt")
        row.set("openedBy", shift["openedBy"]?.string)
        row.set("closedBy", shift["closedBy"]?.string)
        row.set("currency", currency)
        for name in ["expected", "counted", "difference"] { row.set(name, amount(shift["cash"]?[name])) }
        let debts = shift["debtTotal"]?.integer ?? 0
        row.set("debtTotal", debts == 0 ? "" : amount(.integer(debts)))
        let state = shift["state"]?.string.flatMap(ShiftSettlement.State.init(rawValue:)) ?? .open
        let (word, tone) = wording.shift(state)
        row.set("word", word)
        row.set("tone", tone)
        return row.values
    }

    /// On its own page.
    var all: PageValues {
        var values = row
        values["isClosed"] = isClosed
        values["isDisputed"] = shift["state"]?.string == ShiftSettlement.State.disputed.rawValue
        values["facts"] = pairs(facts)
        values["drawer"] = pairs(drawer)
        values["tenders"] = tenders
        let taxes = taxes
        (values["taxes"], values["hasTaxes"]) = (taxes, !taxes.isEmpty)
        values["differences"] = (shift["differences"]?.array ?? []).map(difference)
        let statements = statements
        (values["statements"], values["hasStatements"]) = (statements, !statements.isEmpty)
        let debts = debts
        (values["debts"], values["hasDebts"]) = (debts, !debts.isEmpty)
        values["debtTotal"] = AmountText.money(shift["debtTotal"]?.integer ?? 0, currency)
        return values
    }

    private func pairs(_ pairs: [(String, String?)]) -> [PageValues] {
        pairs.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : ["name": name, "value": $0] as PageValues }
        }
    }

    private var facts: [(String, String?)] {
        func moment(_ time: String, _ person: String) -> String? {
            shift[time]?.string.flatMap(Timestamp.milliseconds(of:)).map { moment in
                PageTime.text(moment).clock + (shift[person]?.string.map { ", \($0)" } ?? "")
            }
        }
        let sequence = shift["sequence"]
        let range = sequence?["from"]?.integer.flatMap { from in
            sequence?["to"]?.integer.map { "\(from)–\($0)" }
        }
        return [
            (wording.text("Opened", "开班"), moment("openedAt", "openedBy")),
            (wording.text("Closed", "交班"), moment("closedAt", "closedBy")),
            (wording.text("Float", "备用金"), amount(shift["float"])),
            (wording.text("Currency", "币种"), currency),
            (wording.text("Sales", "销售"), counted("sales")),
            (wording.text("Refunds", "退款"), counted("refunds")),
            (wording.text("Voids", "作废"), counted("voids")), (wording.text("Net", "净额"), net),
            (wording.text("Journal entries", "流水记录"), range),
            (wording.text("Epoch", "纪元"), shift["epoch"]?.integer.map(wording.number)),
            (wording.text("Last hash", "末条哈希"), shift["head"]?.string),
        ]
    }

    private func counted(_ name: String) -> String? {
        shift[name]?["count"]?.integer.map { "\(amount(shift[name]?["total"])) (\(wording.number($0)))" }
    }

    /// Sales less refunds and voids; each is at most 2^53.
    private var net: String? {
        guard let sales = shift["sales"]?["total"]?.integer else { return nil }
        let back = (shift["refunds"]?["total"]?.integer ?? 0) + (shift["voids"]?["total"]?.integer ?? 0)
        return amount(.integer(sales - back))
    }

    private var drawer: [(String, String?)] {
        let (moves, cash, points) = (shift["cashMoves"], shift["cash"], shift["points"])
        func shown(_ value: JSONValue?) -> String? { value?.integer == 0 ? nil : amount(value) }
        func count(_ value: JSONValue?) -> String? {
            value?.integer.flatMap { $0 == 0 ? nil : wording.number($0) }
        }
        return [
            (wording.text("Cash in", "现金存入"), shown(moves?["in"])),
            (wording.text("Cash out", "现金支出"), shown(moves?["out"])),
            (wording.text("To the safe", "解款"), shown(moves?["drop"])),
            (wording.text("Opened without a sale", "无销售开钱箱"), count(moves?["noSale"])),
            (wording.text("Cash expected", "应有现金"), amount(cash?["expected"])),
            (wording.text("Cash counted", "实点现金"), amount(cash?["counted"])),
            (wording.text("Difference", "差额"), amount(cash?["difference"])),
            (wording.text("Points earned", "积分发放"), count(points?["earned"])),
            (wording.text("Points spent", "积分使用"), count(points?["spent"])),
        ]
    }

    /// With what was counted of tenders other than cash.
    private var tenders: [PageValues] {
        let others = shift["counted"]?.array ?? []
        return (shift["tenders"]?.array ?? []).map { tender in
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
        (shift["taxes"]?.array ?? []).map { tax in
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
                "figure": wording.text("hash of the last entry", "末条哈希"),
                "terminal": short(shift["head"]),
                "hub": short(shift["statements"]?.array?.last?["head"]),
            ]
        }
        let isCount = ["count", "noSale", "earned", "spent", "gap"].contains {
            figure == $0 || figure.hasSuffix(".\($0)")
        }
        func text(_ value: JSONValue?) -> String {
            isCount ? wording.number(value?.integer ?? 0) : amount(value)
        }
        return ["figure": figure, "terminal": text(difference["terminal"]), "hub": text(difference["hub"])]
    }

    /// Enough of a hash to see that it is another one, and short enough for a column.
    private func short(_ hash: JSONValue?) -> String {
        let text = hash?.string ?? ""
        return text.count > 16 ? String(text.prefix(16)) + "…" : text
    }

    private var statements: [PageValues] {
        (shift["statements"]?.array ?? []).map { statement in
            func number(_ name: String) -> String { wording.number(statement[name]?.integer ?? 0) }
            var row = RecordValues(statement, wording)
            row.set("epoch", number("epoch"))
            row.set(
                "text",
                wording.text(
                    "\(number("sold")) entries, \(number("received")) received, gap \(number("gap"))",
                    "\(number("sold")) 条记录，已收 \(number("received"))，缺 \(number("gap"))"))
            row.set("keyId", statement["keyId"]?.string)
            row.set("issued", time: "issuedAt")
            return row.values
        }
    }

    private var debts: [PageValues] {
        (shift["debts"]?.array ?? []).map { debt in
            var row = RecordValues(debt, wording)
            row.set("orderId", debt["orderId"]?.string)
            row.set("number", debt["orderNumber"]?.string ?? debt["orderId"]?.string)
            row.set("amount", amount(debt["amount"]))
            row.set("why", wording.decline(debt["reason"]?.string))
            row.set("refused", time: "refusedAt")
            let isOpen = debt["state"]?.string == "open"
            row.set("word", isOpen ? wording.text("open", "待处理") : wording.text("settled", "已结清"))
            row.set("tone", isOpen ? "warning" : "good")
            return row.values
        }
    }
}

extension Wording {
    fileprivate func shift(_ state: ShiftSettlement.State) -> (word: String, tone: String) {
        switch state {
        case .open: (text("open", "进行中"), "")
        case .provisional: (text("provisional", "待核对"), "warning")
        case .confirmed: (text("confirmed", "已确认"), "good")
        case .disputed: (text("disputed", "有争议"), "bad")
        }
    }

    /// A gateway's stable word as people read it.
    fileprivate func decline(_ reason: String?) -> String {
        guard let reason, !reason.isEmpty else { return text("no reason given", "未说明原因") }
        return reason.replacing("_", with: " ")
    }
}
