import Base

internal import CurlTransport
internal import HubProtocol
internal import LinuxNetwork
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// Whether the terminal works online or offline, and what that allows.
struct ModesFeature: Sendable {
    let offline: OfflineService
    /// The path that the offline module watches.
    let path: HubPathChooser
    let permissions: SyncPermissions
    let qos: CurlQoSConsultant
    /// What the offline module has for the drainer.
    let requests: DrainerRequests
    let drill: DrillSwitch
    /// The history of offline periods, also for those that began as drills.
    let periodLog: PeriodLog

    /// - Parameter isRecording: whether the machine's events are kept.
    init(_ foundation: AgentFoundation, isRecording: Bool) async throws(TerminalError) {
        let (home, link, store, drill) = (
            foundation.home, foundation.link, foundation.store, DrillSwitch()
        )
        self.drill = drill
        path = link.path
        qos = CurlQoSConsultant(client: link.hub, head: link.heads.head)
        requests = DrainerRequests(others: link.canary(epoch: store.outbox))
        periodLog = try await store.periodLog(logger: foundation.logger)
        let recorder = isRecording ? EventRecorderFile(home: home.path) : nil
        var seeds = SystemRandomNumberGenerator()
        offline = OfflineService(
            settings: foundation.configuration.offlineSettings, apis: foundation.apis,
            others: Set(HubService.allCases.map(\.rawValue)),
            ports: OfflinePorts(
                time: foundation.time, path: link.path,
                ping: link.pinger.map { DrillPing(pinger: $0, drill: drill, time: foundation.time) }
                    ?? NoPing(),
                probe: ReportingProbe(
                    probe: DrillProbe(probe: link.probe, drill: drill), drainer: requests),
                qos: qos, canary: requests, manualFlag: ManualFlagFile(home: home.path),
                lastRun: DrillLastRun(storage: store.lastRun, drill: drill),
                periods: DrillPeriods(log: periodLog, drill: drill),
                recorder: recorder ?? NoRecorder(), pace: requests),
            seed: seeds.next(), logger: foundation.logger)
        permissions = SyncPermissions(offline: offline, tuning: foundation.tuning, time: foundation.time)
        if let recorder { offline.register(recorder) }
    }

    /// Runs the offline module and writes its periods until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await offline.run() }
            group.addTask { await path.run(following: offline) }
            group.addTask { await periodLog.run() }
        }
    }
}

/// Queries the policy with what holds at the moment: the snapshot, the store's hour, the battery.
struct SyncPermissions: Sendable {
    let offline: OfflineService
    let tuning: RemoteConfiguration
    let time: any SystemTime
    var battery = LinuxBattery()

    var current: SyncPolicy { policy(of: offline.status) }

    func policy(of status: ModeStatus) -> SyncPolicy {
        let minute = tuning.checkoutPolicy.calendar.minuteOfDay(at: time.wallMilliseconds())
        return SyncPolicy(
            of: status.connectivity, causes: status.causes, settings: tuning.configuration.policySettings,
            in: Context(minuteOfDay: minute, batteryPercent: battery.dischargingPercent))
    }
}
