import Base
import OfflineCore
import Testing

@Suite("Whose trouble a push without a result is")
struct TroubleTests {
    private static let answers: [TroubleWorld.Answer] =
        [400, 401, 403, 404, 405, 408, 409, 410, 413, 421, 426, 428, 429, 451, 500, 502, 503, 504].map {
            .status($0)
        } + [.coded(401), .coded(403), .coded(426), .page, .cut, .silence]

    @Test(
        "after any answer, on any route, for one entry or all, for a second to ten minutes: all is sent soon",
        arguments: 0..<500 as Range<UInt64>)
    func drains(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pending = [1, 2, 3, 5, 40, 400][Int(random.below(6))]
        let bad = Set((0...random.below(4)).map { _ in String(1 + random.below(UInt64(pending))) })
        let scopes: [TroubleWorld.Scope] = [
            .everything, .pushes, .pushesWithRows, .single, .batch, .rows(bad), .rows(["1", "2", "3"]),
        ]
        let scope = scopes[Int(random.below(UInt64(scopes.count)))]
        let answer = Self.answers[Int(random.below(UInt64(Self.answers.count)))]
        let seconds = [1, 3, 10, 30, 120, 600][Int(random.below(6))]
        let calls = [nil, 2, 24, 300][Int(random.below(4))].map { Duration.seconds($0) }
        let sales = [nil, 1, 7, 60][Int(random.below(4))].map { Duration.seconds($0) }
        let lasted = Duration.milliseconds(Int64(seconds * 1_000) + Int64(random.below(1_000)))
        var world = TroubleWorld(
            scope, answer, lasting: lasted, pending: pending, otherCalls: calls, sales: sales, seed: seed)
        world.run(until: world.ends + .seconds(4_000))
        let what: Comment =
            "\(seed): \(answer) for \(scope), \(lasted), \(pending) pending, \(world.failures.count) failures"
        let drained = try #require(world.drainedAt, what)
        #expect(drained <= latest(world), what)
        #expect(world.mostFailures(within: .seconds(10)) <= 20, what)
        // Until it is known whose trouble it is, four requests may be needed.
        let untilKnown: Duration = answer == .silence ? .seconds(45) : .seconds(5)
        // Where single pushes pass, everything gets through in smaller ones.
        if lasted > untilKnown, !world.failures.isEmpty, scope != .batch { #expect(world.wasShown, what) }
    }

    /// By when everything must be sent.
    private func latest(_ world: TroubleWorld) -> Instant {
        let well = world.lastBadEnd
        let isOfTerminal = world.scope == .everything || world.scope == .pushes || world.scope == .batch
        switch world.answer {
        case .coded(426), .status(426):
            // An empty push is asked again hourly, unless the trouble was never the version's.
            if !world.stops.isEmpty { return well + .seconds(3_610) }
            return well + .seconds(35)
        case .coded, .status(401), .status(403):
            let latest = well + .seconds(world.stops.isEmpty ? 35 : 70)
            return world.firstGoodCall.map {
                isOfTerminal ? min(latest, max(well, $0) + .seconds(10)) : latest
            }
                ?? latest
        case .status, .page, .cut, .silence:
            let latest = well + .seconds(35)
            return world.firstGoodCall.map {
                isOfTerminal ? min(latest, max(well, $0) + .seconds(10)) : latest
            }
                ?? latest
        }
    }

    @Test(
        "entries that get no result do not stop the others: one, three in a row, or a whole page of them",
        arguments: [1, 3, 40], answers)
    func poison(count: Int, answer: TroubleWorld.Answer) {
        guard answer != .coded(401), answer != .coded(403), answer != .coded(426) else { return }
        for first in [1, 101, 161] {
            let bad = Set((first..<first + count).map(String.init))
            var world = TroubleWorld(
                .rows(bad), answer, lasting: .seconds(2_000), pending: 200, otherCalls: .seconds(2),
                sales: nil, seed: UInt64(first))
            world.run(until: at(1) + .seconds(answer == .silence ? 1_800 : 180))
            let left = Set(world.machine.rows(at: world.now).map(\.id))
            #expect(left == bad, "\(answer)")
            #expect(world.notes == bad, "\(answer)")
            #expect(world.shown.last?.entries == count, "\(answer)")
            #expect(world.stops.isEmpty, "\(answer)")
        }
    }

    @Test("the hub's word about the account for one row alone, while all others pass, stops nobody for good")
    func accountOfOneRow() {
        var world = TroubleWorld(
            .rows(["3"]), .coded(401), lasting: .seconds(600), pending: 20, otherCalls: nil, sales: nil,
            seed: 1)
        world.run(until: at(200))
        #expect(world.machine.rows(at: at(200)).map(\.id) == ["3"])
        #expect(world.shown.contains { $0.trouble == .account })
        #expect(world.shown.last?.trouble == nil)
    }

    @Test("while the account is refused, an empty push is tried each minute, and soon after a good call")
    func accountTries() {
        var world = TroubleWorld(
            .pushes, .coded(401), lasting: .seconds(600), pending: 20, otherCalls: nil, sales: .seconds(1),
            seed: 1)
        world.run(until: at(601))
        #expect((9...13).contains(world.failures.count), "\(world.failures.count) tries")
        var called = TroubleWorld(
            .pushes, .coded(401), lasting: .seconds(600), pending: 20, otherCalls: .seconds(2),
            sales: .seconds(1), seed: 1)
        called.run(until: at(601))
        #expect((90...150).contains(called.failures.count), "\(called.failures.count) tries")
        #expect(called.shown.filter { $0.trouble == .account }.count == 1)
    }

    @Test("a token that is renewed again and again and refused all the same causes no storm")
    func renewalsInVain() {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.loaded([.row(1)], reachedEnd: true), at: at(0))
        var pushes = 0
        var now = at(0)
        while now < at(60) {
            _ = machine.handle(.identityRenewed, at: now)
            for effect in machine.handle(.pushFinished(.signInNeeded(code: "token_expired")), at: now) {
                if case .load = effect { _ = machine.handle(.loaded([.row(1)], reachedEnd: true), at: now) }
            }
            now = machine.deadline ?? at(60)
            for effect in machine.handle(.deadlineReached, at: now) {
                switch effect {
                case .push: pushes += 1
                case .load: _ = machine.handle(.loaded([.row(1)], reachedEnd: true), at: now)
                case .write, .measurePath, .announceResults, .endWaits, .endAllWaits, .announceDelivery,
                    .useSmallSegments, .finishCanary, .finishSync:
                    break
                }
            }
        }
        #expect(pushes <= 16)
    }

    @Test("another call's refusal is checked by an empty push, also where nothing waits")
    func refusedElsewhere() {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.loaded([], reachedEnd: true), at: at(0))
        #expect(machine.handle(.accountRefused, at: at(1)) == [.push(ids: [])])
        var fine = machine
        let results = OutboxEvent.pushFinished(.results([], acknowledgedThrough: nil, missing: []))
        #expect(fine.handle(results, at: at(2)).isEmpty)
        #expect(fine.handle(.accountRefused, at: at(3)).isEmpty, "not for each of them")
        let refused = machine.handle(.pushFinished(.signInNeeded(code: "terminal_revoked")), at: at(2))
        #expect(refused == [.endAllWaits, .announceDelivery(DeliveryState(trouble: .account))])
    }

    @Test("a row of a person's decision is sent, and is nobody's trouble any more")
    func setAside() {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        let row = OutboxEntry(id: "1", sequence: 1, orderingKey: "1", bytes: 9, isSetAside: true)
        _ = machine.handle(.loaded([row], reachedEnd: true), at: at(0))
        var now = at(0)
        for _ in 0..<6 {
            _ = machine.handle(.pushFinished(.refused(status: 400, code: "", detail: "")), at: now)
            now = machine.deadline ?? now
            guard machine.handle(.deadlineReached, at: now).contains(.push(ids: [])) else { continue }
            let empty = PushOutcome.results([], acknowledgedThrough: nil, missing: [])
            for effect in machine.handle(.pushFinished(empty), at: now) {
                if case .write = effect { _ = machine.handle(.written, at: now) }
            }
            now = machine.deadline ?? now
            _ = machine.handle(.deadlineReached, at: now)
        }
        let rows = machine.rows(at: now)
        #expect(rows.first.map { $0.attempts > 1 } == true)
    }
}
