public import OfflineCore

/// What the business layer gets: the mode, its changes, and the route of each module.
///
/// Injected into checkout, orders and the other modules, which do not use the network layer themselves.
public protocol OfflineModeProviding: Sendable {
    /// The status now; true whether or not anyone listens to changes.
    var status: ModeStatus { get }

    /// Changes of the status, the current one first; a slow reader misses steps between, never the last.
    func statuses() -> AsyncStream<ModeStatus>

    /// The route of a service: `local` while the terminal is offline or that service is faulty.
    func route(of service: String) -> Route

    /// Notifies `participant` before the terminal goes offline and after it is online again; each call has 1
    /// s and no veto.
    func register(_ participant: any OfflineModeParticipant)
}

/// Where a module's work goes.
public enum Route: String, Hashable, Sendable {
    case online
    case local
}

/// A business module that prepares for a switch.
public protocol OfflineModeParticipant: AnyObject, Sendable {
    /// The terminal is about to go offline; after 1 s it does so anyway.
    func terminalWillGoOffline(causes: [OfflineCause]) async
    /// The terminal is online again; 1 s.
    func terminalDidComeOnline() async
}
