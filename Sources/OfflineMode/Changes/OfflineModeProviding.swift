public import OfflineCore

/// What the business layer is given: the mode, its changes, and the route each module is to take.
///
/// Injected into checkout, orders and the other modules; they know nothing of the network.
public protocol OfflineModeProviding: Sendable {
    /// The status now; true whether or not anyone listens to changes.
    var status: ModeStatus { get }

    /// Changes of the status, the current one first; a slow reader misses steps between, never the last.
    func statuses() -> AsyncStream<ModeStatus>

    /// The route of a service: `local` while the terminal is offline or that service is faulty.
    func route(of service: String) -> Route

    /// Tells `participant` before the terminal goes offline and after it is back, 1 s each, without a veto.
    func register(_ participant: any OfflineModeParticipant)
}

/// Where a module's work goes.
public enum Route: String, Hashable, Sendable {
    case online
    case local
}

/// A business module that prepares for a switch.
public protocol OfflineModeParticipant: AnyObject, Sendable {
    /// The terminal is about to go offline; 1 s, then it goes anyway.
    func terminalWillGoOffline(causes: [OfflineCause]) async
    /// The terminal is online again; 1 s.
    func terminalDidComeOnline() async
}
