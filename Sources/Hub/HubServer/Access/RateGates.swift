import Base

internal import HubCore
internal import OfflineCore
internal import Synchronization

/// Counts the calls of routes that need no token, by the caller's address; one per process.
///
/// This machine and the addresses that the configuration trusts share one limit, ten times that of an
/// address: behind them may be a proxy for anybody, so that its callers look alike.
final class OpenRateGate: Sendable {
    private struct State {
        var addresses: TerminalBuckets
        var shared: TokenBucket
    }

    private let state: Mutex<State>
    private let sharedRate: TokenBucket.Rate
    private let now: @Sendable () -> Instant

    /// A proxy brings the callers of many addresses: of ten offices that call as often as they may. Halved,
    /// an enrolment of 1,000 tills in a second over a proxy would have to wait; doubled, whoever calls
    /// through a proxy costs the hub twice as much.
    static let sharedFactor: Int64 = 10

    /// - Parameter perSecond: calls a second of one address; so many may come at once.
    init(perSecond: Int64, now: @escaping @Sendable () -> Instant) {
        self.now = now
        let rate = TokenBucket.Rate(callsPerMinute: perSecond * 60, burst: perSecond)
        sharedRate = TokenBucket.Rate(
            callsPerMinute: perSecond * 60 * Self.sharedFactor, burst: perSecond * Self.sharedFactor)
        state = Mutex(State(addresses: TerminalBuckets(rate: rate), shared: TokenBucket(at: now())))
    }

    /// Counts one call.
    ///
    /// - Returns: nil when it may go ahead; otherwise how long to wait.
    func count(_ peer: Peer) -> Duration? {
        let now = now()
        return state.withLock { state in
            switch peer {
            case .local: nil
            case .shared: state.shared.take(sharedRate, at: now)
            case .address(let address): state.addresses.take(address, at: now)
            }
        }
    }
}

extension RateGate {
    /// Look-ups of operators' tokens that this process does not know: 20 at once and 20 a second, each of one
    /// row. Halved, a provisioning tool that uses its new tokens at once waits sooner for the list; doubled,
    /// whoever guesses costs twice as much.
    static func operatorLookUps(now: @escaping @Sendable () -> Instant) -> RateGate {
        RateGate(TokenBucket.Rate(callsPerMinute: 1_200, burst: 20), now: now)
    }
}

/// Counts the calls of each terminal at this process; one per process, shared by all its listeners.
final class RateGate: Sendable {
    private let buckets: Mutex<TerminalBuckets>
    private let now: @Sendable () -> Instant

    init(_ rate: TokenBucket.Rate, now: @escaping @Sendable () -> Instant) {
        buckets = Mutex(TerminalBuckets(rate: rate))
        self.now = now
    }

    /// Counts one call of a terminal.
    ///
    /// - Returns: nil when it may go ahead; otherwise how long it has to wait.
    func count(_ terminalId: String) -> Duration? {
        let now = now()
        return buckets.withLock { $0.take(terminalId, at: now) }
    }
}
