package import HubCore

/// The read model of sales: what the intake writes of every accepted sale, void and refund, in the
/// transaction that accepts it.
///
/// A sale counts on its business day, a void and a refund on their own, for the terminal and the cashier that
/// made them. So a day that was closed does not change any more, and what a terminal's entries come to is
/// what its journal says. A discount belongs to no tender and the tax of a receipt to no product: tenders
/// share both by what they paid, products and rates the tax by what their lines have in it.
package protocol SalesLedger: Sendable {
    /// The figures of the entries that `filter` leaves, by one dimension.
    func sales(by dimension: SalesDimension, _ filter: SalesFilter) async throws(LedgerError) -> [SalesRow]

    /// Computes the read model again out of the journals, a portion at a time beside the pushes. It is equal
    /// afterwards unless something was wrong with it.
    ///
    /// - Returns: how many entries it has.
    func rebuildSales() async throws(LedgerError) -> Int
}

/// Marks a store whose read model of sales was filled once: a store of an older hub has none, and gets it
/// when it is opened first.
package enum ReadModelMark {
    /// In the table `meta`.
    package static let key = "sales_filled"
}
