/// What the driver of the offline machine has to do, in this order.
public enum OfflineEffect: Hashable, Sendable {
    /// Make the flag durable (nil removes it), then send `manualFlagSaved` or `manualFlagSaveFailed`.
    case saveManualFlag(ManualFlag?, ticket: UInt64)
    /// Respond to the request `ticket` that the flag is durable and in force.
    case confirmManual(ticket: UInt64, ManualStatus)
    /// Respond to the request `ticket` that nothing was changed, and why.
    case refuseManual(ticket: UInt64, ManualRefusal)
    case sendPing(ProbeTag, timeout: Duration)
    case sendProbe(ProbeTag, ProbeTarget, timeout: Duration)
    case queryQoS(tag: UInt64, services: [String])
    case reportQoS(tag: UInt64, QoSReport)
    case sendCanary(tag: UInt64, service: String)
    /// Let the traffic of `service` back at this pace, counted from now.
    case paceResume(service: String, ResumePace)
    /// Store for the next start whether the `network` cause holds.
    case saveLastRun(LastRun)
    /// Store for the next start what was learned about the link.
    case saveSilences(SilenceMemory)
    /// Record the offline period that began, changed or ended.
    case recordPeriod(OfflinePeriod)
    /// The mode changes: notify the participants before offline is published, or after online is.
    case switchMode(to: Mode, causes: [OfflineCause])
    /// Something that ``OfflineMachine/status(at:)`` shows has changed.
    case announceStatus
}
