import Credentials
import Foundation
import GRDB
import HubProtocol
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Cashiers' PINs on the terminal's disk")
struct CashierSealingTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    private func bytes(_ name: String) -> Data {
        (try? Data(contentsOf: URL(fileURLWithPath: home.path + "/" + name))) ?? Data()
    }

    private static func li(_ hash: String, role: String) -> Change {
        Change(
            entity: "cashier", entityId: "c1", version: 1, isDeleted: false, deletedAt: nil, hlc: "h",
            origin: nil, value: ["id": "c1", "name": "Li", "role": .string(role), "pinHash": .string(hash)])
    }

    @Test("are sealed as the hub sends them, and nothing of what it sent is left")
    func converted() async throws {
        // hashlib.scrypt(b"1234", salt=bytes(range(16)), n=2**14, r=8, p=1, dklen=32)
        let hash = "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$WN+87vPtGO4o1fwEttloKNIwtqGZqnsfkSCWNJhrpMg"
        let store = try await StoreFixture(home: home, enrolled: false)
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            ChangePage(changes: [Self.li(hash, role: "manager")], cursor: "c", hasMore: false))
        let copy = SQLiteFeedCopy(store.database) { 0 }
        try await copy.refresh()
        let li = try #require(copy.cashier("c1"))
        #expect(li.role == .manager)
        #expect(try await copy.check("1234", of: "c1") == .right(li))
        #expect(try await copy.check("1235", of: "c1") == .wrong)
        #expect(try await copy.counts().cheapCashiers == ["c1"])
        let output = try #require(hash.split(separator: "$").last)
        for name in try FileManager.default.contentsOfDirectory(atPath: home.path) {
            #expect(bytes(name).range(of: Data(output.utf8)) == nil, "\(name)")
        }
    }

    @Test(
        "are sealed under a secret of 32 bytes that only the owner can read and that is not in the database")
    func secretFile() async throws {
        let path = home.path + "/device.secret"
        _ = try await StoreFixture(home: home)
        let secret = bytes("device.secret")
        #expect(secret.count == 32)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(bytes("terminal.sqlite").range(of: secret) == nil)
        #expect(bytes("terminal.sqlite-wal").range(of: secret) == nil)
    }

    @Test("cannot be checked without that secret: they are dropped, and the next pull starts again")
    func secretLost() async throws {
        let hash = try #require(PINHash(hashing: "1234")).text
        let first = try await StoreFixture(home: home, enrolled: false)
        let whole = SQLiteCatalogue(first.database, now: { 0 })
        let change = Self.li(hash, role: "cashier")
        try await whole.apply(ChangePage(changes: [change], cursor: "d", hasMore: false))
        first.database.close()
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: home.path + "/device.secret"))

        let second = try await StoreFixture(home: home, enrolled: false)
        let copy = SQLiteFeedCopy(second.database) { 0 }
        try await copy.refresh()
        #expect(copy.hasCashiers && copy.cashier("c1")?.verifier == nil)
        let catalogue = SQLiteCatalogue(second.database, now: { 0 })
        #expect(try await catalogue.cursor() == nil)
        try await catalogue.apply(ChangePage(changes: [change], cursor: "e", hasMore: false))
        try await copy.refresh()
        #expect(copy.cashier("c1")?.verifier != nil)
        #expect(FileManager.default.fileExists(atPath: home.path + "/quarantine/device.secret.1"))
    }

    @Test("that were wrong are counted over another opening of the database")
    func failedPINs() async throws {
        let first = try await StoreFixture(home: home)
        let moment = MachineMoment(wall: 5, boot: 6, bootId: "b")
        let store = SQLiteFailedPINs(first.database)
        try await store.keep(FailedPINs(count: 4, last: moment), of: "c1", forgetting: [])
        try await store.keep(FailedPINs(count: 5, last: moment), of: "c1", forgetting: [])
        try await store.keep(FailedPINs(count: 1, last: moment), of: "x", forgetting: [])
        try await store.keep(FailedPINs(count: 1, last: moment), of: "y", forgetting: ["x"])
        first.database.close()
        let second = SQLiteFailedPINs(try TerminalDatabase.open(home: home.path))
        #expect(try await second.failedPINs()["c1"] == FailedPINs(count: 5, last: moment))
        #expect(try await second.failedPINs().keys.sorted() == ["c1", "y"])
        try await second.keep(nil, of: "c1", forgetting: [])
        #expect(try await second.failedPINs().keys.sorted() == ["y"])
    }
}
