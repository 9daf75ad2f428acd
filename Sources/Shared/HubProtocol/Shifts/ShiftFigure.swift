/// What a difference of a shift is about, read from ``ShiftSettlement/Difference/figure``.
package enum ShiftFigure: Hashable, Sendable {
    /// What happened at the counter.
    package enum Event: String, Hashable, Sendable {
        case sales
        case refunds
        case voids
    }

    /// How many, and what they come to.
    case count(of: Event)
    case total(of: Event)
    /// Cash that was moved; of ``CashMove/Kind/noSale`` how often the drawer was opened.
    case cashMove(CashMove.Kind)
    /// Payments by a tender, and what they come to.
    case tenderCount(String)
    case tenderAmount(String)
    /// What was paid under a rate in hundredths of a percent, and the tax in it.
    case taxPaid(Int64)
    case tax(Int64)
    case pointsEarned
    case pointsSpent
    /// Entries that the hub does not have.
    case gap
    /// Entries that cannot be counted.
    case uncounted
    /// Entries behind the end of the shift.
    case behind
    /// The hash of the last entry.
    case head
    /// A figure of a later version.
    case other(String)

    /// Reads a path as in ``ShiftSums/json``.
    package init(_ figure: String) {
        let parts = figure.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (first, last, middle) = (parts[0], parts[parts.count - 1], parts.dropFirst().dropLast())
        // A tender's name may have points.
        let name = middle.joined(separator: ".")
        switch (first, last) {
        case ("sales", "count"), ("refunds", "count"), ("voids", "count"):
            self = Event(rawValue: first).map(Self.count(of:)) ?? .other(figure)
        case ("sales", "total"), ("refunds", "total"), ("voids", "total"):
            self = Event(rawValue: first).map(Self.total(of:)) ?? .other(figure)
        case ("cashMoves", _): self = CashMove.Kind(rawValue: last).map(Self.cashMove) ?? .other(figure)
        case ("tenders", "count"): self = .tenderCount(name)
        case ("tenders", "amount"): self = .tenderAmount(name)
        case ("taxes", "paid"): self = Int64(name).map(Self.taxPaid) ?? .other(figure)
        case ("taxes", "tax"): self = Int64(name).map(Self.tax) ?? .other(figure)
        case ("points", "earned"): self = .pointsEarned
        case ("points", "spent"): self = .pointsSpent
        case ("gap", _): self = .gap
        case ("uncounted", _): self = .uncounted
        case ("behind", _): self = .behind
        case ("head", _): self = .head
        case _: self = .other(figure)
        }
    }

    /// Whether its values are minor units; the others are counts.
    package var isAmount: Bool {
        switch self {
        case .total, .tenderAmount, .taxPaid, .tax: true
        case .cashMove(let kind): kind != .noSale
        case .count, .tenderCount, .pointsEarned, .pointsSpent, .gap, .uncounted, .behind, .head, .other:
            false
        }
    }

    /// For people, at most 38 columns with a short tender.
    package func name(isChinese: Bool) -> String {
        let names = names
        return isChinese ? names.chinese : names.english
    }

    private var names: (english: String, chinese: String) {
        switch self {
        case .count(.sales): ("Number of sales", "销售笔数")
        case .count(.refunds): ("Number of refunds", "退货笔数")
        case .count(.voids): ("Number of voids", "作废笔数")
        case .total(.sales): ("Sales", "销售")
        case .total(.refunds): ("Refunds", "退货")
        case .total(.voids): ("Voids", "作废")
        case .cashMove(.in): ("Cash in", "现金存入")
        case .cashMove(.out): ("Cash out", "现金支出")
        case .cashMove(.drop): ("To the safe", "解款")
        case .cashMove(.noSale): ("Drawer opened without sale", "无销售开钱箱")
        case .tenderCount(let method):
            ("Payments by \(method)", "\(Self.chinese(method))笔数")
        case .tenderAmount(let method):
            ("Paid by \(method)", "\(Self.chinese(method))金额")
        case .taxPaid(let rate):
            ("Paid at a tax of \(Self.percent(rate)) %", "税率 \(Self.percent(rate)) % 计税额")
        case .tax(let rate): ("Tax at \(Self.percent(rate)) %", "税率 \(Self.percent(rate)) % 税额")
        case .pointsEarned: ("Points earned", "积分发放")
        case .pointsSpent: ("Points spent", "积分使用")
        case .gap: ("Entries that the hub does not have", "总部缺少的记录")
        case .uncounted: ("Entries that cannot be counted", "无法计入的记录")
        case .behind: ("Entries behind the shift's end", "交班之后的记录")
        case .head: ("Hash of the last entry", "最后一条记录的校验值")
        case .other(let figure): (figure, figure)
        }
    }

    private static func chinese(_ method: String) -> String {
        switch method {
        case "cash": "现金"
        case "card": "刷卡"
        case _: method
        }
    }

    private static func percent(_ basisPoints: Int64) -> String {
        let (whole, rest) = basisPoints.quotientAndRemainder(dividingBy: 100)
        guard rest != 0 else { return "\(whole)" }
        let digits = "\(rest < 10 ? "0" : "")\(rest)"
        return "\(whole)." + (digits.hasSuffix("0") ? String(digits.dropLast()) : digits)
    }
}
