import Base

internal import AgentAPI
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import Retail

/// Writes the offline periods to the store, one after the other, without holding up the offline module.
final class PeriodLog: OfflinePeriodRecording {
    private let store: any OfflineHistory
    private let atStart: RecordedOfflinePeriod?
    private let logger: Logger
    private let changes = AsyncStream.makeStream(of: RecordedOfflinePeriod.self)

    /// - Parameter newest: the newest period on disk when the agent started.
    init(store: any OfflineHistory, newest: OfflineInterval?, logger: Logger) {
        self.store = store
        self.logger = logger
        atStart = newest.flatMap { period in
            guard period.endedAt == nil else { return nil }
            return RecordedOfflinePeriod(
                start: period.startedAt, end: nil,
                causes: period.causes.compactMap(OfflineCause.init(rawValue:)),
                evidence: period.evidence)
        }
    }

    func openPeriod() -> RecordedOfflinePeriod? { atStart }

    func record(_ period: RecordedOfflinePeriod) {
        changes.continuation.yield(period)
    }

    /// Writes what was recorded; once cancelled, ends when everything before that is written.
    func run() async {
        await withTaskCancellationHandler {
            // A task of its own: a cancelled one would stop reading with periods still unwritten.
            await Task { for await period in changes.stream { await write(period) } }.value
        } onCancel: {
            changes.continuation.finish()
        }
    }

    private func write(_ period: RecordedOfflinePeriod) async {
        do {
            try await store.noteOffline(
                at: period.start, causes: period.causes.map(\.rawValue), evidence: period.evidence)
            if let end = period.end { try await store.noteOnline(at: end) }
        } catch {
            logger.warning("the history of offline periods was not written: \(error)")
        }
    }
}

extension HistoryCall.Response {
    /// Reads the newest intervals.
    init(_ history: any OfflineHistory) async throws(TerminalError) {
        do {
            // Some years of a terminal that goes offline every day.
            self.init(periods: try await history.newest(limit: 10_000).map(HistoryCall.Period.init))
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable") {
                $0.unreadable(.history, "\(error)")
            }
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
