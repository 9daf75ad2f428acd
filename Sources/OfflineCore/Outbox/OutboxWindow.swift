/// The part of the outbox that was read from disk and has no verdict yet, oldest first.
///
/// It is read on as rows are needed: what waits stays in it, what got its verdict leaves it, and what was not
/// reached yet is on disk only.
struct OutboxWindow: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        let entry: OutboxEntry
        /// How often it was sent.
        var attempts = 0
        /// It was refused when it went alone, so it never goes with others again.
        var goesAlone = false
    }

    private(set) var rows: [Row] = []
    /// The highest sequence read.
    private(set) var readThrough: Int64 = 0
    /// There may be rows on disk behind `readThrough`.
    private(set) var hasMore = true
    /// Rows at or before `readThrough` changed on disk; all is read again from the start.
    private(set) var isStale = true

    /// Whether everything on disk is known and has its verdict.
    var isDrained: Bool { rows.isEmpty && !hasMore && !isStale }

    /// Whether all that is left on disk waits for attachments.
    var waitsForAttachmentsOnly: Bool { goingRows.isEmpty && !hasMore && !isStale }

    /// The rows that no unfinished attachment stands before: neither one of their own nor one of a row before
    /// them in their lane.
    var goingRows: [Row] {
        guard rows.contains(where: \.entry.isHeld) else { return rows }
        var heldKeys: Set<String> = []
        return rows.filter { row in
            if row.entry.isHeld { heldKeys.insert(row.entry.orderingKey) }
            return !heldKeys.contains(row.entry.orderingKey)
        }
    }

    /// Where the next read begins.
    var readAfter: Int64 { isStale ? 0 : readThrough }

    mutating func expectMore() { hasMore = true }

    mutating func invalidate() { isStale = true }

    /// A read begins; what is told from now on is not in it.
    ///
    /// - Returns: whether it reads from the start.
    mutating func beginReading() -> Bool {
        defer {
            isStale = false
            hasMore = false
        }
        return isStale
    }

    /// The read brought nothing: it has to be done again.
    mutating func failReading(fromStart: Bool) {
        hasMore = true
        if fromStart { isStale = true }
    }

    mutating func take(_ page: [OutboxEntry], reachedEnd: Bool, fromStart: Bool) {
        var known: [String: Row] = [:]
        if fromStart {
            for row in rows { known[row.entry.id] = row }
            rows = []
            readThrough = 0
        }
        for entry in page where entry.sequence > readThrough {
            var row = Row(entry: entry)
            if let before = known[entry.id] {
                row.attempts = before.attempts
                row.goesAlone = before.goesAlone
            }
            rows.append(row)
            readThrough = entry.sequence
        }
        if !reachedEnd && !page.isEmpty { hasMore = true }
    }

    mutating func remove(_ ids: Set<String>) {
        rows.removeAll { ids.contains($0.entry.id) }
    }

    mutating func noteAttempt(of ids: [String]) {
        let sent = Set(ids)
        for index in rows.indices where sent.contains(rows[index].entry.id) { rows[index].attempts += 1 }
    }

    mutating func sendAlone(_ id: String) {
        for index in rows.indices where rows[index].entry.id == id { rows[index].goesAlone = true }
    }

    /// Sequences that were read and have left the window: those with a verdict.
    func answered(among sequences: [Int64]) -> [Int64] {
        let waiting = Set(rows.map(\.entry.sequence))
        return sequences.filter { $0 <= readThrough && !waiting.contains($0) }
    }
}
