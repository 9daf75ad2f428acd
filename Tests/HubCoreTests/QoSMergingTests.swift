import Base
import HubCore
import OfflineCore
import Testing

/// Two hubs on one database that decide at once, as the compare-and-set lets them: one is first, the other
/// merges.
@Suite("Decisions that two hubs make at once")
struct QoSMergingTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private static func at(_ second: Int) -> Instant { start + .seconds(second) }

    /// Two hubs that keep what they decide in one place.
    private struct Hubs {
        var machines: [QoSDecisionMachine]
        private var kept: QoSServiceRecord
        private var known: [QoSServiceRecord]

        init?() {
            let machine = QoSDecisionMachine(services: ["order"], settings: QoSSettings(), at: start)
            guard let record = machine.record(of: "order") else { return nil }
            machines = [machine, machine]
            kept = record
            known = [record, record]
        }

        /// Keeps what a hub decided; merges until it does.
        mutating func keep(_ hub: Int, at now: Instant) {
            while let mine = machines[hub].record(of: "order"), mine.generation != known[hub].generation {
                guard kept.generation != known[hub].generation else {
                    (kept, known[hub]) = (mine, mine)
                    return
                }
                merge(hub, mine, at: now)
            }
        }

        mutating func adopt(_ hub: Int, at now: Instant) {
            if let mine = machines[hub].record(of: "order"), kept != known[hub] { merge(hub, mine, at: now) }
            keep(hub, at: now)
        }

        private mutating func merge(_ hub: Int, _ mine: QoSServiceRecord, at now: Instant) {
            machines[hub].adopt(mine.merged(with: kept, since: known[hub]), at: now)
            known[hub] = kept
        }

        mutating func report(_ hub: Int, _ id: String, of store: String, at now: Instant) {
            let reporter = QoSReporter(terminalId: id, storeId: store)
            _ = machines[hub].handle(.reported(service: "order", by: reporter, ok: 1, failed: 9), at: now)
        }

        mutating func override(
            _ hub: Int, _ state: ServiceDecision.State, of store: String? = nil, at now: Instant
        ) {
            let decision = QoSOverride(state: state, reason: "\(state)", by: "\(hub)", until: nil)
            _ = machines[hub].handle(
                .overridden(service: "order", decision, storeId: store), at: now)
        }

        func state(_ hub: Int, _ id: String, of store: String, at now: Instant) -> String {
            let reporter = QoSReporter(terminalId: id, storeId: store)
            let decision = machines[hub].decision(on: "order", for: reporter, at: now)
            return decision.map { "\($0.state) \($0.scope) \($0.generation)" } ?? "-"
        }
    }

    @Test(
        "Overrides at one instant: both hubs end with the second, under a generation that both terminals take"
    )
    func overrides() throws {
        var hubs = try #require(Hubs())
        hubs.override(0, .faulty, at: Self.at(1))
        hubs.override(1, .recovering, at: Self.at(1))
        #expect(hubs.state(0, "t", of: "S", at: Self.at(1)) == "faulty global 2")
        #expect(hubs.state(1, "t", of: "S", at: Self.at(1)) == "recovering global 2")
        hubs.keep(0, at: Self.at(1))
        hubs.keep(1, at: Self.at(1))
        hubs.adopt(0, at: Self.at(4))
        #expect(hubs.state(0, "t", of: "S", at: Self.at(4)) == "recovering global 3")
        #expect(hubs.state(1, "t", of: "S", at: Self.at(4)) == "recovering global 3")
    }

    @Test("Decisions of different scopes at one instant both hold at both hubs")
    func scopes() throws {
        var hubs = try #require(Hubs())
        for id in ["a0", "a1"] { hubs.report(0, id, of: "A", at: Self.at(1)) }
        for id in ["b0", "b1"] { hubs.report(1, id, of: "B", at: Self.at(1)) }
        hubs.keep(1, at: Self.at(1))
        hubs.keep(0, at: Self.at(1))
        hubs.adopt(1, at: Self.at(3))
        for hub in 0...1 {
            #expect(hubs.state(hub, "a0", of: "A", at: Self.at(3)) == "faulty store 3")
            #expect(hubs.state(hub, "b0", of: "B", at: Self.at(3)) == "faulty store 2")
            #expect(hubs.state(hub, "x", of: "X", at: Self.at(3)) == "healthy global 1")
        }
    }

    @Test("Overrides of different stores at one instant both hold at both hubs, and end at both")
    func storeOverrides() throws {
        var hubs = try #require(Hubs())
        hubs.override(0, .faulty, of: "A", at: Self.at(1))
        hubs.override(1, .recovering, of: "B", at: Self.at(1))
        for hub in [0, 1, 0] { hubs.adopt(hub, at: Self.at(2)) }
        for hub in 0...1 {
            #expect(hubs.state(hub, "a", of: "A", at: Self.at(2)).hasPrefix("faulty store"))
            #expect(hubs.state(hub, "b", of: "B", at: Self.at(2)).hasPrefix("recovering store"))
            #expect(hubs.state(hub, "x", of: "X", at: Self.at(2)) == "healthy global 1")
        }
        _ = hubs.machines[1].handle(.overrideLifted(service: "order", storeId: "A"), at: Self.at(3))
        for hub in [1, 0] { hubs.adopt(hub, at: Self.at(4)) }
        for hub in 0...1 {
            #expect(hubs.state(hub, "a", of: "A", at: Self.at(4)).hasPrefix("healthy global"))
            #expect(hubs.state(hub, "b", of: "B", at: Self.at(4)).hasPrefix("recovering store"))
        }
    }

    @Test("What both decide alike is one decision; what one ends the other does not begin anew")
    func alike() throws {
        var hubs = try #require(Hubs())
        for hub in 0...1 { for id in ["a0", "a1"] { hubs.report(hub, id, of: "A", at: Self.at(1)) } }
        for hub in 0...1 { hubs.keep(hub, at: Self.at(1)) }
        hubs.adopt(0, at: Self.at(2))
        #expect(hubs.state(0, "a0", of: "A", at: Self.at(2)) == hubs.state(1, "a0", of: "A", at: Self.at(2)))
        _ = hubs.machines[0].handle(.deadlineReached, at: Self.at(16))
        hubs.keep(0, at: Self.at(16))
        hubs.adopt(1, at: Self.at(17))
        #expect(hubs.state(1, "a0", of: "A", at: Self.at(17)).hasPrefix("recovering store"))
        _ = hubs.machines[1].handle(.deadlineReached, at: Self.at(46))
        #expect(hubs.state(1, "a0", of: "A", at: Self.at(46)).hasPrefix("recovering store"))
    }

    @Test(
        "An operator's decision is kept beside a fault that another hub found, and ends once lifted"
    )
    func overrideAndScope() throws {
        var hubs = try #require(Hubs())
        hubs.override(0, .healthy, at: Self.at(1))
        for id in ["b0", "b1"] { hubs.report(1, id, of: "B", at: Self.at(1)) }
        for hub in [0, 1, 0] { hubs.adopt(hub, at: Self.at(2)) }
        for hub in 0...1 {
            #expect(hubs.state(hub, "b0", of: "B", at: Self.at(2)).hasPrefix("healthy global"))
            _ = hubs.machines[hub].handle(.overrideLifted(service: "order"), at: Self.at(3))
        }
        for hub in [0, 1, 0] { hubs.adopt(hub, at: Self.at(4)) }
        for hub in 0...1 {
            #expect(hubs.state(hub, "b0", of: "B", at: Self.at(4)).hasPrefix("faulty store"))
        }
    }

    @Test(
        "Whatever two hubs decide, in whatever order, both end with one state and no generation steps back",
        arguments: 1...40)
    func anything(_ seed: Int) throws {
        var hubs = try #require(Hubs())
        var random = SplitMix64(seed: UInt64(seed))
        var latest: [Int64] = [1, 1]
        for second in 0..<120 {
            let (hub, now) = (Int(random.below(2)), Self.at(second))
            let store = ["S1", "S2", nil][Int(random.below(3))]
            switch random.below(8) {
            case 0:
                let state: ServiceDecision.State = [.healthy, .faulty, .recovering][Int(random.below(3))]
                hubs.override(hub, state, of: store, at: now)
            case 1:
                _ = hubs.machines[hub].handle(
                    .overrideLifted(service: "order", storeId: store), at: now)
            case 2, 3: hubs.keep(hub, at: now)
            case 4: hubs.adopt(hub, at: now)
            case _:
                let number = random.below(12)
                hubs.report(hub, "t\(number)", of: "S\(number / 3)", at: now)
            }
            for hub in 0...1 {
                let generation = hubs.machines[hub].generation(of: "order") ?? 0
                #expect(generation >= latest[hub])
                latest[hub] = generation
            }
        }
        for hub in [0, 1, 0, 1] { hubs.adopt(hub, at: Self.at(120)) }
        for number in 0..<12 {
            let states = (0...1).map { hubs.state($0, "t\(number)", of: "S\(number / 3)", at: Self.at(120)) }
            #expect(states[0] == states[1])
        }
    }
}
