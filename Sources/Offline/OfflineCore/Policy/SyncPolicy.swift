/// Which activities of sync may run now, and why the others wait.
///
/// It is derived from the snapshot and never changes it. Each obstacle stops certain activities; an activity
/// may run while none stops it. Sales wait only where sending is useless or forbidden: metered or constrained
/// paths, quiet hours and a low battery never stop them.
public struct SyncPolicy: Hashable, Sendable {
    /// The present obstacles, in their order.
    public let obstacles: [SyncObstacle]
    /// Whether the outbox is sent in small batches, so that a slow link shows its progress.
    public let usesSmallBatches: Bool

    /// Derives the policy from the present snapshot, causes and context.
    public init(
        of snapshot: ConnectivitySnapshot, causes: [OfflineCause], settings: PolicySettings,
        in context: Context
    ) {
        obstacles = SyncObstacle.allCases.filter { obstacle in
            switch obstacle {
            case .manual: causes.contains(.manual)
            case .offline: causes.contains { $0 != .manual }
            case .connecting: causes.isEmpty && !snapshot.state.leads
            case .signIn: snapshot.state == .authBlocked
            case .degraded: snapshot.state == .onlineDegraded
            case .metered: snapshot.isMetered
            case .constrained: snapshot.isConstrained && snapshot.reason != .rateLimit
            case .rateLimit: snapshot.reason == .rateLimit
            case .quietHours:
                settings.quietHours?.contains(minuteOfDay: context.minuteOfDay) ?? false
            case .battery:
                context.batteryPercent.map { $0 < settings.batteryFloorPercent } ?? false
            }
        }
        usesSmallBatches = snapshot.state == .onlineDegraded
    }

    /// What prevents `activity` from running; empty when nothing does.
    ///
    /// - Parameter isRequested: a person requested it now, which overrides quiet hours and battery.
    public func obstacles(to activity: SyncActivity, isRequested: Bool = false) -> [SyncObstacle] {
        obstacles.filter { $0.stops(activity) && !(isRequested && $0.yieldsToPerson) }
    }

    /// Whether telemetry may be piggybacked on a batch that is sent anyway: only a constrained path or a rate
    /// limit forbids it.
    public var letsTelemetryRide: Bool {
        !obstacles.contains(.constrained) && !obstacles.contains(.rateLimit)
    }

    /// Whether `activity` may run now.
    public func allows(_ activity: SyncActivity, isRequested: Bool = false) -> Bool {
        obstacles(to: activity, isRequested: isRequested).isEmpty
    }
}

extension SyncObstacle {
    fileprivate var yieldsToPerson: Bool {
        switch self {
        case .quietHours, .battery: true
        case .manual, .offline, .connecting, .signIn, .degraded, .metered, .constrained, .rateLimit: false
        }
    }

    fileprivate func stops(_ activity: SyncActivity) -> Bool {
        switch self {
        case .manual, .offline, .signIn: true
        // Pushes and pulls may run, because their success shows that the hub is reachable.
        case .connecting: activity == .attachments || activity == .telemetry
        case .degraded, .metered: activity == .wholeCatalogue || activity == .attachments
        case .constrained, .rateLimit:
            activity == .wholeCatalogue || activity == .attachments || activity == .telemetry
        case .quietHours, .battery: activity != .mutations
        }
    }
}

extension ConnectivitySnapshot.State {
    /// Whether the hub's network is reachable as far as is known.
    fileprivate var leads: Bool {
        switch self {
        case .offline, .localNetworkOnly: false
        case .authBlocked, .backendDown, .onlineDegraded, .online: true
        }
    }
}
