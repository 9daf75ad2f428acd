package import Base
import OfflineCore

/// mwan3 of OpenWrt, whose `mwan3track` watches one uplink with one target.
///
/// `net/mwan3/files/usr/sbin/mwan3track` at 0150459: `track_method` ping, `count` 1, `timeout` 4, `interval`
/// 10, `down` 5, `up` 5, `reliability` 1, `check_quality` 0, and the failure and recovery intervals as long
/// as the interval, which passes between the end of one ping and the start of the next. A score of down +
/// up falls by one for each failure and is offline at `up`; a response in between fills it again. Offline it
/// starts at 0, rises by one for each response, falls to 0 at a failure, and is online at `up`; the tracker
/// then starts again. So a silent outage is detected at worst after 5 × (10 + 4) = 70 s.
package struct Mwan3: OtherDetector {
    /// The name of the package in OpenWrt.
    package static let name = "mwan3"

    static let interval = Duration.seconds(10)
    static let timeout = Duration.seconds(4)
    static let down = 5
    static let up = 5

    private enum Step {
        case sleeping(until: Instant)
        case queried(Reply)
    }

    /// True from the fifth failure in a row to the fifth response in a row.
    package private(set) var isOffline = false
    private var score = down + up
    private var step: Step

    package init(from start: Instant) { step = .sleeping(until: start) }

    /// The start of the next ping, or the end of the pending one.
    package var due: Instant {
        switch step {
        case .sleeping(let until): until
        case .queried(let reply): reply.at
        }
    }

    /// Sends a ping, or counts the result of the pending one.
    package mutating func act(at now: Instant, on network: inout SimulatedProbe) {
        switch step {
        case .sleeping:
            step = .queried(network.ping(at: now, timeout: Self.timeout))
        case .queried(let reply):
            step = .sleeping(until: now + Self.interval)
            if reply.isGood { rise(at: now) } else { fall() }
        }
    }

    private mutating func fall() {
        score -= 1
        if score <= Self.up {
            isOffline = true
            score = 0
        }
    }

    private mutating func rise(at now: Instant) {
        score += 1
        guard score >= Self.up else { return }
        if isOffline { step = .sleeping(until: now) }
        isOffline = false
        score = Self.down + Self.up
    }
}
