import Base
import OfflineCore
import Testing

@Suite("The outbox machine")
struct OutboxMachineTests {
    private let rows = (1...5).map { OutboxEntry.row($0) }

    /// A machine that has read `entries` and has the first of them in flight.
    private func sending(
        _ entries: [OutboxEntry], settings: OutboxSettings = OutboxSettings()
    ) -> OutboxMachine {
        var machine = OutboxMachine(settings: settings, seed: 1)
        #expect(machine.handle(.rowsChanged, at: at(0)) == [.load(after: 0, limit: settings.batchLimit)])
        #expect(
            machine.handle(.loaded(entries, reachedEnd: true), at: at(0))
                == entries.prefix(1).map { .push(ids: [$0.id]) })
        return machine
    }

    private func results(_ outcomes: [(String, PushResult.Outcome)], through: Int64? = nil) -> PushOutcome {
        .results(
            outcomes.map { PushResult(id: $0.0, outcome: $0.1, document: "{}") },
            acknowledgedThrough: through,
            missing: [])
    }

    private func trouble(_ retryAfter: Duration? = nil) -> OutboxEvent {
        .pushFinished(.hubTrouble(.service(.status(503)), retryAfter: retryAfter))
    }

    @Test("rows go oldest first, and batches double from one row on")
    func batchesGrow() {
        var machine = sending((1...9).map { .row($0) })
        var sizes: [Int] = []
        var inFlight = ["1"]
        while !inFlight.isEmpty {
            sizes.append(inFlight.count)
            let response = results(inFlight.map { ($0, .applied) })
            guard case .results(let written, _, _) = response else { return }
            #expect(
                machine.handle(.pushFinished(response), at: at(1)) == [
                    .write(.record(written, acknowledgedThrough: nil))
                ])
            let effects = machine.handle(.written, at: at(1))
            #expect(effects.first == .announceResults(written))
            guard case .push(let next)? = effects.last else { break }
            #expect(next.compactMap(Int.init) == next.compactMap(Int.init).sorted())
            inFlight = next
        }
        #expect(sizes == [1, 2, 4, 2])
        #expect(machine.status(at: at(1)) == .idle)
        #expect(machine.deadline == nil)
    }

    @Test("a batch has at most 200 rows and 1 MiB, with the JSON around them")
    func batchLimits() {
        var settings = OutboxSettings(batchLimit: 200)
        settings.batchBytes = 1_000
        var machine = sending(
            [.row(1, bytes: 5_000), .row(2, bytes: 600), .row(3, bytes: 400), .row(4, bytes: 1)],
            settings: settings)
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        #expect(machine.handle(.written, at: at(0)).last == .push(ids: ["2", "3"]))
    }

    @Test(
        "after three rows without a result an empty push is sent; when it fails too, all wait on one backoff")
    func hubTrouble() throws {
        var machine = sending(rows)
        var now = at(0)
        for row in ["1", "2", "3"] {
            #expect(machine.handle(trouble(), at: now) == [.endWaits(ids: [row])])
            let until = try #require(machine.deadline)
            #expect(until >= now + .milliseconds(650) && until <= now + .milliseconds(900))
            #expect(machine.status(at: now) == .waiting(until: until))
            #expect(machine.handle(.deadlineReached, at: until - .nanoseconds(1)).isEmpty)
            now = until
            let next = row == "1" ? ["2"] : row == "2" ? ["3"] : []
            #expect(machine.handle(.deadlineReached, at: now) == [.push(ids: next)])
        }
        let route = DeliveryState(
            trouble: .route(.http5xx, problem: "the hub did not serve it: status 503"))
        #expect(machine.handle(trouble(), at: now) == [.endAllWaits, .announceDelivery(route)])
        let until = try #require(machine.deadline)
        #expect(until <= now + .seconds(1))
        #expect(machine.handle(.deadlineReached, at: until) == [.push(ids: ["1"])])
        #expect(machine.rows(at: until).first?.attempts == 1)
        #expect(machine.rows(at: until).first?.isSending == true)
    }

    @Test("while the route is in trouble an empty push is due every 30 s, whatever the backoff has reached")
    func emptyPushes() throws {
        var machine = sending([.row(1)])
        var now = at(0)
        var empty: [Instant] = []
        while now < at(600) {
            _ = machine.handle(trouble(), at: now)
            now = try #require(machine.deadline)
            if machine.handle(.deadlineReached, at: now) == [.push(ids: [])] { empty.append(now) }
        }
        #expect(empty.count >= 19)
        for (earlier, later) in zip(empty.dropFirst(), empty.dropFirst(2)) {
            #expect(later - earlier >= .seconds(24) && later - earlier <= .seconds(30))
        }
    }

    @Test("a new sale, a restored route and sync now try at once, except inside a Retry-After")
    func tryingAtOnce() {
        let nudges: [OutboxEvent] = [.rowAdded, .routeRestored, .syncRequested]
        for nudge in nudges {
            var (machine, now) = inTrouble()
            now = now + .seconds(1)
            #expect(machine.handle(nudge, at: now).contains { $0 != .endAllWaits }, "\(nudge)")
            var reported = sending(rows)
            _ = reported.handle(trouble(.seconds(60)), at: at(0))
            #expect(
                !reported.handle(nudge, at: at(59)).contains { if case .push = $0 { true } else { false } })
            #expect(reported.deadline == at(60))
            #expect(reported.maySend(before: at(61)) && !reported.maySend(before: at(60)))
        }
    }

    @Test("sync now inside a Retry-After reports that")
    func syncInsideRetryAfter() {
        var machine = sending(rows)
        _ = machine.handle(trouble(.seconds(60)), at: at(0))
        #expect(
            machine.handle(.syncRequested, at: at(1)) == [
                .finishSync(DrainReport(ending: .serverWait(until: at(60)), results: 0))
            ])
    }

    @Test("sync now drains to empty and counts what it drained")
    func syncDrains() {
        var machine = sending(Array(rows.prefix(1)))
        #expect(machine.handle(.syncRequested, at: at(0)).isEmpty)
        _ = machine.handle(.pushFinished(results([("1", .rejected)])), at: at(1))
        #expect(
            machine.handle(.written, at: at(1)).last
                == .finishSync(DrainReport(ending: .drained, results: 1)))
    }

    @Test("sync now ends when the route is known to be in trouble")
    func syncFails() {
        var (machine, now) = inTrouble()
        now = now + .seconds(1)
        _ = machine.handle(.syncRequested, at: now)
        #expect(
            machine.handle(trouble(), at: now) == [
                .finishSync(DrainReport(ending: .hubTrouble, results: 0)), .endAllWaits,
            ])
    }

    /// A machine whose rows and empty push got no result, and when that was known.
    private func inTrouble() -> (OutboxMachine, Instant) {
        var machine = sending(rows)
        var now = at(0)
        for _ in 0..<3 {
            _ = machine.handle(trouble(), at: now)
            now = machine.deadline ?? now
            _ = machine.handle(.deadlineReached, at: now)
        }
        _ = machine.handle(trouble(), at: now)
        return (machine, now)
    }

    @Test("a failed ordering key waits and the others are sent; its result ends the wait")
    func keyTrouble() throws {
        var machine = sending([
            .row(1, orderingKey: "a"), .row(2, orderingKey: "b"), .row(3, orderingKey: "a"), .row(4),
        ])
        let deferred = results([("1", .deferred)])
        guard case .results(let written, _, _) = deferred else { return }
        #expect(
            machine.handle(.pushFinished(deferred), at: at(0)) == [
                .endWaits(ids: ["1"]), .write(.record(written, acknowledgedThrough: nil)),
            ])
        #expect(machine.handle(.written, at: at(0)) == [.push(ids: ["2", "4"])])
        _ = machine.handle(.pushFinished(results([("2", .applied), ("4", .applied)])), at: at(0))
        _ = machine.handle(.written, at: at(0))
        let until = try #require(machine.deadline)
        #expect(machine.rows(at: at(0)).map(\.nextAttempt) == [until, until])
        #expect(machine.handle(.deadlineReached, at: until) == [.push(ids: ["1", "3"])])
    }

    @Test("a row's retryAfterMs delays its ordering key even for sync now, which ends with keys waiting")
    func rowRetryAfter() {
        var machine = sending([.row(1)])
        _ = machine.handle(.pushFinished(results([("1", .retry(after: .seconds(30)))])), at: at(0))
        _ = machine.handle(.written, at: at(0))
        #expect(machine.deadline == at(30))
        #expect(
            machine.handle(.syncRequested, at: at(1)) == [
                .finishSync(DrainReport(ending: .keysWaiting, results: 0))
            ])
    }

    @Test("a refused batch is halved down to the row that the hub refuses, which is then sent alone")
    func refusedBatch() {
        let refusal = OutboxEvent.pushFinished(.refused(status: 400, code: "bad", detail: "no"))
        var machine = sending((1...7).map { .row($0) })
        for _ in 0..<2 {
            let ids = machine.rows(at: at(0)).filter(\.isSending).map(\.id)
            _ = machine.handle(.pushFinished(results(ids.map { ($0, .applied) })), at: at(0))
            _ = machine.handle(.written, at: at(0))
        }
        #expect(machine.rows(at: at(0)).filter(\.isSending).map(\.id) == ["4", "5", "6", "7"])
        #expect(machine.handle(refusal, at: at(0)) == [.endWaits(ids: ["4", "5", "6", "7"])])
        #expect(machine.handle(.deadlineReached, at: at(1)) == [.push(ids: ["4", "5"])])
        _ = machine.handle(refusal, at: at(1))
        #expect(machine.handle(.deadlineReached, at: at(2)) == [.push(ids: ["4"])])
        #expect(machine.handle(refusal, at: at(2)) == [.endWaits(ids: ["4"])])
        // The third failure in a row: an empty push decides whose trouble it is.
        #expect(machine.handle(.deadlineReached, at: at(3)) == [.push(ids: [])])
        #expect(
            machine.handle(.pushFinished(results([])), at: at(3)) == [
                .write(.note(problem: "400 bad: no", id: "4"))
            ])
        #expect(machine.handle(.written, at: at(3)) == [.push(ids: ["5"])])
        _ = machine.handle(.pushFinished(results([("5", .applied)])), at: at(60))
        #expect(machine.handle(.written, at: at(60)).last == .push(ids: ["4"]))
    }

    @Test("a result for a row that was not sent, or a missing one, removes nothing")
    func strangeResults() throws {
        var machine = sending(Array(rows.prefix(1)))
        let effects = machine.handle(.pushFinished(results([("99", .applied)], through: 99)), at: at(0))
        #expect(effects == [.endWaits(ids: ["1"])])
        let until = try #require(machine.deadline)
        #expect(machine.handle(.deadlineReached, at: until) == [.push(ids: ["1"])])
    }

    @Test("rows that the hub lost are reopened and sent again")
    func lostRows() {
        var machine = sending(Array(rows.prefix(2)))
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        _ = machine.handle(.written, at: at(0))
        let result = PushResult(id: "2", outcome: .applied, document: "{}")
        let response = PushOutcome.results([result], acknowledgedThrough: 0, missing: [1, 2, 77])
        #expect(
            machine.handle(.pushFinished(response), at: at(0)) == [
                .write(.record([result], acknowledgedThrough: 0))
            ])
        #expect(
            machine.handle(.written, at: at(0)) == [
                .announceResults([result]), .write(.reopen([1])),
            ])
        #expect(machine.handle(.written, at: at(0)) == [.load(after: 0, limit: 200)])
        #expect(machine.handle(.loaded([rows[0]], reachedEnd: true), at: at(0)) == [.push(ids: ["1"])])
    }

    @Test("a forked journal begins its next epoch and sends again; a second fork in a row waits")
    func forked() {
        let fork = OutboxEvent.pushFinished(
            .journalForked(epoch: 2, headSequence: 9, headHash: "ff", headOrderNumber: "1-1-1-9"))
        let adopt = OutboxEffect.write(
            .adopt(epoch: 2, headSequence: 9, headHash: "ff", headOrderNumber: "1-1-1-9"))
        var machine = sending(Array(rows.prefix(1)))
        #expect(machine.handle(fork, at: at(0)) == [adopt])
        #expect(machine.handle(.written, at: at(0)) == [.load(after: 0, limit: 200)])
        #expect(machine.handle(.loaded([rows[0]], reachedEnd: true), at: at(0)) == [.push(ids: ["1"])])
        #expect(machine.handle(fork, at: at(0)) == [.endAllWaits, adopt])
        #expect(machine.handle(.written, at: at(0)).isEmpty)
        #expect(machine.deadline != nil)
    }

    @Test("a superseded epoch, an old version and a refused token stop sync and keep everything")
    func stops() {
        let stops: [(PushOutcome, DrainStop)] = [
            (.epochSuperseded(SupersedingJournal()), .epochSuperseded), (.upgradeRequired, .upgradeRequired),
            (.signInNeeded(code: "token_expired"), .signInNeeded(code: "token_expired")),
        ]
        for (outcome, stop) in stops {
            var machine = sending(rows)
            #expect(machine.handle(.pushFinished(outcome), at: at(0)).first == .endAllWaits)
            #expect(machine.status(at: at(0)) == .stopped(stop))
            #expect(machine.handle(.rowAdded, at: at(1)).isEmpty)
            #expect(machine.rows(at: at(1)).map(\.id) == ["1", "2", "3", "4", "5"])
            #expect(machine.handle(.syncRequested, at: at(2)).contains(.push(ids: [])))
            var renewed = sending(rows)
            _ = renewed.handle(.pushFinished(outcome), at: at(0))
            let next = renewed.handle(.identityRenewed, at: at(10))
            #expect(!next.isEmpty || stop == .upgradeRequired)
        }
    }

    @Test("what the hub has of the copy that continues is written before anything else is sent")
    func superseding() {
        let other = SupersedingJournal(
            ends: [SupersedingJournal.End(epoch: 2, sequence: 9, hash: "ff")], headOrderNumber: "1-1-1-9")
        var machine = sending(rows)
        #expect(
            machine.handle(.pushFinished(.epochSuperseded(other)), at: at(0))
                == [.endAllWaits, .write(.keep(other))])
        // Not even at a person's request.
        #expect(machine.handle(.syncRequested, at: at(1)).allSatisfy { $0 != .push(ids: []) })
        _ = machine.handle(.storeFailed, at: at(1))
        #expect(machine.status(at: at(1)) == .stopped(.epochSuperseded))
        #expect(machine.handle(.syncRequested, at: at(9)).contains(.write(.keep(other))))
        #expect(machine.handle(.written, at: at(9)).contains(.push(ids: [])))
    }

    @Test("a superseded epoch is tried again hourly, so that one wrong response stops nothing for good")
    func supersededAgain() throws {
        var machine = sending(rows)
        _ = machine.handle(.pushFinished(.epochSuperseded(SupersedingJournal())), at: at(0))
        let due = try #require(machine.deadline)
        #expect(due > at(2_880) && due <= at(3_600))
        #expect(machine.handle(.deadlineReached, at: due).contains(.push(ids: [])))
        _ = machine.handle(.pushFinished(.results([], acknowledgedThrough: 0, missing: [])), at: due)
        #expect(machine.status(at: due) != .stopped(.epochSuperseded))
    }

    @Test(
        "a refused token is no try; an empty push is sent each minute and when the route is back"
    )
    func signIn() throws {
        let refused = OutboxEvent.pushFinished(.signInNeeded(code: "token_expired"))
        var machine = sending(rows)
        _ = machine.handle(refused, at: at(0))
        #expect(machine.rows(at: at(0)).allSatisfy { $0.attempts == 0 })
        let next = try #require(machine.deadline)
        #expect(next >= at(48) && next <= at(60))
        #expect(machine.handle(.deadlineReached, at: next) == [.push(ids: [])])
        #expect(machine.status(at: next) == .stopped(.signInNeeded(code: "token_expired")))
        _ = machine.handle(refused, at: at(61))
        #expect(machine.handle(.routeRestored, at: at(62)) == [.push(ids: [])])
        #expect(machine.handle(.pushFinished(results([])), at: at(62)).first == .push(ids: ["1"]))
    }

    @Test("while a service is faulty the canary is the next try of a stopped sync, not before it is due")
    func stoppedCanary() {
        let refused = OutboxEvent.pushFinished(.signInNeeded(code: "token_expired"))
        var machine = sending(rows)
        _ = machine.handle(.routeLost(byService: true), at: at(0))
        _ = machine.handle(refused, at: at(0))
        #expect(machine.deadline == nil)
        #expect(machine.handle(.canaryRequested, at: at(1)) == [.finishCanary(good: false)])
        #expect(machine.handle(.canaryRequested, at: at(60)) == [.push(ids: [])])
        #expect(machine.handle(refused, at: at(61)).first == .finishCanary(good: false))
        #expect(machine.handle(.canaryRequested, at: at(62)) == [.finishCanary(good: false)])
        #expect(machine.handle(.canaryRequested, at: at(300)) == [.push(ids: [])])
        #expect(machine.handle(.pushFinished(results([])), at: at(301)).first == .finishCanary(good: true))
        #expect(machine.status(at: at(301)) == .routeLost)
    }

    @Test("a refused version is tried again hourly, by an empty push, also where nothing waits")
    func upgrade() throws {
        var machine = sending([.row(1)])
        _ = machine.handle(.pushFinished(.upgradeRequired), at: at(0))
        let next = try #require(machine.deadline)
        #expect(next >= at(2_880) && next <= at(3_600))
        _ = machine.handle(.hubResponded(toProbe: false), at: at(100))
        #expect(machine.deadline == next)
        #expect(machine.handle(.deadlineReached, at: next) == [.push(ids: [])])
        #expect(machine.handle(.pushFinished(results([])), at: next) == [.push(ids: ["1"])])
    }

    @Test("after manual offline nothing is sent, not even canaries and sync now")
    func manualOffline() {
        var machine = sending(rows)
        #expect(machine.handle(.manualOfflineChanged(isOn: true), at: at(0)) == [.endAllWaits])
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        #expect(machine.handle(.written, at: at(0)).count == 1)
        #expect(machine.status(at: at(0)) == .manualOffline)
        #expect(machine.deadline == nil)
        #expect(machine.handle(.canaryRequested, at: at(1)) == [.finishCanary(good: false)])
        #expect(
            machine.handle(.syncRequested, at: at(1)) == [
                .finishSync(DrainReport(ending: .manualOffline, results: 0))
            ])
        #expect(machine.handle(.rowAdded, at: at(1)).isEmpty)
        #expect(
            machine.handle(.manualOfflineChanged(isOn: false), at: at(2)) == [.push(ids: ["2", "3"])])
    }

    @Test("an event that the flag is off ends no wait when it was off")
    func manualIsRepeated() {
        var machine = sending(rows)
        _ = machine.handle(trouble(), at: at(0))
        let before = machine
        #expect(machine.handle(.manualOfflineChanged(isOn: false), at: at(0)).isEmpty)
        #expect(machine == before)
        var closed = OutboxMachine(seed: 1, isManualOffline: true)
        #expect(closed.handle(.rowsChanged, at: at(0)).isEmpty)
        #expect(
            closed.handle(.manualOfflineChanged(isOn: false), at: at(0)) == [.load(after: 0, limit: 200)])
    }

    @Test("while the route is lost only canaries and sync now are sent")
    func routeLost() {
        var machine = sending(rows)
        _ = machine.handle(.routeLost(byService: false), at: at(0))
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        #expect(machine.handle(.written, at: at(0)).count == 1)
        #expect(machine.status(at: at(0)) == .routeLost)
        #expect(machine.handle(.canaryRequested, at: at(1)) == [.push(ids: ["2"])])
        #expect(
            machine.handle(.pushFinished(results([("2", .deferred)])), at: at(1)).first
                == .finishCanary(good: true))
        #expect(machine.handle(.written, at: at(1)).isEmpty)
        #expect(machine.handle(.syncRequested, at: at(1)) == [.push(ids: ["2", "3", "4", "5"])])
    }

    @Test("after each good probe of a lost network one small batch is sent, but none of a faulty service")
    func trickle() {
        var machine = sending((1...40).map { .row($0) })
        _ = machine.handle(.routeLost(byService: false), at: at(0))
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        _ = machine.handle(.written, at: at(0))
        var (sent, second) = ([1], 1.0)
        while sent.count < 6 {
            #expect(machine.deadline == nil)
            let effects = machine.handle(.hubResponded(toProbe: true), at: at(second))
            guard case .push(let ids)? = effects.first else {
                Issue.record("\(effects)")
                return
            }
            sent.append(ids.count)
            _ = machine.handle(.pushFinished(results(ids.map { ($0, .applied) })), at: at(second))
            #expect(machine.handle(.written, at: at(second)).count == 1)
            second += 1
        }
        #expect(sent == [1, 2, 4, 8, 10, 10])
        #expect(machine.handle(.hubResponded(toProbe: false), at: at(7)).isEmpty)
        _ = machine.handle(.routeLost(byService: true), at: at(8))
        #expect(machine.handle(.hubResponded(toProbe: true), at: at(9)).isEmpty)
    }

    @Test("a good probe soon after a lost batch lets the next one go when its backoff ends")
    func trickleIsLost() throws {
        var machine = sending(rows)
        _ = machine.handle(.routeLost(byService: false), at: at(0))
        let lost = OutboxEvent.pushFinished(.hubTrouble(.network(.connectTimeout), retryAfter: nil))
        _ = machine.handle(lost, at: at(0))
        #expect(machine.deadline == nil)
        #expect(machine.handle(.hubResponded(toProbe: true), at: at(0)).isEmpty)
        let due = try #require(machine.deadline)
        #expect(due <= at(2))
        // Nothing shows yet whether the row or the line is in trouble.
        #expect(machine.handle(.deadlineReached, at: due) == [.push(ids: [])])
        _ = machine.handle(.pushFinished(results([])), at: due)
        #expect(machine.handle(.written, at: due).isEmpty)
        #expect(machine.deadline == nil)
        #expect(machine.handle(.hubResponded(toProbe: true), at: at(9)) == [.push(ids: ["1"])])
    }

    @Test(
        "a canary is one row of a key without a wait, or an empty batch, and waits for the pending request"
    )
    func canary() {
        var machine = sending([.row(1)])
        #expect(machine.handle(.canaryRequested, at: at(0)).isEmpty)
        _ = machine.handle(.pushFinished(results([("1", .retry(after: .seconds(99)))])), at: at(0))
        #expect(machine.handle(.written, at: at(0)) == [.push(ids: [])])
        #expect(machine.handle(.pushFinished(results([])), at: at(1)) == [.finishCanary(good: true)])
        #expect(machine.handle(.canaryRequested, at: at(2)) == [.push(ids: [])])
        #expect(
            Array(machine.handle(trouble(), at: at(2)).prefix(2)) == [
                .finishCanary(good: false), .endAllWaits,
            ])
        var reported = sending([.row(1)])
        _ = reported.handle(trouble(.seconds(60)), at: at(0))
        #expect(reported.handle(.canaryRequested, at: at(59)) == [.finishCanary(good: false)])
        // Row 1 got no result, so that it shows nothing about the hub.
        #expect(reported.handle(.canaryRequested, at: at(60)) == [.push(ids: [])])
        var withdrawn = sending([.row(1)])
        _ = withdrawn.handle(.canaryRequested, at: at(0))
        _ = withdrawn.handle(.canaryWithdrawn, at: at(0))
        _ = withdrawn.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        #expect(withdrawn.handle(.written, at: at(0)).count == 1)
    }

    @Test("the hub's pace delays the drain, then allows so many a minute, until the outbox is empty")
    func paced() {
        var machine = sending((1...200).map { .row($0) })
        _ = machine.handle(.paced(ResumePace(after: .seconds(20), ratePerMinute: 60)), at: at(0))
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(1))
        #expect(machine.handle(.written, at: at(1)).count == 1)
        #expect(machine.deadline == at(20))
        var sent: [Int] = []
        var now = at(20)
        for _ in 0..<8 {
            let effects = machine.handle(.deadlineReached, at: now)
            guard case .push(let ids)? = effects.first else { break }
            sent.append(ids.count)
            _ = machine.handle(.pushFinished(results(ids.map { ($0, .applied) })), at: now)
            _ = machine.handle(.written, at: now)
            now = machine.deadline ?? now
        }
        #expect(sent == [2, 4, 8, 10, 10, 10, 10, 10])
        #expect(now == at(20 + 64))
    }

    @Test("a repeated pace allows no extra requests: earlier ones count against it")
    func pacedAgain() {
        var machine = sending((1...200).map { .row($0) })
        _ = machine.handle(.paced(ResumePace(after: .seconds(20), ratePerMinute: 60)), at: at(0))
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(1))
        _ = machine.handle(.written, at: at(1))
        guard case .push(let ids)? = machine.handle(.deadlineReached, at: at(20)).first else {
            Issue.record("nothing was sent")
            return
        }
        _ = machine.handle(.pushFinished(results(ids.map { ($0, .applied) })), at: at(20))
        _ = machine.handle(.written, at: at(20))
        #expect(machine.deadline == at(20 + Double(ids.count)))
        #expect(machine.handle(.paced(ResumePace(after: .zero, ratePerMinute: 60)), at: at(21)).isEmpty)
        #expect(machine.deadline == at(20 + Double(ids.count)))
    }

    @Test("a result that cannot be written is kept and written again before anything else is sent")
    func storeTrouble() throws {
        var machine = sending(Array(rows.prefix(2)))
        let result = PushResult(id: "1", outcome: .applied, document: "{}")
        let response = PushOutcome.results([result], acknowledgedThrough: nil, missing: [])
        let write = OutboxEffect.write(.record([result], acknowledgedThrough: nil))
        #expect(machine.handle(.pushFinished(response), at: at(0)) == [write])
        #expect(machine.handle(.storeFailed, at: at(0)) == [.endAllWaits])
        let until = try #require(machine.deadline)
        #expect(machine.status(at: at(0)) == .storeTrouble(until: until))
        #expect(machine.handle(.deadlineReached, at: until) == [write])
        #expect(
            machine.handle(.written, at: until) == [.announceResults([result]), .push(ids: ["2"])])
    }

    @Test("rows that cannot be read are read again after a wait")
    func unreadable() throws {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.syncRequested, at: at(0))
        #expect(
            machine.handle(.storeFailed, at: at(0)) == [
                .finishSync(DrainReport(ending: .storeTrouble, results: 0)), .endAllWaits,
            ])
        let until = try #require(machine.deadline)
        #expect(machine.handle(.deadlineReached, at: until) == [.load(after: 0, limit: 200)])
    }

    @Test("a row added while the rows are read is read after them")
    func addedWhileReading() {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        #expect(machine.handle(.rowAdded, at: at(0)).isEmpty)
        #expect(machine.handle(.loaded([], reachedEnd: true), at: at(0)) == [.load(after: 0, limit: 200)])
        #expect(machine.handle(.loaded([.row(1)], reachedEnd: true), at: at(0)) == [.push(ids: ["1"])])
    }

    @Test("a check-in is an empty batch once nothing else is to be sent, and its results are written")
    func checkIn() {
        var machine = sending(Array(rows.prefix(1)))
        #expect(machine.handle(.checkInDue, at: at(0)).isEmpty)
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        #expect(machine.handle(.written, at: at(0)).last == .push(ids: []))
        let behind = PushOutcome.results([], acknowledgedThrough: 0, missing: [])
        #expect(
            machine.handle(.pushFinished(behind), at: at(0))
                == [.write(.record([], acknowledgedThrough: 0))])
        #expect(machine.handle(.rowsChanged, at: at(0)).isEmpty)
        #expect(machine.handle(.written, at: at(0)) == [.load(after: 0, limit: 200)])
        #expect(machine.handle(.loaded([.row(1)], reachedEnd: true), at: at(0)) == [.push(ids: ["1"])])
    }

    @Test("a check-in without a response stays due, and nothing is sent in between")
    func checkInWithoutResponse() {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.loaded([], reachedEnd: true), at: at(0))
        #expect(machine.handle(.checkInDue, at: at(0)) == [.push(ids: [])])
        _ = machine.handle(trouble(.seconds(5)), at: at(0))
        #expect(machine.handle(.deadlineReached, at: at(1)).isEmpty)
        #expect(machine.handle(.deadlineReached, at: at(6)) == [.push(ids: [])])
    }

    @Test("a degraded link gets small batches")
    func degraded() {
        var machine = sending((1...200).map { .row($0) }, settings: OutboxSettings(degradedBatchLimit: 3))
        _ = machine.handle(.linkQualityChanged(isDegraded: true), at: at(0))
        var sizes: [Int] = []
        for _ in 0..<4 {
            let ids = machine.rows(at: at(0)).filter(\.isSending).map(\.id)
            sizes.append(ids.count)
            _ = machine.handle(.pushFinished(results(ids.map { ($0, .applied) })), at: at(0))
            _ = machine.handle(.written, at: at(0))
        }
        #expect(sizes == [1, 2, 3, 3])
    }

    @Test("unexpected results change nothing")
    func strayResponses() {
        let strays: [OutboxEvent] = [
            .loaded([.row(9)], reachedEnd: true), .pushFinished(.epochSuperseded(SupersedingJournal())),
            .written, .storeFailed,
            .canaryWithdrawn, .deadlineReached,
        ]
        var machine = sending(Array(rows.prefix(1)))
        _ = machine.handle(.pushFinished(results([("1", .applied)])), at: at(0))
        _ = machine.handle(.written, at: at(0))
        let before = machine
        for stray in strays {
            #expect(machine.handle(stray, at: at(1)).isEmpty)
            #expect(machine == before)
        }
    }
}

extension OutboxEntry {
    /// A row whose id is its sequence; with its own ordering key unless another is given.
    static func row(_ sequence: Int, orderingKey: String? = nil, bytes: Int = 100) -> OutboxEntry {
        OutboxEntry(
            id: String(sequence), sequence: Int64(sequence), orderingKey: orderingKey ?? String(sequence),
            bytes: bytes)
    }
}
