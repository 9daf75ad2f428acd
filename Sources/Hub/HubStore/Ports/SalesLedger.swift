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

    /// Adds documents of the journal feed to the sums that ``sales(by:_:)`` reads; figures are the same
    /// before and after.
    ///
    /// - Returns: how many were looked at; 0: none was left.
    func foldSales() async throws(LedgerError) -> Int

    /// Computes the read model again out of the journals, a portion at a time beside the pushes. It is equal
    /// afterwards unless something was wrong with it.
    ///
    /// - Returns: how many entries it has.
    func rebuildSales() async throws(LedgerError) -> Int
}
