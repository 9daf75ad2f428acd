import Base
import OfflineCore
@testable import OfflineMode
import TestKit
import Testing

@Suite("The outbox drainer")
struct OutboxDrainerTests {
    /// Runs `body` while a drainer runs, and then ends the drainer.
    private func withDrainer(
        committed: Int64 = 0, hub: ScriptedHub = ScriptedHub(),
        _ body: (OutboxDrainer, ScriptedStorage, ScriptedHub, HandClock) async throws -> Void
    ) async rethrows {
        let storage = ScriptedStorage()
        let clock = HandClock()
        for sequence in 1..<(committed + 1) { await storage.commit(sequence) }
        let drainer = OutboxDrainer(
            storage: storage, uplink: hub, time: clock,
            settings: OutboxSettings(backoffBase: .milliseconds(1)), seed: 1)
        let running = Task { await drainer.run() }
        drainer.setManualOffline(false)
        await drainer.settle { $0 != .manualOffline }
        try await body(drainer, storage, hub, clock)
        running.cancel()
        await hub.release()
        await running.value
    }

    @Test("what is on disk is drained at the start, in order, one request at a time")
    func drainsAtStart() async {
        await withDrainer(committed: 20) { drainer, storage, hub, _ in
            let report = await drainer.syncNow()
            #expect(report.ending == .drained)
            #expect(await hub.pushes.flatMap { $0 } == (1...20).map(String.init))
            #expect(await hub.mostInFlight == 1)
            #expect(await storage.pendingIds.isEmpty)
            #expect(await drainer.status == .idle)
        }
    }

    @Test("a sale's result resumes its waiter once it is on disk, within the budget")
    func resultInTime() async {
        await withDrainer { drainer, storage, hub, _ in
            await storage.commit(1)
            drainer.nudge()
            #expect(await drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30))))
            #expect(await storage.log == ["record 1"])
            #expect(await drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30))))
        }
    }

    @Test("a spent budget ends the waiting and not the request, and spends the cashier's wait budget")
    func spentBudget() async {
        await withDrainer { drainer, storage, hub, clock in
            await hub.hold()
            await storage.commit(1)
            drainer.nudge()
            await hub.arrival(of: 1)
            async let accepted = drainer.waitForResult(
                of: "1", within: SaleWait(budget: .milliseconds(1_500)))
            await eventually { await drainer.isWaiting }
            clock.advance(by: .milliseconds(1_500))
            #expect(await !accepted)
            #expect(await drainer.rows.first?.isSending == true)
            // The wait budget is spent: a wait of half a minute ends at once.
            #expect(await !drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30))))
            clock.advance(by: .seconds(5))
            await hub.release()
            _ = await drainer.syncNow()
            #expect(await storage.log == ["record 1"])
            await hub.hold()
            await storage.commit(2)
            drainer.nudge()
            #expect(await !drainer.waitForResult(of: "2", within: SaleWait(budget: .seconds(30))))
            await hub.release()
            _ = await drainer.syncNow()
            // The push of sale 2 ended within the budget, so sale 3 waits again.
            await storage.commit(3)
            drainer.nudge()
            #expect(await drainer.waitForResult(of: "3", within: SaleWait(budget: .seconds(30))))
        }
    }

    @Test("a failed push ends the waiting at once and spends no wait budget")
    func failedPushEndsWait() async {
        let trouble = PushOutcome.hubTrouble(.service(.status(503)), retryAfter: nil)
        await withDrainer(hub: ScriptedHub([trouble])) { drainer, storage, hub, clock in
            await hub.hold()
            await storage.commit(1)
            drainer.nudge()
            await hub.arrival(of: 1)
            async let accepted = drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30)))
            await eventually { await drainer.isWaiting }
            await hub.release()
            #expect(await !accepted)
            #expect(await storage.pendingIds == ["1"])
            #expect(await drainer.syncNow().ending == .drained)
            await storage.commit(2)
            drainer.nudge()
            #expect(await drainer.waitForResult(of: "2", within: SaleWait(budget: .seconds(30))))
        }
    }

    @Test("after a fault of the hub the outbox waits, and continues when the backoff ends")
    func backoffEnds() async {
        let trouble = PushOutcome.hubTrouble(.network(.connect), retryAfter: nil)
        await withDrainer(committed: 1, hub: ScriptedHub([trouble, trouble, trouble])) {
            drainer, storage, hub, clock in
            for failures in 1...3 {
                await hub.arrival(of: failures)
                await drainer.settle { if case .waiting = $0 { true } else { false } }
                #expect(await storage.pendingIds == ["1"])
                clock.advance(by: .seconds(1))
            }
            await hub.arrival(of: 4)
            await drainer.settle { $0 == .idle }
            #expect(await storage.log == ["record 1"])
        }
    }

    @Test("during a Retry-After nothing is sent, and sync now reports it")
    func retryAfter() async {
        let reported = PushOutcome.hubTrouble(.throttle(retryAfter: .seconds(60)), retryAfter: .seconds(60))
        await withDrainer(committed: 1, hub: ScriptedHub([reported])) { drainer, storage, hub, clock in
            await drainer.settle { if case .waiting = $0 { true } else { false } }
            let end = clock.now() + .seconds(60)
            #expect(await drainer.syncNow().ending == .serverWait(until: end))
            #expect(await drainer.retryAfterEnds == end)
            #expect(await !drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30))))
            #expect(await !drainer.canaryPush(timeout: .seconds(30)))
            #expect(await hub.pushes == [["1"]])
            clock.advance(by: .seconds(60))
            #expect(await drainer.syncNow().ending == .drained)
        }
    }

    @Test("after manual-offline nothing leaves until it is taken back")
    func manualOffline() async {
        await withDrainer { drainer, storage, hub, _ in
            await drainer.settle { $0 == .idle }
            drainer.setManualOffline(true)
            await storage.commit(1)
            drainer.nudge()
            #expect(await drainer.syncNow().ending == .manualOffline)
            #expect(await drainer.status == .manualOffline)
            #expect(await !drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30))))
            #expect(await !drainer.canaryPush(timeout: .seconds(30)))
            #expect(await hub.pushes.isEmpty)
            drainer.setManualOffline(false)
            #expect(await drainer.syncNow() == DrainReport(ending: .drained, results: 1))
        }
    }

    @Test("with the route lost only a canary goes, one row alone or an empty batch")
    func canaries() async {
        await withDrainer { drainer, storage, hub, _ in
            drainer.routeLost(byService: true)
            #expect(await drainer.canaryPush(timeout: .seconds(30)))
            for sequence in Int64(1)...3 { await storage.commit(sequence) }
            drainer.nudge()
            #expect(await drainer.canaryPush(timeout: .seconds(30)))
            #expect(await hub.pushes == [[], ["1"]])
            drainer.routeRestored()
            _ = await drainer.syncNow()
            #expect(await hub.pushes.flatMap { $0 } == ["1", "2", "3"])
        }
    }

    @Test("a canary without a response in time has failed, and its request continues")
    func lateCanary() async {
        await withDrainer { drainer, _, hub, clock in
            await hub.hold()
            async let canary = drainer.canaryPush(timeout: .seconds(5))
            await hub.arrival(of: 1)
            clock.advance(by: .seconds(5))
            #expect(await !canary)
            await hub.release()
            #expect(await drainer.canaryPush(timeout: .seconds(30)))
        }
    }

    @Test("a result that the disk refused is written again and reported only then")
    func storeTrouble() async {
        await withDrainer { drainer, storage, hub, clock in
            await storage.fail(1)
            await storage.commit(1)
            drainer.nudge()
            await hub.arrival(of: 1)
            while await drainer.syncNow().ending != .drained {}
            #expect(await storage.log == ["record 1"])
            #expect(await hub.pushes == [["1"]])
            #expect(await drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(1))))
        }
    }

    @Test("a forked journal is adopted and sent again under its new epoch")
    func forked() async {
        let fork = PushOutcome.journalForked(epoch: 2, headSequence: 9, headHash: "", headOrderNumber: nil)
        await withDrainer(committed: 1, hub: ScriptedHub([fork])) { drainer, storage, hub, _ in
            #expect(await drainer.syncNow().ending == .drained)
            #expect(await storage.log == ["adopt 2", "record 1"])
            #expect(await hub.epochs == [1, 2])
        }
    }

    @Test("a stop is visible, keeps every row, and ends when the terminal signs in")
    func stops() async {
        let refused = PushOutcome.signInNeeded(code: "token_expired")
        await withDrainer(committed: 2, hub: ScriptedHub([refused])) { drainer, storage, _, _ in
            await drainer.settle { $0 == .stopped(.signInNeeded(code: "token_expired")) }
            #expect(await storage.pendingIds == ["1", "2"])
            drainer.identityRenewed()
            #expect(await drainer.syncNow().ending == .drained)
        }
    }

    @Test("when the drainer ends, no waiter remains")
    func ending() async {
        let hub = ScriptedHub()
        await hub.hold()
        let storage = ScriptedStorage()
        await storage.commit(1)
        let drainer = OutboxDrainer(storage: storage, uplink: hub, time: HandClock(), seed: 1)
        let running = Task { await drainer.run() }
        drainer.setManualOffline(false)
        await hub.arrival(of: 1)
        async let report = drainer.syncNow()
        async let accepted = drainer.waitForResult(of: "1", within: SaleWait(budget: .seconds(30)))
        async let canary = drainer.canaryPush(timeout: .seconds(30))
        await eventually { await drainer.isWaiting }
        running.cancel()
        await hub.release()
        await running.value
        #expect(await !accepted)
        #expect(await !canary)
        #expect(await report.ending == .interrupted)
        #expect(await drainer.syncNow().ending == .interrupted)
        #expect(await storage.pendingIds == ["1"])
    }
}

extension OutboxDrainer {
    fileprivate var isWaiting: Bool { !waits.isEmpty }

    /// Waits until the drainer's own work has brought it into a status.
    fileprivate func settle(_ isReached: (DrainStatus) -> Bool) async {
        await eventually { isReached(status) }
    }
}
