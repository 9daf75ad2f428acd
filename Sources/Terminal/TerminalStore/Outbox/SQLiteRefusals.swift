package import HubProtocol
package import Retail

internal import GRDB
internal import OfflineMode

/// The refused entries in the terminal's journal.
package struct SQLiteRefusals: RefusalStorage {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Reads the index of the unsettled entries; default 1,000 of them.
    package func list(limit: Int = 1000) async throws(RefusalError) -> [RefusedEntry] {
        try await accessing(writing: false) { connection in
            let rows = try Row.fetchAll(
                connection,
                sql: """
                    SELECT sequence, id, type, made_at, attempts, verdict, result AS problem, body
                    FROM journal WHERE verdict IN ('rejected', 'conflicted') ORDER BY sequence LIMIT ?
                    """, arguments: [limit])
            return .success(
                try rows.map { row in
                    RefusedEntry(entry: JournalEntry(row), mutation: try Self.mutation(row["body"]))
                })
        }
    }

    /// One row of the journal.
    package func mutation(_ id: String) async throws(RefusalError) -> Mutation {
        try await accessing(writing: false) { connection in
            guard let row = try Self.row(id, in: connection) else { return .failure(.unknown(id: id)) }
            return .success(try Self.mutation(row["body"]))
        }
    }

    /// As ``SQLiteOutbox/heldBack(limit:)``.
    package func heldBack(limit: Int) async throws(RefusalError) -> [HeldBackEntry] {
        do throws(OutboxStorageError) {
            return try await SQLiteOutbox(database).heldBack(limit: limit)
        } catch {
            throw .storage(.unavailable(detail: "\(error)"))
        }
    }

    /// As ``SQLiteOutbox/release(_:)``.
    package func release(_ id: String) async throws(RefusalError) {
        do throws(OutboxStorageError) {
            _ = try await SQLiteOutbox(database).release(id)
        } catch {
            throw .storage(.unavailable(detail: "\(error)"))
        }
    }

    /// The order, its void and its notes are read from the new entry afterwards.
    package func resend(
        _ id: String, allowsPending: Bool,
        _ revise: @escaping @Sendable (Mutation) -> Result<JSONValue, RefusalError>
    ) async throws(RefusalError) -> String {
        try await settling(id, allowsPending: allowsPending) { refused, connection in
            switch revise(refused.mutation) {
            case .failure(let error): return .failure(error)
            case .success(let payload):
                if let objection = Self.objection(toReading: payload, as: refused.mutation.type) {
                    return .failure(.malformed(detail: objection))
                }
                return .success(
                    try Self.resend(refused, payload: payload, database.clocks(), in: connection))
            }
        }
    }

    /// Why `payload` cannot be read back as the sale or refund that it is to be; nil when it can.
    private static func objection(toReading payload: JSONValue, as type: String) -> String? {
        do {
            switch type {
            case "order.completed": _ = try OrderPayload.content(of: payload, madeAt: 0) { _ in false }
            case "refund.completed": _ = try RefundPayload.content(of: payload, madeAt: 0)
            default: break
            }
            return nil
        } catch {
            return "it is no \(type == "order.completed" ? "sale" : "refund") any more: \(error)"
        }
    }

    /// One transaction: the entry, the refusal's end and what it takes back.
    package func discard(
        _ id: String, _ payload: JSONValue, at madeAt: Int64
    ) async throws(RefusalError) -> String {
        try await settling(id, allowsPending: true) { refused, connection in
            var journal = try JournalWriter(connection, database.clocks())
            let entry = try journal.append(
                JournalWriter.NewEntry(
                    type: "mutation.discarded", entity: "mutation", entityId: id,
                    orderingKey: refused.orderingKey,
                    madeAt: madeAt, payload: payload.canonicalBytes))
            try journal.finish()
            try Self.settle(refused, as: .discarded, by: entry, in: connection)
            try NoteTable(connection).replace(id, by: nil, payload: nil)
            switch Refusals.effect(ofDiscarding: refused.mutation.type) {
            case .void: try Self.takeVoidBack(of: refused, in: connection)
            case .stock: try Self.takeStockBack(of: refused, in: connection)
            case .nothing: break
            }
            return .success(entry.id)
        }
    }

    private func settling(
        _ id: String, allowsPending: Bool,
        _ body: @escaping @Sendable (Refused, Database) throws -> Result<String, RefusalError>
    ) async throws(RefusalError) -> String {
        try await accessing(writing: true) { connection in
            switch try Self.refused(id, allowsPending: allowsPending, in: connection) {
            case .success(let refused): try body(refused, connection)
            case .failure(let error): .failure(error)
            }
        }
    }

    private func accessing<Value: Sendable>(
        writing: Bool, _ body: @escaping @Sendable (Database) throws -> Result<Value, RefusalError>
    ) async throws(RefusalError) -> Value {
        let result: Result<Value, RefusalError>
        do throws(StoreFailure) {
            result = try await writing ? database.write(body) : database.read(body)
        } catch {
            throw .storage(StorageError(error, path: database.path))
        }
        return try result.get()
    }
}

extension SQLiteRefusals {
    /// An entry that a person decides about, with its place: refused, or without a result that it gets.
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
            sql:
                "SELECT sequence, ordering_key, made_at, verdict, result, settled_by, body, stock_moves FROM journal "
                + "WHERE id = ?",
            arguments: [id])
    }

    static func mutation(_ body: Blob) throws -> Mutation {
        do {
            return try Mutation(json: JSONParser.parse(body.bytes))
        } catch {
            throw JournalChain.Broken(detail: "an entry cannot be read: \(error)")
        }
    }

    /// - Parameter allowsPending: whether an entry counts that has no result, only a problem: it was sent,
    ///   and what came back was none. What the hub itself deferred does not count.
    static func refused(
        _ id: String, allowsPending: Bool, in connection: Database
    ) throws -> Result<Refused, RefusalError> {
        guard let row = try row(id, in: connection) else { return .failure(.unknown(id: id)) }
        let state = SyncState(column: row["verdict"])
        guard state.isRefused || (allowsPending && lacksResult(row)) else {
            return .failure(.notRefused(id: id, state: state))
        }
        return .success(
            Refused(
                sequence: row["sequence"], orderingKey: row["ordering_key"], madeAt: row["made_at"],
                state: state,
                mutation: try mutation(row["body"]), stock: try StockMoves(column: row["stock_moves"])))
    }

    private static func lacksResult(_ row: Row) -> Bool {
        let settledBy: Int64? = row["settled_by"]
        guard SyncState(column: row["verdict"]) == .pending, settledBy == nil,
            let problem: String = row["result"], Mutation.isIntact((row["body"] as Blob).bytes)
        else { return false }
        return MutationResponse(stored: problem)?.outcome == nil
    }

    /// Those of them that this terminal has; the others came from another terminal, and the hub has them.
    private static func known(_ attachments: [String], in connection: Database) throws -> [String] {
        try attachments.filter { id in
            try Bool.fetchOne(
                connection, sql: "SELECT 1 FROM attachments WHERE id = ?", arguments: [id]) ?? false
        }
    }

    /// The new entry keeps the times of the first one: the sale was made then.
    static func resend(
        _ refused: Refused, payload: JSONValue, _ clocks: EntryClocks, in connection: Database
    ) throws -> String {
        let old = refused.mutation
        var journal = try JournalWriter(connection, clocks)
        let entry = try journal.append(
            JournalWriter.NewEntry(
                type: old.type, entity: old.entity, entityId: old.entityId, dependsOn: old.dependsOn,
                orderingKey: refused.orderingKey, attachments: try known(old.attachments, in: connection),
                supersedes: old.id, madeAt: refused.madeAt, generatedAt: old.clientGeneratedAt,
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
        try SQLiteOutbox.count(
            refused.state, by: -1, pending: refused.state == .pending ? -1 : 0, in: connection)
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
        let lines = CompletedOrder(shown: payload).lines
        return .sold(
            try OrderPayload.content(of: payload, madeAt: 0) { number in
                counted.contains(lines[number].sku)
            }.lines)
    }
}
