import Base

internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore
internal import MachineRuntime

/// The hub's clock as this terminal knows it: the `Date` of its latest response, and the time since.
///
/// The latest time is written to disk as well, once an hour. With it a wrong clock is found
/// in a run without the hub too.
final class HubTimeKeeper: HubClock {
    private struct State {
        /// The hub's time and the machine's moment when it came.
        var latest: (hub: Int64, at: MachineMoment)?
        var keptAt: Int64?
    }

    private let time: any SystemTime
    private let facts: SQLiteTerminalFacts
    private let state = Mutex(State())

    /// Between two writes, in milliseconds: an hour. A day is what counts, so that half or double of it
    /// changes nothing but the number of writes.
    private static let keepInterval: Int64 = 3_600_000

    init(facts: SQLiteTerminalFacts, time: any SystemTime) {
        self.facts = facts
        self.time = time
    }

    func note(_ milliseconds: Int64) {
        let now = MachineMoment(time)
        let isDue = state.withLock { state in
            state.latest = (milliseconds, now)
            guard milliseconds - (state.keptAt ?? 0) >= Self.keepInterval else { return false }
            state.keptAt = milliseconds
            return true
        }
        guard isDue else { return }
        // What is not kept is named again by the next response.
        Task { [facts] in try? await facts.keep(hubTime: milliseconds) }
    }

    func hubMilliseconds() -> Int64? {
        let now = MachineMoment(time)
        return state.withLock { $0.latest.map { $0.hub + (now.boot - $0.at.boot) } }
    }

    /// How far the hub's clock is ahead of this machine's, in milliseconds; nil: it has not responded in this
    /// run.
    var ahead: Int64? {
        hubMilliseconds().flatMap { hub in
            let (difference, overflows) = hub.subtractingReportingOverflow(time.wallMilliseconds())
            return overflows ? nil : difference
        }
    }
}
