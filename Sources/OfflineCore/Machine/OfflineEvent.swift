/// Everything the offline machine is told.
public enum OfflineEvent: Hashable, Sendable {
    /// A person asks for the manual flag to be set or taken back.
    case manualRequested(ManualRequest)
    /// The flag of the request `ticket` is durable.
    case manualFlagSaved(ticket: UInt64)
    /// The flag of the request `ticket` could not be made durable.
    case manualFlagSaveFailed(ticket: UInt64, ManualFlagError)
    /// The kernel's view of the way to the hub, first and after each change.
    case pathChanged(PathStatus)
    case pingFinished(ProbeTag, PingResult)
    case probeFinished(ProbeTag, ProbeTarget, ProbeResult)
    /// A business call ended.
    case requestFinished(RequestOutcome)
    /// A business call is connected and has seen no byte for 3 s; it goes on.
    case requestStalled(APIRoute, startedAt: Instant)
    /// A valid answer of QoS to the question or report `tag`, sent at `sentAt`.
    case qosAnswered(QoSAnswer, tag: UInt64, sentAt: Instant)
    /// The question or report `tag` brought no valid answer in time.
    case qosFailed(tag: UInt64)
    case canaryFinished(service: String, tag: UInt64, good: Bool)
    /// A person asked to try again now.
    case retryRequested
    /// Other numbers hold from now on; what already runs, as T1 of a suspicion, runs to the end it has.
    ///
    /// Rare and large: kept apart, so that the others stay small to pass on.
    indirect case settingsChanged(OfflineSettings)
    /// The machine was suspended for so long since the last event.
    case clockGapObserved(Duration)
    /// The machine's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}
