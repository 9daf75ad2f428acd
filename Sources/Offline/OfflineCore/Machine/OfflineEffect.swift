import Base

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
    /// Record the offline period that began, changed or ended.
    case recordPeriod(OfflinePeriod)
    /// The mode changes: notify the participants before offline is published, or after online is.
    case switchMode(to: Mode, causes: [OfflineCause])
    /// Something that ``OfflineMachine/status(at:)`` shows has changed.
    case announceStatus
}

extension OfflineEffect {
    /// The effect in the event recording: a name and the values that distinguish it from others of its kind,
    /// between colons. Nil for an effect that follows from the others.
    public var recordedName: String? {
        switch self {
        case .saveManualFlag(let flag, let ticket):
            "saveManualFlag:\(ticket):\(flag == nil ? "off" : "on")"
        case .confirmManual(let ticket, let status):
            "confirmManual:\(ticket):\(status.isOn ? "on" : "off")"
        case .refuseManual(let ticket, _): "refuseManual:\(ticket)"
        case .sendPing(let tag, _): "ping:\(tag.epoch):\(tag.sequence)"
        case .sendProbe(let tag, let target, _): "probe:\(tag.epoch):\(tag.sequence):\(target.rawValue)"
        case .queryQoS(let tag, let services): "queryQoS:\(tag):\(services.joined(separator: "+"))"
        case .reportQoS(let tag, let report):
            "reportQoS:\(tag):\(report.services.map(\.recordedName).joined(separator: "+"))"
        case .sendCanary(let tag, let service): "canary:\(tag):\(service)"
        case .paceResume(let service, let pace):
            "paceResume:\(service):\(pace.after.wholeNanoseconds):\(pace.ratePerMinute)"
        case .saveLastRun(let run): "saveLastRun:\(run.networkIsDown ? "down" : "up")"
        case .recordPeriod(let period):
            "recordPeriod:\(period.start.nanoseconds):\(period.end.map { String($0.nanoseconds) } ?? "-")"
        case .switchMode(let mode, let causes):
            "switch:\(mode.rawValue):\(causes.map(\.rawValue).joined(separator: "+"))"
        case .announceStatus: nil
        }
    }
}

extension ServiceCounts {
    fileprivate var recordedName: String { "\(service)=\(ok)/\(failed)" }
}
