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

    /// What is wrong, for display and `pos status`; the raw values are the reasons of its JSON.
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

    /// The one state that is shown when several apply.
    public let state: State
    /// The medium of the present path; `unknown` before the kernel's first report.
    public let transport: Transport
    /// Whether each byte on this path may cost money. False before the first report.
    public let isMetered: Bool
    /// Whether data must be saved: the path is configured so, or the hub's `Retry-After` runs.
    public let isConstrained: Bool
    /// Round trip of the last verified response in milliseconds; nil before the first.
    public let latencyMilliseconds: Int64?
    /// When the hub or the independent address last responded; nil before the first time. Kept over restarts.
    public let lastInternetOk: Instant?
    /// When the hub last responded well; nil before the first time. Kept over restarts.
    public let lastBackendOk: Instant?
    /// Whether somebody else responded in the hub's place, as a login page does. It ends with a response of
    /// the hub.
    public let captivePortalSuspected: Bool
    /// Why the state is not ``State/online``. While online it can still be `manual` or `rateLimit`.
    public let reason: Reason
    /// The end of the hub's `Retry-After`, at most an hour ahead; nil while none is valid.
    public let rateLimitEnds: Instant?
    /// Whether calls of a core service fail in a row, in whatever class, while the hub responds to others.
    public let coreCallsFail: Bool

    /// By default no `Retry-After` is valid and no calls fail; the machine derives every snapshot by itself.
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
