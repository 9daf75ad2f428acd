import Base
import Crypto
import Foundation
import HubProtocol
import Testing

@testable import Neighbours

/// Lists of notes under faults that a seed draws, and each rule by itself.
@Suite("Lists of notes")
struct NoteListsTests {
    @Test(
        "Whatever breaks, lists have no gap, no forged note and no lost refund, and tills come to agree",
        arguments: UInt64(1)...12)
    func anyFaults(seed: UInt64) {
        var world = NoteWorld(tills: 4, seed: seed)
        if seed % 3 == 0 { world.tills[3].isHostile = true }
        var now: Int64 = 6_000
        world.run(until: now)
        for _ in 0..<60 {
            breakSomething(in: &world)
            for _ in 0..<world.random.below(4) {
                world.work(at: Int(world.random.below(UInt64(world.tills.count))))
            }
            if world.random.below(6) == 0 { world.acknowledgeAll() }
            if world.random.below(8) == 0 { world.raiseEpochs() }
            now += Int64(world.random.below(2_500))
            world.run(until: now)
        }
        #expect(world.findings(afterQuiet: false) == [])
        world.cut = []
        world.failingWrites = 0
        // The longest wait is a minute; a list is pulled from one neighbour after the other.
        for round in 0..<7 {
            now += 65_000
            world.run(until: now)
            if round < 2 { world.raiseEpochs() }
        }
        #expect(world.findings(afterQuiet: true) == [])
    }

    private func breakSomething(in world: inout NoteWorld) {
        let count = UInt64(world.tills.count)
        let (one, other) = (Int(world.random.below(count)), Int(world.random.below(count)))
        switch world.random.below(14) {
        case 0, 1: world.cut.insert(one * 100 + other)
        case 2: world.cut.formUnion([one * 100 + other, other * 100 + one])
        case 3, 4: world.cut = []
        case 5: world.start(one)
        case 6: world.tills[one].copy = (world.tills[one].disk, world.tills[one].forks)
        case 7: if !world.tills[one].isHostile { world.restoreOldDisk(one) }
        case 8: if world.tills.count < 6, !world.tills[one].isHostile { world.clone(one) }
        case 9: world.failingWrites = world.random.below(500)
        case 10: world.failingWrites = 0
        case _: break
        }
    }

    @Test("A till from an old disk that reaches its neighbours signs no number twice, and writes on later")
    func oldDisk() {
        var world = NoteWorld(tills: 3, seed: 5)
        world.run(until: 6_000)
        for step in 1...10 {
            world.work(at: 0)
            world.run(until: 6_000 + Int64(step) * 500)
            if step == 4 { world.tills[0].copy = (world.tills[0].disk, []) }
        }
        world.run(until: 20_000)
        world.restoreOldDisk(0)
        for _ in 0..<4 { world.work(at: 0) }
        world.run(until: 40_000)
        #expect(world.tills[0].machine.status == .behind)
        #expect(world.alarms.contains { $0.till == 0 && $0.1.isOwnListAhead })
        #expect(Set(world.log.map { "\($0.list) \($0.number)" }).count == world.log.count)
        let before = world.log.count
        world.raiseEpochs()
        world.run(until: 60_000)
        #expect(world.log.count > before)
        #expect(world.log.last?.epoch == 2)
        #expect(world.findings(afterQuiet: true) == [])
    }

    @Test("Two tills of one key are found by everybody, and trusted by nobody any more")
    func clone() {
        var world = NoteWorld(tills: 3, seed: 9)
        world.run(until: 6_000)
        world.work(at: 0)
        world.run(until: 10_000)
        world.clone(0)
        // Neither of the two sees the other, nor what the others have of it.
        world.cut = [200, 100, 203, 103, 300, 3, 1, 302]
        world.run(until: 17_000)
        for _ in 0..<4 {
            world.work(at: 0)
            world.work(at: 3)
        }
        world.run(until: 30_000)
        world.cut = []
        world.run(until: 200_000)
        let list = NoteListKey("T0", 1)
        #expect(!world.tills[1].machine.isTrusted(list))
        #expect(!world.tills[2].machine.isTrusted(list))
        #expect(world.tills[1].forks.count == 1)
        #expect(world.findings(afterQuiet: true) == [])
    }

    @Test("A list begins anew with a checkpoint once the hub has its journal, for a late till too")
    func checkpoint() {
        var world = NoteWorld(tills: 3, seed: 11)
        // Till 2 hears nothing.
        world.cut = [2, 102]
        world.run(until: 6_000)
        for step in 1...70 {
            world.work(at: 0)
            world.run(until: 6_000 + Int64(step) * 400)
        }
        let list = NoteListKey("T0", 1)
        world.run(until: 40_000)
        #expect(world.tills[1].machine.lists[list]?.first == 1, "the hub has nothing yet")
        world.acknowledgeAll()
        let first = world.tills[0].machine.lists[list]?.first ?? 0
        #expect(first > 20)
        #expect(world.tills[1].machine.lists[list]?.first == first)
        world.run(until: 45_000)
        world.cut = []
        world.run(until: 90_000)
        #expect(world.tills[2].machine.lists[list]?.first == first)
        #expect(world.findings(afterQuiet: true) == [])
    }
}

extension NoteAlarm {
    var isOwnListAhead: Bool { if case .ownListAhead = self { true } else { false } }
}
