import Base
import HubProtocol

@testable import Neighbours

/// What a hostile till writes without any claim, and what it responds.
extension ClaimWorld {
    /// Carts that it invents and grants, and carts of others that it says it has, gave away, sold, or copied.
    mutating func writeLies(of index: Int) {
        let to = tills[Int(random.below(3))].terminalId
        let carts = owners.keys.filter { $0.hasPrefix("C") }.sorted()
        guard !carts.isEmpty, random.below(3) > 0 else { return grantUnclaimed(to: to, by: index) }
        let cart = carts[Int(random.below(UInt64(carts.count)))]
        switch random.below(4) {
        case 0: claimOwnership(of: cart, turn: 2 + Int64(random.below(900)), by: index)
        case 1: write(.cartEnded, EndedCart(id: cart, end: .sold).json, of: index)
        case 2:
            let claim = RightClaim(claimId: nextLie(), kind: .cart, right: cart)
            let turn = 2 + Int64(random.below(900))
            let grant = GrantedRight(claim, of: .cart, to: to, turn: turn, madeAt: now)
            write(.cartGranted, grant.json, of: index)
        case _: copy(cart, by: index)
        }
    }

    mutating func claimOwnership(of cart: String, turn: Int64, origin: String? = nil, by index: Int) {
        var note = ParkedCart(id: cart, name: "", count: 1, total: 1, turn: turn)
        note.origin = origin
        write(.cartParked, note.json, of: index)
    }

    mutating func copy(_ cart: String, by index: Int) {
        var note = ParkedCart(id: nextLie(), name: "", count: 1, total: 1, turn: 1)
        note.copiedFrom = cart
        write(.cartParked, note.json, of: index)
    }

    /// A cart that nobody has.
    mutating func grantUnclaimed(to taker: String, by index: Int) {
        let cart = nextLie()
        if random.below(2) == 0 { claimOwnership(of: cart, turn: 1, by: index) }
        let claim = RightClaim(claimId: nextLie(), kind: .cart, right: cart)
        write(.cartGranted, GrantedRight(claim, of: .cart, to: taker, turn: 2, madeAt: now).json, of: index)
    }

    /// A refund that nobody claimed.
    mutating func grantUnclaimedRefund(to taker: String, by index: Int) {
        let claim = RightClaim(claimId: nextLie(), kind: .receipt, right: nextLie(), amount: 5)
        let grant = GrantedRight(claim, of: .receipt, to: taker, given: 5, madeAt: now)
        write(.refundGranted, grant.json, of: index)
    }

    private mutating func nextLie() -> String {
        lies += 1
        return "H\(lies)"
    }

    // MARK: What it responds

    /// A hostile till grants to everybody, what it has and what it does not, flips bits, and replays.
    mutating func lie(about claim: RightClaim, to: Int, _ run: Int, by index: Int) {
        let kind = RightKind(rawValue: claim.kind) ?? .cart
        let leases = tills[index].disk.amounts.filter { $0.value.kind == .lease }.keys.sorted()
        let lent = leases.first { kind == .lease && tills[index].disk.amounts[$0]?.subject == claim.right }
        let named = RightClaim(
            claimId: claim.claimId, kind: kind, right: lent ?? claim.right, amount: claim.amount)
        let content = lease(lent ?? claim.right, of: index)
        let grant = GrantedRight(
            named, of: kind, to: tills[random.below(6) == 0 ? index : to].terminalId,
            turn: 1 + Int64(random.below(9)), madeAt: now)
        let before = tills[index].disk.notes[NoteListKey(tills[index].terminalId, 1)] ?? []
        // What it granted without a claim it does give.
        let given = before.last {
            let known = try? GrantedRight(json: $0.body)
            return known?.claimId == claim.claimId && known?.right == named.right
        }
        if let given {
            let response = ClaimResponse(grants: [given.json], content: content)
            return deliver(response, claim.claimId, to: to, run, by: index)
        }
        write(kind.note, grant.json, of: index)
        let own = tills[index].disk.notes[NoteListKey(tills[index].terminalId, 1)] ?? []
        var note = own.last?.json
        switch random.below(5) {
        case 0:
            var members = note?.object ?? [:]
            members["madeAt"] = "2031-01-01T00:00:00.000Z"
            note = .object(members)
        case 1: note = own[Int(random.below(UInt64(own.count)))].json
        case 2: note = tills[to].disk.notes.values.first?.first?.json ?? note
        case _: break
        }
        deliver(
            ClaimResponse(grants: [note].compactMap(\.self), content: content), claim.claimId, to: to, run,
            by: index)
    }
}
