import HubProtocol
import Testing

@testable import Neighbours

/// What a till of the store that lies reaches with its notes about carts.
@Suite("A hostile till's notes about carts")
struct HostileCartsTests {
    private static let hostile = 3

    /// Four tills that know each other; the last one lies.
    private func world(seed: UInt64) -> ClaimWorld {
        var world = ClaimWorld(tills: 4, seed: seed)
        world.tills[Self.hostile].isHostile = true
        world.run(until: 6_000)
        return world
    }

    /// A cart that another till parked, on no screen.
    private func park(at index: Int, in world: inout ClaimWorld) -> String {
        let cart = world.parkCart(at: index)
        world.tills[index].disk.carts[cart]?.isBusy = false
        return cart
    }

    private func owner(of cart: String, at index: Int, in world: ClaimWorld) -> String? {
        world.notes(of: index).openCarts.first { $0.cart.id == cart }?.owner
    }

    struct Lie: Sendable {
        let turn: Int64
        var origin: String?
    }

    @Test(
        "A cart stays with the till that had it, and a lost grant comes to its taker, whatever others write",
        arguments: [Lie(turn: 900), Lie(turn: 1), Lie(turn: 900, origin: "T0")])
    func foreignCart(_ lie: Lie) {
        var world = world(seed: 7)
        let cart = park(at: 0, in: &world)
        world.run(until: 20_000)
        world.claimOwnership(of: cart, turn: lie.turn, origin: lie.origin, by: Self.hostile)
        world.write(.cartEnded, EndedCart(id: park(at: 1, in: &world), end: .sold).json, of: Self.hostile)
        world.run(until: 40_000)
        #expect(owner(of: cart, at: 2, in: world) == "T0")
        world.cut = [1]
        while world.tills[0].disk.carts[cart] != nil, world.now < 120_000 {
            world.takeCart(at: 1, cart)
            world.run(until: world.now + 1_500)
        }
        #expect(world.tills[1].disk.carts[cart] == nil, "its response is lost")
        world.start(1)
        world.run(until: world.now + 20_000)
        world.cut = []
        world.run(until: world.now + 130_000)
        #expect(world.tills[1].disk.carts[cart] != nil)
        #expect(owner(of: cart, at: 2, in: world) == "T1")
        #expect(world.findings(afterQuiet: true) == [])
    }
}
