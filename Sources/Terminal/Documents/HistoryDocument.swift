internal import HubProtocol
internal import OfflineCore
internal import TerminalStore

/// The document of `pos history --json`.
enum HistoryDocument {
    static func read(_ periods: SQLiteOfflinePeriods) async throws(TerminalError) -> JSONValue {
        let stored: [StoredOfflinePeriod]
        do {
            stored = try await periods.all()
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable", "the history cannot be read: \(error)")
        }
        return ["periods": .array(stored.map(period))]
    }

    private static func period(_ period: StoredOfflinePeriod) -> JSONValue {
        [
            "start": .string(Timestamp.text(milliseconds: period.period.start)),
            "end": period.period.end.map { .string(Timestamp.text(milliseconds: $0)) } ?? .null,
            "causes": .array(period.period.causes.map { .string($0.rawValue) }),
            "evidence": .array(period.period.evidence.map(JSONValue.string)),
            "sales": .integer(Int64(period.sales)),
        ]
    }
}
