internal import GRDB
internal import HubProtocol

extension SQLiteLedger {
    /// The sales of a till that were refused and that no edit stands in for, given up by a person or not.
    static func refusedSales(
        _ terminalId: String, discarded: Bool, in db: Database
    ) throws -> SaleSum {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT document FROM mutations m WHERE terminal_id = ? AND outcome <> 'applied' "
                + "AND EXISTS (SELECT 1 FROM discards d WHERE d.mutation_id = m.id) = ? "
                + "AND NOT EXISTS (SELECT 1 FROM mutations s WHERE s.supersedes = m.id)",
            arguments: [terminalId, discarded])
        var (orders, amount): (Int64, Int64) = (0, 0)
        while let row = try rows.next() {
            let json = document(row[0])
            guard json["type"] == "order.completed" else { continue }
            orders += 1
            // A refused document may hold any number, so a sum that overflows stays at the last one.
            let (sum, overflows) = amount.addingReportingOverflow(json["payload"]?["total"]?.integer ?? 0)
            if !overflows { amount = sum }
        }
        return SaleSum(orders: orders, amount: amount)
    }
}
