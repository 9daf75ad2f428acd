import Base

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
        case .saveSilences(let memory):
            "saveSilences:\(memory.silences.last ?? -1):\(memory.returns.last ?? -1)"
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
