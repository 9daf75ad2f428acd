/// Which payments of a sale money comes out of again: the one rule for the change of its cash and for what
/// goes back of it later, at the terminal and at the hub.
package enum MoneyBack {
    /// What of an amount comes out of each payment, in the order of the payments.
    package struct Parts: Hashable, Sendable {
        /// Minor units, 0 or more each.
        package let parts: [Int64]
        /// What none of them has: it is plain cash.
        package let rest: Int64
    }

    /// Takes an amount from one payment after the other, from none more than it has.
    ///
    /// - Parameters:
    ///   - amount: minor units; a negative one is all in ``Parts/rest``.
    ///   - held: minor units of each payment; a negative one counts as nothing.
    package static func parts(of amount: Int64, from held: [Int64]) -> Parts {
        var rest = amount
        let parts = held.map { held in
            let part = max(0, min(rest, held))
            rest -= part
            return part
        }
        return Parts(parts: parts, rest: rest)
    }

    /// Takes the change of a sale from its cash: from the tender `cash` first, since change is that, then
    /// from the store's other tenders of this kind.
    ///
    /// - Parameters:
    ///   - change: minor units.
    ///   - payments: what was handed over.
    package static func change(
        _ change: Int64, from payments: [(method: Settlement.Method, amount: Int64)]
    ) -> Parts {
        let order = payments.indices.sorted { rank(of: payments[$0].method) < rank(of: payments[$1].method) }
        let taken = parts(
            of: change, from: order.map { payments[$0].method.isCash ? payments[$0].amount : 0 })
        var parts = payments.map { _ in Int64(0) }
        for (place, part) in zip(order, taken.parts) { parts[place] = part }
        return Parts(parts: parts, rest: taken.rest)
    }

    private static func rank(of method: Settlement.Method) -> Int { method == .cash ? 0 : 1 }
}
