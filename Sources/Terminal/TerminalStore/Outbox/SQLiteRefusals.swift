internal import GRDB
public import HubProtocol
internal import OfflineMode
public import Retail

/// A person's decisions about the hub's refusals. A refused entry stays as it is: an edit is a new entry that
/// supersedes it, and discarding it is an entry of its own, so that the journal has both.
public struct SQLiteRefusals: Sendable {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// The refusals that no person has settled, oldest first, at most `limit`.
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
                    RefusedEntry(entry: OutboxEntry(row), mutation: try Self.mutation(row["body"]))
                })
        }
    }

    /// The mutation `id`, in any state.
    public func mutation(_ id: String) async throws(RefusalError) -> Mutation {
        try await accessing(writing: false) { connection in
            guard let row = try Self.row(id, in: connection) else { return .failure(.unknown(id: id)) }
            return .success(try Self.mutation(row["body"]))
        }
    }

    /// Sends a refused mutation again under a new id that supersedes it: same entity, same order number.
    ///
    /// - Parameters:
    ///   - payload: its new content; nil for the same.
    ///   - person: who changes it, and who approved that; nil for a retry, which changes nothing.
    /// - Returns: the new mutation's id.
    public func resend(
        _ id: String, payload: JSONValue? = nil, by person: Authorization? = nil
    ) async throws(RefusalError) -> String {
        try await settling(id) { refused, connection in
            let content = payload ?? refused.mutation.payload
            if let objection = RefusedPayload.objection(to: content, after: refused.mutation) {
                return .failure(.malformed(detail: objection))
            }
            let meant = RefusedPayload.meant(by: content, after: refused.mutation, from: person)
            return .success(try Self.resend(refused, payload: meant, in: connection))
        }
    }

    /// Discards a refused mutation; the reason is sent to the hub as `mutation.discarded`.
    ///
    /// - Parameters:
    ///   - person: who discards it, and who approved that; nil in a store without cashiers.
    ///   - name: who discards it, as entered, in a store without cashiers.
    ///   - madeAt: Unix milliseconds of the wall clock.
    /// - Returns: the id of the mutation that records it.
    public func discard(
        _ id: String, reason: String, by name: String?, _ person: Authorization? = nil, at madeAt: Int64
    ) async throws(RefusalError) -> String {
        try await settling(id) { refused, connection in
            var payload = CanonicalObject()
            if let approver = person?.approverId { payload.add("approverId", approver) }
            payload.add("by", person?.cashierId ?? name)
            if let cashier = person?.cashierId { payload.add("cashierId", cashier) }
            payload.add("discards", id)
            payload.add("reason", reason)
            var journal = try JournalWriter(connection)
            let entry = try journal.append(
                JournalWriter.NewEntry(
                    type: "mutation.discarded", entity: "mutation", entityId: id,
                    orderingKey: refused.orderingKey,
                    madeAt: madeAt, payload: payload.bytes))
            try journal.finish()
            try Self.settle(refused, as: .discarded, by: entry, in: connection)
            try NoteTable(connection).replace(id, by: nil, payload: nil)
            switch refused.mutation.type {
            case "order.voided": try Self.takeVoidBack(of: refused, in: connection)
            case "refund.completed": try Self.takeStockBack(of: refused, in: connection)
            case _: break
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
            switch error {
            case .diskFull: throw .diskFull(path: database.path)
            case .broken(let detail), .refused(let detail): throw .unavailable(detail: detail)
            case .notEnrolled: throw .unavailable(detail: "the terminal is not enrolled")
            }
        }
        return try result.get()
    }
}
