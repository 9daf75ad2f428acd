import OfflineCore
import Testing

@Suite("Outbox rows that wait for attachments")
struct OutboxAttachmentTests {
    private func machine(_ rows: [OutboxEntry]) -> (OutboxMachine, [OutboxEffect]) {
        var machine = OutboxMachine(seed: 1)
        _ = machine.handle(.rowsChanged, at: at(0))
        let effects = machine.handle(.loaded(rows, reachedEnd: true), at: at(0))
        return (machine, effects)
    }

    private func applied(_ ids: [String]) -> OutboxEvent {
        .pushFinished(
            .results(
                ids.map { PushResult(id: $0, outcome: .applied, document: "{}") }, acknowledgedThrough: nil,
                missing: []))
    }

    @Test("a row with incomplete attachments waits with the later rows of its key; others are sent")
    func orderingKeys() {
        var (machine, effects) = machine([
            .row(1, orderingKey: "a"), .held(2, orderingKey: "a"), .row(3, orderingKey: "a"), .row(4),
            .row(5),
        ])
        #expect(effects == [.push(ids: ["1"])])
        _ = machine.handle(applied(["1"]), at: at(0))
        #expect(machine.handle(.written, at: at(0)).last == .push(ids: ["4", "5"]))
        _ = machine.handle(applied(["4", "5"]), at: at(0))
        #expect(machine.handle(.written, at: at(0)).count == 1)
        #expect(machine.deadline == nil)
        #expect(machine.rows(at: at(0)).map(\.id) == ["2", "3"])
    }

    @Test("once they are complete the key continues in order, and before that sync now reports keys waiting")
    func goesOn() {
        var (machine, effects) = machine([.held(1, orderingKey: "a"), .row(2, orderingKey: "a")])
        #expect(effects == [])
        #expect(
            machine.handle(.syncRequested, at: at(0))
                == [.finishSync(DrainReport(ending: .keysWaiting, results: 0))])
        #expect(machine.handle(.rowsChanged, at: at(1)) == [.load(after: 0, limit: 200)])
        effects = machine.handle(
            .loaded([.row(1, orderingKey: "a"), .row(2, orderingKey: "a")], reachedEnd: true), at: at(1))
        #expect(effects == [.push(ids: ["1"])])
    }

    @Test("a canary and a check-in are empty batches while all remaining rows wait for attachments")
    func canary() {
        var (machine, _) = machine([.held(1)])
        #expect(machine.handle(.canaryRequested, at: at(0)) == [.push(ids: [])])
        (machine, _) = self.machine([.held(1)])
        #expect(machine.handle(.checkInDue, at: at(0)) == [.push(ids: [])])
    }

    @Test("behind an earlier trouble of the hub a row that is held wakes nobody")
    func noSpin() {
        var (machine, _) = machine([.row(1)])
        _ = machine.handle(
            .pushFinished(.hubTrouble(.service(.status(503)), retryAfter: nil)), at: at(0))
        _ = machine.handle(.rowsChanged, at: at(0))
        _ = machine.handle(.loaded([.held(1)], reachedEnd: true), at: at(0))
        #expect(machine.handle(.deadlineReached, at: at(1)) == [.push(ids: [])])
        let write = OutboxEffect.write(.note(problem: "the hub did not serve it: status 503", id: "1"))
        #expect(machine.handle(applied([]), at: at(1)) == [write])
        _ = machine.handle(.written, at: at(1))
        #expect(machine.deadline == nil)
    }
}

extension OutboxEntry {
    fileprivate static func held(_ sequence: Int, orderingKey: String? = nil) -> OutboxEntry {
        OutboxEntry(
            id: String(sequence), sequence: Int64(sequence), orderingKey: orderingKey ?? String(sequence),
            bytes: 100,
            isHeld: true)
    }
}
