import Base
import Testing

@testable import OfflineCore

/// Two paths, the offline machine and the choice between them in virtual time. A timeline has a character a
/// second: `o` both paths work, `m` the main one alone, `s` the standby alone, `x` neither.
private struct StandbyWorld {
    private enum Event {
        case offline(OfflineEvent)
        case choice(StandbyMachine.Event)
    }

    var machine: OfflineMachine
    var choice = StandbyMachine()
    var now = Bench.start
    var world: Character = "o"
    var standbyProbes = 0
    var hasStandby: Bool
    private var queue: [(at: Instant, event: Event)] = []

    init(seed: UInt64 = 1, hasStandby: Bool = true) {
        self.hasStandby = hasStandby
        machine = OfflineMachine(
            settings: OfflineSettings(), apis: Bench.apis, startup: StartupState(), seed: seed, at: now)
        let standby = hasStandby ? StandbyMachineTests.standby : nil
        feed(.choice(.pathsChanged(HubPaths(main: StandbyMachineTests.main, standby: standby))))
        _ = play("oooo")
    }

    /// Where sales go at the end of each second: `M` or `S` online by that path, `-` nowhere.
    mutating func play(_ timeline: String) -> String {
        String(
            timeline.map { character in
                world = character
                run(until: now + .seconds(1))
                guard machine.causes.isEmpty else { return "-" }
                return choice.inUse == StandbyMachineTests.standby ? "S" : "M"
            })
    }

    private mutating func run(until end: Instant) {
        while let next = nextMoment, next <= end {
            now = max(now, next)
            if let index = queue.firstIndex(where: { $0.at <= now }) {
                feed(queue.remove(at: index).event)
            } else if let due = choice.deadline, due <= now {
                feed(.choice(.deadlineReached))
            } else {
                feed(.offline(.deadlineReached))
            }
        }
        now = end
    }

    private var nextMoment: Instant? {
        ([machine.deadline, choice.deadline] + queue.map(\.at)).compactMap(\.self).min()
    }

    private func works(_ path: HubPath?) -> Bool {
        path == StandbyMachineTests.standby ? world == "o" || world == "s" : world == "o" || world == "m"
    }

    private mutating func feed(_ event: Event) {
        switch event {
        case .offline(let event):
            for effect in machine.handle(event, at: now) { respond(to: effect) }
            feedState()
        case .choice(let event):
            for effect in choice.handle(event, at: now) {
                switch effect {
                case .use(let path): later(.zero, .offline(.pathChanged(path.status)))
                case .probe(let tag, let path):
                    if path == StandbyMachineTests.standby { standbyProbes += 1 }
                    later(
                        works(path) ? .milliseconds(60) : StandbyMachine.probeTimeout,
                        .choice(.probeFinished(tag: tag, isGood: works(path))))
                }
            }
        }
    }

    private mutating func feedState() {
        for effect in choice.handle(.networkChanged(machine.status(at: now).network.state), at: now) {
            Issue.record("a state alone has no effect, and had \(effect)")
        }
    }

    private mutating func respond(to effect: OfflineEffect) {
        let isUp = works(choice.inUse)
        switch effect {
        case .sendPing(let tag, let timeout):
            let result: PingResult = isUp ? .responded(roundTrip: .milliseconds(5)) : .timedOut
            later(isUp ? .milliseconds(5) : timeout, .offline(.pingFinished(tag, result)))
        case .sendProbe(let tag, let target, let timeout):
            let result: ProbeResult = isUp ? .good(roundTrip: .milliseconds(20)) : .failed(.connectTimeout)
            later(isUp ? .milliseconds(20) : timeout, .offline(.probeFinished(tag, target, result)))
        case .queryQoS(let tag, _), .reportQoS(let tag, _):
            later(.seconds(1), .offline(.qosFailed(tag: tag)))
        case .saveManualFlag, .sendCanary, .confirmManual, .refuseManual, .paceResume, .saveLastRun,
            .recordPeriod, .switchMode, .announceStatus:
            break
        }
    }

    private mutating func later(_ wait: Duration, _ event: Event) { queue.append((now + wait, event)) }
}

@Suite("Two uplinks and the offline machine")
struct StandbyWorldTests {
    private func times(_ count: Int, _ character: String) -> String {
        String(repeating: character, count: count)
    }

    @Test("Dark behind the switch: offline as ever, online over the standby 11 s later, back when it works")
    func darkBehindTheSwitch() {
        var world = StandbyWorld()
        let dark = world.play(times(80, "s"))
        let offline = dark.firstIndex(of: "-").map { dark.distance(from: dark.startIndex, to: $0) } ?? 99
        let back = dark.firstIndex(of: "S").map { dark.distance(from: dark.startIndex, to: $0) } ?? 99
        var alone = StandbyWorld(hasStandby: false)
        let without = alone.play(times(80, "s"))
        #expect(
            offline == without.firstIndex(of: "-").map { without.distance(from: without.startIndex, to: $0) })
        #expect(back - offline <= 12)
        #expect(dark.hasSuffix(times(40, "S")))
        #expect(without.hasSuffix(times(40, "-")))
        let well = world.play(times(60, "o"))
        #expect(!well.contains("-"))
        #expect(well.hasSuffix(times(5, "M")))
    }

    @Test("A main path that comes and goes for seconds never takes the till off a standby that works")
    func comesAndGoes() {
        for seed in 1..<40 as Range<UInt64> {
            var (world, random) = (StandbyWorld(seed: seed), SplitMix64(seed: seed))
            _ = world.play(times(40, "s"))
            var seen = ""
            while seen.count < 600 {
                seen += world.play(times(Int(1 + random.below(9)), "o"))
                seen += world.play(times(Int(9 + random.below(9)), "s"))
            }
            #expect(!seen.contains("-"), "seed \(seed): \(seen)")
        }
    }

    @Test("Whatever comes before, the till is online within 100 s of one path that works for good")
    func drawn() {
        for seed in 1..<60 as Range<UInt64> {
            var (world, random) = (StandbyWorld(seed: seed), SplitMix64(seed: seed))
            for _ in 0..<20 {
                let character = String(["o", "m", "s", "x"][Int(random.below(4))])
                _ = world.play(times(Int(1 + random.below(60)), character))
            }
            let last = random.below(2) == 0 ? "m" : "s"
            let end = world.play(times(160, last))
            #expect(end.hasSuffix(times(60, last == "m" ? "M" : "S")), "seed \(seed): \(end)")
        }
    }

    @Test("An outage of both costs a metered standby a probe a minute")
    func cost() {
        var world = StandbyWorld()
        #expect(!world.play(times(1_200, "x")).dropFirst(30).contains { $0 != "-" })
        #expect(world.standbyProbes <= 24)
    }
}
