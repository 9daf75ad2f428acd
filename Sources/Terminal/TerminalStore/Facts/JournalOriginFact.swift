internal import GRDB
internal import HubProtocol
internal import OfflineCore

/// The origin of the present epoch, kept as a fact with the epoch that it belongs to: one of another epoch,
/// as an earlier version leaves it behind, counts for nothing.
enum JournalOriginFact {
    static let name = "journalOrigin"
    private static let epochKey = "epoch"
    private static let supersedingKey = "superseding"

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
        guard var origin = try? JournalOrigin(json: json) else { return nil }
        origin.ends = Array((origin.ends + superseding(json)).suffix(JournalOrigin.maximumEnds))
        return origin
    }

    /// The ends that the last response `epoch_superseded` named. They become the origin's own with the next
    /// epoch or identity.
    private static func superseding(_ json: JSONValue) -> [JournalMark] {
        (json[supersedingKey]?.array ?? []).compactMap { try? JournalMark(json: $0) }
    }

    /// Keeps what the copy that continues has and this disk does not, in the place of what an earlier
    /// response named of the same epochs: it grows while the other copy sells. An end that the hub names no
    /// more, as after its restore, becomes the origin's own.
    static func keep(
        superseding named: [JournalMark], of head: JournalHead, in connection: Database
    ) throws {
        guard let origin = try read(epoch: head.epoch, in: connection) else { return }
        let text = try SQLiteTerminalFacts.fact(name, in: connection)
        let before = text.flatMap { try? JSONParser.parse($0.utf8) }.map(superseding) ?? []
        let ends = try named.filter { try !isHere($0, in: connection) }
        guard ends != before else { return }
        let own = origin.ends.filter { end in
            !named.contains {
                end == $0 || before.contains(end) && $0.epoch == end.epoch && $0.sequence >= end.sequence
            }
        }
        try keep(
            JournalOrigin(epochStart: origin.epochStart, journalStart: origin.journalStart, ends: own),
            superseding: ends, epoch: head.epoch, in: connection)
    }

    static func keep(
        _ origin: JournalOrigin, superseding: [JournalMark] = [], epoch: Int64, in connection: Database
    ) throws {
        var members = origin.json.object ?? [:]
        members[epochKey] = .integer(epoch)
        if !superseding.isEmpty { members[supersedingKey] = .array(superseding.map(\.json)) }
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

extension JournalMark {
    init(_ end: SupersedingJournal.End) {
        self.init(epoch: end.epoch, sequence: end.sequence, hash: end.hash)
    }
}
