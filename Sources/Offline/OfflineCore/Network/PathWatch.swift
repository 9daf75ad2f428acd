import Base

/// The path to the hub: the kernel's last report, whether it has settled, and whether pings get responses
/// on it.
struct PathWatch: Hashable, Codable, Sendable {
    /// The kernel's report of the path, after it settled.
    enum View: Hashable, Codable, Sendable {
        /// The kernel has not reported yet.
        case unknown
        case usable
        case lost
        /// Back, and usable once it was stable until `settlesAt`.
        case returning(settlesAt: Instant)
    }

    /// Whether pings get responses on this path.
    enum Pings: Hashable, Codable, Sendable {
        /// No echo got a response yet: silence is no evidence.
        case noResponse
        /// Echoes get responses here, so their absence is evidence.
        case responded
        /// They cannot be sent.
        case unavailable
    }

    /// What a report means for the probes that are pending.
    enum Change: Hashable, Sendable {
        case none
        /// No path is left; `again`: it had not settled since the last loss.
        case lost(again: Bool)
        /// Another path than before is in use.
        case moved
    }

    /// As the kernel reported it last; nil before its first report.
    private(set) var reported: PathStatus?
    private(set) var view = View.unknown
    private(set) var pings = Pings.noResponse
    /// Counts reports that differ from the one before.
    private(set) var revision: UInt64 = 0

    var isLost: Bool { view == .lost }

    /// Whether pings are useful: on loopback this machine's own kernel responds to them.
    var isPinging: Bool {
        guard pings != .unavailable else { return false }
        switch view {
        case .unknown: return true
        case .usable, .returning: return reported?.interface != "lo"
        case .lost: return false
        }
    }

    /// Whether missing pings show a dead network here, so that they are the frequent check.
    var pingsWatch: Bool { pings == .responded && isPinging }

    /// When a path that is back counts as usable; nil while none settles.
    var settlesAt: Instant? {
        if case .returning(let settlesAt) = view { settlesAt } else { nil }
    }

    mutating func report(_ status: PathStatus, settle: Duration, at now: Instant) -> Change {
        let before = reported
        guard before != status else { return .none }
        reported = status
        revision += 1
        guard status.isUsable else {
            defer { view = .lost }
            return .lost(again: view != .unknown && view != .usable)
        }
        switch view {
        case .unknown: view = .usable
        case .lost: view = .returning(settlesAt: now + settle)
        case .returning: break
        case .usable:
            guard before?.route != status.route || before?.interface != status.interface else { return .none }
            pings = .noResponse
            return .moved
        }
        return .none
    }

    /// The path that is back was stable for its time: it is usable, and its pings are not known yet.
    mutating func settled() {
        view = .usable
        pings = .noResponse
    }

    /// - Returns: whether it is the first response on this path.
    mutating func pingResponded() -> Bool {
        defer { pings = .responded }
        return pings != .responded
    }

    mutating func pingsAreUnavailable() { pings = .unavailable }
}
