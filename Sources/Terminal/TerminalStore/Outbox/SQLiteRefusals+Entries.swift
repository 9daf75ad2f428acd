internal import GRDB
internal import HubProtocol
internal import OfflineMode
internal import Retail

extension SQLiteRefusals {
    /// A refused entry with its place.
    struct Refused {
        let sequence: Int64
        let orderingKey: String
        let madeAt: Int64
        let state: SyncState
        let mutation: Mutation
        let stock: StockMoves
    }

    static func row(_ id: String, in connection: Database) throws -> Row? {
        try Row.fetchOne(
            connection,
            sql: "SELECT sequence, lane, made_at, verdict, body, stock_moves FROM journal WHERE id = ?",
            arguments: [id])
    }

    static func mutation(_ body: Blob) throws -> Mutation {
        do {
            return try Mutation(json: JSONParser.parse(body.bytes))
        } catch {
            throw JournalChain.Broken(detail: "an entry cannot be read: \(error)")
        }
    }

    static func refused(_ id: String, in connection: Database) throws -> Result<Refused, RefusalError> {
        guard let row = try row(id, in: connection) else { return .failure(.unknown(id: id)) }
        let state = SyncState(column: row["verdict"])
        guard state.isRefused else {
            return .failure(.notRefused(id: id, state: state))
        }
        return .success(
            Refused(
                sequence: row["sequence"], orderingKey: row["lane"], madeAt: row["made_at"], state: state,
                mutation: try mutation(row["body"]), stock: try StockMoves(column: row["stock_moves"])))
    }

    /// Those of them that this terminal has; the others came from another terminal, and the hub has them.
    private static func known(_ attachments: [String], in connection: Database) throws -> [String] {
        try attachments.filter { id in
            try Bool.fetchOne(
                connection, sql: "SELECT 1 FROM attachments WHERE id = ?", arguments: [id]) ?? false
        }
    }

    /// The new entry keeps the time of the first one: the sale was made then.
    static func resend(
        _ refused: Refused, payload: JSONValue, in connection: Database
    ) throws -> String {
        let old = refused.mutation
        var journal = try JournalWriter(connection)
        let entry = try journal.append(
            JournalWriter.NewEntry(
                type: old.type, entity: old.entity, entityId: old.entityId, dependsOn: old.dependsOn,
                orderingKey: refused.orderingKey, attachments: try known(old.attachments, in: connection),
                supersedes: old.id, madeAt: refused.madeAt,
                payload: payload.canonicalBytes, stock: try stock(of: refused, meaning: payload)))
        try journal.finish()
        try settle(refused, as: .superseded, by: entry, in: connection)
        // The new entry has the moves now, and a hub that lost both requests both again.
        try takeStockBack(of: refused, in: connection)
        try connection.execute(
            sql: "UPDATE orders SET revision = ?1 WHERE COALESCE(revision, sequence) = ?2",
            arguments: [entry.sequence, refused.sequence])
        try connection.execute(
            sql: "UPDATE orders SET void_sequence = ?1 WHERE void_sequence = ?2",
            arguments: [entry.sequence, refused.sequence])
        try NoteTable(connection).replace(
            old.id, by: entry.id, payload: payload == old.payload ? nil : payload)
        return entry.id
    }

    static func settle(
        _ refused: Refused, as state: SyncState, by entry: JournalWriter.Entry, in connection: Database
    ) throws {
        try connection.execute(
            sql: "UPDATE journal SET verdict = ?, settled_by = ? WHERE sequence = ?",
            arguments: [state.column, entry.sequence, refused.sequence])
        try SQLiteOutbox.count(refused.state, by: -1, pending: 0, in: connection)
    }

    /// A void that is discarded leaves its order as it was.
    static func takeVoidBack(of refused: Refused, in connection: Database) throws {
        try connection.execute(
            sql: "UPDATE orders SET voided_at = NULL, void_sequence = NULL WHERE void_sequence = ?",
            arguments: [refused.sequence])
        try takeStockBack(of: refused, in: connection)
    }

    /// The entry moves nothing of counted stocks any more.
    static func takeStockBack(of refused: Refused, in connection: Database) throws {
        try connection.execute(
            sql: "UPDATE journal SET stock_moves = NULL WHERE sequence = ?", arguments: [refused.sequence])
    }

    /// The moves of counted stocks when `refused` gets `payload`; the same articles are counted.
    private static func stock(of refused: Refused, meaning payload: JSONValue) throws -> StockMoves {
        guard payload != refused.mutation.payload, refused.mutation.type == "order.completed" else {
            return refused.stock
        }
        let counted = Set(refused.stock.moves.map(\.sku))
        return .sold(
            try OrderPayload.content(of: payload, madeAt: 0) { number in
                payload["lines"]?.array?[number]["sku"]?.string.map(counted.contains) ?? false
            }.lines)
    }
}
