extension OutboxMachine {
    /// Begins a `sync now`: everything is tried at once, whatever the route and the pace, except inside a
    /// `Retry-After`, under the manual flag, or where only a new enrolment helps.
    mutating func beginSync(at now: Instant, _ effects: inout [OutboxEffect]) {
        syncedVerdicts = syncedVerdicts ?? 0
        guard !isManualOffline else { return endSync(.manualOffline, &effects) }
        if let until = hubWait.serverRetryAfter, now < until { return endSync(.serverWait(until: until), &effects) }
        switch halt?.stop {
        case .epochSuperseded?: return endSync(.stopped(.epochSuperseded), &effects)
        case .signInNeeded?, .upgradeRequired?: halt = nil
        case nil: break
        }
        pace = nil
        tryAllAtOnce()
    }

    mutating func endSync(_ ending: DrainReport.Ending, _ effects: inout [OutboxEffect]) {
        guard let verdicts = syncedVerdicts else { return }
        syncedVerdicts = nil
        effects.append(.finishSync(DrainReport(ending: ending, verdicts: verdicts)))
    }
}
