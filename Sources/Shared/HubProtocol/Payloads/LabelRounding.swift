/// What the last thousandth of goods by weight costs above the price of their label: `labelRounding` of a
/// line.
///
/// A label has a price, and the line a whole number of thousandths: the least one that costs no less. What it
/// costs more is taken off the line, as a part of its `discount`, and nobody gave it: it is no discount in
/// approvals, on paper and in sums.
///
/// Terminals of before counted it as one.
package enum LabelRounding {
    /// The most that it can be: what one thousandth of a unit costs, rounded up. Minor units.
    package static func limit(unitPrice: Int64) -> Int64 {
        guard unitPrice > 0 else { return 0 }
        return unitPrice / 1000 + (unitPrice % 1000 == 0 ? 0 : 1)
    }
}

extension CompletedOrder.Line {
    /// What of the line's discount is ``LabelRounding``: no more than the discount and the limit, so that no
    /// discount passes for it. 0 where the line has none.
    package var rounding: Int64 {
        guard let labelRounding, labelRounding > 0 else { return 0 }
        return min(labelRounding, max(0, discount ?? 0), LabelRounding.limit(unitPrice: unitPrice))
    }

    /// What was given off the line, in minor units: its discount without the rounding. Nil where the line
    /// names no discount.
    package var given: Int64? { discount.map { $0 - rounding } }
}
