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
        case .cashMove(let kind): kind.hasAmount
        case .count, .tenderCount, .pointsEarned, .pointsSpent, .gap, .uncounted, .behind, .head, .other:
            false
        }
    }
}
