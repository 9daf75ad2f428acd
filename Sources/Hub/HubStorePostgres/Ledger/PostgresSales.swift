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

    private static let columns = [
        "kind", "order_id", "day", "store_id", "terminal_id", "cashier_id", "currency", "orders", "gross",
        "discounts", "refunds", "tax", "parts",
    ]
    /// A row of the same mutation is replaced: after a restore of the store's tables from another moment none
    /// may stop the intake.
    private static let insertion =
        "INSERT INTO sales (mutation_id, \(columns.joined(separator: ", "))) SELECT * FROM "
        + "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
        + "$8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], "
        + "$14::text[]) ON CONFLICT (mutation_id) DO UPDATE SET "
        + columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

    /// Entries that one portion of a rebuild looks at: each is a transaction of some milliseconds.
    private static let portion = 500

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

    /// Computes a portion again, and removes what belongs to no accepted mutation of it. One transaction with
    /// one snapshot: what is pushed meanwhile is not looked at and not removed.
    ///
    /// - Parameter last: the id behind which the portion begins.
    /// - Returns: the id of its last mutation, nil at the end; and how many entries it has.
    static func rebuild(
        after last: String, on connection: PostgresConnection
    ) throws(PostgresError) -> (last: String?, entries: Int) {
        try PostgresDatabase.repeating(on: connection) { () throws(PostgresError) in
            try connection.query([PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ")])
            let found = try connection.query(
                "SELECT m.id, m.type, m.terminal_id, m.received_at, m.document, "
                    + "COALESCE(o.store_id, t.store_id, '') AS store_id FROM mutations m "
                    + "LEFT JOIN orders o ON o.mutation_id = m.id "
                    + "LEFT JOIN terminals t ON t.id = m.terminal_id "
                    + "WHERE m.id > $1 AND m.outcome = 'applied' AND m.type = ANY($2::text[]) "
                    + "ORDER BY m.id LIMIT $3",
                [.text(last), .texts(SaleEntry.types), .integer(Int64(portion))]
            ).rows
            var rows: [Row] = []
            for row in found {
                if let row = try Self.row(row, on: connection) { rows.append(row) }
            }
            let end = found.count < portion ? nil : try found.last?.text("id")
            try connection.query(
                [
                    PostgresStatement(
                        "DELETE FROM sales WHERE mutation_id > $1 AND ($2::text IS NULL OR mutation_id <= $2) "
                            + "AND mutation_id <> ALL($3::text[])",
                        [.text(last), .text(end), .texts(rows.map(\.mutationId))]),
                    insertion(of: rows), .commit,
                ].compactMap(\.self))
            return (end, rows.count)
        }
    }

    private static func row(
        _ row: PostgresRow, on connection: PostgresConnection
    ) throws(PostgresError) -> Row? {
        let document = JSONValue.stored(try row.optionalText("document"))
        let id = try row.text("id")
        let entry = try SaleEntry.entry(
            id: id, type: try row.text("type"), entityId: document["entityId"]?.string ?? "",
            document["payload"] ?? .null
        ) { orderId throws(PostgresError) in
            let voided = try connection.query(
                "SELECT order_id FROM orders o WHERE \(EntryRows.isOrder("o", mintedAs: "$1")) "
                    + "AND voided_by = $2", [.text(orderId), .text(id)]
            ).first?.optionalText(0)
            return try PostgresError.translating {
                try PostgresSession(connection).refundable(.id(voided ?? orderId), isLocked: false)
            }
        }
        return try entry.map { entry throws(PostgresError) in
            Row(
                entry: entry, mutationId: id, storeId: try row.text("store_id"),
                terminalId: try row.text("terminal_id"), receivedAt: try row.integer("received_at"))
        }
    }

    /// Computes everything, once in the life of a database: that of an older hub has no entries. Two
    /// processes that do it at once write the same.
    static func fill(on connection: PostgresConnection) throws(PostgresError) {
        guard
            try connection.query("SELECT 1 FROM meta WHERE key = '\(ReadModelMark.key)'").first == nil
        else { return }
        var last: String? = ""
        while let place = last { last = try rebuild(after: place, on: connection).last }
        try connection.query(
            "INSERT INTO meta (key, value) VALUES ('\(ReadModelMark.key)', '1') ON CONFLICT DO NOTHING")
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
