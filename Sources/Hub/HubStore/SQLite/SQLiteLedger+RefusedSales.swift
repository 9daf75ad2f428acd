internal import GRDB
internal import HubProtocol

extension SQLiteLedger {
    /// The sales of a till that were refused and that no edit replaces, discarded by a person or not.
    static func refusedSales(
        _ terminalId: String, discarded: Bool, in db: Database
    ) throws -> SaleSum {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT document FROM mutations m WHERE terminal_id = ? AND outcome <> 'applied' "
                + "AND EXISTS (SELECT 1 FROM discards d WHERE d.mutation_id = m.id) = ? "
                + "AND NOT EXISTS (SELECT 1 FROM mutations s WHERE s.supersedes = m.id)",
            arguments: [terminalId, discarded])
        var sales: [JSONValue] = []
        while let row = try rows.next() {
            let json = document(row[0])
            if json["type"] == "order.completed" { sales.append(json) }
        }
        return SaleSum(of: sales)
    }
}
