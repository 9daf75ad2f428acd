import Base

internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Which status the banner is made of: by the rules of ``BannerGate``, so that a network that comes and goes
/// while T1 runs does not change it with every flap.
///
/// The mode, and all that is no sign of the network, is shown at once: it has its own rules against flapping,
/// and a banner must not contradict the mode beside it.
final class SteadyBanner: Sendable {
    private struct Shown: Equatable {
        let status: ModeStatus
        let banner: Banner

        init(_ status: ModeStatus) {
            self.status = status
            banner = Banner(status)
        }

        static func == (left: Shown, right: Shown) -> Bool { left.banner == right.banner }
    }

    private let gate = Mutex(BannerGate<Shown>())

    /// Takes a new status of the machine.
    ///
    /// - Returns: when to look again, since a change waits; nil: none does.
    func follow(_ status: ModeStatus, at now: Instant) -> Instant? {
        let next = Shown(status)
        return gate.withLock { gate in
            if let shown = gate.shown, !next.banner.isSameButNetwork(as: shown.banner) { gate = BannerGate() }
            _ = gate.offer(next, at: now.sinceStart)
            return gate.due.map { now + ($0 - now.sinceStart) }
        }
    }

    /// The status to make the banner of; `status` is the present one.
    func status(for status: ModeStatus, at now: Instant) -> ModeStatus {
        let next = Shown(status)
        return gate.withLock { gate in
            _ = gate.pass(at: now.sinceStart)
            guard let shown = gate.shown, shown != next, next.banner.isSameButNetwork(as: shown.banner) else {
                return status
            }
            return shown.status
        }
    }
}

extension Instant {
    fileprivate var sinceStart: Duration { self - Instant(nanoseconds: 0) }
}

extension Banner {
    /// Whether it differs from `other` at most in what a working mode shows of the network.
    fileprivate func isSameButNetwork(as other: Banner) -> Bool {
        func rest(_ banner: Banner) -> [Trouble] { banner.troubles.filter { !$0.isSignOfNetwork } }
        return !isOffline && !other.isOffline && rest(self) == rest(other)
    }
}

extension Banner.Trouble {
    /// Whether it comes and goes with single responses.
    fileprivate var isSignOfNetwork: Bool {
        switch self {
        case .slow, .hubSilent: true
        case _: isOfNetwork
        }
    }
}
