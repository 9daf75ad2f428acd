/// What the offline machine wants done, in this order.
public enum OfflineEffect: Hashable, Sendable {
    /// Make the flag durable (nil removes it), then say so with `manualFlagSaved` or `manualFlagSaveFailed`.
    case saveManualFlag(ManualFlag?, ticket: UInt64)
    /// Tell the asker of `ticket` that the flag is durable and in force.
    case confirmManual(ticket: UInt64, ManualStatus)
    /// Tell the asker of `ticket` that nothing was changed, and why.
    case refuseManual(ticket: UInt64, ManualRefusal)
    case sendPing(ProbeTag, timeout: Duration)
    case sendProbe(ProbeTag, ProbeTarget, timeout: Duration)
    case queryQoS(tag: UInt64, services: [String])
    case reportQoS(tag: UInt64, QoSReport)
    case sendCanary(tag: UInt64, service: String)
    /// Let the traffic of `service` back at this pace, counted from now.
    case paceResume(service: String, ResumePace)
    /// Keep for the next start whether the `network` cause holds.
    case saveLastRun(LastRun)
    /// Keep for the next start what was learned of the link.
    case saveSilences(SilenceMemory)
    /// Write down the offline period that began, changed or ended.
    case recordPeriod(OfflinePeriod)
    /// The mode changes: tell the participants before it is seen to go offline, and after it is back.
    case switchMode(to: Mode, causes: [OfflineCause])
    /// Something that ``OfflineMachine/status(at:)`` shows has changed.
    case announceStatus
}
