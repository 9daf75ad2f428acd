/// An interval in which the terminal was offline, as `pos history` shows it.
package struct OfflineInterval: Hashable, Sendable {
    /// The row's number on this terminal, rising in the order of the intervals.
    package let id: Int64
    /// Unix milliseconds of the wall clock.
    package let startedAt: Int64
    /// Unix milliseconds; nil while it lasts.
    package let endedAt: Int64?
    /// Every cause that was active in it, in the order in which they came.
    package let causes: [String]
    /// What led to it, oldest first, `manual:stock-taking` for example; at most ``evidenceLimit``.
    package let evidence: [String]
    /// Sales recorded in it that began offline.
    package let sales: Int64

    /// What is kept of the evidence, the newest: a screen of text. Halved, what began a long day offline is
    /// soon lost; doubled, each merge of a flapping network writes twice as much.
    static let evidenceLimit = 20

    /// Makes an interval; `sales` is 0 where they were not counted.
    package init(
        id: Int64, startedAt: Int64, endedAt: Int64?, causes: [String], evidence: [String], sales: Int64
    ) {
        (self.id, self.startedAt, self.endedAt) = (id, startedAt, endedAt)
        (self.causes, self.evidence, self.sales) = (causes, evidence, sales)
    }

    /// With the causes and the evidence that it does not have yet.
    package func adding(causes more: [String], evidence seen: [String]) -> OfflineInterval {
        OfflineInterval(
            id: id, startedAt: startedAt, endedAt: endedAt,
            causes: causes + more.filter { !causes.contains($0) },
            evidence: (evidence + seen.filter { !evidence.contains($0) }).suffix(Self.evidenceLimit),
            sales: sales)
    }

    /// When it ends if the wall clock shows `wallMilliseconds` then: a clock that was set back never ends it
    /// before it began.
    package func end(at wallMilliseconds: Int64) -> Int64 { max(wallMilliseconds, startedAt) }
}

/// The history of the intervals offline. At most one lasts at a time.
package protocol OfflineHistory: Sendable {
    /// The terminal is offline: begins an interval, or adds to the one that lasts (from before a restart,
    /// too) the causes and evidence that it does not have yet.
    func noteOffline(
        at wallMilliseconds: Int64, causes: [String], evidence: [String]
    ) async throws(StorageError)

    /// The terminal is online: ends the interval that lasts, if one does.
    func noteOnline(at wallMilliseconds: Int64) async throws(StorageError)

    /// The newest intervals first, at most `limit`.
    func newest(limit: Int) async throws(StorageError) -> [OfflineInterval]

    /// When the newest intervals began and ended and why, without their sales, which take a while to count.
    func newestCauses(limit: Int) async throws(StorageError) -> [OfflineInterval]
}
