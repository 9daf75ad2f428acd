internal import OfflineCore
internal import MachineRuntime

/// What is published, written down or returned after an event, one after the other in the order of the
/// events.
enum Announcement: Sendable {
    /// A new status; when it switches the mode, participants are notified before or after it.
    case status(ModeStatus, switchedTo: Mode?)
    case period(OfflinePeriod)
    case lastRun(LastRun)
    case silences(SilenceMemory)
    case manualConfirmed(ticket: UInt64, ManualStatus)
    case manualRefused(ticket: UInt64, ManualRefusal)
    /// A new subscriber gets the current status.
    case greeting(Broadcast<ModeStatus>.Token)
}
