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
        + "$8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[])"
        + SaleEntry.replacing

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
            ])
    }
}

extension PostgresIntake {
    func insert(_ entry: SaleEntry, for record: MutationRecord) {
        draft.unwritten.sales.append(
            PostgresSales.Row(
                entry: entry, mutationId: record.key, storeId: record.device.storeId,
                terminalId: record.device.terminalId, receivedAt: record.receivedAt))
    }

    /// One announcement serves all numbers of the transaction, which are behind it.
    func append(_ document: JournalDocument) {
        draft.unwritten.documents.append(document)
        memory.sales.keep(document)
        guard !draft.hasDocuments else { return }
        draft.hasDocuments = true
        draft.unwritten.announcesDocuments = true
    }

    func insert(_ flags: [IntakeFlag], for record: MutationRecord) {
        draft.unwritten.flags += flags.map { ($0, record) }
    }

    func insertRefusal(_ result: MutationResult, for record: MutationRecord) {
        draft.unwritten.refusals.append((result, record))
    }
}
