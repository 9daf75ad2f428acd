import Base

internal import AgentAPI
internal import OfflineCore
internal import Synchronization

/// How long the disk takes for a sale, by the newest sales of this run.
///
/// A customer waits for it at every sale, and nothing else shows it: the sale is made, the network is well.
final class DiskSpeed: Sendable {
    /// From here on the disk is slow: nineteen of twenty sales are on it sooner, or it is named. Good disks
    /// take 1 to 10 ms, cards 20 to 100. Half of it names cards that nobody notices; with twice of it a queue
    /// waits half a second for every customer and nobody learns why.
    static let limit = Duration.milliseconds(250)
    /// Sales that count. Half of it forgets a slow disk between two busy hours, twice of it names one for
    /// long after it was replaced.
    private static let memory = 20
    /// One sale may have waited for a checkpoint or a backup.
    private static let fewest = 3

    private let newest = Mutex<[Duration]>([])

    /// A sale was on the disk after `elapsed`.
    ///
    /// - Returns: whether the disk is slow now and was not, or the other way round.
    func note(_ elapsed: Duration) -> Bool {
        newest.withLock { newest in
            let before = Self.isSlow(newest)
            newest.append(elapsed)
            if newest.count > Self.memory { newest.removeFirst() }
            return Self.isSlow(newest) != before
        }
    }

    /// What nineteen of the last twenty sales took at most, and of fewer all but one; nil: there were not
    /// enough of them in this run.
    var percentile95: Duration? { newest.withLock { Self.percentile95($0) } }

    var isSlow: Bool { newest.withLock { Self.isSlow($0) } }

    private static func percentile95(_ newest: [Duration]) -> Duration? {
        newest.count < fewest ? nil : newest.sorted()[newest.count - 2]
    }

    private static func isSlow(_ newest: [Duration]) -> Bool {
        percentile95(newest).map { $0 > limit } ?? false
    }
}

extension Doctor {
    func diskSpeed() -> DoctorCall.Check {
        guard let time = speed.percentile95 else {
            return note("disk speed", texts.diskNotMeasured)
        }
        return check(
            "disk speed", !speed.isSlow,
            texts.diskSpeed(time.wholeMilliseconds, isSlow: speed.isSlow), fix: texts.speedUpDisk)
    }
}
