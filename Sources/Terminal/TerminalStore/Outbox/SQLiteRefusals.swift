internal import GRDB
public import HubProtocol
internal import OfflineMode
public import Retail

/// The refused entries in the terminal's journal.
public struct SQLiteRefusals: RefusalStorage {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Reads the index of the unsettled entries; default 1,000 of them.
    public func list(limit: Int = 1000) async throws(RefusalError) -> [RefusedEntry] {
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
    public func mutation(_ id: String) async throws(RefusalError) -> Mutation {
        try await accessing(writing: false) { connection in
            guard let row = try Self.row(id, in: connection) else { return .failure(.unknown(id: id)) }
            return .success(try Self.mutation(row["body"]))
        }
    }

    /// As ``SQLiteOutbox/heldBack(limit:)``.
    public func heldBack(limit: Int) async throws(RefusalError) -> [HeldBackEntry] {
        do throws(OutboxStorageError) {
            return try await SQLiteOutbox(database).heldBack(limit: limit)
        } catch {
            throw .storage(.unavailable(detail: "\(error)"))
        }
    }

    /// As ``SQLiteOutbox/release(_:)``.
    public func release(_ id: String) async throws(RefusalError) {
        do throws(OutboxStorageError) {
            _ = try await SQLiteOutbox(database).release(id)
        } catch {
            throw .storage(.unavailable(detail: "\(error)"))
        }
    }

    /// The order, its void and its notes are read from the new entry afterwards.
    public func resend(
        _ id: String, _ revise: @escaping @Sendable (Mutation) -> Result<JSONValue, RefusalError>
    ) async throws(RefusalError) -> String {
        try await settling(id) { refused, connection in
            switch revise(refused.mutation) {
            case .failure(let error): return .failure(error)
            case .success(let payload):
                if let objection = Self.objection(toReading: payload, as: refused.mutation.type) {
                    return .failure(.malformed(detail: objection))
                }
                return .success(try Self.resend(refused, payload: payload, in: connection))
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
    public func discard(
        _ id: String, _ payload: JSONValue, at madeAt: Int64
    ) async throws(RefusalError) -> String {
        try await settling(id) { refused, connection in
            var journal = try JournalWriter(connection)
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
        _ id: String, _ body: @escaping @Sendable (Refused, Database) throws -> Result<String, RefusalError>
    ) async throws(RefusalError) -> String {
        try await accessing(writing: true) { connection in
            switch try Self.refused(id, in: connection) {
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
