import Base
import Foundation
import GRDB
import HubCore
import HubStore
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

/// Damage in the hub's own files is found, and the store's sums are compared with the journal.
@Suite("A damaged store of the hub")
struct DamagedStoreTests {
    /// A closed store of some sales at `path`, all of it in the one file.
    private func filled(_ path: String) async throws {
        let ledger = try SQLiteLedger(path: path)
        try await ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        _ = try await ledger.enrol(
            EnrolmentApplicant(
                terminalId: "T1", codeDigest: "a", name: "till", publicKey: "k", tokenExpiresAt: 500), at: 50)
        var till = Till()
        for _ in 0..<6 {
            let sales = (0..<20).map { _ in till.sale() }
            _ = try await ledger.ingest(till.push(sales))
        }
        ledger.close()
    }

    @Test(
        "Random bytes in a page are found at the start of a hub, or by the check, at every seed",
        arguments: 1...6)
    func pages(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("hub.sqlite")
        try await filled(path)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var generator = SplitMix64(seed: UInt64(seed))
        // The heads of a few pages: room that is free holds nothing that could be damaged.
        for _ in 0..<3 {
            let page = Int.random(in: 2..<bytes.count / 4096, using: &generator) * 4096
            for index in page..<page + 64 { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do throws(LedgerError) {
            _ = try SQLiteLedger(path: path, isChecked: true)
            Issue.record("a damaged store was opened")
        } catch {
            guard case .damaged(path, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
        // A command opens it all the same, to report what is wrong.
        guard let ledger = try? SQLiteLedger(path: path) else { return }
        #expect(try await !ledger.check().findings.isEmpty)
    }

    @Test("An undamaged store has no findings", arguments: StoreKind.all)
    func whole(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        var till = Till()
        _ = try await store.take(till.push([till.sale(), till.sale()]))
        let check = try await store.ledger.check()
        #expect(check.findings == [])
        #expect(!check.looked.isEmpty)
    }

    @Test("The audit finds an overwritten sum and a missing sale")
    func sums() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("hub.sqlite")
        try await filled(path)
        for sql in [
            "UPDATE orders SET total = 1 WHERE mutation_id = (SELECT min(mutation_id) FROM orders)",
            "UPDATE orders SET currency = 'USD' WHERE mutation_id = (SELECT max(mutation_id) FROM orders)",
            "DELETE FROM orders WHERE mutation_id = (SELECT mutation_id FROM orders LIMIT 1 OFFSET 5)",
            "UPDATE sales SET tax = tax + 1 WHERE mutation_id = (SELECT min(mutation_id) FROM sales)",
            "UPDATE sales SET gross = 5 WHERE mutation_id = (SELECT max(mutation_id) FROM sales)",
            "DELETE FROM sales WHERE mutation_id = (SELECT mutation_id FROM sales LIMIT 1 OFFSET 5)",
        ] {
            let copy = folder.path("copy-\(sql.count).sqlite")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let before = try SQLiteLedger(path: copy)
            #expect(try await before.audit(terminal: nil).first?.hasTrouble == false)
            before.close()
            let queue = try DatabaseQueue(path: copy)
            try await queue.write { try $0.execute(sql: sql) }
            try queue.close()
            let ledger = try SQLiteLedger(path: copy)
            let audit = try #require(try await ledger.audit(terminal: nil).first)
            #expect(audit.differingSums.count == 1)
            #expect(audit.hasTrouble)
            #expect(audit.brokenAt == nil)
        }
    }

    @Test("An overwritten sum is found on PostgreSQL", .enabled(if: PostgresServer.isAvailable))
    func sumsOnPostgres() async throws {
        let store = try TemporaryStore(.postgresql)
        try await store.enrol("T1")
        var till = Till()
        _ = try await store.take(till.push([till.sale(), till.sale()]))
        #expect(try await store.ledger.audit(terminal: nil).first?.differingSums == [])
        let ledger = try #require(store.ledger as? PostgresLedger)
        _ = try await ledger.database.perform { connection throws(PostgresError) in
            try connection.query(
                "UPDATE orders SET total = 1 WHERE mutation_id IN (SELECT min(mutation_id) FROM orders)")
        }
        let audit = try #require(try await ledger.audit(terminal: nil).first)
        #expect(audit.differingSums.count == 1)
        #expect(audit.hasTrouble)
    }

    @Test("A damaged file of decisions is kept aside and they start anew, under an issuer of their own")
    func decisions() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("qos.sqlite")
        let first = try SQLiteQoSLedger(path: path)
        let issuer = try await first.load().issuer
        let garbage = Array(repeating: UInt8(0x5A), count: 8192)
        try Data(garbage).write(to: URL(fileURLWithPath: folder.path("broken.sqlite")))
        var aside: [String] = []
        let path2 = folder.path("broken.sqlite")
        let anew = try SQLiteQoSLedger.opened(path: path2) { aside.append($0) }
        #expect(aside == [path2 + ".damaged-1"])
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: aside[0]))) == garbage)
        let memory = try await anew.load()
        #expect(memory.issuer != issuer)
        #expect(memory.services.isEmpty)
        _ = try SQLiteQoSLedger.opened(path: path) { aside.append($0) }
        #expect(aside.count == 1)
    }
}
