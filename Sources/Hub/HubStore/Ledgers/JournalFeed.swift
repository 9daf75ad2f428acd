package import HubCore
internal import HubProtocol

/// What back offices read in the order of arrival.
extension Ledger {
    /// Documents behind a place, each once and as it was written; of the next 1,000 at most, ``PageLimit``.
    ///
    /// - Parameters:
    ///   - cursor: nil: from the beginning.
    ///   - limit: how many documents at most, from 1.
    package func journal(
        after cursor: JournalCursor?, limit: Int, _ filter: JournalFilter
    ) async throws(LedgerError) -> JournalReading {
        try await read { session in try session.journal(after: cursor, limit: limit, filter) }
    }

    /// The place behind all that is there.
    package func journalEnd() async throws(LedgerError) -> JournalCursor {
        try await read { session in
            JournalCursor(life: try session.journalLife(), number: try session.settledNumber())
        }
    }
}

extension StoreSession {
    /// Adds documents to the journal feed.
    package func append(_ documents: [JournalDocument]) throws {
        guard !documents.isEmpty else { return }
        let rows = documents.map { document in
            StoreQuery(
                JournalRows.insertion,
                of: [document.kind.rawValue, document.storeId, document.entry, document.text])
        }
        try run([dialect.numbering.announcement].compactMap(\.self) + rows)
    }

    fileprivate func journalLife() throws -> String {
        guard let life = try first("SELECT value FROM meta WHERE key = 'journal'")?.text(0) else {
            throw LedgerError.failed("the store has no journal")
        }
        return life
    }

    /// The last number up to which no open transaction can fill any.
    func settledNumber() throws -> Int64 {
        let last: Int64 = try run([dialect.numbering.last]).first?[0] ?? 0
        guard let settled = dialect.numbering.settled else { return last }
        return try run([StoreQuery(settled.sql, [.integer(last)])]).first?[0] ?? last
    }

    fileprivate func journal(
        after cursor: JournalCursor?, limit: Int, _ filter: JournalFilter
    ) throws -> JournalReading {
        let (life, end) = (try journalLife(), try settledNumber())
        if let cursor, cursor.life != life || cursor.number > end {
            return .expired(life: life, sameThrough: try sameThrough(cursor.life, in: life) ?? end)
        }
        var place = cursor?.number ?? 0
        if let gone = try archives(behind: place) { return .archived(gone, life: life) }
        for _ in 0..<JournalRows.mostParts {
            let through = filter.isOfAll ? end : min(end, place + JournalRows.part)
            let found = try page(
                of: JournalRows.page(behind: place, through: through, limit, filter, dialect), rows: limit,
                behind: nil
            ).page
            let last: Int64? = try found.rows.last?[0]
            place = found.hasMore ? last ?? place : through
            guard !found.rows.isEmpty || place >= end else { continue }
            return .page(
                documents: try found.rows.map { try $0[1] }, cursor: JournalCursor(life: life, number: place),
                hasMore: place < end)
        }
        return .page(documents: [], cursor: JournalCursor(life: life, number: place), hasMore: place < end)
    }

    /// What the life of now has in common with an earlier one; nil for the life of now, 0 for one that the
    /// store does not know.
    private func sameThrough(_ earlier: String, in life: String) throws -> Int64? {
        guard earlier != life else { return nil }
        return try first(
            "SELECT MIN(later.through) FROM journal_lives later WHERE later.id >= "
                + "(SELECT l.id FROM journal_lives l WHERE l.life = $1)", [earlier])?.integer(0) ?? 0
    }
}

extension JournalFilter {
    fileprivate var isOfAll: Bool { storeId == nil && kinds == nil }
}

/// The table `documents`.
package enum JournalRows {
    /// Values: kind, store, entry, document.
    package static let insertion =
        "INSERT INTO documents (kind, store_id, entry, document) VALUES ($1, $2, $3, $4)" + once

    /// An entry has one document, also when it comes again after a restore of the other tables alone.
    package static let once = " ON CONFLICT (entry) WHERE entry IS NOT NULL DO NOTHING"

    /// The last number that a document has, or had before it went into an archive.
    package static let last =
        "SELECT COALESCE(MAX(number), 0) FROM (SELECT MAX(number) AS number FROM documents "
        + "UNION ALL SELECT MAX(through) FROM archives) AS ends"

    /// Numbers that are looked through at once for the few documents of a filter: some milliseconds. Half of
    /// it makes a reader of one store ask twice as often, twice as much holds a connection twice as long.
    fileprivate static let part: Int64 = 20_000
    /// Parts of one request; behind them its page is empty and goes on.
    fileprivate static let mostParts = 10

    /// The name of the life of now and the names of those before, in a store that was restored. Without a
    /// double quote or a dollar sign: they are shown as one argument of a shell.
    ///
    /// - Parameter name: SQL of a name that no other life has.
    package static func newLife(named name: String) -> [String] {
        [
            "INSERT INTO journal_lives (life, through) SELECT value, (\(last)) FROM meta WHERE key = 'journal'",
            "UPDATE meta SET value = \(name) WHERE key = 'journal'",
        ]
    }

    fileprivate static func page(
        behind place: Int64, through end: Int64, _ limit: Int, _ filter: JournalFilter, _ dialect: Dialect
    ) -> StoreQuery {
        var (sql, values): (String, [StoreValue]) = (
            "SELECT number, document FROM documents WHERE number > $1 AND number <= $2",
            [.integer(place), .integer(end), .integer(Int64(limit + 1))]
        )
        if let storeId = filter.storeId {
            values.append(.text(storeId))
            sql += " AND store_id = $\(values.count)"
        }
        if let kinds = filter.kinds {
            values.append(.texts(kinds.map(\.rawValue).sorted()))
            sql += " AND kind \(dialect.isOne("$\(values.count)"))"
        }
        return StoreQuery(sql + " ORDER BY number LIMIT $3", values, texts: ["document"])
    }
}
