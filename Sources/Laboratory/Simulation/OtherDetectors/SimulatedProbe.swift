import OfflineCore
package import Base

/// The probes of another detector: every response comes over the same simulated link that the till's machine
/// uses, with random numbers of its own.
package struct SimulatedProbe: Sendable {
    /// Pings, connections and fetches that were sent.
    package private(set) var queries = 0
    private let link: SimulatedLink
    private let traffic: [Instant]
    private var random: SplitMix64

    /// - Parameter traffic: when the till talks to its hub, in order of time.
    package init(link: SimulatedLink, traffic: [Instant] = [], seed: UInt64) {
        self.link = link
        self.traffic = traffic
        random = SplitMix64(seed: seed)
    }

    /// One ICMP echo.
    mutating func ping(at now: Instant, timeout: Duration) -> Reply {
        queries += 1
        let roundTrip = link.roundTrip(at: now)
        guard link.respondsToPing, roundTrip < timeout, link.echoPasses(at: now, using: &random) else {
            return Reply(isGood: false, at: now + timeout)
        }
        return Reply(isGood: true, at: now + roundTrip)
    }

    /// A TCP connection without any data.
    mutating func connect(at now: Instant, timeout: Duration) -> Reply {
        exchange(roundTrips: 1, at: now, timeout: timeout)
    }

    /// A connection and one request over it.
    mutating func fetch(at now: Instant, timeout: Duration) -> Reply {
        exchange(roundTrips: 2, at: now, timeout: timeout)
    }

    /// Whether the till's own connection carried bytes both ways after `start` and until `end`.
    func carriedTraffic(after start: Instant, until end: Instant) -> Bool {
        let next = traffic.partition { $0 > start }
        return traffic[next...].prefix { $0 <= end }.contains { link.isUp(at: $0) }
    }

    private mutating func exchange(roundTrips: Int, at now: Instant, timeout: Duration) -> Reply {
        queries += 1
        let end = link.finish(of: roundTrips, connecting: true, from: now, timeout: timeout, using: &random)
        return Reply(isGood: end != nil, at: end ?? now + timeout)
    }
}

/// The result of a probe, and when it is known.
struct Reply: Hashable, Sendable {
    let isGood: Bool
    let at: Instant
}

extension [Instant] {
    /// The first index whose moment fulfils `isLater`, as all after it do.
    fileprivate func partition(_ isLater: (Instant) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isLater(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
