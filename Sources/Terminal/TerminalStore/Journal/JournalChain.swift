internal import GRDB
internal import HubProtocol

/// Looks whether the journal is the unbroken chain it claims to be.
enum JournalChain {
    /// The journal does not fit together; the database is not to be written to.
    struct Broken: Error, Hashable {
        let detail: String
    }

    /// The end alone, at every opening: the terminal's row and the last entry agree.
    static func checkHead(of database: Database) throws {
        let head = try JournalHead.read(database)
        let last = try Row.fetchOne(
            database, sql: "SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1")
        let sequence: Int64 = last?["sequence"] ?? 0
        let hash: String = last?["hash"] ?? Mutation.genesisHash
        guard sequence == head.sequence, hash == head.hash else {
            throw Broken(
                detail: "the journal ends at \(sequence) and the terminal's row has \(head.sequence)")
        }
    }

    /// Every entry: its hash over its body, its link to the one before, no gap. Entries that were pruned at
    /// the beginning are no gap.
    static func problems(in database: Database) throws -> [String] {
        var problems: [String] = []
        var previous: (sequence: Int64, hash: String)?
        let lost = try lostInRepair(of: database)
        let rows = try Row.fetchCursor(
            database, sql: "SELECT sequence, hash, body FROM journal ORDER BY sequence")
        while let row = try rows.next(), problems.count < 20 {
            let sequence: Int64 = row["sequence"]
            let hash: String = row["hash"]
            let body: Blob = row["body"]
            if let last = previous, last.sequence + 1 < sequence,
                (last.sequence + 1..<sequence).allSatisfy(lost.contains)
            {
                // What a repair could not bring over is its own finding.
                previous = nil
            }
            if let previous, previous.sequence + 1 != sequence {
                problems.append("journal: nothing between \(previous.sequence) and \(sequence)")
            }
            guard let document = try? JSONParser.parse(body.bytes), let entry = try? Mutation(json: document)
            else {
                problems.append("journal: entry \(sequence) cannot be read")
                continue
            }
            if entry.computedHash != hash { problems.append("journal: entry \(sequence) was changed") }
            if let previous, entry.previousHash != previous.hash {
                problems.append("journal: entry \(sequence) does not follow the one before it")
            }
            previous = (sequence, hash)
        }
        return problems
    }

    /// The sequences that the last repair named as lost.
    private static func lostInRepair(of database: Database) throws -> Set<Int64> {
        let text = try String.fetchOne(
            database, sql: "SELECT value FROM facts WHERE name = ?", arguments: [DatabaseRepair.factName])
        let report = text.flatMap { try? JSONParser.parse($0.utf8) }
        return Set((report?["lost"]?.array ?? []).compactMap { $0["sequence"]?.integer })
    }
}
