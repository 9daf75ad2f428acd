/// What the last thousandth of goods by weight costs above the price of their label (``member`` of a line).
///
/// A label has a price, and the line a whole number of thousandths: the least one that costs no less. What it
/// costs more is taken off the line, as a part of its `discount`, and nobody gave it: it is no discount in
/// approvals, on paper and in sums.
///
/// Terminals of before counted it as one.
package enum LabelRounding {
    /// The member of a line in a sale's payload.
    package static let member = "labelRounding"

    /// The most that it can be: what one thousandth of a unit costs, rounded up. Minor units.
    package static func limit(unitPrice: Int64) -> Int64 {
        guard unitPrice > 0 else { return 0 }
        return unitPrice / 1000 + (unitPrice % 1000 == 0 ? 0 : 1)
    }

    /// What of a line's discount is rounding: no more than the discount and the ``limit(unitPrice:)``, so
    /// that no discount passes for it. 0 where the line has none.
    package static func amount(in line: JSONValue) -> Int64 {
        guard let rounding = line[member]?.integer, rounding > 0 else { return 0 }
        let discount = max(0, line["discount"]?.integer ?? 0)
        let limit = limit(unitPrice: line["unitPrice"]?.integer ?? 0)
        return min(rounding, discount, limit)
    }

    /// What was given off a line, in minor units: its discount without the rounding. Nil where the line names
    /// no discount.
    package static func given(on line: JSONValue) -> Int64? {
        line["discount"]?.integer.map { $0 - amount(in: line) }
    }
}
