import Base
import Crypto
import Foundation
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Leases on disk")
struct LeaseTests {
    private static let noon = StoreFixture.noon
    private static let end = noon + 3_600_000

    private func record(
        _ id: String, _ amount: Int64, version: Int64 = 1, epoch: Int64 = 1, isRecalled: Bool = false
    ) -> LeaseRecord {
        LeaseRecord(
            leaseId: id, kind: .points, subject: "m1", amount: amount, expiresAt: Self.end,
            version: version, epoch: epoch, isRecalled: isRecalled)
    }

    /// Puts an old copy of the database in the place of it, as after a power cut.
    private func restore(_ old: Data, in store: StoreFixture) async throws -> StoreFixture {
        let path = store.database.path
        store.database.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try old.write(to: URL(filePath: path))
        return try await StoreFixture(home: store.home, enrolled: false, now: Self.noon)
    }

    private func void(_ orderId: String, in store: StoreFixture) async throws -> JSONValue? {
        _ = try await SQLiteOrderArchive(store.database).void(
            orderId: orderId,
            with: VoidEntry(
                mode: .offline, madeAt: Self.noon, businessDay: try #require(BusinessDay(number: 20_261_121)),
                cashierId: nil, reason: nil))
        let entry = try #require(try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).last)
        return try Mutation(json: try JSONParser.parse(entry.body)).payload["leases"]
    }

    private func draft(_ number: UInt64, _ uses: [String: Int64]) throws -> SaleDraft {
        let plain = try StoreFixture.draft(number)
        var content = plain.content
        content.leases = uses.sorted { $0.key < $1.key }.map {
            LeaseUse(leaseId: $0.key, kind: .points, subject: "m1", amount: $0.value)
        }
        content.points = SalePoints(earned: 0, spent: content.leases.reduce(0) { $0 + $1.amount }, value: 0)
        return SaleDraft(key: plain.key, orderId: nil, businessDay: plain.businessDay, content: content)
    }

    private func left(_ store: StoreFixture, at hubTime: Int64? = noon) async throws -> [Int64] {
        try await SQLiteLeases(store.database).held(.points, of: "m1", at: hubTime).map(\.left)
    }

    @Test("What the hub signed of a lease is kept; a wrong signature of a known key is no lease")
    func signed() async throws {
        let store = try await StoreFixture()
        let (key, leases) = (Curve25519.Signing.PrivateKey(), SQLiteLeases(store.database))
        let facts = SQLiteTerminalFacts(store.database)
        try await facts.pin(
            HubKeyList(
                signing: [
                    HubPublicKey(
                        id: "signing-1", publicKey: key.publicKey.rawRepresentation.base64EncodedString(),
                        notAfter: "2036-01-01T00:00:00Z")
                ], sealing: []))
        func signed(_ id: String, _ amount: Int64, by keyId: String = "signing-1") throws -> LeaseRecord {
            var lease = record(id, amount)
            (lease.terminalId, lease.keyId) = ("t-3", keyId)
            lease.signature = try key.signature(for: LeaseRecord.signedBytes(lease.json))
                .base64EncodedString()
            return lease
        }
        let good = try signed("L1", 30)
        var wrong = try signed("L2", 7)
        wrong.terminalId = "T2"
        try await leases.keep([good, wrong, signed("L3", 5, by: "signing-2"), record("L4", 2)])
        #expect(try await left(store).sorted() == [2, 5, 30])
        #expect(try await leases.signed("L1") == good.json)
        for id in ["L2", "L3", "L4", "L5"] { #expect(try await leases.signed(id) == nil) }
        // With a member that only a later version has, and one of another terminal.
        var members = try #require(try signed("L6", 11).json.object)
        (members["later"], members["signature"]) = (1, nil)
        let bytes = LeaseRecord.signedBytes(.object(members))
        members["signature"] = .string(try key.signature(for: bytes).base64EncodedString())
        let document = JSONValue.object(members)
        var foreign = record("L7", 13)
        (foreign.terminalId, foreign.keyId) = ("T2", "signing-1")
        foreign.signature = try key.signature(for: LeaseRecord.signedBytes(foreign.json))
            .base64EncodedString()
        let other = foreign
        try await store.database.write { connection in
            let table = LeaseTable(database: connection)
            try table.keep(LeaseRecord(json: document), as: document, LeaseMarks())
            try table.keep(other, LeaseMarks())
        }
        #expect(try await left(store).sorted() == [2, 5, 11, 30])
        #expect(try await leases.signed("L6") == document)
    }

    @Test("A sale counts what it uses, more is refused and sells nothing, a void gives it back")
    func spending() async throws {
        let store = try await StoreFixture()
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100), record("b", 50)])
        #expect(try await left(store) == [100, 50])
        let sale = try await store.ledger.commit(try draft(1, ["a": 100, "b": 20])).sale
        #expect(try await left(store) == [30])
        // The same key again uses nothing more.
        _ = try await store.ledger.commit(try draft(1, ["a": 100, "b": 20]))
        #expect(try await left(store) == [30])
        let tooMuch = LeaseUse(leaseId: "b", kind: .points, subject: "m1", amount: 31)
        await #expect(throws: StorageError.leaseSpent(tooMuch, left: 30)) {
            try await store.ledger.commit(try draft(2, ["b": 31]))
        }
        #expect(try await store.number("SELECT count(*) FROM orders") == 1)
        _ = try await SQLiteOrderArchive(store.database).void(
            orderId: sale.orderId,
            with: VoidEntry(
                mode: .offline, madeAt: Self.noon, businessDay: try #require(BusinessDay(number: 20_261_121)),
                cashierId: nil, reason: nil))
        #expect(try await left(store) == [100, 50])
        let void = try #require(try await SQLiteOutbox(store.database).pending(after: 1, limit: 9).first)
        let payload = try Mutation(json: try JSONParser.parse(void.body)).payload
        #expect(payload["leases"]?.array?.count == 2)
        #expect(payload["points"] == ["earnedReturned": 0, "spentReturned": 120])
    }

    @Test(
        "Later versions alone change a lease; nothing is spent near its end, of another epoch, or of an ended one"
    )
    func validity() async throws {
        let store = try await StoreFixture()
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100, version: 2), record("a", 70), record("z", 9, epoch: 2)])
        #expect(try await left(store) == [100])
        #expect(try await left(store, at: Self.end - LeaseTable.margin - 1) == [100])
        #expect(try await left(store, at: Self.end - LeaseTable.margin) == [])
        // Without the hub's clock the last known time of it counts, not a clock that was set back.
        try await SQLiteTerminalFacts(store.database).keep(hubTime: Self.end)
        #expect(try await left(store, at: nil) == [])
        try await SQLiteOutbox(store.database).adopt(
            epoch: 2, headSequence: 0, headHash: "", headOrderNumber: nil)
        #expect(try await left(store) == [9])
        try await store.database.write { try LeaseTable(database: $0).end(["z"]) }
        #expect(try await left(store) == [])
    }

    @Test("A database that is restored from an old copy spends nothing twice, also what it gets anew")
    func restored() async throws {
        let store = try await StoreFixture(now: Self.noon)
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100)])
        let old = try await store.database.read { try Data($0.serialized()) }
        try await leases.keep([record("b", 100)])
        _ = try await store.ledger.commit(try draft(1, ["a": 60, "b": 40]))
        let again = try await restore(old, in: store)
        #expect(try await left(again) == [40])
        try await SQLiteLeases(again.database).keep([record("b", 100)])
        #expect(try await left(again) == [40, 60])
        let exposure = try await SQLiteLeases(again.database).exposure(at: Self.noon)
        #expect(exposure.map(\.left) == [100] && exposure.map(\.leases) == [2])
        #expect(try await SQLiteLeases(again.database).exposure(at: Self.end).isEmpty)
    }

    @Test("A wall clock that is days ahead at a start makes the terminal forget nothing that it spent")
    func clockAhead() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 250)])
        try await SQLiteTerminalFacts(store.database).keep(hubTime: Self.noon)
        _ = try await store.ledger.commit(try draft(1, ["a": 200]))
        store.database.close()
        let again = try await StoreFixture(
            home: store.home, enrolled: false, now: Self.noon + 4 * 86_400_000)
        // The hub renews it under the same id.
        try await SQLiteLeases(again.database).keep([record("a", 250, version: 2)])
        #expect(try await left(again) == [50])
    }

    @Test("What a void gave back can be spent after the next start, once")
    func voided() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 100)])
        let sale = try await store.ledger.commit(try draft(1, ["a": 100])).sale
        _ = try await store.ledger.commit(try draft(2, [:]))
        let void = VoidEntry(
            mode: .offline, madeAt: Self.noon, businessDay: try #require(BusinessDay(number: 20_261_121)),
            cashierId: nil, reason: nil)
        _ = try await SQLiteOrderArchive(store.database).void(orderId: sale.orderId, with: void)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false, now: Self.noon)
        #expect(try await left(again) == [100])
        _ = try await again.ledger.commit(try draft(3, ["a": 70]))
        again.database.close()
        let third = try await StoreFixture(home: store.home, enrolled: false, now: Self.noon)
        #expect(try await left(third) == [30])
        #expect(third.database.orderNumbers.leaseMarks.spent == ["a": 70])
    }

    @Test("Nothing is recorded under a lease that ended while the sale's cards were taken")
    func endedMeanwhile() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 100)])
        let late = try draft(1, ["a": 60])
        store.hub.milliseconds = Self.end - LeaseTable.margin
        let use = LeaseUse(leaseId: "a", kind: .points, subject: "m1", amount: 60)
        await #expect(throws: StorageError.leaseSpent(use, left: 0)) {
            try await store.ledger.commit(late)
        }
        store.hub.milliseconds = nil
        // Without the hub's time the later one of the wall clock and what the hub said last counts.
        try await SQLiteTerminalFacts(store.database).keep(hubTime: Self.end)
        let unknown = try draft(2, ["a": 60])
        await #expect(throws: StorageError.leaseSpent(use, left: 0)) {
            try await store.ledger.commit(unknown)
        }
        #expect(store.database.orderNumbers.leaseMarks.spent.isEmpty)
        store.hub.milliseconds = Self.end - LeaseTable.margin - 1
        _ = try await store.ledger.commit(late)
    }

    @Test("A sale that is refused before anything is written counts nothing in the file")
    func refused() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 100)])
        var shiftless = try draft(1, ["a": 100])
        shiftless.requiresShift = true
        let closed = shiftless
        await #expect(throws: StorageError.self) { try await store.ledger.commit(closed) }
        #expect(store.database.orderNumbers.leaseMarks.spent.isEmpty)
        #expect(try await left(store) == [100])
    }

    @Test("What was spent is kept until the hub has ended the lease, and an old response brings none back")
    func keptUntilEnded() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 250), record("b", 9), record("c", 9)])
        let sale = try await store.ledger.commit(try draft(1, ["a": 200, "c": 1])).sale
        try await store.database.write { try LeaseTable(database: $0).end(["c"]) }
        try await SQLiteTerminalFacts(store.database).keep(hubTime: Self.end + 86_400_001)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false, now: Self.noon)
        let kept = try await again.database.read {
            try String.fetchAll($0, sql: "SELECT lease_id FROM leases")
        }
        #expect(kept == ["a"])
        #expect(again.database.orderNumbers.leaseMarks.spent == ["a": 200])
        try await again.database.write { try LeaseTable(database: $0).end(["a"]) }
        try await SQLiteLeases(again.database).keep([record("a", 250, version: 7)])
        #expect(try await left(again) == [])
        // Nor does a void, which the hub gives back to nobody's lease.
        let void = VoidEntry(
            mode: .offline, madeAt: Self.noon, businessDay: try #require(BusinessDay(number: 20_261_121)),
            cashierId: nil, reason: nil)
        _ = try await SQLiteOrderArchive(again.database).void(orderId: sale.orderId, with: void)
        #expect(try await left(again) == [])
    }

    @Test("A recalled lease is spent until it is given up; then nothing of it is, whatever the hub sends")
    func givenUp() async throws {
        let store = try await StoreFixture()
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100), record("b", 50), record("c", 9)])
        #expect(try await leases.giveUp(except: []) == nil)
        let sale = try await store.ledger.commit(try draft(1, ["a": 30])).sale
        for id in ["a", "b"] {
            try await leases.keep([record(id, id == "a" ? 100 : 50, version: 2, isRecalled: true)])
        }
        #expect(try await left(store) == [70, 50, 9])
        // A sale is about to spend one of them.
        let first = LeaseReturn(epoch: 1, sequence: 1, leases: [LeaseReturn.Part(leaseId: "a", spent: 30)])
        #expect(try await leases.giveUp(except: ["b"]) == first)
        #expect(try await left(store) == [50, 9])
        #expect(try await SQLiteLeases(store.database).exposure(at: Self.noon).map(\.left) == [59])
        let use = LeaseUse(leaseId: "a", kind: .points, subject: "m1", amount: 1)
        await #expect(throws: StorageError.leaseSpent(use, left: 0)) {
            try await store.ledger.commit(try draft(2, ["a": 1]))
        }
        try await leases.keep([record("a", 200, version: 3)])
        #expect(try await left(store) == [50, 9])
        // Until the hub has responded, it is requested again; a void gives nothing back to it.
        #expect(try await void(sale.orderId, in: store) == nil)
        let both = LeaseReturn(
            epoch: 1, sequence: 2,
            leases: [LeaseReturn.Part(leaseId: "a", spent: 30), LeaseReturn.Part(leaseId: "b", spent: 0)])
        #expect(try await leases.giveUp(except: []) == both)
        try await leases.noteReturned(["a", "b"])
        #expect(try await leases.giveUp(except: []) == nil)
        try await leases.keep([record("a", 300, version: 4, isRecalled: true)])
        #expect(try await left(store) == [9])
        // One of another epoch is not the terminal's to return.
        try await leases.keep([record("z", 5, epoch: 2, isRecalled: true)])
        #expect(try await leases.giveUp(except: []) == nil)
    }

    @Test("A return names what was spent at most, since a void may arrive after another sale of it")
    func mostSpent() async throws {
        let store = try await StoreFixture(now: Self.noon)
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100)])
        let sale = try await store.ledger.commit(try draft(1, ["a": 80])).sale
        #expect(try await void(sale.orderId, in: store)?.array?.count == 1)
        _ = try await store.ledger.commit(try draft(2, ["a": 10]))
        #expect(try await left(store) == [90])
        try await leases.keep([record("a", 100, version: 2, isRecalled: true)])
        // Also after a restart.
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false, now: Self.noon)
        #expect(try await left(again) == [90])
        #expect(try await SQLiteLeases(again.database).giveUp(except: [])?.leases.map(\.spent) == [80])
    }

    @Test("What a sale spent that is void stays known after the lease's end, until the hub has ended it")
    func voidedBeforeEnd() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 100)])
        let sale = try await store.ledger.commit(try draft(1, ["a": 80])).sale
        _ = try await void(sale.orderId, in: store)
        try await SQLiteTerminalFacts(store.database).keep(hubTime: Self.end + 86_400_001)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false, now: Self.noon)
        let leases = SQLiteLeases(again.database)
        try await leases.keep([record("a", 100, version: 2, isRecalled: true)])
        #expect(try await leases.giveUp(except: [])?.leases.map(\.spent) == [80])
    }

    @Test("A lease goes with its member to another one")
    func moved() async throws {
        let store = try await StoreFixture(now: Self.noon)
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100), record("a", 100, version: 2).about("m2")])
        #expect(try await left(store) == [])
        #expect(try await leases.held(.points, of: "m2", at: Self.noon).map(\.left) == [100])
    }

    @Test("A database that is restored between a return and its response spends nothing, and returns again")
    func restoredReturn() async throws {
        let store = try await StoreFixture(now: Self.noon)
        try await SQLiteLeases(store.database).keep([record("a", 100)])
        _ = try await store.ledger.commit(try draft(1, ["a": 30]))
        let old = try await store.database.read { try Data($0.serialized()) }
        try await SQLiteLeases(store.database).keep([
            record("a", 100, version: 2, isRecalled: true), record("b", 40, isRecalled: true),
        ])
        _ = try await SQLiteLeases(store.database).giveUp(except: [])
        let again = try await restore(old, in: store)
        let leases = SQLiteLeases(again.database)
        #expect(try await left(again) == [])
        // What the feed brings anew was given up too.
        try await leases.keep([record("b", 40, version: 2)])
        #expect(try await left(again) == [])
        #expect(
            try await leases.giveUp(except: [])?.leases == [
                LeaseReturn.Part(leaseId: "a", spent: 30), LeaseReturn.Part(leaseId: "b", spent: 0),
            ])
        try await leases.noteReturned(["a", "b"])
        // A copy from before the response returns it once more, and the hub knows it.
        let later = try await restore(old, in: again)
        #expect(try await SQLiteLeases(later.database).giveUp(except: [])?.leases.map(\.leaseId) == ["a"])
    }

    @Test("What the hub ended is not spent again after a void, nor what another identity was lent")
    func ended() async throws {
        let store = try await StoreFixture()
        let leases = SQLiteLeases(store.database)
        try await leases.keep([record("a", 100), record("b", 50)])
        let sale = try await store.ledger.commit(try draft(1, ["a": 30])).sale
        try await store.database.write { try LeaseTable(database: $0).end(["a"]) }
        #expect(try await void(sale.orderId, in: store) == nil)
        #expect(try await left(store) == [50])
        try await SQLiteTerminalFacts(store.database).enrol(
            Enrolment(
                terminalId: "another", storeId: "north-7", terminalNumber: 4, token: "t",
                tokenExpiresAt: "2026-12-01T00:00:00.000Z"), epoch: 1)
        #expect(try await left(store) == [])
    }
}

extension Database {
    /// The whole database as a file has it.
    fileprivate func serialized() throws -> Data {
        let copy = NSTemporaryDirectory() + "lease-\(UInt64.random(in: 0 ... .max)).sqlite"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try execute(sql: "VACUUM INTO ?", arguments: [copy])
        return try Data(contentsOf: URL(filePath: copy))
    }
}

extension SQLiteLeases {
    fileprivate func keep(_ leases: [LeaseRecord]) async throws(StorageError) {
        try await keep(LentLeases(leases: leases))
    }
}
