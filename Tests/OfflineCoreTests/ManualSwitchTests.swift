import Base
import Testing

@testable import OfflineCore

@Suite("Manual switch")
struct ManualSwitchTests {
    private let flag = ManualFlag(since: 1_000, by: "ann", reason: "stock-taking")
    private let error = ManualFlagError.notDurable(path: "/home/manual", call: "fsync", code: 28)

    @Test("The flag is in force only once it is durable, and announced after that")
    func durableBeforeVisible() {
        var machine = settled()
        let now = Bench.start + .seconds(1)
        #expect(
            machine.handle(.manualRequested(ManualRequest(ticket: 7, flag: flag)), at: now)
                == [.saveManualFlag(flag, ticket: 7)])
        #expect(machine.causes == [])
        let period = OfflinePeriod(
            start: now, end: nil, causes: [.manual], evidence: ["manual:stock-taking"])
        let status = ManualStatus(isOn: true, since: 1_000, by: "ann", reason: "stock-taking")
        #expect(
            machine.handle(.manualFlagSaved(ticket: 7), at: now) == [
                .recordPeriod(period), .switchMode(to: .offline, causes: [.manual]), .announceStatus,
                .confirmManual(ticket: 7, status),
            ])
        #expect(machine.status(at: now).mode == .offline)
        #expect(machine.status(at: now).manual == status)
    }

    @Test("The flag holds until its removal is durable too")
    func takenBack() {
        var machine = settled()
        let now = Bench.start + .seconds(1)
        _ = machine.handle(.manualRequested(ManualRequest(ticket: 1, flag: flag)), at: now)
        _ = machine.handle(.manualFlagSaved(ticket: 1), at: now)
        let request = OfflineEvent.manualRequested(ManualRequest(ticket: 2, flag: nil))
        #expect(machine.handle(request, at: now) == [.saveManualFlag(nil, ticket: 2)])
        #expect(machine.causes == [.manual])
        let later = now + .seconds(1)
        let off = ManualStatus(isOn: false, since: nil, by: nil, reason: nil)
        #expect(
            machine.handle(.manualFlagSaved(ticket: 2), at: later) == [
                .recordPeriod(
                    OfflinePeriod(
                        start: now, end: later, causes: [.manual], evidence: ["manual:stock-taking"])),
                .switchMode(to: .online, causes: []), .announceStatus, .confirmManual(ticket: 2, off),
            ])
    }

    @Test("Behind it a canary goes at once: the one that failed meanwhile could not leave the terminal")
    func canaryBehindIt() {
        var bench = Bench.reachable()
        func decide(_ state: ServiceDecision.State, generation: Int64) {
            bench.feed(
                .qosResponded(
                    QoSResponse(
                        issuer: "one",
                        decisions: [.drawn(state, of: "order", generation: generation, resume: nil)]),
                    tag: 999, sentAt: bench.now))
        }
        decide(.faulty, generation: 1)
        bench.run(for: .seconds(20))
        bench.feed(.manualRequested(ManualRequest(ticket: 1, flag: flag)))
        bench.run(for: .milliseconds(10))
        #expect(bench.causes == [.manual, .service])
        bench.hub = .unwell
        decide(.healthy, generation: 2)
        bench.run(for: .milliseconds(1_500))
        bench.hub = .responses
        bench.feed(.manualRequested(ManualRequest(ticket: 2, flag: nil)))
        bench.run(for: .seconds(3))
        #expect(bench.causes == [])
    }

    @Test("A failed save leaves the mode, and the request gets a refusal")
    func failure() {
        var machine = settled()
        let now = Bench.start + .seconds(1)
        _ = machine.handle(.manualRequested(ManualRequest(ticket: 1, flag: flag)), at: now)
        #expect(
            machine.handle(.manualFlagSaveFailed(ticket: 1, error), at: now)
                == [.refuseManual(ticket: 1, .notSaved(error))])
        #expect(machine.causes == [])
    }

    @Test("An unreadable file keeps the terminal offline, and a person's request removes it")
    func corrupt() {
        var manual = ManualSwitch(found: .corrupt(detail: "not JSON"))
        #expect(manual.isOn)
        #expect(manual.status.reason == "flag_corrupt")
        _ = manual.requested(ManualRequest(ticket: 1, flag: nil))
        #expect(manual.isOn)
        _ = manual.saved(ticket: 1)
        #expect(!manual.isOn)
    }

    @Test("Requests wait for the disk in order, sixteen at most")
    func queue() {
        var manual = ManualSwitch(found: .absent)
        #expect(manual.requested(ManualRequest(ticket: 0, flag: flag)).count == 1)
        for ticket in 1...16 as ClosedRange<UInt64> {
            #expect(manual.requested(ManualRequest(ticket: ticket, flag: nil)) == [])
        }
        #expect(
            manual.requested(ManualRequest(ticket: 17, flag: nil))
                == [.refuseManual(ticket: 17, .tooManyWaiting)])
        #expect(
            manual.saved(ticket: 0) == [
                .confirmManual(ticket: 0, manual.status), .saveManualFlag(nil, ticket: 1),
            ])
        #expect(manual.isOn)
        #expect(
            manual.saveFailed(ticket: 1, error) == [
                .refuseManual(ticket: 1, .notSaved(error)), .saveManualFlag(nil, ticket: 2),
            ])
    }

    @Test("Setting it again keeps the first moment and takes the new reason")
    func again() {
        var manual = ManualSwitch(found: .set(flag))
        let next = ManualFlag(since: 2_000, by: "bob", reason: "power")
        let kept = ManualFlag(since: 1_000, by: "bob", reason: "power")
        #expect(
            manual.requested(ManualRequest(ticket: 1, flag: next)) == [.saveManualFlag(kept, ticket: 1)])
    }

    @Test("An unexpected result changes nothing, in either state")
    func strayResponses() {
        var manual = ManualSwitch(found: .absent)
        let before = manual
        #expect(manual.saved(ticket: 9) == [])
        #expect(manual.saveFailed(ticket: 9, error) == [])
        #expect(manual == before)
        _ = manual.requested(ManualRequest(ticket: 1, flag: flag))
        let saving = manual
        #expect(manual.saved(ticket: 9) == [])
        #expect(manual.saveFailed(ticket: 9, error) == [])
        #expect(manual == saving)
    }

    /// A machine that has announced its state at the start.
    private func settled() -> OfflineMachine {
        var bench = Bench()
        bench.run(for: .milliseconds(100))
        return bench.machine
    }
}
