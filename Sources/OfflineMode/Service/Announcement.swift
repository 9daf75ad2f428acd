import OfflineCore

/// What is told, written down or answered after an event, one after the other in the order it happened.
enum Announcement: Sendable {
    /// A new status; with the mode it switches to, participants are told around it.
    case status(ModeStatus, switchedTo: Mode?)
    case period(OfflinePeriod)
    case lastRun(LastRun)
    case silences(SilenceMemory)
    case manualConfirmed(ticket: UInt64, ManualStatus)
    case manualRefused(ticket: UInt64, ManualRefusal)
    /// A new listener hears the current status: the closure of that id, the delegate when nil.
    case greeting(UInt64?)
}
