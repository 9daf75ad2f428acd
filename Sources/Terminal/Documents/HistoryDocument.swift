internal import HubProtocol
internal import OfflineCore
internal import TerminalStore

/// The document of `pos history --json`.
enum HistoryDocument {
    static func read(_ periods: SQLiteOfflinePeriods) async throws(TerminalError) -> JSONValue {
        let stored: [TerminalStore.OfflinePeriod]
        do {
            stored = try await periods.newest(limit: 10_000)
        } catch {
            throw TerminalError(
                .notDurable, code: "store_unavailable", "the history cannot be read: \(error)")
        }
        return ["periods": .array(stored.map(period))]
    }

    private static func period(_ period: TerminalStore.OfflinePeriod) -> JSONValue {
        [
            "start": .string(Timestamp.text(milliseconds: period.startedAt)),
            "end": period.endedAt.map { .string(Timestamp.text(milliseconds: $0)) } ?? .null,
            "causes": .array(period.causes.map(JSONValue.string)),
            "evidence": .array(period.evidence.map(JSONValue.string)),
            "sales": .integer(period.sales),
        ]
    }
}
