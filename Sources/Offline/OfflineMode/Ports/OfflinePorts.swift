public import MachineRuntime

/// The ports of the offline service.
public struct OfflinePorts: Sendable {
    public var time: any SystemTime
    public var path: any PathMonitoring
    public var ping: any Pinging
    public var probe: any HubProbing
    public var qos: any QoSConsulting
    public var canary: any CanaryCalling
    public var manualFlag: any ManualFlagStorage
    public var lastRun: any LastRunStorage
    public var silences: any SilenceStorage
    public var periods: any OfflinePeriodRecording
    public var recorder: any FlightRecording
    public var pace: any ResumePacing

    public init(
        time: any SystemTime, path: any PathMonitoring, ping: any Pinging, probe: any HubProbing,
        qos: any QoSConsulting, canary: any CanaryCalling, manualFlag: any ManualFlagStorage,
        lastRun: any LastRunStorage, silences: any SilenceStorage, periods: any OfflinePeriodRecording,
        recorder: any FlightRecording,
        pace: any ResumePacing
    ) {
        self.time = time
        self.path = path
        self.ping = ping
        self.probe = probe
        self.qos = qos
        self.canary = canary
        self.manualFlag = manualFlag
        self.lastRun = lastRun
        self.silences = silences
        self.periods = periods
        self.recorder = recorder
        self.pace = pace
    }
}
