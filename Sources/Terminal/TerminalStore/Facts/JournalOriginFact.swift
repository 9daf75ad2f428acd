internal import GRDB
internal import HubProtocol

/// The origin of the present epoch, kept as a fact with the epoch that it belongs to: one of another epoch,
/// as an earlier version leaves it behind, counts for nothing.
enum JournalOriginFact {
    static let name = "journalOrigin"
    private static let epochKey = "epoch"

    /// Nil where the epoch was opened by an earlier version. Its first epoch began behind what the hub of
    /// before had.
    static func read(epoch: Int64, in connection: Database) throws -> JournalOrigin? {
        if let text = try SQLiteTerminalFacts.fact(name, in: connection),
            let origin = origin(text, epoch: epoch)
        {
            return origin
        }
        guard epoch == 1 else { return nil }
        let base = try SQLiteTerminalFacts.fact(SQLiteTerminalFacts.baseName, in: connection)
        let start = (base.flatMap { Int64($0) } ?? 0) + 1
        return JournalOrigin(epochStart: start, journalStart: start)
    }

    /// Reads the fact's text; nil for one of another epoch.
    static func origin(_ text: String, epoch: Int64) -> JournalOrigin? {
        guard let json = try? JSONParser.parse(text.utf8), json[epochKey]?.integer == epoch else {
            return nil
        }
        return try? JournalOrigin(json: json)
    }

    static func keep(_ origin: JournalOrigin, epoch: Int64, in connection: Database) throws {
        var members = origin.json.object ?? [:]
        members[epochKey] = .integer(epoch)
        try connection.execute(
            sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
            arguments: [name, JSONValue.object(members).canonicalText])
    }

    /// Where an epoch begins that is opened now: at the first entry without a result.
    static func start(in connection: Database) throws -> Int64 {
        try Int64.fetchOne(
            connection,
            sql: """
                SELECT COALESCE((SELECT min(sequence) FROM journal WHERE verdict IS NULL), sequence + 1)
                FROM terminal
                """) ?? 1
    }

    /// Opens `epoch` behind that of `head`, of which `end` was the last entry.
    static func open(
        _ epoch: Int64, after head: JournalHead, endingAt end: JournalMark?, in connection: Database
    ) throws {
        guard epoch != head.epoch else { return }
        let before = try read(epoch: head.epoch, in: connection)
        let start = try start(in: connection)
        var ends = before?.ends ?? []
        // The end comes from the hub, and what cannot be read back would take the start with it.
        if let end, (try? JournalMark(json: end.json)) != nil, try !isHere(end, in: connection),
            !ends.contains(end)
        {
            ends.append(end)
        }
        try keep(
            JournalOrigin(epochStart: start, journalStart: before?.journalStart ?? 1, ends: ends),
            epoch: epoch,
            in: connection)
    }

    static func isHere(_ end: JournalMark, in connection: Database) throws -> Bool {
        try Int64.fetchOne(
            connection, sql: "SELECT 1 FROM journal WHERE sequence = ? AND hash = ?",
            arguments: [end.sequence, end.hash]) != nil
    }
}
