import Synchronization

/// The monitor of the internet in general that all parts of a program share.
extension ReachabilityMonitor {
    private enum Shared: Sendable {
        case standard
        case setUp(ReachabilityMonitor)
        case used
    }

    private static let shared = Mutex(Shared.standard)

    /// The internet in general, one monitor for the complete program.
    ///
    /// Every part that needs it calls ``start()``; there is one watch for all of them. It probes the
    /// addresses of ``ReachabilityTarget/standardInternet`` unless ``setUpInternet(probing:settings:)`` named
    /// others.
    public static let internet: ReachabilityMonitor = {
        let monitor = shared.withLock { shared -> ReachabilityMonitor? in
            defer { shared = .used }
            guard case .setUp(let monitor) = shared else { return nil }
            return monitor
        }
        if let monitor { return monitor }
        let settings = ReachabilitySettings()
        let target = ReachabilityTarget.standardInternet
        return ReachabilityMonitor(
            target, settings: settings,
            makePorts: ReachabilityPorts.making(target.probes.compactMap(\.readable), [], settings: settings))
    }()

    /// Chooses what ``internet`` probes and how; called once, before it is first used.
    ///
    /// - Parameters:
    ///   - probes: at least one.
    ///   - settings: default ``ReachabilitySettings/init()``.
    public static func setUpInternet(
        probing probes: [ReachabilityProbe], settings: ReachabilitySettings = .init()
    ) throws(ReachabilityError) {
        let monitor = try ReachabilityMonitor(.internet(probes), settings: settings)
        let wasUsed = shared.withLock { shared in
            if case .used = shared { return true }
            shared = .setUp(monitor)
            return false
        }
        if wasUsed { throw .sharedMonitorInUse }
    }
}
