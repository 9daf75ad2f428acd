internal import GRDB
internal import HubProtocol
internal import OfflineCore
package import OfflineMode
package import Retail
internal import Synchronization

/// Entries of the outbox whose content has changed on the disk: their hash is wrong.
///
/// They are not sent automatically, since a price that the disk changed would be booked. Their sequences stay
/// open at the hub, which lists them as missing, and entries of other ordering keys are sent: nothing is
/// lost, and a person decides. When such an entry is sent as it is, the hub flags it `hash_mismatch`.
enum HeldBackEntries {
    /// The fact with the ids of those that a person released to be sent as they are: a JSON array.
    private static let factName = "sentAsTheyAre"

    static func released(in connection: Database) throws -> Set<String> {
        let text = try String.fetchOne(
            connection, sql: "SELECT value FROM facts WHERE name = ?", arguments: [factName])
        let list = text.flatMap { try? JSONParser.parse($0.utf8) }?.array ?? []
        return Set(list.compactMap(\.string))
    }

    static func release(_ id: String, in connection: Database) throws {
        let ids = try released(in: connection).union([id]).sorted()
        try connection.execute(
            sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
            arguments: [factName, JSONValue.array(ids.map(JSONValue.string)).canonicalText])
    }

    /// `items` for sending: those that a person released wait only for their attachments.
    static func releasing(_ items: [OutboxItem], in connection: Database) throws -> [OutboxItem] {
        // An outbox without attachments and damage has no held entries.
        guard items.contains(where: \.isHeld) else { return items }
        let released = try released(in: connection)
        guard !released.isEmpty else { return items }
        return try items.map { item in
            guard item.isHeld, !item.isSetAside, released.contains(item.id) else { return item }
            let waits = try Bool.fetchOne(
                connection,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM mutation_attachments JOIN attachments
                        ON attachments.id = attachment_id WHERE mutation_id = ? AND whole_at IS NULL)
                    """, arguments: [item.id])
            return OutboxItem(
                id: item.id, sequence: item.sequence, orderingKey: item.orderingKey, type: item.type,
                body: item.body,
                isHeld: waits ?? false)
        }
    }
}

extension SQLiteOutbox {
    /// The entries without a result whose hash is wrong and that no person released, at most `limit`.
    package func heldBack(limit: Int = 1000) async throws(OutboxStorageError) -> [HeldBackEntry] {
        try await database.readOutbox { connection in
            let released = try HeldBackEntries.released(in: connection)
            let rows = try Row.fetchCursor(
                connection,
                sql: """
                    SELECT sequence, id, type, made_at, body FROM journal WHERE verdict IS NULL
                    ORDER BY sequence
                    """)
            var held: [HeldBackEntry] = []
            while held.count < limit, let row = try rows.next() {
                let body = (row["body"] as Blob).bytes
                let id: String = row["id"]
                guard !Mutation.isIntact(body), !released.contains(id) else { continue }
                held.append(
                    HeldBackEntry(
                        id: id, sequence: row["sequence"], type: row["type"], madeAt: row["made_at"],
                        json: try? JSONParser.parse(body)))
            }
            return held
        }
    }

    /// Releases an entry that is held back to be sent as it is; the hub flags it.
    ///
    /// - Returns: false for one that is not held back.
    func release(_ id: String) async throws(OutboxStorageError) -> Bool {
        let isReleased = try await database.writeOutbox { connection in
            let body = try Row.fetchOne(
                connection, sql: "SELECT body FROM journal WHERE id = ? AND verdict IS NULL", arguments: [id])
            guard let body, !Mutation.isIntact((body["body"] as Blob).bytes) else { return false }
            try HeldBackEntries.release(id, in: connection)
            return true
        }
        if isReleased { database.held.withLock { _ = $0.remove(id) } }
        return isReleased
    }

    /// How many entries were held back when the outbox was read; reads nothing itself.
    package var heldBackCount: Int { database.held.withLock(\.count) }
}

/// The ids of held entries, shared by all readers of the outbox.
final class HeldIds: Sendable {
    private let ids = Mutex<Set<String>>([])

    func withLock<Value: Sendable>(_ body: (inout sending Set<String>) -> sending Value) -> Value {
        ids.withLock(body)
    }
}
