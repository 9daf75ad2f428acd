package import Base
import OfflineCore

/// RealReachability for iOS, with its default of one check every two minutes.
///
/// `RealReachability.m` at bc22f4f: `autoCheckReachability` starts a check every `autoCheckInterval` = 2.0
/// minutes, counted from the start of the check before, online and offline alike. `PingHelper.m`: a ping that
/// has no response within 2 s is followed, 1 s later, by one to a second host with the same timeout; only
/// when both fail is the network unreachable, at once, and one response makes it reachable again. So a silent
/// outage is detected at worst after 120 + 2 + 1 + 2 = 125 s.
package struct RealReachability: OtherDetector {
    /// The name of the library.
    package static let name = "RealReachability"

    static let checkInterval = Duration.seconds(120)
    static let pingTimeout = Duration.seconds(2)
    static let pauseBeforeSecond = Duration.seconds(1)

    private enum Step {
        case idle
        case queried(Reply, isSecond: Bool)
        case pausing(until: Instant)
    }

    /// True when both pings of a check failed, until one gets a response.
    package private(set) var isOffline = false
    private var nextCheck: Instant
    private var step = Step.idle

    package init(from start: Instant) { nextCheck = start }

    /// The next step of the running check or the start of the next one, whichever is earlier.
    package var due: Instant {
        switch step {
        case .idle: nextCheck
        case .queried(let reply, _): min(nextCheck, reply.at)
        case .pausing(let end): min(nextCheck, end)
        }
    }

    /// Takes the next step of the running check; a check that is due beside it sends nothing.
    package mutating func act(at now: Instant, on network: inout SimulatedProbe) {
        switch step {
        case .queried(let reply, let isSecond) where now >= reply.at:
            take(reply, isSecond: isSecond)
        case .pausing(let end) where now >= end:
            step = .queried(network.ping(at: now, timeout: Self.pingTimeout), isSecond: true)
        case .idle, .queried, .pausing:
            nextCheck = nextCheck + Self.checkInterval
            // The result of a running check counts for this one too.
            guard case .idle = step else { return }
            step = .queried(network.ping(at: now, timeout: Self.pingTimeout), isSecond: false)
        }
    }

    private mutating func take(_ reply: Reply, isSecond: Bool) {
        step = .idle
        if reply.isGood {
            isOffline = false
        } else if isSecond {
            isOffline = true
        } else {
            step = .pausing(until: reply.at + Self.pauseBeforeSecond)
        }
    }
}
