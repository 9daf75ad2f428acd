internal import HubCore
import HubProtocol
internal import HubStore

/// The rows of the read model of sales.
struct PostgresSales {
    /// An entry and where it came from.
    struct Row {
        let entry: SaleEntry
        let mutationId: String
        let storeId: String
        let terminalId: String
        let receivedAt: Int64
    }

    private static let insertion =
        "INSERT INTO sales (mutation_id, \(SaleEntry.columns.joined(separator: ", "))) SELECT * FROM "
        + "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
        + "$8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], "
        + "$14::text[])" + SaleEntry.replacing

    /// - Returns: nil for no rows.
    static func insertion(of rows: [Row]) -> PostgresStatement? {
        guard !rows.isEmpty else { return nil }
        return PostgresStatement(
            insertion,
            [
                .texts(of: rows) { $0.mutationId }, .texts(of: rows) { $0.entry.kind.rawValue },
                .texts(of: rows) { $0.entry.orderId },
                .texts(of: rows) { $0.entry.day(receivedAt: $0.receivedAt) },
                .texts(of: rows) { $0.storeId }, .texts(of: rows) { $0.terminalId },
                .texts(of: rows) { $0.entry.cashierId }, .texts(of: rows) { $0.entry.currency },
                .integers(of: rows) { $0.entry.amounts.orders },
                .integers(of: rows) { $0.entry.amounts.gross },
                .integers(of: rows) { $0.entry.amounts.discounts },
                .integers(of: rows) { $0.entry.amounts.refunds },
                .integers(of: rows) { $0.entry.amounts.tax },
                .texts(of: rows) { SalePart.text(of: $0.entry.parts) },
            ])
    }

    /// Computes everything, once in the life of a database: that of an older hub has no entries. Two
    /// processes that do it at once write the same.
    static func fill(on connection: PostgresConnection) throws(PostgresError) {
        let session = PostgresSession(connection)
        guard try !PostgresError.translating({ try session.hasSales() }) else { return }
        var last: String? = ""
        while let place = last {
            last = try PostgresDatabase.transaction(on: connection, opening: .frozen) { session in
                .keep(try session.rebuildSales(after: place).last)
            }
        }
        try PostgresError.translating { try session.markSales() }
    }
}

extension PostgresIntake {
    func insert(_ entry: SaleEntry, for record: MutationRecord) {
        draft.unwritten.sales.append(
            PostgresSales.Row(
                entry: entry, mutationId: record.key, storeId: record.device.storeId,
                terminalId: record.device.terminalId, receivedAt: record.receivedAt))
    }

    func insert(_ flags: [IntakeFlag], for record: MutationRecord) {
        draft.unwritten.flags += flags.map { ($0, record) }
    }

    func insertRefusal(_ result: MutationResult, for record: MutationRecord) {
        draft.unwritten.refusals.append((result, record))
    }
}
