import Base
import Foundation
import Glibc
import OfflineCore
import OfflineMode
import Synchronization
import MachineRuntime

/// The clock that the transport stamps with.
func monotonicNow() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}

/// The threads of this process that carry `name`.
func threads(named name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { task in
        let comm = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        return comm?.hasPrefix(name) ?? false
    }
}

/// Writes down what the transport reports.
final class OutcomeLog: OutcomeObserving {
    private let log = Mutex<(finished: [RequestOutcome], stalled: [APIRoute], moves: [Instant])>(([], [], []))

    var finished: [RequestOutcome] { log.withLock { $0.finished } }
    var stalled: [APIRoute] { log.withLock { $0.stalled } }
    /// Since when bytes had moved, at each report of it.
    var moves: [Instant] { log.withLock { $0.moves } }

    func requestFinished(_ outcome: RequestOutcome) {
        log.withLock { $0.finished.append(outcome) }
    }

    func requestMoves(since: Instant) { log.withLock { $0.moves.append(since) } }

    func requestStalled(_ api: APIRoute, startedAt: Instant) {
        log.withLock { $0.stalled.append(api) }
    }
}

/// The monotonic clock with a wall clock that a test sets.
struct FixedWall: SystemTime {
    var wall: Int64 = 1_790_000_000_000

    func now() -> Instant { monotonicNow() }
    func wallMilliseconds() -> Int64 { wall }
    func suspended() -> Duration { .zero }
}
