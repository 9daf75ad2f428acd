import Crypto
import Foundation
import HubProtocol
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

/// Parts of leases that one till gives another one, on the disks of both.
@Suite("Leases from till to till, on disk")
struct LeaseRightsTests {
    private static let noon = StoreFixture.noon
    private let key = Curve25519.Signing.PrivateKey()

    private func lease(_ id: String = "L1", _ amount: Int64 = 100, of owner: String = "t-3") throws
        -> JSONValue
    {
        var lease = LeaseRecord(
            leaseId: id, kind: .points, subject: "m1", amount: amount, expiresAt: Self.noon + 3_600_000,
            version: 1, epoch: 1)
        (lease.terminalId, lease.keyId) = (owner, "signing-1")
        lease.signature = try key.signature(for: LeaseRecord.signedBytes(lease.json)).base64EncodedString()
        return lease.json
    }

    private func pin(_ store: StoreFixture) async throws {
        try await SQLiteTerminalFacts(store.database).pin(
            HubKeyList(
                signing: [
                    HubPublicKey(
                        id: "signing-1", publicKey: key.publicKey.rawRepresentation.base64EncodedString(),
                        notAfter: "2036-01-01T00:00:00Z")
                ], sealing: []))
    }

    /// A till with a lease of 100 points.
    private func giver() async throws -> StoreFixture {
        let store = try await StoreFixture()
        try await pin(store)
        try await SQLiteLeases(store.database).keep(
            LentLeases(leases: [try LeaseRecord(json: lease())]))
        return store
    }

    private func left(_ store: StoreFixture) async throws -> [Int64] {
        try await SQLiteLeases(store.database).held(.points, of: "m1", at: Self.noon).map(\.left)
    }

    private func reserve(
        _ amount: Int64, _ id: String = "c1", in store: StoreFixture, besides: Set<String> = []
    ) async throws -> SQLiteRights.Reservation {
        try await SQLiteRights(store.database).reserve(
            RightClaim(claimId: id, kind: .lease, right: "m1", amount: amount), for: "t-4", refunds: [:],
            leasesAtHand: besides, at: Self.noon)
    }

    private func grant(_ amount: Int64, _ id: String = "c1", given: Int64? = nil) -> GrantedRight {
        GrantedRight(
            RightClaim(claimId: id, kind: .lease, right: "L1", amount: amount), of: .lease, to: "t-4",
            given: given ?? amount, madeAt: Self.noon, endsAt: Self.noon + 3_600_000)
    }

    private func entries(_ type: String, in store: StoreFixture) async throws -> [Mutation] {
        try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map {
            try Mutation(json: try JSONParser.parse($0.body))
        }.filter { $0.type == type }
    }

    @Test("What is given is spent for good, on disk and in the file, before anybody hears of it")
    func given() async throws {
        let store = try await giver()
        for _ in 0..<2 { #expect(try await reserve(70, in: store) == .granted(grant(70))) }
        #expect(try await left(store) == [30])
        let file = try String(contentsOfFile: store.home.path + "/high-water.json", encoding: .utf8)
        #expect(file.contains(#""leases":{"L1":70}"#), "\(file)")
        #expect(try await reserve(5, "c2", in: store, besides: ["L1"]) == .refused(.inUse))
        // Of what is left, and the sum of all that was given.
        #expect(try await reserve(70, "c2", in: store) == .granted(grant(30, "c2", given: 100)))
        #expect(try await reserve(1, "c3", in: store) == .refused(.notMine))
        // No note of it was written: it is this till's again.
        try await SQLiteRights(store.database).unreserve("t-4", "c2")
        #expect(try await left(store) == [30])
        try await SQLiteRights(store.database).noteWritten(grant(70), as: ["a": 1], at: Self.noon)
        try await SQLiteRights(store.database).noteWritten(grant(70), as: ["a": 1], at: Self.noon)
        try await SQLiteRights(store.database).unreserve("t-4", "c1")
        #expect(try await left(store) == [30])
        let said = try await entries(MovedLease.given, in: store)
        #expect(said.map(\.payload) == [["leaseId": "L1", "amount": 70, "to": "t-4", "note": ["a": 1]]])
        let known = try await SQLiteRights(store.database).known()
        #expect(known.given == [grant(70)] && known.open == [])
    }

    @Test("A lease is not returned while a part of it is being given, and then with what was given")
    func returned() async throws {
        let store = try await giver()
        _ = try await reserve(70, in: store)
        var recalled = try LeaseRecord(json: lease())
        recalled = LeaseRecord(
            leaseId: "L1", kind: .points, subject: "m1", amount: 100, expiresAt: recalled.expiresAt,
            version: 2, epoch: 1, isRecalled: true)
        let leases = SQLiteLeases(store.database)
        try await leases.keep(LentLeases(leases: [recalled]))
        #expect(try await leases.giveUp(except: []) == nil)
        try await SQLiteRights(store.database).noteWritten(grant(70), as: ["a": 1], at: Self.noon)
        let order = try #require(try await leases.giveUp(except: []))
        #expect(order.leases == [LeaseReturn.Part(leaseId: "L1", spent: 70)])
    }

    @Test("What a void gave back is spent here, and not given: the sale may arrive after what was taken")
    func afterVoid() async throws {
        let store = try await giver()
        try store.database.orderNumbers.note(LeaseMarks(mostSpent: ["L1": 60]))
        #expect(try await reserve(70, in: store) == .granted(grant(40)))
        #expect(try await left(store) == [60])
        #expect(try await reserve(1, "c2", in: store) == .refused(.notMine))
    }

    @Test("A part is a lease of its taker with an entry of the journal, and is not given on")
    func taken() async throws {
        let store = try await StoreFixture()
        let rights = SQLiteRights(store.database)
        let part = GrantedRight(
            RightClaim(claimId: "c1", kind: .lease, right: "L1", amount: 70), of: .lease, to: "t-3",
            madeAt: Self.noon, endsAt: Self.noon + 3_600_000)
        let document = try lease(of: "t-4")
        func adopt(_ lease: JSONValue) async throws -> SQLiteRights.Adoption {
            try await rights.adopt(part, of: lease, by: ["a": 1], at: Self.noon)
        }
        #expect(try await adopt(document) == .refused, "without keys of the hub")
        try await pin(store)
        var members = try #require(document.object)
        members["amount"] = 1_000
        #expect(try await adopt(.object(members)) == .refused)
        for _ in 0..<2 { #expect(try await adopt(document) == .adopted) }
        #expect(try await left(store) == [70])
        let said = try await entries(MovedLease.taken, in: store)
        #expect(said.map(\.payload) == [["leaseId": "L1", "amount": 70, "from": "t-4", "note": ["a": 1]]])
        #expect(try await rights.known().held == [part])
        #expect(try await reserve(10, "c2", in: store) == .refused(.notMine))
        // The hub's own version of it comes with the feed, signed.
        var own = LeaseRecord(
            leaseId: part.partId, kind: .points, subject: "m1", amount: 70, expiresAt: Self.noon + 3_600_000,
            version: 1, epoch: 1)
        (own.terminalId, own.keyId) = ("t-3", "signing-1")
        own.signature = try key.signature(for: LeaseRecord.signedBytes(own.json)).base64EncodedString()
        try await SQLiteLeases(store.database).keep(LentLeases(leases: [own]))
        #expect(try await left(store) == [70])
        #expect(try await reserve(10, "c2", in: store) == .refused(.notMine))
    }
}
