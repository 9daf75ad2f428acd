import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import Retail

extension HistoryCall.Response {
    /// Reads the newest intervals.
    init(_ history: any OfflineHistory) async throws(TerminalError) {
        do {
            // Some years of a terminal that goes offline every day.
            self.init(periods: try await history.newest(limit: 10_000).map(HistoryCall.Period.init))
        } catch {
            throw TerminalError(
                .notDurable, code: "store_unavailable", "the history cannot be read: \(error)")
        }
    }
}

extension HistoryCall.Period {
    fileprivate init(_ period: OfflineInterval) {
        self.init(
            start: Timestamp.text(milliseconds: period.startedAt),
            end: period.endedAt.map(Timestamp.text(milliseconds:)), causes: period.causes,
            evidence: period.evidence, sales: period.sales)
    }
}
