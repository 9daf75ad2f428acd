package import HubProtocol
internal import Pricing

extension ReturnedPoints {
    /// What a refund of `sale` does to the points, after `earlier` refunds; nil for a sale without points.
    ///
    /// - Parameters:
    ///   - plan: what comes back now.
    ///   - earlier: all refunds of the sale before this one.
    package init?(of sale: Sale, by plan: RefundPlan, after earlier: [Refund]) {
        guard let points = sale.content.points else { return nil }
        let before = earlier.reduce(0) { $0 + $1.content.total }
        let goods = earlier.flatMap(\.content.lines)
        func returned(_ points: Int64) -> Int64 {
            func through(_ refunded: Int64, _ lines: [RefundLine]) -> Int64 {
                PointsReturn.returned(
                    of: points, refunded: refunded, total: sale.content.totals.total,
                    isComplete: sale.content.lines.isAllBack(in: lines))
            }
            return through(before + plan.total, goods + plan.lines) - through(before, goods)
        }
        self.init(earnedReturned: returned(points.earned), spentReturned: returned(points.spent))
    }

    /// What a void of `sale` does to the points: all of them; nil for a sale without points.
    package init?(voiding sale: Sale) {
        guard let points = sale.content.points else { return nil }
        self.init(earnedReturned: points.earned, spentReturned: points.spent)
    }
}

extension [SaleLine] {
    /// Whether everything that was sold came back.
    fileprivate func isAllBack(in lines: [RefundLine]) -> Bool {
        enumerated().allSatisfy { place, line in
            let back = lines.reduce(0) { $0 + ($1.place == place ? $1.quantityMilli : 0) }
            return back >= line.price.quantityMilli
        }
    }
}
