/// What sync may do now, and why not.
///
/// A layer on top of the snapshot that never changes it. Each obstacle holds the activities that it names and
/// no others; an activity may run while none holds it. Sales are held only by what makes sending pointless or
/// forbidden: metered, narrow, quiet and weak never hold them.
public struct SyncPolicy: Hashable, Sendable {
    /// The obstacles that hold now, in their order.
    public let obstacles: [SyncObstacle]
    /// Whether the outbox goes in small batches, so that a slow link shows its progress.
    public let usesSmallBatches: Bool

    /// Judges by what is known now.
    public init(
        of snapshot: ConnectivitySnapshot, causes: [OfflineCause], settings: PolicySettings,
        in surroundings: Context
    ) {
        obstacles = SyncObstacle.allCases.filter { obstacle in
            switch obstacle {
            case .manual: causes.contains(.manual)
            case .offline: causes.contains(.network) || causes.contains(.service)
            case .connecting: causes.isEmpty && !snapshot.state.leads
            case .signIn: snapshot.state == .authBlocked
            case .degraded: snapshot.state == .onlineDegraded
            case .metered: snapshot.isMetered
            case .constrained: snapshot.isConstrained && snapshot.reason != .rateLimit
            case .rateLimit: snapshot.reason == .rateLimit
            case .quietHours:
                settings.quietHours?.contains(minuteOfDay: surroundings.minuteOfDay) ?? false
            case .battery:
                surroundings.batteryPercent.map { $0 < settings.batteryFloorPercent } ?? false
            }
        }
        usesSmallBatches = snapshot.state == .onlineDegraded
    }

    /// What keeps `activity` from running; empty when it may.
    ///
    /// - Parameter isAsked: a person asked for it now, which outweighs the hour and the battery.
    public func obstacles(to activity: SyncActivity, isAsked: Bool = false) -> [SyncObstacle] {
        obstacles.filter { $0.holds(activity) && !(isAsked && $0.yieldsToPerson) }
    }

    /// Whether telemetry may ride on a batch that goes anyway: only a path that is too narrow for it forbids
    /// that.
    public var letsTelemetryRide: Bool {
        !obstacles.contains(.constrained) && !obstacles.contains(.rateLimit)
    }

    /// Whether `activity` may run now.
    public func allows(_ activity: SyncActivity, isAsked: Bool = false) -> Bool {
        obstacles(to: activity, isAsked: isAsked).isEmpty
    }
}

extension SyncObstacle {
    fileprivate var yieldsToPerson: Bool {
        switch self {
        case .quietHours, .battery: true
        case .manual, .offline, .connecting, .signIn, .degraded, .metered, .constrained, .rateLimit: false
        }
    }

    fileprivate func holds(_ activity: SyncActivity) -> Bool {
        switch self {
        case .manual, .offline, .signIn: true
        // A push or a pull is how the hub is found.
        case .connecting: activity == .attachments || activity == .telemetry
        case .degraded, .metered: activity == .wholeCatalogue || activity == .attachments
        case .constrained, .rateLimit:
            activity == .wholeCatalogue || activity == .attachments || activity == .telemetry
        case .quietHours, .battery: activity != .mutations
        }
    }
}

extension ConnectivitySnapshot.State {
    /// Whether there is a way to the hub as far as is known.
    fileprivate var leads: Bool {
        switch self {
        case .offline, .localNetworkOnly: false
        case .authBlocked, .backendDown, .onlineDegraded, .online: true
        }
    }
}
