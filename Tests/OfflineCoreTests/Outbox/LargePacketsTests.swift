import Base
import OfflineCore
import Testing

@Suite("A path that loses large packets")
struct LargePacketsTests {
    private func lost(_ outcome: OutcomeClass = .network(.silent)) -> OutboxEvent {
        .pushFinished(.hubTrouble(outcome, retryAfter: nil))
    }

    private func sending() -> OutboxMachine {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.loaded((1...9).map { .row($0) }, reachedEnd: true), at: at(0))
        return machine
    }

    /// An empty push gets its result, which shows that the route is well.
    private func serveEmptyPush(_ machine: inout OutboxMachine, at now: Instant) {
        let empty = PushOutcome.results([], acknowledgedThrough: nil, missing: [])
        #expect(push(in: machine.handle(.syncRequested, at: now)) == [])
        if case .write? = machine.handle(.pushFinished(empty), at: now).first {
            _ = machine.handle(.written, at: now)
        }
    }

    private func push(in effects: [OutboxEffect]) -> [String]? {
        effects.compactMap { if case .push(let ids) = $0 { ids } else { nil } }.last
    }

    /// Responds to pushes with applied until none is sent; how many rows each had.
    private func drain(_ machine: inout OutboxMachine, _ first: [String], at now: Instant) -> [Int] {
        var sizes: [Int] = []
        var next: [String]? = first
        while let ids = next {
            sizes.append(ids.count)
            let results = ids.map { PushResult(id: $0, outcome: .applied, document: "{}") }
            _ = machine.handle(
                .pushFinished(.results(results, acknowledgedThrough: nil, missing: [])), at: now)
            next = push(in: machine.handle(.written, at: now))
        }
        return sizes
    }

    @Test(
        "Two lost pushes in a row start a measurement of the path",
        arguments: [
            OutcomeClass.network(.silent), .network(.reset), .network(.connectTimeout),
            .service(.timedOutAfterConnect),
        ])
    func measured(outcome: OutcomeClass) {
        var machine = sending()
        #expect(!machine.handle(lost(outcome), at: at(10)).contains(.measurePath))
        serveEmptyPush(&machine, at: at(11))
        #expect(machine.handle(lost(outcome), at: at(20)).contains(.measurePath))
        #expect(!machine.losesLargePackets)
        _ = machine.handle(.pathMeasured(largePacketsPass: false), at: at(23))
        #expect(machine.losesLargePackets)
    }

    @Test("Other calls that are lost count as well, so that a till that sold nothing yet finds it out")
    func otherCalls() {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.loaded([], reachedEnd: true), at: at(0))
        #expect(machine.handle(.callLost, at: at(10)) == [])
        #expect(machine.handle(.callLost, at: at(300)) == [.measurePath])
        #expect(machine.handle(.callLost, at: at(301)) == [])
    }

    @Test("A failure with a response, or without a connection, starts no measurement")
    func otherFailures() {
        var machine = sending()
        for second in 1...6 {
            let outcome: OutcomeClass = second.isMultiple(of: 2) ? .service(.status(503)) : .network(.connect)
            let effects = machine.handle(lost(outcome), at: at(Double(second)))
            #expect(!effects.contains(.measurePath))
            _ = machine.handle(.syncRequested, at: at(Double(second)))
        }
    }

    /// Rows get nothing back until `end`, and empty pushes get their results; when the path was to be
    /// measured.
    private func lose(_ machine: inout OutboxMachine, from start: Instant, to end: Instant) -> [Instant] {
        var (now, measured): (Instant, [Instant]) = (start, [])
        var next = push(in: machine.handle(.deadlineReached, at: now)) ?? machine.inFlight
        while now < end {
            let outcome: OutboxEvent =
                next.isEmpty
                ? .pushFinished(.results([], acknowledgedThrough: nil, missing: [])) : lost()
            var effects = machine.handle(outcome, at: now)
            if effects.contains(.measurePath) { measured.append(now) }
            while effects.contains(where: \.isWrite) { effects = machine.handle(.written, at: now) }
            while push(in: effects) == nil, now < end {
                guard let due = machine.deadline, due > now else { return measured }
                now = min(due, end)
                effects = machine.handle(.deadlineReached, at: now)
            }
            next = push(in: effects) ?? []
        }
        return measured
    }

    @Test("Connections get small segments then, what waits is sent at once, until large packets pass again")
    func smallSegments() throws {
        var machine = sending()
        #expect(lose(&machine, from: at(0), to: at(3)).count == 1)
        let found = machine.handle(.pathMeasured(largePacketsPass: false), at: at(3))
        #expect(found.contains(.useSmallSegments(true)))
        var (effects, sizes): ([OutboxEffect], [Int]) = (found, [])
        while let ids = push(in: effects) {
            if !ids.isEmpty { sizes.append(ids.count) }
            let results = ids.map { PushResult(id: $0, outcome: .applied, document: "{}") }
            effects = machine.handle(
                .pushFinished(.results(results, acknowledgedThrough: nil, missing: [])), at: at(4))
            while effects.contains(where: \.isWrite) { effects = machine.handle(.written, at: at(4)) }
        }
        #expect(sizes.reduce(0, +) == 9 && sizes.contains { $0 > 1 }, "\(sizes)")
        #expect(machine.handle(.pathMeasured(largePacketsPass: false), at: at(31)) == [])
        #expect(machine.handle(.pathMeasured(largePacketsPass: nil), at: at(32)) == [])
        #expect(machine.losesLargePackets)
        let passing = machine.handle(.pathMeasured(largePacketsPass: true), at: at(33))
        #expect(passing == [.useSmallSegments(false)])
        #expect(!machine.losesLargePackets)
    }

    @Test("It is measured again after a minute while pushes are lost, after ten while they succeed")
    func measuredAnew() throws {
        var machine = sending()
        #expect(lose(&machine, from: at(0), to: at(3)).count == 1)
        _ = machine.handle(.pathMeasured(largePacketsPass: nil), at: at(3))
        #expect(!machine.losesLargePackets)
        let again = lose(&machine, from: at(4), to: at(66))
        #expect(again.count == 1 && again[0] >= at(63))
        _ = machine.handle(.pathMeasured(largePacketsPass: false), at: at(66))
        let result = PushResult(id: "1", outcome: .deferred, document: "{}")
        let served = OutboxEvent.pushFinished(.results([result], acknowledgedThrough: nil, missing: []))
        if machine.inFlight.isEmpty { _ = machine.handle(.syncRequested, at: at(90)) }
        #expect(!machine.inFlight.isEmpty)
        #expect(machine.handle(served, at: at(700)).contains(.measurePath))
    }
}

extension OutboxEffect {
    fileprivate var isWrite: Bool { if case .write = self { true } else { false } }
}

extension OutboxMachine {
    /// The rows of the request in flight.
    fileprivate var inFlight: [String] { rows(at: at(0)).filter(\.isSending).map(\.id) }
}
