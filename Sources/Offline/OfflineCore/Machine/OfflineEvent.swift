public import Base

/// Everything that the offline machine is notified of.
public enum OfflineEvent: Hashable, Codable, Sendable {
    /// A person requests that the manual flag is set or removed.
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
    /// Bytes of a business call moved from `since` to now; it goes on. Reported about every 3 s of a long
    /// one.
    case requestMoves(since: Instant)
    /// A valid response of QoS to the query or report `tag`, which was sent at `sentAt`.
    case qosResponded(QoSResponse, tag: UInt64, sentAt: Instant)
    /// The query or report `tag` got no valid response in time.
    case qosFailed(tag: UInt64)
    case canaryFinished(service: String, tag: UInt64, good: Bool)
    /// Sending goes in another way than before, as the outbox machine decided.
    case deliveryChanged(DeliveryState)
    /// A person requested a retry now.
    case retryRequested
    /// Other numbers apply from now on; what already runs, such as T1 of a suspicion, keeps its end.
    ///
    /// Rare and large: stored indirectly, so that the other events stay small.
    indirect case settingsChanged(OfflineSettings)
    /// The machine was suspended for so long since the last event.
    case clockGapObserved(Duration)
    /// The machine's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}
