/// What the outbox machine is told.
public enum OutboxEvent: Hashable, Sendable {
    /// A row was appended on disk: a new sale.
    case rowAdded
    /// The hub gave a verified response to another call than a push, or to a probe: it may serve pushes
    /// again.
    case hubResponded(toProbe: Bool)
    /// Rows changed on disk in any other way, or the driver just started.
    case rowsChanged
    /// The answer to `load`, oldest first. `reachedEnd`: nothing lay behind the last one.
    case loaded([OutboxEntry], reachedEnd: Bool)
    /// The answer to `push`.
    case pushFinished(PushOutcome)
    /// What `write` asked for is durable.
    case written
    /// What was asked of the store last failed; nothing changed on disk, and nothing was sent.
    case storeFailed
    /// The route of `order` went local.
    case routeLost
    /// The route of `order` is back.
    case routeRestored
    /// A person asked to sync now.
    case syncRequested
    /// The hub is to be asked how far it has come, with an empty batch once nothing else is to be sent.
    case checkInDue
    /// The service detector wants the canary of `order`.
    case canaryRequested
    /// The canary was given up; if it was not sent yet it is not sent any more.
    case canaryWithdrawn
    case manualOfflineChanged(isOn: Bool)
    case linkQualityChanged(isDegraded: Bool)
    /// The answer to `measurePath`: whether a request of whole packets got through; nil when nothing did.
    case pathMeasured(largePacketsPass: Bool?)
    /// The hub's pace for coming back.
    case paced(ResumePace)
    /// The terminal signed in or was enrolled again.
    case identityRenewed
    /// The machine's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}
