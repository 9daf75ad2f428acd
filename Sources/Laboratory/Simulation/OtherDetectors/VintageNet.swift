package import Base
import OfflineCore

/// vintage_net of Nerves, whose checker distinguishes the internet from the local network alone.
///
/// `lib/vintage_net/connectivity/check_logic.ex` at 249d5d2: a check every 30 s, after the first failure
/// 15 s later, after the second 10 s later, and the third in a row is offline; then the wait doubles from
/// those 10 s up to 30 s, and one success is online. `internet_checker.ex`: the waits count from the end of
/// a check, which succeeds without a probe when a connection of the program carried bytes both ways since
/// the check before (`inspector.ex`), and is a TCP connection with a timeout of 5 s otherwise
/// (`tcp_ping.ex`). So a silent outage is detected at worst after 30 + 5 + 15 + 5 + 10 + 5 = 70 s.
package struct VintageNet: OtherDetector {
    /// The name of the library.
    package static let name = "vintage_net"

    static let longestInterval = Duration.seconds(30)
    static let shortestInterval = Duration.milliseconds(500)
    static let failsInARow = 3
    static let timeout = Duration.seconds(5)

    private enum Step {
        case waiting(until: Instant)
        case queried(Reply)
    }

    /// True from the third failure in a row to the next success.
    package private(set) var isOffline = false
    private var strikes = 0
    private var interval = longestInterval
    private var inspectedAt: Instant
    private var step: Step

    package init(from start: Instant) {
        inspectedAt = start
        step = .waiting(until: start)
    }

    /// The start of the next check, or the end of the pending one.
    package var due: Instant {
        switch step {
        case .waiting(let until): until
        case .queried(let reply): reply.at
        }
    }

    /// Starts a check or counts its result; online, traffic since the last check replaces the probe.
    package mutating func act(at now: Instant, on network: inout SimulatedProbe) {
        switch step {
        case .waiting:
            let isAlive = !isOffline && network.carriedTraffic(after: inspectedAt, until: now)
            inspectedAt = now
            if isAlive {
                checked(isGood: true, at: now)
            } else {
                step = .queried(network.connect(at: now, timeout: Self.timeout))
            }
        case .queried(let reply):
            checked(isGood: reply.isGood, at: now)
        }
    }

    private mutating func checked(isGood: Bool, at now: Instant) {
        if isGood {
            (isOffline, strikes, interval) = (false, 0, Self.longestInterval)
        } else if isOffline {
            interval = min(interval * 2, Self.longestInterval)
        } else {
            strikes += 1
            if strikes < Self.failsInARow {
                interval = max(Self.shortestInterval, Self.longestInterval / (strikes + 1))
            } else {
                isOffline = true
            }
        }
        step = .waiting(until: now + interval)
    }
}
