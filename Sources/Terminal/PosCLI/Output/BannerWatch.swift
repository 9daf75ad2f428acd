import Base

internal import AgentAPI
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import Synchronization
internal import Agent

/// Follows the status and decides when which banner is shown, without flicker.
final class BannerWatch: Sendable {
    /// What a banner says, with what belongs to it.
    struct Shown: Hashable {
        var text = ""
        var isOffline = false
        var level = BannerAdvice.Level.alert
        var command: String?
    }

    private struct State {
        var gate = BannerGate<Shown>()
        var latest: StatusResponse?
        var receivedAt = Duration.zero
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// Takes the newest status.
    ///
    /// - Returns: whether the banner to be shown is another one.
    func take(_ status: StatusResponse) -> Bool {
        let now = elapsed
        return state.withLock { state in
            state.latest = status
            state.receivedAt = now
            return state.gate.offer(
                Shown(
                    text: StatusText.banner(status), isOffline: status.mode == .offline,
                    level: status.banner.advice.level, command: status.banner.command), at: now)
        }
    }

    /// Shows `status` at once: a person who has just switched something waits for nothing.
    func show(_ status: StatusResponse) {
        state.withLock { $0.gate = BannerGate() }
        _ = take(status)
    }

    /// Lets a change through that has waited long enough; whether one was.
    func pass() -> Bool {
        let now = elapsed
        return state.withLock { $0.gate.pass(at: now) }
    }

    /// What is to be shown now; empty before the first status.
    var banner: String { shown.text }

    /// ``banner`` with what belongs to the same status.
    var shown: Shown { state.withLock { $0.gate.shown ?? Shown() } }

    /// `checkout.equalScans`, by the newest status.
    var joinsEqualScans: Bool { latest?.till.joinsEqualScans ?? false }

    /// Whether the store has cashiers, so that digits may be a PIN.
    var hasPINs: Bool { latest?.isSignInRequired == true || latest?.till.cashier != nil }

    private var latest: RunningState? { state.withLock { $0.latest?.running } }

    /// When to look again by itself: a change that waits, or the next second of a countdown; nil for neither.
    var wait: Duration? {
        let now = elapsed
        return state.withLock { state in
            let ticking: Duration? = Self.remaining(state.latest, state.receivedAt, now).map { _ in
                .seconds(1)
            }
            let waiting = state.gate.due.map { max($0 - now, .milliseconds(1)) }
            return [ticking, waiting].compactMap(\.self).min()
        }
    }

    /// The time until T1 or the recovery hold ends, as text; nil while neither runs.
    var countdown: String? {
        let now = elapsed
        return state.withLock { state in
            guard let latest = state.latest,
                let left = Self.remaining(latest, state.receivedAt, now)
            else { return nil }
            let seconds = (left + 999) / 1000
            let text = StatusText.language(latest).posTexts
            guard latest.network.state == .recovering else {
                return text.decides(in: seconds)
            }
            return text.backOnline(in: seconds)
        }
    }

    private var elapsed: Duration { ContinuousClock.now - start }

    private static func remaining(_ status: StatusResponse?, _ receivedAt: Duration, _ now: Duration)
        -> Int64?
    {
        guard let left = status?.network.deadlineInMilliseconds else { return nil }
        let passed = (now - receivedAt).components
        return max(0, left - passed.seconds * 1000 - passed.attoseconds / 1_000_000_000_000_000)
    }
}
