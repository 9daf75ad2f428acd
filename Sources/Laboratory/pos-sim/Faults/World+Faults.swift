import AgentAPI
import HubServer
import MachineRuntime
import OfflineCore

/// How each fault of a schedule acts.
extension World {
    /// Every fault at its time; returns when all have ended.
    func play(_ faults: [Fault]) async {
        await withTaskGroup(of: Void.self) { group in
            for fault in faults {
                group.addTask { await self.play(fault) }
            }
        }
    }

    private func play(_ fault: Fault) async {
        await pause(until: fault.at)
        trace.note(
            "fault", "\(fault.kind.rawValue) \(fault.till.map { "till \($0)" } ?? "") \(fault.lasts) ms")
        do {
            switch fault.kind {
            case .storeOutage: await outage(of: tills.filter { $0.storeId == "S1" }, fault)
            case .hubKill, .hubDeployment, .hubRestore, .serviceFaulty, .priceChange:
                try await playAtHub(fault)
            case _:
                guard let till = fault.till.flatMap({ tills.indices.contains($0) ? tills[$0] : nil }) else {
                    return
                }
                try await play(fault, at: till)
            }
        } catch {
            fail("the world goes on", "\(fault.kind.rawValue): \(error)")
        }
    }

    func pause(until milliseconds: Int64) async {
        try? await Task.sleep(for: .milliseconds(max(0, milliseconds - Trace.now)))
    }

    private func outage(of tills: [TillNode], _ fault: Fault) async {
        for till in tills { till.link.begin(fault.kind) }
        await pause(until: fault.end)
        for till in tills { till.link.end(fault.kind) }
    }

    private func playAtHub(_ fault: Fault) async throws {
        guard hub.isUp else { return }
        count(fault.kind)
        switch fault.kind {
        case .hubKill, .hubDeployment:
            try hub.kill()
            await pause(until: max(fault.end, Trace.now + 2_000))
            try await hub.start()
        case .hubRestore:
            try hub.kill()
            try await hub.restore()
            await pause(until: Trace.now + 5_000)
            try await hub.start()
            try await hub.importArticles(book.priceList)
        case .serviceFaulty:
            let begin = Trace.now
            try await overrideService(until: fault.end)
            await requireUse(since: begin)
        case .priceChange:
            let place = Int(fault.at % Int64(Book.articles.count))
            book.change(place, at: Trace.now)
            try await hub.importArticles(book.priceList)
        case _: break
        }
    }

    /// An operator sets the service of orders faulty, until a moment.
    private func overrideService(until end: Int64) async throws {
        checks.overrides += 1
        try await hub.perform(.overrideService("order", state: "faulty", reason: "simulated", until: nil))
        await pause(until: end)
        while !hub.isUp { await pause(until: Trace.now + 5_000) }
        // A hub that was put back to a backup may have none.
        _ = try? await hub.perform(.clearOverride("order"))
        checks.overrides -= 1
        checks.lastOverride = Trace.now
    }

    /// A service that is healthy again is used after the next polls and the dwell, where nothing is wrong.
    private func requireUse(since begin: Int64) async {
        let poll = Int64(schedule.settings["qos.pollSeconds"] ?? 0) * 1000
        await pause(until: Trace.now + 2 * poll + 180_000)
        guard checks.overrides == 0, checks.lastOverride < Trace.now - 2 * poll - 120_000 else { return }
        for till in tills where till.link.lastTrouble < begin && till.startedAt < begin {
            guard !tills.contains(where: { $0.link.isTroubled || $0.link.lastTrouble >= begin }),
                case .done(let status) = await till.call(StatusCall()), status.causes.contains(.service)
            else { continue }
            fail("a healthy service is used", "\(till.name) still holds it to be faulty")
        }
    }

    /// What was decided is repeated when it was forgotten long ago.
    private func repeatDecision(_ fault: Fault, at till: TillNode) async throws {
        guard hub.isUp else { return }
        till.link.keepsDecisions = true
        try await overrideService(until: Trace.now + 700_000)
        till.link.keepsDecisions = false
        await pause(until: Trace.now + Checks.longestSuspicion + 60_000)
        await outage(of: [till], Fault(at: Trace.now, kind: .oldDecision, lasts: fault.lasts + 600_000))
    }

    /// What a till has confirmed holds, whatever happens next.
    private func switchAndKill(_ till: TillNode, until end: Int64) async throws {
        guard case .done = await till.call(SetManualCall(isOn: true, reason: "simulated")) else {
            return await switchBack(till)
        }
        count(.manualKill)
        try await till.kill()
        await pause(until: Trace.now + 3_000)
        try await till.start()
        if case .done(let status) = await till.call(StatusCall()), checks.isSwitchedOnce(till.number),
            !status.causes.contains(.manual)
        {
            fail("what a person switched holds", "\(till.name) forgot it when it was killed")
        }
        await pause(until: end)
        await switchBack(till)
    }

    /// Sells on for ten minutes, and then has the database of before. What it lacks is at the hub: one that
    /// is put back too would lose it for good.
    private func rollBack(_ till: TillNode) async throws {
        guard till.isUp, !till.isRolledBack, !schedule.faults.contains(where: { $0.kind == .hubRestore })
        else {
            return
        }
        let image = try till.databaseImage()
        let begin = book.sold.count
        await pause(until: Trace.now + 600_000)
        guard case .done(let status) = await till.call(StatusCall()), status.outbox.pending == 0, till.isIdle
        else {
            return
        }
        count(.tillRollback)
        till.isRolledBack = true
        book.loseAtTill(till.number)
        trace.note(till.name, "put back, without \(book.sold.count - begin) sales of all tills")
        await till.stop()
        try image.putBack()
        try await till.start()
    }

    private func switchBack(_ till: TillNode) async {
        while case .unknown = await till.call(SetManualCall(isOn: false)) {
            await pause(until: Trace.now + 5_000)
        }
    }

    private func play(_ fault: Fault, at till: TillNode) async throws {
        switch fault.kind {
        case .tillKill:
            guard till.isUp else { return }
            count(fault.kind)
            try await till.kill()
            await pause(until: Trace.now + 3_000)
            try await till.start()
        case .tillRestart:
            guard till.isUp else { return }
            count(fault.kind)
            await till.stop()
            await pause(until: Trace.now + 3_000)
            try await till.start()
        case .manualOffline:
            checks.manualChanged(of: till.number, to: true)
            if case .done = await till.call(SetManualCall(isOn: true, reason: "simulated")) {
                count(fault.kind)
            }
            await pause(until: fault.end)
            await switchBack(till)
            checks.manualChanged(of: till.number, to: false)
        case .manualKill:
            checks.manualChanged(of: till.number, to: true)
            try await switchAndKill(till, until: fault.end)
            checks.manualChanged(of: till.number, to: false)
        case .oldDecision: try await repeatDecision(fault, at: till)
        case .tillRollback: try await rollBack(till)
        case .wallForward, .wallBack:
            count(fault.kind)
            let leap: Int64 = (fault.kind == .wallForward ? 1 : -1) * fault.lasts
            till.time.leap(by: leap)
            await pause(until: fault.end)
            till.time.leap(by: -leap)
        case .suspension:
            count(fault.kind)
            till.time.wake(after: .milliseconds(fault.lasts))
        case _: await outage(of: [till], fault)
        }
    }
}
