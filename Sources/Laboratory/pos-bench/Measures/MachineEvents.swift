import Base

internal import OfflineCore
internal import Simulation

/// How many events a second the machine handles, compared with a loop that passes the same events to an empty
/// function; and the size of the machine after ten and after ten million events.
///
/// The events come from a simulation run and were kept; a new machine with the same seed handles them again,
/// so that only the machine is measured.
struct MachineEvents: RowMeasure {
    private static let seed: UInt64 = 7
    private static let rounds = 40
    private static let tapeLength = 50_000
    private static let manyEvents = 10_000_000

    func rows(in workshop: Workshop) -> [Row] { rates() + growth() }

    // MARK: Speed

    func rates() -> [Row] {
        let responses = events(of: SimulatedLink(), saleInterval: .milliseconds(200))
        let flapping = SimulatedLink.Outage.flapping(up: .seconds(300), down: .seconds(40))
        let mixed = events(of: SimulatedLink(outage: flapping, lossPerMille: 200), saleInterval: .seconds(10))
        return [
            rate("answers while reachable", responses, aim: .atLeast(5e6)),
            rate("losses, outages and returns", mixed, aim: nil),
        ]
    }

    private func events(of link: SimulatedLink, saleInterval: Duration) -> [RecordedEvent] {
        var till = SimulatedTill(
            TillPlan(link: link, sales: .every(saleInterval), seed: Self.seed), keepsEvents: true)
        till.run(until: Instant(nanoseconds: .max)) { $0.events >= Self.tapeLength }
        return till.handled
    }

    private func rate(_ name: String, _ events: [RecordedEvent], aim: Row.Aim?) -> Row {
        var machines = Samples()
        var loops = Samples()
        for round in 0..<Self.rounds {
            if round % 2 == 0 { machines.add(Stopwatch.busyTime { play(events) }) }
            loops.add(Stopwatch.busyTime { pass(events) })
            if round % 2 == 1 { machines.add(Stopwatch.busyTime { play(events) }) }
        }
        let count = Double(events.count) * 1e9
        return Row(
            name: "machine, \(name)", figure: count / machines.median(), unit: .perSecond,
            yardstick: ("empty loop", count / loops.median()), aim: aim)
    }

    private func play(_ events: [RecordedEvent]) {
        var machine = TillPlan(link: SimulatedLink(), seed: Self.seed).machine
        var effects = 0
        for recorded in events { effects += machine.handle(recorded.event, at: recorded.at).count }
        Self.keep(effects)
    }

    private func pass(_ events: [RecordedEvent]) {
        var sum = 0
        for recorded in events { sum &+= Self.ignore(recorded.event, at: recorded.at) }
        Self.keep(sum)
    }

    /// The compiler may not look inside, so the events have to be handed over.
    @inline(never) @_optimize(none)
    private static func ignore(_ event: OfflineEvent, at now: Instant) -> Int {
        Int(truncatingIfNeeded: now.nanoseconds)
    }

    @inline(never) @_optimize(none)
    private static func keep(_ value: Int) {}

    // MARK: Growth

    /// Counts the values that can be reached from the machine, those in its arrays and dictionaries included.
    private func growth() -> [Row] {
        var till = SimulatedTill(
            TillPlan(
                link: SimulatedLink(lossPerMille: 20), sales: .every(.milliseconds(200)), seed: Self.seed))
        var held: [Double] = []
        for limit in [10, Self.manyEvents / 100, Self.manyEvents] {
            till.run(until: Instant(nanoseconds: .max)) { $0.events >= limit }
            held.append(Double(Self.values(in: till.machine)))
        }
        return [
            Row(
                name: "machine, values held after 10,000,000 events", figure: held[2], unit: .count,
                yardstick: ("after 100,000", held[1]), aim: .ratioAtMost(1.2)),
            Row(
                name: "machine, values held after 10 events", figure: held[0], unit: .count,
                yardstick: ("bytes inline", Double(MemoryLayout<OfflineMachine>.size))),
        ]
    }

    private static func values(in subject: Any) -> Int {
        let children = Mirror(reflecting: subject).children
        return children.isEmpty ? 1 : children.reduce(0) { $0 + values(in: $1.value) }
    }
}
