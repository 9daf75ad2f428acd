import Base
import HubProtocol
import Testing

@testable import Neighbours

/// What a till of the store that lies reaches with its notes about carts.
@Suite("A hostile till's notes about carts")
struct HostileCartsTests {
    private static let hostile = 3

    /// Four tills that know each other; the last one lies.
    private func world(seed: UInt64 = 7) -> ClaimWorld {
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
        var world = world()
        let (cart, other) = (park(at: 0, in: &world), park(at: 1, in: &world))
        world.run(until: 20_000)
        world.claimOwnership(of: cart, turn: lie.turn, origin: lie.origin, by: Self.hostile)
        world.write(.cartEnded, EndedCart(id: other, end: .sold).json, of: Self.hostile)
        world.run(until: 40_000)
        #expect(owner(of: cart, at: 2, in: world) == "T0")
        #expect(world.notes(of: 2).end(of: other)?.isOpen == true)
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
        let named: Set<ClaimAlarm> =
            switch (lie.origin, lie.turn) {
            // Until a later owner names the first one.
            case (nil, 1): [.disputed(tills: ["T0", "T3"]), .foreignCart(maker: "T3", owner: "T0")]
            case (nil, _): [.foreignCart(maker: "T3", owner: "T0")]
            case _: [.unproven(maker: "T3")]
            }
        #expect(Set(world.alarms) == named)
    }

    @Test("Carts that move between tills that do not lie are no alarm, whichever note comes first")
    func honest() {
        for seed in 1...3 as ClosedRange<UInt64> {
            var world = ClaimWorld(tills: 4, seed: seed)
            world.run(until: 6_000)
            for _ in 0..<60 {
                for index in world.tills.indices where world.random.below(2) == 0 {
                    if world.random.below(3) == 0 {
                        world.parkCart(at: index)
                    } else {
                        world.takeCart(at: index)
                    }
                }
                world.run(until: world.now + 1_000)
            }
            world.run(until: world.now + 130_000)
            #expect(world.alarms == [])
            #expect(world.findings(afterQuiet: true) == [])
        }
    }

    @Test("What it grants unasked fills no till with carts, and takes none of its notes")
    func unrequested() {
        var world = world()
        for _ in 0..<40 {
            world.grantUnclaimed(to: "T1", by: Self.hostile)
            world.grantUnclaimedRefund(to: "T1", by: Self.hostile)
        }
        world.run(until: 200_000)
        #expect(world.tills[1].disk.carts == [:])
        let released = world.tills[1].disk.notes[NoteListKey("T1", 1)]?.count { $0.kind == "released" }
        #expect(released == NeighbourLimits.refundsGranted)
        #expect(world.alarms.contains(.unrequested(from: "T3")))
        #expect(world.findings(afterQuiet: true) == [])
    }

    @Test("Claims whose responses were lost are sent again some at a time, up to what one owner grants")
    func boundedSends() {
        let now = Instant(nanoseconds: 0)
        for heldCount in [0, 2, NeighbourLimits.cartsGranted] {
            var world = ClaimWorld(tills: 2, seed: 1)
            let claims = (0..<8).map { RightClaim(claimId: "k\($0)", kind: .cart, right: "C\($0)") }
            let grants = claims.map { GrantedRight($0, of: .cart, to: "T1", turn: 2, madeAt: 1) }
            for grant in grants { world.write(.cartGranted, grant.json, of: 0) }
            var machine = Claims(
                terminalId: "T1", held: Array(grants.prefix(heldCount)),
                wanted: claims.map { WantedRight($0, of: "T0") }, seed: 1)
            _ = machine.handle(.readinessChanged(isReady: true, epoch: 1), at: now)
            let sent = machine.handle(.notesChanged(world.notes(of: 0)), at: now)
            #expect(
                sent.count
                    == min(NeighbourLimits.claimsAtOnce, NeighbourLimits.cartsGranted - heldCount))
        }
    }

    @Test("Claims that their owner never answers as an owner does keep no others from being sent again")
    func noStarvation() {
        var world = ClaimWorld(tills: 3, seed: 1)
        // In order of their ids those of T1 come first.
        let claims = (0..<5).map { RightClaim(claimId: "a\($0)", kind: .cart, right: "C\($0)") }
        let late = RightClaim(claimId: "b", kind: .cart, right: "D")
        for claim in claims {
            let grant = GrantedRight(claim, of: .cart, to: "T2", turn: 2, madeAt: 1)
            world.write(.cartGranted, grant.json, of: 1)
        }
        world.write(.cartGranted, GrantedRight(late, of: .cart, to: "T2", turn: 2, madeAt: 1).json, of: 0)
        let states = world.notes(of: 0).states.merging(world.notes(of: 1).states) { $1 }
        var machine = Claims(
            terminalId: "T2",
            wanted: claims.map { WantedRight($0, of: "T1") } + [WantedRight(late, of: "T0")],
            seed: 1)
        var now = Instant(nanoseconds: 0)
        _ = machine.handle(.readinessChanged(isReady: true, epoch: 1), at: now)
        var effects = machine.handle(.notesChanged(StoreNotes(states: states)), at: now)
        for _ in 0..<3 where !effects.contains(.send(late, to: "T0")) {
            for effect in effects {
                guard case .send(let claim, _) = effect else { continue }
                _ = machine.handle(.responded(claimId: claim.claimId, nil), at: now)
            }
            now = machine.deadline ?? now
            effects = machine.handle(.deadlineReached, at: now)
        }
        #expect(effects.contains(.send(late, to: "T0")))
    }

    @Test("A claim is sent once it is durable, and not at all where the disk does not take it")
    func durableFirst() {
        let (now, claim) = (Instant(nanoseconds: 0), RightClaim(claimId: "k", kind: .cart, right: "C"))
        var machine = Claims(terminalId: "T2", seed: 1)
        _ = machine.handle(.readinessChanged(isReady: true, epoch: 1), at: now)
        let keep = [ClaimEffect.keep(WantedRight(claim, of: "T1"))]
        #expect(machine.handle(.wanted(claim, owner: "T1"), at: now) == keep)
        #expect(machine.handle(.wanted(claim, owner: "T1"), at: now) == [])
        #expect(
            machine.handle(.keepFailed(claimId: "k"), at: now) == [.settle(claimId: "k", .notKept)])
        #expect(machine.handle(.wanted(claim, owner: "T1"), at: now) == keep)
        #expect(machine.handle(.kept(claimId: "k"), at: now) == [.send(claim, to: "T1")])
    }
}
