/// What the machine needs of one row; the row's body stays with the driver.
public struct OutboxEntry: Hashable, Sendable {
    /// The mutation's ULID.
    public let id: String
    /// The entry's number in the journal; rows are sent in this order.
    public let sequence: Int64
    /// Rows with the same key are sent in order; keys do not delay each other.
    public let orderingKey: String
    /// The length of the row's body.
    public let bytes: Int
    /// An attachment of the row is incomplete at the hub: the row and later ones with its key are not sent.
    public let isHeld: Bool
    /// A person has set it aside or edited it; it is sent all the same, since its sequence is open at the
    /// hub.
    public let isSetAside: Bool

    /// A row of `bytes` bytes; by default no attachment delays it, and no person has set it aside.
    public init(
        id: String, sequence: Int64, orderingKey: String, bytes: Int, isHeld: Bool = false,
        isSetAside: Bool = false
    ) {
        self.id = id
        self.sequence = sequence
        self.orderingKey = orderingKey
        self.bytes = bytes
        self.isHeld = isHeld
        self.isSetAside = isSetAside
    }
}

/// The part of the outbox that was read from disk and has no result yet, oldest first.
///
/// More rows are read as they are needed. A waiting row stays in the window, a row with its result is removed
/// from it, and rows that were not read yet are on disk only.
struct OutboxWindow: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        let entry: OutboxEntry
        /// How often it was sent.
        var attempts = 0
    }

    private(set) var rows: [Row] = []
    /// The highest sequence read.
    private(set) var readThrough: Int64 = 0
    /// There may be rows on disk after `readThrough`.
    private(set) var hasMore = true
    /// Rows at or before `readThrough` changed on disk; all are read again from the start.
    private(set) var isStale = true

    /// Whether everything on disk was read and has its result.
    var isDrained: Bool { rows.isEmpty && !hasMore && !isStale }

    /// Whether all rows that are left wait for attachments.
    var waitsForAttachmentsOnly: Bool { goingRows.isEmpty && !hasMore && !isStale }

    /// The rows that wait for no incomplete attachment: neither of their own nor of an earlier row with the
    /// same ordering key.
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

    /// A read begins; changes that are reported from now on are not in it.
    ///
    /// - Returns: whether it reads from the start.
    mutating func beginReading() -> Bool {
        defer {
            isStale = false
            hasMore = false
        }
        return isStale
    }

    /// The read failed: it must be done again.
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
            }
            rows.append(row)
            readThrough = entry.sequence
        }
        if !reachedEnd && !page.isEmpty { hasMore = true }
    }

    /// The rows of `ids`, in the order of the window.
    func entries(_ ids: [String]) -> [OutboxEntry] {
        if ids.isEmpty { return [] }
        let wanted = Set(ids)
        return rows.lazy.filter { wanted.contains($0.entry.id) }.map(\.entry)
    }

    mutating func remove(_ ids: Set<String>) {
        rows.removeAll { ids.contains($0.entry.id) }
    }

    mutating func noteAttempt(of ids: [String]) {
        let sent = Set(ids)
        for index in rows.indices where sent.contains(rows[index].entry.id) { rows[index].attempts += 1 }
    }

    /// Sequences that were read and are no longer in the window: those with a result.
    func settled(among sequences: [Int64]) -> [Int64] {
        let waiting = Set(rows.map(\.entry.sequence))
        return sequences.filter { $0 <= readThrough && !waiting.contains($0) }
    }
}
