public import Base

/// The state of the terminal's connection, derived from raw signals in one function and never stored.
public struct ConnectivitySnapshot: Hashable, Sendable {
    /// When several hold, the first of this order drives behaviour: offline, localNetworkOnly, authBlocked,
    /// backendDown, onlineDegraded, online.
    public enum State: String, Hashable, Sendable {
        /// No usable interface.
        case offline
        /// An interface, but no way out: captive portal, no internet, or not known yet ("connecting").
        case localNetworkOnly
        case authBlocked
        case backendDown
        case onlineDegraded
        case online
    }

    public enum Reason: String, Hashable, Codable, Sendable {
        case none
        case noInterface
        case captivePortal
        case dnsFail
        case timeout
        case connectFail
        case tlsError
        case http5xx
        case http401
        case rateLimit
        case manual
    }

    public let state: State
    public let transport: Transport
    public let isMetered: Bool
    public let isConstrained: Bool
    /// Round trip of the last verified response in milliseconds; nil before the first.
    public let latencyMilliseconds: Int64?
    public let lastInternetOk: Instant?
    public let lastBackendOk: Instant?
    public let captivePortalSuspected: Bool
    public let reason: Reason
    /// The end of the hub's `Retry-After`, at most an hour ahead; nil while none is valid.
    public let rateLimitEnds: Instant?
    /// Whether calls of a core service fail in a row, in whatever class, while the hub responds to others.
    public let coreCallsFail: Bool

    public init(
        state: State, transport: Transport, isMetered: Bool, isConstrained: Bool, latencyMilliseconds: Int64?,
        lastInternetOk: Instant?, lastBackendOk: Instant?, captivePortalSuspected: Bool, reason: Reason,
        rateLimitEnds: Instant? = nil, coreCallsFail: Bool = false
    ) {
        self.state = state
        self.transport = transport
        self.isMetered = isMetered
        self.isConstrained = isConstrained
        self.latencyMilliseconds = latencyMilliseconds
        self.lastInternetOk = lastInternetOk
        self.lastBackendOk = lastBackendOk
        self.captivePortalSuspected = captivePortalSuspected
        self.reason = reason
        self.rateLimitEnds = rateLimitEnds
        self.coreCallsFail = coreCallsFail
    }
}
