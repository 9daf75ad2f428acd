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
        _ = machine.handle(.rowAdded, at: at(11))
        _ = machine.handle(.loaded([], reachedEnd: true), at: at(11))
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

    @Test("Connections get small segments then, what waits is sent at once, until large packets pass again")
    func smallSegments() throws {
        var machine = sending()
        _ = machine.handle(lost(), at: at(0))
        _ = machine.handle(.syncRequested, at: at(1))
        _ = machine.handle(lost(), at: at(2))
        let found = machine.handle(.pathMeasured(largePacketsPass: false), at: at(3))
        #expect(found.first == .useSmallSegments(true))
        let first = try #require(push(in: found))
        #expect(drain(&machine, first, at: at(4)) == [1, 2, 4, 2])
        #expect(machine.handle(.pathMeasured(largePacketsPass: false), at: at(5)) == [])
        #expect(machine.handle(.pathMeasured(largePacketsPass: nil), at: at(6)) == [])
        #expect(machine.losesLargePackets)
        let passing = machine.handle(.pathMeasured(largePacketsPass: true), at: at(7))
        #expect(passing == [.useSmallSegments(false)])
        #expect(!machine.losesLargePackets)
    }

    @Test("It is measured again after a minute while pushes are lost, after ten while they succeed")
    func measuredAnew() throws {
        var machine = sending()
        _ = machine.handle(lost(), at: at(0))
        _ = machine.handle(.syncRequested, at: at(1))
        _ = machine.handle(lost(), at: at(2))
        _ = machine.handle(.pathMeasured(largePacketsPass: nil), at: at(3))
        #expect(!machine.losesLargePackets)
        _ = machine.handle(.syncRequested, at: at(4))
        #expect(!machine.handle(lost(), at: at(62.999)).contains(.measurePath))
        _ = machine.handle(.syncRequested, at: at(62.999))
        #expect(machine.handle(lost(), at: at(63)).contains(.measurePath))
        _ = machine.handle(.pathMeasured(largePacketsPass: false), at: at(64))
        let result = PushResult(id: "1", outcome: .deferred, document: "{}")
        let served = OutboxEvent.pushFinished(.results([result], acknowledgedThrough: nil, missing: []))
        _ = machine.handle(.syncRequested, at: at(65))
        #expect(machine.handle(served, at: at(664)).contains(.measurePath))
    }
}
