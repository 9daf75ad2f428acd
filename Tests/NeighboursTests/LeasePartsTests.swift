import Base
import HubProtocol
import Testing

@testable import Neighbours

@Suite("Parts of leases, as claims move them")
struct LeasePartsTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func claim(_ number: Int) -> RightClaim {
        RightClaim(claimId: "c\(number)", kind: .lease, right: "M")
    }

    private func owner() -> Claims {
        var machine = Claims(terminalId: "T0", seed: 1)
        _ = machine.handle(.readinessChanged(isReady: true, epoch: 1), at: at(0))
        return machine
    }

    /// What the owner responds to a claim, once its disk has done everything.
    private func response(
        to number: Int, of taker: String, by machine: inout Claims, at now: Instant
    ) -> [ClaimEffect] {
        let effects = machine.handle(.claimed(claim(number), from: taker), at: now)
        guard case .reserve = effects.first else { return effects }
        let grant = GrantedRight(claim(number), of: .lease, to: taker, madeAt: 1)
        _ = machine.handle(.reserved(grant), at: now)
        return machine.handle(.granted(grant), at: now)
    }

    @Test(
        "One till is given a hundred parts in a day, however small; the others, and the next day, are apart")
    func limited() {
        var machine = owner()
        let refused = ClaimEffect.respond(
            ClaimKey(taker: "T1", claimId: "c100"), .refused(.tooManyClaims))
        for number in 0..<NeighbourLimits.partsADay {
            #expect(response(to: number, of: "T1", by: &machine, at: at(1)) != [refused])
        }
        #expect(response(to: 100, of: "T1", by: &machine, at: at(86_000)) == [refused])
        #expect(response(to: 100, of: "T2", by: &machine, at: at(86_000)) != [])
        let later = response(to: 100, of: "T1", by: &machine, at: at(86_402))
        #expect(later != [refused] && later.count == 1)
    }

    @Test("Nobody learns of a part before its entry is in the journal; its note makes it good later")
    func notMarked() {
        var machine = owner()
        let grant = GrantedRight(claim(1), of: .lease, to: "T1", madeAt: 1)
        let key = ClaimKey(grant)
        _ = machine.handle(.claimed(claim(1), from: "T1"), at: at(0))
        _ = machine.handle(.reserved(grant), at: at(0))
        var world = ClaimWorld(tills: 2, seed: 1)
        world.write(.leaseGiven, grant.json, of: 0)
        _ = machine.handle(.notesChanged(world.notes(of: 0)), at: at(0))
        let effects = machine.handle(.grantNotMarked(grant), at: at(0))
        #expect(effects == [.respond(key, nil), .accept(grant)])
    }

    @Test(
        "A part whose response was lost is claimed again by whoever claimed it, not from an older disk or epoch"
    )
    func lost() {
        var world = ClaimWorld(tills: 2, seed: 1)
        let claim = RightClaim(claimId: "c1", kind: .lease, right: "L", amount: 5)
        let grant = GrantedRight(claim, of: .lease, to: "T1", madeAt: 1)
        func taker(hasClaimed: Bool) -> Claims {
            var machine = Claims(terminalId: "T1", seed: 1)
            _ = machine.handle(.readinessChanged(isReady: true, epoch: 1), at: at(0))
            guard hasClaimed else { return machine }
            _ = machine.handle(.wanted(claim, owner: "T0"), at: at(0))
            _ = machine.handle(.responded(claimId: "c1", nil), at: at(1))
            return machine
        }
        world.write(.leaseGiven, grant.json, of: 0)
        let notes = world.notes(of: 0)
        var same = taker(hasClaimed: true)
        #expect(same.handle(.notesChanged(notes), at: at(100)) == [.send(claim, to: "T0")])
        var restarted = taker(hasClaimed: false)
        #expect(restarted.handle(.notesChanged(notes), at: at(100)) == [])
        var restored = taker(hasClaimed: true)
        _ = restored.handle(.readinessChanged(isReady: true, epoch: 2), at: at(50))
        #expect(restored.handle(.notesChanged(notes), at: at(100)) == [])
    }
}
