import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import TerminalStore

extension HistoryCall.Response {
    /// Reads the newest periods.
    init(_ periods: SQLiteOfflinePeriods) async throws(TerminalError) {
        do {
            // Some years of a terminal that goes offline every day.
            self.init(periods: try await periods.newest(limit: 10_000).map(HistoryCall.Period.init))
        } catch {
            throw TerminalError(
                .notDurable, code: "store_unavailable", "the history cannot be read: \(error)")
        }
    }
}

extension HistoryCall.Period {
    fileprivate init(_ period: TerminalStore.OfflinePeriod) {
        self.init(
            start: Timestamp.text(milliseconds: period.startedAt),
            end: period.endedAt.map(Timestamp.text(milliseconds:)), causes: period.causes,
            evidence: period.evidence, sales: period.sales)
    }
}
