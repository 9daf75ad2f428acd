import Base

internal import LinuxNetwork
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import MachineRuntime

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
