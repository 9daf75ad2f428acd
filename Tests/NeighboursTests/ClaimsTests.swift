import Base
import HubProtocol
import Testing

@testable import Neighbours

/// Rights with one owner under faults that a seed draws.
@Suite("The right with one owner")
struct ClaimsTests {
    /// What a seed may break.
    struct Faults: Hashable, CustomTestStringConvertible {
        let seed: UInt64
        var isDoubled = false
        var isHostile = false

        var testDescription: String {
            "seed \(seed)\(isDoubled ? ", old disks and clones" : "")\(isHostile ? ", a hostile till" : "")"
        }

        static let all = (1...3).flatMap { seed in
            [
                Faults(seed: seed), Faults(seed: seed, isDoubled: true), Faults(seed: seed, isHostile: true),
                Faults(seed: seed, isDoubled: true, isHostile: true),
            ]
        }
    }

    @Test(
        "Whatever breaks, no right has two owners unless a till ran twice, and then it is seen",
        arguments: Faults.all)
    func anyFaults(_ faults: Faults) {
        var world = ClaimWorld(tills: 4, seed: faults.seed)
        if faults.isHostile { world.tills[3].isHostile = true }
        var now: Int64 = 6_000
        world.run(until: now)
        for _ in 0..<50 {
            breakSomething(in: &world, faults)
            if faults.isHostile { world.writeLies(of: 3) }
            for _ in 0..<world.random.below(4) {
                world.work(at: Int(world.random.below(UInt64(world.tills.count))))
            }
            if world.random.below(8) == 0 { world.raiseEpochs() }
            now += Int64(world.random.below(2_000))
            world.run(until: now)
        }
        #expect(world.findings(afterQuiet: false) == [])
        world.cut = []
        world.failingWrites = 0
        for _ in 0..<3 {
            now += 65_000
            world.run(until: now)
            world.raiseEpochs()
        }
        #expect(world.findings(afterQuiet: true) == [])
        let granted = world.settled.count { if case .granted = $0 { true } else { false } }
        #expect(granted > 0, "rights move: \(world.settled.count) claims ended")
    }

    private func breakSomething(in world: inout ClaimWorld, _ faults: Faults) {
        let count = UInt64(world.tills.count)
        let (one, other) = (Int(world.random.below(count)), Int(world.random.below(count)))
        switch world.random.below(16) {
        case 0: world.cut.insert(one * 100 + other)
        case 1: world.cut.formUnion([one * 100 + other, other * 100 + one])
        case 2, 3, 4: world.cut = []
        case 5, 6: world.start(one)
        case 7: world.failingWrites = world.random.below(400)
        case 8: world.failingWrites = 0
        case 9: world.keepCopy(one)
        case 10: if faults.isDoubled, !world.tills[one].isHostile { world.restoreOldDisk(one) }
        case 11:
            if faults.isDoubled, count < 6, !world.tills[one].isHostile { world.clone(one) }
        case _: break
        }
    }
}
