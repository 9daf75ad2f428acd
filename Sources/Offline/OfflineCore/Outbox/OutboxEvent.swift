/// What the outbox machine is notified of.
public enum OutboxEvent: Hashable, Sendable {
    /// A row was appended on disk: a new sale.
    case rowAdded
    /// The hub sent a verified response to another call than a push, or to a probe: it may serve pushes
    /// again.
    case hubResponded(toProbe: Bool)
    /// Another call than a push was lost without a response.
    case callLost
    /// The hub refused this terminal's identity in another call than a push.
    case accountRefused
    /// Rows changed on disk in any other way, or the driver just started.
    case rowsChanged
    /// The result of `load`, oldest first. `reachedEnd`: there are no rows after the last one.
    case loaded([OutboxEntry], reachedEnd: Bool)
    /// The result of `push`.
    case pushFinished(PushOutcome)
    /// The last `write` is durable.
    case written
    /// The last operation of the store failed; nothing changed on disk, and nothing was sent.
    case storeFailed
    /// The route of `order` is local: by a fault of the service itself, or since the network or the hub was
    /// silent.
    case routeLost(byService: Bool)
    /// The route of `order` is back.
    case routeRestored
    /// A person requested `sync now`.
    case syncRequested
    /// The hub's acknowledged sequence must be queried, with an empty batch once nothing else is to be sent.
    case checkInDue
    /// The service detector needs the canary of `order`.
    case canaryRequested
    /// The canary was cancelled; if it was not sent yet it is not sent any more.
    case canaryWithdrawn
    case manualOfflineChanged(isOn: Bool)
    case linkQualityChanged(isDegraded: Bool)
    /// The result of `measurePath`: whether a request of full-size packets succeeded; nil when none did.
    case pathMeasured(largePacketsPass: Bool?)
    /// The hub's pace for resuming.
    case paced(ResumePace)
    /// The terminal's token was renewed, or the terminal was enrolled again.
    case identityRenewed
    /// The machine's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}
