package import Base

/// NetworkManager's connectivity check of one device and one address family.
///
/// `nm-connectivity.c` at 355bc90: a page is fetched every 300 s, each fetch with 20 s; a page that does not
/// come is "limited" at once. `concheck_periodic_schedule_set` in `nm-device.c`: the interval counts from the
/// start of a check; a lost page sets it to 1 s, each further failure doubles it up to 300 s, and a page that
/// comes sets it back to 300 s. A check that is due while others are out doubles the interval there and then
/// and goes out beside them; one that ends settles those that were sent before it. So a silent outage is
/// found at worst after 300 + 20 = 320 s.
package struct NetworkManagerCheck: OtherDetector {
    /// The name of the program.
    package static let name = "NetworkManager"

    static let longestInterval = Duration.seconds(300)
    static let shortestInterval = Duration.seconds(1)
    static let timeout = Duration.seconds(20)

    private struct Check {
        let reply: Reply
        /// Whether its interval was not doubled for it yet.
        var isBumping: Bool
        /// Whether its failure doubles the interval.
        var bumpsWhenDone: Bool
    }

    /// True from the first page that does not come until one that does.
    package private(set) var isOffline = false
    private var interval = longestInterval
    /// When the last check was started, or would have been for the interval to end when it does.
    private var base: Instant
    /// In the order in which they were sent.
    private var checks: [Check] = []

    package init(from start: Instant) { base = start - Self.longestInterval }

    /// The start of the next check, or the end of a pending one, whichever is earlier.
    package var due: Instant {
        checks.reduce(base + interval) { min($0, $1.reply.at) }
    }

    /// Starts a check, or counts the first pending one that has ended.
    package mutating func act(at now: Instant, on network: inout SimulatedProbe) {
        if let done = checks.firstIndex(where: { $0.reply.at <= now }) {
            let check = checks[done]
            checks.removeSubrange(...done)
            take(check, at: now)
        } else {
            startCheck(at: now, on: &network)
        }
    }

    private mutating func startCheck(at now: Instant, on network: inout SimulatedProbe) {
        var isDoubled = false
        for index in checks.indices where checks[index].isBumping {
            (checks[index].isBumping, checks[index].bumpsWhenDone) = (false, false)
            isDoubled = true
        }
        let before = interval
        if isDoubled { double() }
        base = now
        let reply = network.fetch(at: now, timeout: Self.timeout)
        checks.append(Check(reply: reply, isBumping: true, bumpsWhenDone: before == interval))
    }

    private mutating func take(_ check: Check, at now: Instant) {
        if check.reply.isGood == !isOffline {
            guard check.bumpsWhenDone else { return }
            double()
        } else {
            isOffline = !check.reply.isGood
            interval = isOffline ? Self.shortestInterval : Self.longestInterval
        }
        // An interval that would have ended already ends now.
        base = max(base, now - interval)
    }

    private mutating func double() { interval = min(interval * 2, Self.longestInterval) }
}
