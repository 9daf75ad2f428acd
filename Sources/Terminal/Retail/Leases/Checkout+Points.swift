internal import HubProtocol
internal import OfflineCore
internal import Pricing

/// Why no points were spent; nothing was sold.
package enum PointsRefusal: Hashable, Sendable {
    /// The store gives nothing for points.
    case notOffered
    /// A count below zero.
    case negative
    /// The sale names no member who is known here.
    case memberUnknown
    /// Fewer than a sale has to spend.
    case belowMinimum(Int64)
    /// Worth more than what is to be paid; both are money as text.
    case aboveTotal(value: String, total: String)
    /// The terminal may spend fewer now; `isRecalled`: other tills return the rest, if they can.
    /// With `isFromHub` the hub lends no more, so that waiting for it helps nobody.
    case unavailable(wanted: Int64, available: Int64, isRecalled: Bool = false, isFromHub: Bool = false)
}

extension PointsRefusal {
    /// For example `points_unavailable`.
    var code: String {
        switch self {
        case .notOffered: "points_not_offered"
        case .negative: "points_negative"
        case .memberUnknown: "points_member_unknown"
        case .belowMinimum: "points_below_minimum"
        case .aboveTotal: "points_above_total"
        case .unavailable: "points_unavailable"
        }
    }
}

/// What a sale pays with points.
struct PointsSpending: Hashable, Sendable {
    let points: Int64
    /// Minor units.
    let value: Int64
    /// Of the terminal's leases.
    let uses: [LeaseUse]
}

extension Checkout {
    /// What `request` pays with points; nil: nothing.
    ///
    /// Points are spent under leases alone, with and without the hub, so that two terminals never spend the
    /// same ones. Where the leases leave too little, the hub is requested to lend more, within what is left
    /// of the sale's budget.
    func spending(
        of request: SaleRequest, by found: MemberService.Found?, within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> PointsSpending? {
        guard let points = request.points, points != 0 else { return nil }
        guard points > 0 else { throw .points(.negative) }
        guard points <= PayloadRange.count.upperBound else { throw .amountTooLarge }
        if let refusal = PointsAbility(await pointsFacts(of: found)).refusal(of: points) {
            throw .points(refusal)
        }
        guard let found, let value = try? policy.points.amount(of: points) else { throw .amountTooLarge }
        let supply = try await supply(points, of: .points, found.member.id, within: waiting)
        guard let uses = supply.uses else {
            throw .points(
                .unavailable(
                    wanted: points, available: supply.left, isRecalled: supply.isRecalled,
                    isFromHub: supply.isFromHub && !supply.isRecalled))
        }
        return PointsSpending(points: points, value: value, uses: uses)
    }

    /// `lines` with what points pay taken off, spread by largest remainder.
    func paid(
        _ lines: [SaleLine], byPoints value: Int64, currency: String
    ) throws(SaleRefusal) -> [SaleLine] {
        guard value > 0 else { return lines }
        let totals = lines.map(\.price.total)
        let total = totals.reduce(0) { $0 + max(0, $1) }
        guard value <= total else {
            throw .points(
                .aboveTotal(
                    value: AmountText.money(value, currency), total: AmountText.money(total, currency)))
        }
        do throws(PricingError) {
            var paid: [SaleLine] = []
            for (line, part) in zip(lines, try MoneyRange.parts(of: value, over: totals)) {
                paid.append(part == 0 ? line : try line.paid(byPoints: part))
            }
            return paid
        } catch {
            throw SaleRefusal(error, barcode: "", currency: currency)
        }
    }
}
