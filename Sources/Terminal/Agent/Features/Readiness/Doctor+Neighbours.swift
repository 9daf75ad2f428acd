internal import AgentAPI
internal import Base
internal import MachineRuntime

/// Whether the tills of the store see each other; nothing to say where the store does not want it.
extension Doctor {
    /// From here on two clocks differ: what their tills print is compared by people.
    private static let clockDifference: Int64 = 5_000
    /// After this a till that sees nobody says so: connections are there within five seconds.
    private static let searchTime = Duration.seconds(30)

    func otherTills() async -> [DoctorCall.Check] {
        guard neighbours.isEnabled else { return [] }
        let picture = await neighbours.document()
        guard let run = neighbours.run else { return [note("other tills", texts.tillsNotSought)] }
        var checks: [DoctorCall.Check] = []
        let reachable = picture.neighbours.filter { $0.state == .reachable }
        // Without a network of its own nobody isolates it.
        let isAlone =
            reachable.isEmpty && !picture.neighbours.isEmpty && !picture.listening.isEmpty
            && neighbours.time.now() - run.findings.placedAt >= Self.searchTime
        let seen = texts.tillsSeen(reachable.count, of: picture.neighbours.count)
        checks.append(
            picture.neighbours.isEmpty
                ? note("other tills", texts.noOtherTills)
                : check("other tills", !isAlone, seen, fix: texts.findTills))
        if reachable.isEmpty, !picture.neighbours.isEmpty, !run.knowsAddresses {
            checks.append(
                check("other tills' addresses", false, texts.noTillAddress, fix: texts.nameTillAddress))
        }
        if !picture.notListening.isEmpty || picture.listening.isEmpty {
            checks.append(
                check(
                    "other tills' port", false,
                    texts.notListening(picture.notListening.joined(separator: "; ")),
                    fix: texts.freePort))
        }
        let off = reachable.filter { ($0.clockOffMilliseconds ?? 0).magnitude > Self.clockDifference }
        if !off.isEmpty {
            let names = off.prefix(3).map { till in
                texts.tillsClock(till.number ?? 0, milliseconds: till.clockOffMilliseconds ?? 0)
            }.joined(separator: "; ")
            checks.append(check("other tills' clocks", false, names, fix: texts.setClocks))
        }
        if picture.isBehind {
            checks.append(
                check("other tills' witness", false, texts.journalWasLonger, fix: texts.enrolAfterOldDisk))
        }
        if let since = picture.notConfirmedSince {
            checks.append(
                check(
                    "other tills' keys", false, texts.keysNotConfirmed(since: since), fix: texts.confirmKeys))
        }
        if !picture.overdue.isEmpty {
            checks.append(
                check(
                    "other tills' sales", false, texts.keptLong(picture.overdue.count), fix: texts.handInKept)
            )
        }
        return checks
    }
}
