import Base
import Testing

@testable import Neighbours

/// Copies and relays of a whole store under faults that a seed draws.
@Suite("A store whose tills keep each other's sales")
struct StoreWorldTests {
    @Test(
        "Whatever breaks: one entry is one effect, and what is on any disk arrives or waits for a person",
        arguments: UInt64(1)...12)
    func anyFaults(seed: UInt64) {
        var world = StoreWorld(tills: 4, seed: seed)
        var copies: [Int: StoreWorld.Disk] = [:]
        var now: Int64 = 10_000
        world.run(until: now)
        for _ in 0..<120 {
            breakSomething(in: &world, &copies)
            for _ in 0..<world.random.below(4) {
                world.sell(at: Int(world.random.below(UInt64(world.tills.count))))
            }
            now += Int64(world.random.below(20_000))
            world.run(until: now)
        }
        heal(&world, until: now)
    }

    /// Everything comes back but what burnt, and time passes: ten minutes of silence, a minute between looks.
    private func heal(_ world: inout StoreWorld, until now: Int64) {
        (world.cut, world.losses, world.delay) = ([], 0, 20)
        let alive = world.alive
        for index in world.tills.indices { world.setWay(of: index, true) }
        world.run(until: now + 1_500_000)
        #expect(world.sold > 60)
        #expect(world.findings(of: alive) == [])
    }

    private func breakSomething(in world: inout StoreWorld, _ copies: inout [Int: StoreWorld.Disk]) {
        let count = UInt64(world.tills.count)
        let (one, other) = (Int(world.random.below(count)), Int(world.random.below(count)))
        switch world.random.below(20) {
        case 0: world.cut.insert(one * 100 + other)
        case 1: world.cut.formUnion([one * 100 + other, other * 100 + one])
        case 2: world.cut.formUnion(world.tills.indices.flatMap { [one * 100 + $0, $0 * 100 + one] })
        case 3: world.cut.formUnion([2, 3, 102, 103, 200, 300, 201, 301])
        case 4, 5: world.cut = []
        case 6, 7: world.start(one)
        case 8: world.losses = world.random.below(300)
        case 9: world.losses = 0
        case 10: world.delay = 1 + world.random.below(6_000)
        case 11: copies[one] = world.tills[one].disk
        case 12: if let disk = copies[one], world.random.below(3) == 0 { world.restore(disk, at: one) }
        case 13: if world.random.below(4) == 0 { world.loseKeptPieces(one) }
        case 14: if world.tills.count(where: \.isBurnt) < 2, world.random.below(8) == 0 { world.burn(one) }
        case 15, 16: for index in world.tills.indices { world.setWay(of: index, false) }
        case 17: world.setWay(of: one, true)
        case _: break
        }
    }

    @Test("What a till sold before it ran from an old disk arrives from its keepers, and what it sold since")
    func oldDisk() {
        var world = StoreWorld(tills: 3, seed: 3)
        let copy = world.tills[0].disk
        for index in 0..<3 { world.setWay(of: index, false) }
        world.run(until: 10_000)
        for _ in 0..<8 { world.sell(at: 0) }
        world.run(until: 40_000)
        world.restore(copy, at: 0)
        // The same numbers, and some more.
        for _ in 0..<10 { world.sell(at: 0) }
        world.run(until: 90_000)
        #expect(world.tills[0].copies.copied(beyond: 0) == 10)
        let alive = world.alive
        #expect(alive.count == 18)
        // The till itself is at the hub first.
        world.setWay(of: 0, true)
        world.run(until: 100_000)
        #expect(world.hub.effects.count == 10)
        for index in 1..<3 { world.setWay(of: index, true) }
        world.run(until: 300_000)
        #expect(world.findings(of: alive) == [])
        #expect(world.hub.aside == Set(1...8), "they wait for a person")
    }

    @Test("A till burns with the hub away: what one other had reaches the hub by a third, and nothing twice")
    func burnt() {
        var world = StoreWorld(tills: 3, seed: 7)
        for index in 0..<3 { world.setWay(of: index, false) }
        world.run(until: 10_000)
        for _ in 0..<12 { world.sell(at: 0) }
        // One piece at a time for each keeper, so that all of it takes three rounds.
        world.run(until: 60_000)
        world.burn(0)
        world.loseKeptPieces(1)
        let alive = world.alive
        #expect(alive.count == 12)
        world.setWay(of: 2, true)
        world.run(until: 800_000)
        #expect(world.hub.effects.count == 12)
        #expect(world.findings(of: alive) == [])
    }
}
