import Base
import Testing

@testable import OfflineCore

@Suite("A path that stands by")
struct StandbyMachineTests {
    static let main = HubPath(status: Bench.ethernet)
    static let standby = HubPath(
        status: PathStatus(
            isUsable: true, interface: "wwan0", transport: .cellular, isMetered: true, isConstrained: false,
            route: "wwan0 198.51.100.7"),
        binding: .pinned(interface: "wwan0", host: "hub.example", address: "203.0.113.9"))
    static let both = HubPaths(main: main, standby: standby)

    /// A machine that knows both paths, with the fault of the main one confirmed at second 0.
    private func faulty() -> StandbyMachine {
        var machine = StandbyMachine()
        #expect(machine.handle(.networkChanged(.suspect), at: at(-60)) == [])
        #expect(machine.handle(.pathsChanged(Self.both), at: at(0)) == [.use(Self.main)])
        #expect(machine.handle(.networkChanged(.unreachable), at: at(0)) == [])
        return machine
    }

    /// A machine that has used the standby since second 0, where it works.
    private func onStandby() -> StandbyMachine {
        var machine = faulty()
        _ = machine.handle(.deadlineReached, at: at(0))
        #expect(machine.handle(.probeFinished(tag: 1, isGood: true), at: at(0)) == [.use(Self.standby)])
        _ = machine.handle(.networkChanged(.recovering), at: at(0))
        _ = machine.handle(.networkChanged(.reachable), at: at(0))
        return machine
    }

    /// Responds to each probe within 0.1 s up to second `end`; the moments of the probes in seconds.
    private func probes(
        _ machine: inout StandbyMachine, until end: Double, isGood: (Double) -> Bool = { _ in false }
    ) -> [Double] {
        var moments: [Double] = []
        while let due = machine.deadline, due <= at(end) {
            for case .probe(let tag, _) in machine.handle(.deadlineReached, at: due) {
                let second = Double((due - at(0)).wholeMilliseconds) / 1_000
                moments.append(second)
                _ = machine.handle(
                    .probeFinished(tag: tag, isGood: isGood(second)), at: due + .milliseconds(100))
            }
        }
        return moments.map { ($0 * 10).rounded() / 10 }
    }

    @Test("With one uplink nothing is probed and nothing is ever due, whatever happens")
    func oneUplink() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var machine = StandbyMachine()
            let states: [NetworkStatus.State] = [.reachable, .suspect, .unreachable, .recovering]
            for second in 0..<50 {
                let event: StandbyMachine.Event =
                    switch random.below(4) {
                    case 0: .networkChanged(states[Int(random.below(4))])
                    case 1: .probeFinished(tag: random.below(3), isGood: true)
                    case 2: .deadlineReached
                    default: .pathsChanged(HubPaths(main: Self.main))
                    }
                let effects = machine.handle(event, at: at(Double(second)))
                #expect(effects.allSatisfy { $0 == .use(Self.main) })
                #expect(machine.deadline == nil)
            }
        }
    }

    @Test(
        "While the fault of the main path is not confirmed the standby costs nothing",
        arguments: [NetworkStatus.State.reachable, .suspect, .recovering])
    func noFault(state: NetworkStatus.State) {
        var machine = StandbyMachine()
        _ = machine.handle(.pathsChanged(Self.both), at: at(0))
        #expect(machine.handle(.networkChanged(state), at: at(0)) == [])
        #expect(machine.deadline == nil)
    }

    @Test("A fault of the last run leaves the main path its first probe before the standby is tried")
    func takenOver() {
        var machine = StandbyMachine()
        _ = machine.handle(.networkChanged(.unreachable), at: at(0))
        _ = machine.handle(.pathsChanged(Self.both), at: at(0.1))
        #expect(machine.deadline == at(5))
        #expect(machine.handle(.deadlineReached, at: at(1)) == [])
        _ = machine.handle(.networkChanged(.reachable), at: at(1))
        #expect(machine.deadline == nil)
    }

    @Test("A confirmed fault has the standby probed at once; one good probe, and it is used")
    func changesOver() {
        var machine = faulty()
        #expect(machine.deadline == at(0))
        #expect(machine.handle(.deadlineReached, at: at(0)) == [.probe(tag: 1, Self.standby)])
        #expect(machine.inUse == Self.main)
        #expect(machine.handle(.probeFinished(tag: 1, isGood: true), at: at(1)) == [.use(Self.standby)])
    }

    @Test("A dark standby is tried again after 5 s, 10 s, 20 s, 40 s and then each minute")
    func darkStandby() {
        var machine = faulty()
        #expect(probes(&machine, until: 210) == [0, 5.1, 15.2, 35.3, 75.4, 135.5, 195.6])
        #expect(machine.inUse == Self.main)
    }

    @Test("The main path that works again ends the attempts, and a late result changes nothing")
    func mainIsBack() {
        var machine = faulty()
        #expect(machine.handle(.deadlineReached, at: at(0)) == [.probe(tag: 1, Self.standby)])
        #expect(machine.handle(.networkChanged(.recovering), at: at(1)) == [])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.probeFinished(tag: 1, isGood: true), at: at(2)) == [])
        #expect(machine.inUse == Self.main)
    }

    @Test("A probe whose result is lost counts as failed")
    func lostResult() {
        var machine = faulty()
        _ = machine.handle(.deadlineReached, at: at(0))
        #expect(machine.deadline == at(6))
        #expect(machine.handle(.deadlineReached, at: at(6)) == [])
        #expect(machine.deadline == at(11))
    }

    @Test("While the standby works the main path is tried each 30 s, and has to be good three times")
    func returns() {
        var machine = onStandby()
        #expect(probes(&machine, until: 100) == [30, 60.1, 90.2])
        #expect(machine.inUse == Self.standby)
        // Good, good, bad: from the beginning.
        let results = [120.3: true, 130.4: true, 140.5: false]
        let tried = probes(&machine, until: 145) { results[($0 * 10).rounded() / 10] ?? false }
        #expect(tried == [120.3, 130.4, 140.5])
        #expect(probes(&machine, until: 190) { _ in true } == [170.6, 180.7])
        #expect(machine.inUse == Self.standby)
        #expect(probes(&machine, until: 200) { _ in true } == [190.8])
        #expect(machine.inUse == Self.main)
        #expect(machine.deadline == nil)
    }

    @Test("A main path that fails after each return is confirmed for longer each time, up to 16 times")
    func flaps() {
        var machine = onStandby()
        var began = 0.0
        var took: [Double] = []
        for _ in 0..<7 {
            let back = probes(&machine, until: began + 1_000) { _ in true }.last ?? 0
            #expect(machine.inUse == Self.main)
            took.append((back - began).rounded())
            // It fails a second later, and the standby works at once.
            _ = machine.handle(.networkChanged(.unreachable), at: at(back + 1))
            _ = probes(&machine, until: back + 2) { _ in true }
            #expect(machine.inUse == Self.standby)
            began = back + 3
            _ = machine.handle(.networkChanged(.reachable), at: at(began))
        }
        #expect(took.prefix(5) == [50, 70, 110, 190, 350])
        #expect(took.max() ?? 0 <= 350)
    }

    @Test("When the standby goes dark as well, one good probe of the main path is enough")
    func bothDark() {
        var machine = onStandby()
        #expect(machine.handle(.networkChanged(.unreachable), at: at(10)) == [])
        #expect(machine.deadline == at(10))
        #expect(machine.handle(.deadlineReached, at: at(10)) == [.probe(tag: 2, Self.main)])
        #expect(machine.handle(.probeFinished(tag: 2, isGood: true), at: at(11)) == [.use(Self.main)])
    }

    @Test("A standby that goes, or whose interface becomes the main one, is used no more")
    func standbyGoes() {
        var machine = onStandby()
        #expect(machine.handle(.pathsChanged(HubPaths(main: Self.main)), at: at(5)) == [.use(Self.main)])
        #expect(machine.deadline == nil)
        machine = onStandby()
        let routed = HubPath(status: Self.standby.status)
        #expect(machine.handle(.pathsChanged(HubPaths(main: routed)), at: at(5)) == [.use(routed)])
    }

    @Test("A main path without carrier is not probed while the standby works, and is once it has one")
    func noCarrier() {
        var machine = onStandby()
        let dead = HubPaths(main: HubPath(status: Bench.noPath), standby: Self.standby)
        #expect(machine.handle(.pathsChanged(dead), at: at(5)) == [])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.pathsChanged(Self.both), at: at(9)) == [])
        #expect(machine.deadline == at(9))
    }
}
