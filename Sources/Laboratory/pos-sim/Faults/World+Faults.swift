import AgentAPI
import CurlHTTP
import Glibc
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
            case .hubKill, .hubDeployment, .hubPowerCut, .hubRestore, .serviceFaulty, .serviceFlapping,
                .priceChange:
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
        case .hubPowerCut:
            try hub.kill(by: PowerCut(schedule.seed &+ UInt64(fault.at)))
            await pause(until: Trace.now + 20_000)
            try await hub.start()
        case .hubRestore:
            try hub.kill()
            try await hub.restore()
            await pause(until: Trace.now + 5_000)
            try await hub.start()
            try await hub.importArticles(book.priceList)
            if checks.overrides == 0 { await clearOverride() }
        case .serviceFaulty:
            let begin = Trace.now
            try await overrideService(until: fault.end)
            await requireUse(since: begin)
        case .serviceFlapping:
            let begin = Trace.now
            for step in 0..<5 where hub.isUp {
                try await overrideService(until: Trace.now + 5_000 + Int64(step) * 4_000)
                await pause(until: Trace.now + 20_000)
            }
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
        await clearOverride()
        checks.overrides -= 1
    }

    /// A hub that was put back to a backup may have none, or one that had been taken back since.
    private func clearOverride() async {
        _ = try? await hub.perform(.clearOverride("order"))
        checks.lastOverride = Trace.now
    }

    /// A service that is healthy again is used after the next polls and the dwell, where nothing is wrong. A
    /// till that a person switched offline tests nothing.
    private func requireUse(since begin: Int64) async {
        let poll = Int64(schedule.settings["qos.pollSeconds"] ?? 0) * 1000
        await pause(until: Trace.now + 2 * poll + 180_000)
        guard checks.overrides == 0, checks.lastOverride < Trace.now - 2 * poll - 120_000 else { return }
        for till in tills
        where till.link.lastObstacle < begin && till.startedAt < begin && till.hasDisk
            && till.lastDiskChange < begin
        {
            guard !tills.contains(where: { $0.link.isTroubled || $0.link.lastObstacle >= begin }),
                till.link.sight.waitsUntil < begin,
                case .done(let status) = await till.call(StatusCall()), status.causes == [.service]
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
    ///
    /// - Parameter damaged: whether what it has kept is damaged while it does not run.
    private func switchAndKill(_ till: TillNode, until end: Int64, damaged: Bool) async throws {
        guard case .done(let switched) = await till.call(SetManualCall(isOn: true, reason: "simulated"))
        else { return await switchBack(till) }
        count(damaged ? .flagDamaged : .manualKill)
        try await till.kill()
        if damaged { try till.damageFlag() }
        await pause(until: Trace.now + 3_000)
        try await till.start()
        if case .done(let status) = await till.call(StatusCall()), checks.isSwitchedOnce(till.number),
            !status.causes.contains(.manual)
                || !damaged
                    && (status.manual.since != switched.since || status.manual.reason != switched.reason)
        {
            fail("what a person switched holds", "\(till.name) has \(status.manual) when it was killed")
        }
        await pause(until: end)
        await switchBack(till)
    }

    private func switchBack(_ till: TillNode) async {
        while true {
            switch await till.call(SetManualCall(isOn: false)) {
            case .done: return
            // Behind the closing nobody is signed in.
            case .refused("sign_in_required"):
                _ = await till.call(SessionCall.signIn(cashierId: "P1", pin: Cashier.pin(1)))
            case .refused where till.hasDisk: return
            case .refused, .unknown: await pause(until: Trace.now + 5_000)
            }
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
        case .tillPowerCut:
            guard till.isUp else { return }
            count(fault.kind)
            try await till.kill(by: PowerCut(schedule.seed &+ UInt64(fault.at)))
            till.time.reboot()
            await pause(until: Trace.now + 40_000)
            try await till.start()
        case .diskFull, .diskError: await failDisk(fault, at: till)
        case .hostileRequests: await attack(as: till)
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
        case .manualKill, .flagDamaged:
            checks.manualChanged(of: till.number, to: true)
            try await switchAndKill(till, until: fault.end, damaged: fault.kind == .flagDamaged)
            checks.manualChanged(of: till.number, to: false)
        case .machineRestart: till.terminal.restart()
        case _ where fault.kind.isOfMachine:
            till.terminal.begin(fault.kind)
            await pause(until: fault.end)
            till.terminal.end(fault.kind)
        case _ where fault.kind.isOfNeighbours:
            network.begin(fault.kind, at: till.number)
            await pause(until: fault.end)
            network.end(fault.kind, at: till.number)
        case .oldDecision: try await repeatDecision(fault, at: till)
        case .tillRollback: try await rollBack(till)
        case .databaseDamage:
            try await damageAndRepair(till, seed: schedule.seed &+ UInt64(fault.at))
        case .exportIngest: try await exportAndIngest(till)
        case .wallForward, .wallBack:
            count(fault.kind)
            let leap: Int64 = (fault.kind == .wallForward ? 1 : -1) * (fault.leap ?? fault.lasts)
            till.time.leap(by: leap)
            await pause(until: fault.end)
            till.time.leap(by: -leap)
        case .suspension:
            count(fault.kind)
            till.wake(after: .milliseconds(fault.lasts))
        case _: await outage(of: [till], fault)
        }
    }

    /// Nothing can be written to the till's disk, or nothing of it made durable.
    private func failDisk(_ fault: Fault, at till: TillNode) async {
        guard !FailingDisk.isAny, till.isUp else { return }
        till.setDisk(failing: fault.kind == .diskFull ? ENOSPC : EIO)
        await pause(until: fault.end)
        till.setDisk(failing: nil)
    }

    /// Sends what a till has sent in other ways. What is not the till's request changes nothing, and the hub
    /// does not fail for it.
    private func attack(as till: TillNode) async {
        guard hub.isUp, let push = till.link.lastPush, let body = push.body else { return }
        count(.hostileRequests)
        let headers = push.headers.filter { $0.name.lowercased() != "authorization" }
        let attempts = [
            ("without a token", copy(of: push, headers, body)),
            ("cut off", copy(of: push, push.headers, Array(body.dropLast(body.count / 2)))),
            ("of brackets", copy(of: push, push.headers, Array(repeating: 0x5B, count: 100_000))),
        ]
        for (what, request) in attempts {
            guard let response = await hub.respond(to: request) else { return }
            if !(400..<500).contains(response.status) {
                fail("what is no request changes nothing", "a push \(what) got \(response.status)")
            }
        }
        for _ in 0..<5 {
            guard let response = await hub.respond(to: push) else { return }
            if response.status >= 500 { fail("the hub responds", "\(response.status) to a push again") }
        }
    }

    private func copy(of request: HTTPRequest, _ headers: [HTTPHeader], _ body: [UInt8]) -> HTTPRequest {
        var copy = request
        (copy.headers, copy.body) = (headers, body)
        return copy
    }
}
