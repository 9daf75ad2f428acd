import Base

/// The one function that derives a snapshot from raw signals.
extension ConnectivitySnapshot {
    /// Whether the terminal can leave its own network, as far as the network detector has found out.
    enum WayOut: Hashable, Sendable {
        case open
        case closed
        /// Not known yet: never shown as online.
        case unknown
    }

    struct Inputs: Hashable, Sendable {
        let signals: NetworkSignals
        /// As the kernel reported it last; nil before its first report.
        let path: PathStatus?
        let wayOut: WayOut
        let isPathLost: Bool
        /// The last full round shows that the network works and the hub does not, whoever responds in the
        /// hub's place.
        let isHubAlone: Bool
        /// T1 has ended with the hub dark, and it has not recovered yet.
        var isHubDark = false
        /// A core service is faulty, or the hub is silent while the network works.
        let isBackendDown: Bool
        /// The outbox has stopped, since the hub does not accept this terminal's identity.
        let isAccountBlocked: Bool
        /// The end of the hub's `Retry-After`; nil while none is valid.
        let throttledUntil: Instant?
        let isDegraded: Bool
        /// Why pushes or other calls of a core service fail while the hub responds to others; nil while they
        /// do not.
        let failing: Reason?
        let isManual: Bool

        var suspectsPortal: Bool { !isHubAlone && signals.portal?.suggestsCaptivePortal == true }
    }

    init(deriving inputs: Inputs) {
        let signals = inputs.signals
        let state = Self.state(of: inputs)
        self.init(
            state: state, transport: inputs.path?.transport ?? .unknown,
            isMetered: inputs.path?.isMetered ?? false,
            isConstrained: inputs.throttledUntil != nil || inputs.path?.isConstrained ?? false,
            latencyMilliseconds: signals.latency?.wholeMilliseconds, lastInternetOk: signals.lastInternetOk,
            lastBackendOk: signals.lastBackendOk, captivePortalSuspected: inputs.suspectsPortal,
            reason: Self.reason(for: state, inputs), rateLimitEnds: inputs.throttledUntil,
            coreCallsFail: inputs.failing != nil)
    }

    private static func state(of inputs: Inputs) -> State {
        if inputs.isPathLost { return .offline }
        let hasWayOut = inputs.wayOut == .open && inputs.signals.portal == nil
        if !hasWayOut, !inputs.isHubAlone { return .localNetworkOnly }
        if inputs.isAccountBlocked { return .authBlocked }
        if inputs.isHubDark || inputs.isBackendDown || inputs.signals.hubTrouble != .none {
            return .backendDown
        }
        // A hub that responds within T1 is at worst slow.
        let isWorse = inputs.isDegraded || inputs.isHubAlone || inputs.failing != nil
        return isWorse ? .onlineDegraded : .online
    }

    private static func reason(for state: State, _ inputs: Inputs) -> Reason {
        let failure = inputs.signals.lastFailure?.reason ?? .none
        switch state {
        case .offline: return .noInterface
        case .localNetworkOnly: return inputs.signals.portal?.reason ?? failure
        case .authBlocked: return .http401
        case .backendDown: return reasonOfHub(inputs, failure)
        case .onlineDegraded:
            // Nothing is sent inside a `Retry-After`, so that it drives behaviour before the quality does.
            if inputs.throttledUntil != nil { return .rateLimit }
            if inputs.isHubAlone { return reasonOfHub(inputs, failure) }
            if let failing = inputs.failing { return failing }
            return failure == .none ? .timeout : failure
        case .online:
            if inputs.isManual { return .manual }
            return inputs.throttledUntil == nil ? .none : .rateLimit
        }
    }

    /// What is wrong with the hub alone. Whoever responds in its place is no portal of this network then.
    private static func reasonOfHub(_ inputs: Inputs, _ failure: Reason) -> Reason {
        if inputs.signals.portal != nil {
            return inputs.signals.portal?.reason == .tlsError ? .tlsError : .connectFail
        }
        switch inputs.signals.hubTrouble {
        case .status: return .http5xx
        case .silent: return failure == .none ? .timeout : failure
        case .none where inputs.isHubDark || inputs.isHubAlone: return failure == .none ? .timeout : failure
        case .none: return failure == .none ? .http5xx : failure
        }
    }
}
