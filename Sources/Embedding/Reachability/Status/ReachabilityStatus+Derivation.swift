import Base
import OfflineCore

/// The one function that derives a status from the machine.
extension ReachabilityStatus {
    init(deriving machine: OfflineMachine, at now: Instant) {
        let status = machine.status(at: now)
        let snapshot = status.connectivity
        let state = Self.state(of: status)
        let isSettled = Self.isSettled(status)
        self.init(
            state: state,
            reason: Self.reason(for: state, snapshot, failure: isSettled ? .none : machine.lastFailureReason),
            transport: Transport(snapshot.transport), isMetered: snapshot.isMetered,
            isConstrained: snapshot.isConstrained,
            latency: snapshot.latencyMilliseconds.map { .milliseconds($0) }, isSettled: isSettled)
    }

    private static func reason(
        for state: State, _ snapshot: ConnectivitySnapshot, failure: ConnectivitySnapshot.Reason
    ) -> Reason {
        if state == .unknown { return .connecting }
        return Reason(snapshot.reason == .none ? failure : snapshot.reason)
    }

    private static func state(of status: ModeStatus) -> State {
        let snapshot = status.connectivity
        guard status.network.state == .suspect, status.causes.isEmpty else { return state(of: snapshot) }
        // A suspicion without a confirmed fault leaves the last state in force, where there was one.
        guard snapshot.lastInternetOk == nil else {
            return status.quality.isDegraded ? .degraded : .reachable
        }
        let hasSeenNothing = snapshot.state != .offline && snapshot.reason == .none
        return hasSeenNothing ? .unknown : state(of: snapshot)
    }

    private static func state(of snapshot: ConnectivitySnapshot) -> State {
        switch snapshot.state {
        case .offline: .offline
        case .localNetworkOnly: .unreachable
        case .backendDown: .targetDown
        case .onlineDegraded: .degraded
        case .online, .authBlocked: .reachable
        }
    }

    private static func isSettled(_ status: ModeStatus) -> Bool {
        switch status.network.state {
        case .reachable, .unreachable: true
        case .suspect, .recovering: false
        }
    }
}

extension ReachabilityStatus.Reason {
    fileprivate init(_ reason: ConnectivitySnapshot.Reason) {
        switch reason {
        // The last three exist for a terminal only; a monitor has neither an account nor a manual switch.
        case .none, .http401, .rateLimit, .manual: self = .none
        case .noInterface: self = .noInterface
        case .captivePortal: self = .captivePortal
        case .dnsFail: self = .nameNotResolved
        case .timeout: self = .timeout
        case .connectFail: self = .connectionFailed
        case .tlsError: self = .tlsFailed
        case .http5xx: self = .serverError
        }
    }
}

extension ReachabilityStatus.Transport {
    fileprivate init(_ transport: Transport) {
        switch transport {
        case .ethernet: self = .ethernet
        case .wifi: self = .wifi
        case .cellular: self = .cellular
        case .unknown: self = .unknown
        }
    }
}
