internal import Base
internal import HubProtocol
internal import Pricing

/// The slip of a movement of cash, for the drawer.
struct CashSlip {
    let move: CashMove
    /// Unix milliseconds.
    let at: Int64
    let policy: CheckoutPolicy

    var parts: [ReceiptPart] {
        var parts = policy.receiptHeader.map(ReceiptPart.title)
        parts.append(.title(title))
        parts.append(.text(policy.calendar.localTime(at: at) + (move.cashierId.map { " \($0)" } ?? "")))
        if move.kind != .noSale {
            parts.append(
                .total(move.currency, AmountText.text(move.amount, currency: move.currency)))
        }
        if let reason = move.reason { parts.append(.text(reason)) }
        return parts
    }

    private var title: String {
        let words: (english: String, chinese: String) =
            switch move.kind {
            case .in: ("CASH IN", "现金存入")
            case .out: ("CASH OUT", "现金支出")
            case .drop: ("TO THE SAFE", "解款")
            case .noSale: ("DRAWER OPENED", "开钱箱")
            }
        return policy.isChinese ? words.chinese : words.english
    }
}

/// The report of a shift: X while it is open, Z when it is closed. As parts for paper and as text of 40
/// columns.
package struct ShiftReport: Sendable {
    private let shift: Shift
    private let header: [String]
    private let calendar: BusinessCalendar
    private let isChinese: Bool

    /// Makes the report; of `policy` it uses header, calendar and language.
    package init(shift: Shift, policy: CheckoutPolicy) {
        self.shift = shift
        header = policy.receiptHeader
        calendar = policy.calendar
        isChinese = policy.isChinese
    }

    /// The lines, each ended by a line feed.
    package var text: String { ReceiptPart.text(of: parts) }

    /// The same without a layout.
    package var parts: [ReceiptPart] {
        ReceiptPart.joined([
            headParts, saleParts, tenderParts, drawerParts, taxParts, debtParts, footParts,
        ])
    }

    private func said(_ english: String, _ chinese: String) -> String { isChinese ? chinese : english }

    private func amount(_ amount: Int64) -> String {
        AmountText.text(amount, currency: shift.opening.currency)
    }

    private var headParts: [ReceiptPart] {
        let name = shift.closing == nil ? said("X REPORT", "班中报表 X") : said("Z REPORT", "交班报表 Z")
        var parts = header.map(ReceiptPart.title)
        parts.append(.title(name))
        parts.append(.text(said("Shift ", "班次 ") + shift.opening.shiftId))
        parts.append(.text(said("Opened ", "开班 ") + moment(shift.opening.openedAt, shift.opening.openedBy)))
        if let closing = shift.closing {
            parts.append(.text(said("Closed ", "交班 ") + moment(closing.closedAt, closing.closedBy)))
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
            uncounted.append(.text(said("NOT COUNTED: \(left.count)", "未计入：\(left.count)")))
            uncounted += left.ids.map { .text("  \($0)") }
        }
        let parts =
            uncounted + [
                counted(said("Sales", "销售"), sums.sales.count, sums.sales.total),
                counted(said("Refunds", "退货"), sums.refunds.count, -sums.refunds.total),
                counted(said("Voids", "作废"), sums.voids.count, -sums.voids.total),
            ]
        guard !shift.isBlind else {
            return parts + [.text(said("Amounts are shown after the count.", "清点后显示金额。"))]
        }
        return parts + [.total(said("NET ", "净额 ") + shift.opening.currency, amount(net))]
    }

    private var net: Int64 {
        shift.shownSums.sales.total - shift.shownSums.refunds.total - shift.shownSums.voids.total
    }

    private func counted(_ name: String, _ count: Int64, _ total: Int64) -> ReceiptPart {
        .row("\(name) (\(count))", shift.isBlind ? "" : amount(total))
    }

    private var tenderParts: [ReceiptPart] {
        let tenders = shift.shownSums.tenders
        var parts = tenders.map { counted(word(of: $0.method), $0.count, $0.amount) }
        let rounding = tenders.reduce(0) { $0 + $1.amount } - net
        if rounding != 0 { parts.append(.row(said("of it rounding of cash", "其中现金舍入"), amount(rounding))) }
        for other in shift.closing?.counted ?? [] {
            let taken = tenders.first { $0.method == other.method }?.amount ?? 0
            let name = word(of: other.method)
            parts.append(.row(said("\(name) counted", "\(name) 清点"), amount(other.amount)))
            if other.amount != taken {
                parts.append(.row(said("\(name) difference", "\(name) 差额"), amount(other.amount - taken)))
            }
        }
        return parts
    }

    private func word(of method: String) -> String {
        switch method {
        case "cash": said("Cash", "现金")
        case "card": said("Card", "刷卡")
        case _: method
        }
    }

    private var drawerParts: [ReceiptPart] {
        let sums = shift.sums
        var parts: [ReceiptPart] = [.row(said("Float", "备用金"), amount(shift.opening.float))]
        if sums.cashIn != 0 { parts.append(.row(said("Cash in", "现金存入"), amount(sums.cashIn))) }
        if sums.cashOut != 0 { parts.append(.row(said("Cash out", "现金支出"), amount(-sums.cashOut))) }
        if sums.cashDrop != 0 { parts.append(.row(said("To the safe", "解款"), amount(-sums.cashDrop))) }
        if sums.noSales != 0 {
            parts.append(.row(said("Drawer opened without sale", "无销售开钱箱"), "\(sums.noSales)"))
        }
        if !shift.isBlind { parts.append(.row(said("Cash expected", "应有现金"), amount(shift.expectedCash))) }
        if let cash = shift.closing?.cash {
            parts.append(.row(said("Cash counted", "实点现金"), amount(cash.counted)))
            parts.append(.total(said("DIFFERENCE", "差额"), amount(cash.difference)))
        }
        return parts
    }

    private var taxParts: [ReceiptPart] {
        let sums = shift.shownSums
        var parts: [ReceiptPart] = sums.taxes.filter { $0.taxBasisPoints > 0 }.map { tax in
            let rate = QuantityText.text(milli: tax.taxBasisPoints * 10)
            return .row(
                said("Tax \(rate) % of \(amount(tax.paid))", "含税 \(rate) %，计税额 \(amount(tax.paid))"),
                amount(tax.tax))
        }
        if sums.pointsEarned != 0 || sums.pointsSpent != 0 {
            parts.append(.row(said("Points earned", "积分发放"), "\(sums.pointsEarned)"))
            parts.append(.row(said("Points spent", "积分使用"), "\(sums.pointsSpent)"))
        }
        return parts
    }

    /// What customers owe, since their cards were refused after the sale.
    private var debtParts: [ReceiptPart] {
        guard !shift.debts.isEmpty else { return [] }
        var parts: [ReceiptPart] = [.text(said("Cards refused after the sale", "离线刷卡事后被拒"))]
        for debt in shift.debts {
            let number = debt.orderNumber ?? debt.key
            parts.append(.row(number, AmountText.text(debt.amount, currency: debt.currency)))
            let reason = debt.reason ?? said("no reason given", "未说明原因")
            parts.append(.text("  " + (debt.isSettled ? said("settled: ", "已结清：") : "") + reason))
        }
        let owed = CardDebt.open(shift.debts)
        parts.append(.total(said("OWED", "未结欠款"), amount(owed)))
        if owed > 0 { parts.append(.note(said("the customers owe: inform the manager", "顾客尚欠：请告知店长"))) }
        return parts
    }

    private var footParts: [ReceiptPart] {
        let entries = shift.to - shift.from + 1
        guard let settlement = shift.settlement else {
            return [.note(said("\(entries) entries so far", "至今 \(entries) 条记录"))]
        }
        let received = shift.statements.reduce(0) { $0 + $1.received }
        let gap = shift.statements.reduce(0) { $0 + $1.gap }
        switch settlement.state {
        case .open, .provisional:
            return [
                .note(said("\(entries) entries", "\(entries) 条记录")),
                .note(said("provisional until the hub compared", "待总部核对")),
            ]
        case .confirmed:
            return [
                .note(
                    said(
                        "\(entries) entries, \(received) received, gap \(gap)",
                        "\(entries) 条记录，已收 \(received)，缺 \(gap)")),
                .note(said("confirmed by the hub", "总部已确认")),
            ]
        case .disputed: return disputeParts(settlement, entries, received, gap)
        }
    }

    private func disputeParts(
        _ settlement: ShiftSettlement, _ entries: Int64, _ received: Int64, _ gap: Int64
    ) -> [ReceiptPart] {
        var parts: [ReceiptPart] = [
            .note(said("DISPUTED: the hub has other sums", "有争议：总部金额不同")),
            .note(
                said(
                    "\(entries) entries, \(received) received, gap \(gap)",
                    "\(entries) 条记录，已收 \(received)，缺 \(gap)")),
        ]
        if !settlement.isHeadEqual {
            parts.append(.text(said("The journals end differently.", "日志结尾不同。")))
        }
        for difference in settlement.differences {
            let figure = ShiftFigure(difference.figure)
            func value(_ number: Int64) -> String { figure.isAmount ? amount(number) : "\(number)" }
            parts.append(.text((isChinese ? Language.chinese : .english).sharedTexts.name(figure)))
            parts.append(
                .row(
                    said("  till ", "  本机 ") + value(difference.terminal),
                    said("hub ", "总部 ") + value(difference.hub)))
        }
        return parts
    }
}
