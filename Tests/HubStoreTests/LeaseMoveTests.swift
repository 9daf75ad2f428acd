import Crypto
import Foundation
import HubCore
import HubProtocol
import HubStore
import Testing

/// Notes as tills sign them.
enum SignedNote {
    static func leaseGiven(
        _ grant: GrantedRight, by giver: String, epoch: Int64 = 1, key: Curve25519.Signing.PrivateKey
    ) -> JSONValue {
        let draft = NoteDraft(
            epoch: epoch, number: 1, previousHash: NeighbourNote.genesisHash,
            kind: NoteKind.leaseGiven.rawValue, body: grant.json, madeAt: grant.madeAt)
        let note = NeighbourNote(draft, terminalId: giver) {
            (try? key.signature(for: Data($0)))?.base64EncodedString()
        }
        return note?.json ?? .null
    }
}

@Suite("Parts of leases that tills gave each other, at the hub")
struct LeaseMoveTests {
    private let terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points, .coupon])
    private let now: Int64 = 1_000_000
    private let key = Curve25519.Signing.PrivateKey()

    /// A member with 1,000 points, of which 250 are lent to `T1`.
    private func opened(_ kind: StoreKind) async throws -> (TemporaryStore, Lease) {
        let store = try TemporaryStore(kind)
        var office = Till("T9")
        _ = try await store.take(
            office.push([
                office.minted("member.created", ["name": "Li"], entityId: "M"),
                office.minted("points.adjusted", ["memberId": "M", "delta": 1_000]),
            ]))
        try await store.enrol("T1", key: key.publicKey.rawRepresentation.base64EncodedString())
        for id in ["T2", "T3"] { try await store.enrol(id) }
        try await store.enrol("T4", in: "S2")
        return (store, try #require(try await lend(0, to: "T1", store).first))
    }

    private func lend(_ amount: Int64, to till: String, _ store: TemporaryStore) async throws -> [Lease] {
        try await store.ledger.lend(
            LeaseRequest(kind: .points, subject: "M", amount: amount, epoch: 1), to: Till(till).device,
            by: terms, at: now
        ).leases
    }

    private func grant(_ amount: Int64, of lease: Lease, to taker: String, _ claim: String) -> GrantedRight {
        GrantedRight(
            RightClaim(claimId: claim, kind: .lease, right: lease.id, amount: amount), of: .lease, to: taker,
            madeAt: now)
    }

    private func note(_ grant: GrantedRight, epoch: Int64 = 1) -> JSONValue {
        SignedNote.leaseGiven(grant, by: "T1", epoch: epoch, key: key)
    }

    private func given(_ grant: GrantedRight, by till: inout Till, _ note: JSONValue? = nil) -> Mutation {
        till.minted(
            MovedLease.given, MovedLease(grant, from: nil, note: note ?? self.note(grant)).json,
            entityId: grant.right)
    }

    private func taken(_ grant: GrantedRight, by till: inout Till, _ note: JSONValue? = nil) -> Mutation {
        till.minted(
            MovedLease.taken, MovedLease(grant, from: "T1", note: note ?? self.note(grant)).json,
            entityId: grant.right)
    }

    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue?] {
        try await store.take(push)?.results.map { $0.json["flags"] } ?? []
    }

    private func isExceeded(_ flags: JSONValue?) -> Bool {
        flags?.array?.contains("lease_exceeded") ?? false
    }

    private func sale(of amount: Int64, under id: String, by till: inout Till) -> Mutation {
        var scratch = till
        var payload = SalePointsTests.sale(by: &scratch, earned: 0, spent: amount).payload.object ?? [:]
        payload["leases"] = [
            ["leaseId": .string(id), "kind": "points", "subject": "M", "amount": .integer(amount)]
        ]
        return till.minted("order.completed", .object(payload))
    }

    @Test(
        "A part is booked once, whichever journal comes first, and the sum stays",
        arguments: StoreKind.all, [true, false])
    func moved(_ kind: StoreKind, takerFirst: Bool) async throws {
        let (store, lease) = try await opened(kind)
        var (one, two) = (Till("T1"), Till("T2"))
        let part = grant(100, of: lease, to: "T2", "c1")
        let said = given(part, by: &one)
        let (heard, sold) = (taken(part, by: &two), sale(of: 60, under: part.partId, by: &two))
        let pushes = [try one.push([said]), try two.push([heard, sold])]
        for push in takerFirst ? pushes.reversed() : pushes {
            #expect(try await !flags(store, push).contains(where: isExceeded))
        }
        let open = try await store.ledger.leases(all: false)
        #expect(open.map(\.left).sorted() == [40, 150])
        let own = try #require(open.first { $0.id == part.partId })
        #expect(own.terminalId == "T2" && own.expiresAt == lease.expiresAt && own.epoch == 1)
        let member = EntityKey("member", "M")
        let points = try await store.ledger.entities([member])[member]?["points"]?.integer
        #expect(points == 940, "what is not lent, 750, is there beside it")
        // More than the part has is seen, and so is what the giver spends of it.
        let more = try two.push([sale(of: 41, under: part.partId, by: &two)])
        #expect(try await flags(store, more).map(isExceeded) == [true])
        let rest = try one.push([sale(of: 151, under: lease.id, by: &one)])
        #expect(try await flags(store, rest).map(isExceeded) == [true])
    }

    @Test(
        "What a till gives twice is flagged and an alarm, and it is lent nothing until a person released that",
        arguments: StoreKind.all)
    func twice(_ kind: StoreKind) async throws {
        let (store, lease) = try await opened(kind)
        var (two, three) = (Till("T2"), Till("T3"))
        #expect(
            try await flags(store, two.push([taken(grant(200, of: lease, to: "T2", "c1"), by: &two)])) == [[]]
        )
        let again = taken(grant(200, of: lease, to: "T3", "c1"), by: &three)
        #expect(try await flags(store, three.push([again])) == [["lease_exceeded"]])
        let alarms = try await store.ledger.alarms(terminal: "T1", limit: 9)
        #expect(alarms.map(\.first.kind) == ["lease_given_twice"])
        #expect(try await lend(10, to: "T1", store) == [])
        try await store.ledger.lendAhead(to: Till("T1").device, by: terms, at: now)
        let listed = try await store.ledger.leases(all: false)
        #expect(listed.first { $0.id == lease.id }?.state == .exceeded)
        #expect(listed.filter { $0.terminalId == "T1" }.count == 1)
        // Both parts are reserved: who took them knew nothing.
        #expect(listed.reduce(0) { $0 + $1.left } == 400)
        _ = try await store.ledger.release(lease.id, by: "ann", reason: "seen", at: now)
        #expect(try await !lend(10, to: "T1", store).isEmpty)
    }

    @Test(
        "Two amounts for one claim are two parts, and more than the lease has is seen",
        arguments: StoreKind.all)
    func twoAmounts(_ kind: StoreKind) async throws {
        let (store, lease) = try await opened(kind)
        var (one, two) = (Till("T1"), Till("T2"))
        let (small, large) = (grant(51, of: lease, to: "T2", "c1"), grant(200, of: lease, to: "T2", "c1"))
        #expect(try await !flags(store, one.push([given(small, by: &one)])).contains(where: isExceeded))
        #expect(try await flags(store, two.push([taken(large, by: &two)])) == [["lease_exceeded"]])
        #expect(try await lend(10, to: "T1", store).isEmpty)
    }

    @Test(
        "What a giver does not have is the taker's by the taker's word alone, and a new name of the device helps nobody",
        arguments: StoreKind.all)
    func givenAlone(_ kind: StoreKind) async throws {
        let (store, lease) = try await opened(kind)
        var (one, three) = (Till("T1"), Till("T3"))
        let (first, second) = (grant(200, of: lease, to: "T2", "c1"), grant(200, of: lease, to: "T3", "c2"))
        let push = try one.push([given(first, by: &one), given(second, by: &one)])
        #expect(try await flags(store, push) == [[], ["lease_exceeded"]])
        #expect(try await store.ledger.leases(all: false).reduce(0) { $0 + $1.left } == 200)
        let taken = try three.push([taken(second, by: &three)])
        #expect(try await flags(store, taken) == [["lease_exceeded"]])
        let open = try await store.ledger.leases(all: false)
        #expect(Set(open.filter { $0.left > 0 }.map(\.id)) == [first.partId, second.partId])
        try await store.enrol("T7", key: key.publicKey.rawRepresentation.base64EncodedString())
        #expect(try await lend(10, to: "T7", store).isEmpty)
        #expect(try await !lend(10, to: "T2", store).isEmpty)
    }

    @Test("A part that its giver names first is for the epoch that its taker is in", arguments: StoreKind.all)
    func epoch(_ kind: StoreKind) async throws {
        let (store, lease) = try await opened(kind)
        var (one, two) = (Till("T1"), Till("T2"))
        _ = try await store.take(two.push([two.minted()], epoch: 2, lowSequence: 1))
        let part = grant(100, of: lease, to: "T2", "c1")
        #expect(try await flags(store, one.push([given(part, by: &one)])) == [[]])
        #expect(
            try await store.ledger.leases(all: false).first { $0.id == part.partId }?.epoch == 2)
    }

    @Test("A part of a lease that is over is seen, since it may be lent anew", arguments: StoreKind.all)
    func over(_ kind: StoreKind) async throws {
        let (store, lease) = try await opened(kind)
        _ = try await store.ledger.release(lease.id, by: "ann", reason: "the till is lost", at: now)
        var two = Till("T2")
        let push = try two.push([taken(grant(100, of: lease, to: "T2", "c1"), by: &two)])
        #expect(try await flags(store, push) == [["lease_exceeded"]])
    }

    @Test("What no note proves moves nothing", arguments: StoreKind.all)
    func unproven(_ kind: StoreKind) async throws {
        let (store, lease) = try await opened(kind)
        var (one, two, three, four) = (Till("T1"), Till("T2"), Till("T3"), Till("T4", store: "S2"))
        let part = grant(100, of: lease, to: "T2", "c1")
        let other = Curve25519.Signing.PrivateKey()
        let forged = SignedNote.leaseGiven(part, by: "T1", key: other)
        let own = grant(100, of: lease, to: "T1", "c1")
        let foreign = grant(100, of: lease, to: "T4", "c1")
        let bad = [
            try two.push([
                taken(part, by: &two, forged), taken(part, by: &two, note(part, epoch: 2)),
                taken(part, by: &two, note(grant(101, of: lease, to: "T2", "c1"))),
                given(part, by: &two), taken(grant(251, of: lease, to: "T2", "c2"), by: &two),
            ]), try three.push([taken(part, by: &three)]), try four.push([taken(foreign, by: &four)]),
            try one.push([given(own, by: &one), given(foreign, by: &one)]),
        ]
        for push in bad {
            #expect(try await flags(store, push).allSatisfy { $0 == ["lease_exceeded"] })
        }
        #expect(try await store.ledger.leases(all: true).map(\.left) == [250])
        // A part is not given on.
        _ = try await store.take(two.push([taken(part, by: &two)]))
        let booked = try #require(try await store.ledger.leases(all: false).first { $0.id == part.partId })
        let onward = grant(50, of: booked, to: "T3", "c2")
        #expect(try await flags(store, three.push([taken(onward, by: &three)])) == [["lease_exceeded"]])
    }
}
