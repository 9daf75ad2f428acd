internal import MachineRuntime
internal import OfflineCore

/// Carries out the announcements, one after the other.
extension OfflineService {
    func announceAll() async {
        var recorder = PeriodRecorder(storage: ports.periods)
        takeOverPeriod(&recorder)
        for await announcement in announcements { await carryOut(announcement, &recorder) }
    }

    private func carryOut(_ announcement: Announcement, _ recorder: inout PeriodRecorder) async {
        switch announcement {
        case .status(let status, .offline?):
            await participants.notify { await $0.terminalWillGoOffline(causes: status.causes) }
            publishSwitch(status)
        case .status(let status, .online?):
            publishSwitch(status)
            await participants.notify { await $0.terminalDidComeOnline() }
        case .status(let status, nil):
            publish(status)
        case .period(let period):
            recorder.record(period, suspended: ports.time.suspended(), wall: wallMilliseconds)
        case .lastRun(let run):
            ports.lastRun.save(
                LastRunOnDisk(
                    networkIsDown: run.networkIsDown,
                    lastInternetOk: run.lastInternetOk.map(wallMilliseconds),
                    lastBackendOk: run.lastBackendOk.map(wallMilliseconds)))
        case .manualConfirmed(let ticket, let status): pendingRequests.response(ticket, .success(status))
        case .manualRefused(let ticket, let refusal):
            pendingRequests.response(ticket, .failure(.refused(refusal)))
        case .greeting(let token): broadcast.greet(token)
        }
    }

    private func publishSwitch(_ status: ModeStatus) {
        publish(status)
        driver.withMachine { $0.unpublishedSwitches -= 1 }
    }

    private func publish(_ status: ModeStatus) {
        broadcast.publish(status)
        postNotification(of: status)
    }

    /// A period left open by the last run continues when this run starts offline, and has ended otherwise.
    private func takeOverPeriod(_ recorder: inout PeriodRecorder) {
        guard let open = opening.openPeriod, let since = opening.startup.offlineSince else { return }
        if broadcast.current.mode == .offline {
            recorder.takeOver(open, startedAt: since, suspended: opening.suspended)
        } else {
            ports.periods.record(
                RecordedOfflinePeriod(
                    start: open.start, end: wallMilliseconds(of: opening.now), causes: open.causes,
                    evidence: open.evidence))
        }
    }
}

/// What is published, written down or returned after an event, one after the other in the order of the
/// events.
enum Announcement: Sendable {
    /// A new status; when it switches the mode, participants are notified before or after it.
    case status(ModeStatus, switchedTo: Mode?)
    case period(OfflinePeriod)
    case lastRun(LastRun)
    case manualConfirmed(ticket: UInt64, ManualStatus)
    case manualRefused(ticket: UInt64, ManualRefusal)
    /// A new subscriber gets the current status.
    case greeting(Broadcast<ModeStatus>.Token)
}
