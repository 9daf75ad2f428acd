public import MachineRuntime

/// The ports of the offline service.
public struct OfflinePorts: Sendable {
    /// The clocks: monotonic, wall and boot.
    public var time: any SystemTime
    /// The kernel's reports of the path.
    public var path: any PathMonitoring
    /// ICMP echoes to the hub's host.
    public var ping: any Pinging
    /// HTTP probes of the hub and the independent address.
    public var probe: any HubProbing
    /// Queries and reports of the QoS service.
    public var qos: any QoSConsulting
    /// The trial call before a service resumes.
    public var canary: any CanaryCalling
    /// The durable manual flag.
    public var manualFlag: any ManualFlagStorage
    /// What the last run kept for this start.
    public var lastRun: any LastRunStorage
    /// Offline periods, for `pos history`.
    public var periods: any OfflinePeriodRecording
    /// The event recording.
    public var recorder: any EventRecorder
    /// Limits on the traffic of a service that resumes.
    public var pace: any ResumePacing

    /// Clocks, path and probe are required. The other ports are absent by default (``AbsentPorts``).
    public init(
        time: any SystemTime, path: any PathMonitoring,
        ping: any Pinging = AbsentPorts(), probe: any HubProbing, qos: any QoSConsulting = AbsentPorts(),
        canary: any CanaryCalling = AbsentPorts(), manualFlag: any ManualFlagStorage = AbsentPorts(),
        lastRun: any LastRunStorage = AbsentPorts(),
        periods: any OfflinePeriodRecording = AbsentPorts(), recorder: any EventRecorder = AbsentPorts(),
        pace: any ResumePacing = AbsentPorts()
    ) {
        self.time = time
        self.path = path
        self.ping = ping
        self.probe = probe
        self.qos = qos
        self.canary = canary
        self.manualFlag = manualFlag
        self.lastRun = lastRun
        self.periods = periods
        self.recorder = recorder
        self.pace = pace
    }
}
