import Base
import Crypto
import Foundation
import HubProtocol
import Testing

@testable import Neighbours

@Suite("What notes say of carts")
struct CartNotesTests {
    private struct Maker {
        let id: String
        private let key = Curve25519.Signing.PrivateKey()
        private(set) var state = NoteState()
        private var number: Int64 = 0

        init(_ id: String) { self.id = id }

        mutating func note(_ kind: NoteKind, _ body: JSONValue) throws {
            number += 1
            let draft = NoteDraft(
                epoch: 1, number: number, previousHash: NeighbourNote.genesisHash, kind: kind.rawValue,
                body: body, madeAt: 1)
            let key = key
            state.add(
                try #require(
                    NeighbourNote(draft, terminalId: id) { bytes in
                        (try? key.signature(for: Data(bytes)))?.base64EncodedString()
                    }))
        }

        mutating func park(_ cart: String, copiedFrom first: String? = nil, turn: Int64 = 1) throws {
            var note = ParkedCart(id: cart, name: "", count: 1, total: 5, turn: turn)
            note.copiedFrom = first
            try self.note(.cartParked, note.json)
        }

        mutating func end(_ cart: String, _ end: EndedCart.End = .sold) throws {
            try note(.cartEnded, EndedCart(id: cart, end: end).json)
        }
    }

    private func notes(_ makers: Maker...) -> StoreNotes {
        StoreNotes(
            states: Dictionary(uniqueKeysWithValues: makers.map { (NoteListKey($0.id, 1), $0.state) }))
    }

    @Test("A copy speaks against its first cart, and against another copy, until it is dropped")
    func copies() throws {
        var (one, two, three) = (Maker("T1"), Maker("T2"), Maker("T3"))
        try one.park("C")
        try two.park("D", copiedFrom: "C")
        #expect(notes(one, two).doubles(of: "C", copiedFrom: nil) == "T2")
        // Why it was copied: nobody knows what its owner does.
        #expect(notes(one, two).doubles(of: "D", copiedFrom: "C") == nil)
        try three.park("E", copiedFrom: "C")
        #expect(notes(one, two, three).doubles(of: "D", copiedFrom: "C") == "T3")
        try three.end("E", .dropped)
        #expect(notes(one, two, three).doubles(of: "D", copiedFrom: "C") == nil)
        try one.end("C")
        #expect(notes(one, two, three).doubles(of: "D", copiedFrom: "C") == "T1")
        try two.end("D")
        #expect(notes(one, two, three).doubles(of: "C", copiedFrom: nil) == "T2")
        #expect(notes(one, two, three).doubles(of: "other", copiedFrom: nil) == nil)
    }

    @Test("A till that names all carts as copied, sold or not, makes no more need an approval than one could")
    func copiesOfAll() throws {
        var (one, liar) = (Maker("T1"), Maker("T9"))
        for cart in 0..<60 { try one.park("C\(cart)") }
        for cart in 0..<60 { try liar.park("D\(100 + cart)", copiedFrom: "C\(cart)") }
        func doubled() -> Int {
            (0..<60).count { notes(one, liar).doubles(of: "C\($0)", copiedFrom: nil) == "T9" }
        }
        #expect(notes(one, liar).copiers == ["T9"])
        #expect(doubled() == NeighbourLimits.copiesUnsold)
        for cart in 0..<60 { try liar.end("D\(100 + cart)") }
        #expect(doubled() == NeighbourLimits.copiesSold)
        #expect(notes(one, liar).copiers == ["T9"])
        var honest = Maker("T2")
        for cart in 0..<NeighbourLimits.copiesSold {
            try honest.park("E\(cart)", copiedFrom: "C\(cart)")
            try honest.end("E\(cart)", cart == 0 ? .dropped : .sold)
        }
        #expect(notes(one, honest).copiers == [])
    }

    @Test("Only a till that had a cart ends it")
    func foreignEnds() throws {
        var (one, two, liar) = (Maker("T1"), Maker("T2"), Maker("T9"))
        try one.park("C")
        try two.park("D", copiedFrom: "C")
        try liar.end("C")
        #expect(notes(one, two, liar).doubles(of: "D", copiedFrom: "C") == nil)
        #expect(notes(one, two, liar).end(of: "C")?.isOpen == true)
        try one.end("C")
        #expect(notes(one, two, liar).doubles(of: "D", copiedFrom: "C") == "T1")
    }

    @Test("A cart that went on is the last taker's, and one that anybody sold is sold")
    func ends() throws {
        var (one, two) = (Maker("T1"), Maker("T2"))
        try one.park("C")
        let claim = RightClaim(claimId: "k", kind: .cart, right: "C")
        let grant = GrantedRight(claim, of: .cart, to: "T2", turn: 2, madeAt: 1)
        try one.note(.cartGranted, grant.json)
        #expect(notes(one, two).end(of: "C") == .granted(grant))
        try two.park("C", turn: 3)
        #expect(notes(one, two).openCarts.map(\.owner) == ["T2"])
        try two.end("C")
        #expect(notes(one, two).end(of: "C") == .ended(.sold))
        #expect(notes(one, two).end(of: "D") == nil)
    }

    @Test("A cart is its taker's by the grant alone, until that till names, sells or drops it")
    func whereabouts() throws {
        var (one, two) = (Maker("T1"), Maker("T2"))
        try one.park("C")
        #expect(notes(one, two).whereabouts(of: "C") == nil)
        let claim = RightClaim(claimId: "k", kind: .cart, right: "C")
        let grant = GrantedRight(claim, of: .cart, to: "T2", turn: 2, madeAt: 1)
        try one.note(.cartGranted, grant.json)
        #expect(notes(one, two).whereabouts(of: "C") == .granted(grant, by: "T1"))
        var dropping = two
        try dropping.end("C", .dropped)
        #expect(notes(one, dropping).whereabouts(of: "C") == nil)
        try two.park("C", turn: 3)
        #expect(notes(one, two).whereabouts(of: "C") == nil)
        try two.end("C")
        #expect(notes(one, two).whereabouts(of: "C") == .sold)
    }

    @Test("Whoever wants what is claimed already waits for the same end")
    func wantedTwice() {
        var claims = Claims(terminalId: "T2", seed: 1)
        let now = Instant(nanoseconds: 0)
        _ = claims.handle(.readinessChanged(isReady: true, epoch: 1), at: now)
        let claim = RightClaim(claimId: "k", kind: .cart, right: "C", origin: "T1")
        _ = claims.handle(.wanted(claim, owner: "T1"), at: now)
        #expect(claims.handle(.kept(claimId: "k"), at: now) == [.send(claim, to: "T1")])
        #expect(claims.handle(.wanted(claim, owner: "T1"), at: now) == [])
        let end = claims.handle(.responded(claimId: "k", ClaimResponse(.inUse)), at: now)
        #expect(end == [.settle(claimId: "k", .refused(.inUse, to: nil))])
        #expect(claims.handle(.wanted(claim, owner: "T1"), at: now) == [.send(claim, to: "T1")])
    }
}
