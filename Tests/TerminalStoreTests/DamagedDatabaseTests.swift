import Base
import Foundation
import GRDB
import Glibc
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("A damaged database")
struct DamagedDatabaseTests {
    private static let files = ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json", "device.secret"]

    /// A till with `sales` sales, of which the hub has the first third.
    private func sold(_ sales: Int) async throws -> (home: TemporaryHome, bodies: [Int64: [UInt8]]) {
        let store = try await StoreFixture()
        try await store.sell(1...UInt64(sales))
        let outbox = SQLiteOutbox(store.database)
        let rows = try await outbox.pending(after: 0, limit: 10_000)
        let applied = rows.prefix(sales / 3).map {
            PushResult(id: $0.id, outcome: .applied, document: "{}")
        }
        try await outbox.record(applied, acknowledgedThrough: Int64(applied.count))
        let bodies = Dictionary(uniqueKeysWithValues: rows.map { ($0.sequence, $0.body) })
        // While it is open, as a kill would leave it: closing takes the log away.
        return (try withExtendedLifetime(store) { try store.home.copy(Self.files) }, bodies)
    }

    /// Nil for an undamaged database.
    private func repaired(_ home: TemporaryHome) throws -> DatabaseRepair.Outcome? {
        let result = Result { () throws(DatabaseRepair.Failure) in
            try DatabaseRepair(home: home.path).run(at: StoreFixture.noon)
        }
        if case .failure(.notDamaged) = result { return nil }
        return try result.get()
    }

    /// The entries of the database in `home`, sequence and body.
    private func entries(in database: TerminalDatabase) async throws -> [Int64: [UInt8]] {
        try await database.read { connection in
            let rows = try Row.fetchAll(connection, sql: "SELECT sequence, body FROM journal")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["sequence"], ($0["body"] as Blob).bytes) })
        }
    }

    @Test(
        "random bytes in a page: every entry is brought over as it was written or named, and no number repeats",
        arguments: 1...12)
    func pages(seed: Int) async throws {
        let (source, bodies) = try await sold(60)
        let live = try source.copy(Self.files)
        // Everything into the one file, as after a checkpoint.
        TerminalDatabase.closed(try TerminalDatabase.open(home: live.path))
        var generator = SplitMix64(seed: UInt64(seed))
        var bytes = try live.read("terminal.sqlite")
        let page = Int.random(in: 1..<bytes.count / 2048, using: &generator)
        let start = page * 2048 + Int.random(in: 0..<1900, using: &generator)
        for index in start..<start + 64 { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
        try live.write(bytes, to: "terminal.sqlite")

        // Nil: free room was hit, or bytes of an entry, which the chain finds.
        guard let outcome = try repaired(live) else { return }
        #expect(try live.read("quarantine/terminal.sqlite.1") == bytes)
        #expect(outcome.epoch == 2 || outcome.report["identity"] == "lost")
        let repaired = try TerminalDatabase.open(home: live.path)
        let kept = try await entries(in: repaired)
        let lost = (outcome.report["lost"]?.array ?? []).compactMap { $0["sequence"]?.integer }
        #expect(kept.allSatisfy { bodies[$0.key] == $0.value })
        #expect(Set(kept.keys).union(lost) == Set(bodies.keys))
        // 64 bytes are in one page, and an entry in one or two.
        #expect(kept.count >= 55)
        #expect(await repaired.verify() == [])
        guard outcome.report["identity"] == "kept" else { return }
        let draft = try StoreFixture.draft(1000)
        let sale = try await SQLiteSaleLedger(repaired).commit(draft).sale
        #expect(sale.orderNumber.counter > 60)
    }

    @Test("a header that is gone, with and without the log", arguments: [false, true])
    func header(inLog: Bool) async throws {
        let (source, bodies) = try await sold(40)
        let live = try source.copy(Self.files)
        if !inLog { TerminalDatabase.closed(try TerminalDatabase.open(home: live.path)) }
        var bytes = try live.read("terminal.sqlite")
        for index in 0..<min(100, bytes.count) { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
        try live.write(
            bytes + (bytes.count < 100 ? Array(repeating: 7, count: 100) : []), to: "terminal.sqlite")
        #expect(throws: TerminalDatabaseError.self) { try TerminalDatabase.open(home: live.path) }
        let outcome = try DatabaseRepair(home: live.path).run(at: StoreFixture.noon)
        #expect(outcome.report["lostCount"] == 0)
        #expect(outcome.report["identity"] == "kept")
        #expect(outcome.report["pending"] == 27)
        let repaired = try TerminalDatabase.open(home: live.path)
        #expect(try await entries(in: repaired) == bodies)
        #expect(try await SQLiteOutbox(repaired).depth().pending == 27)
        #expect(try await SQLiteTerminalFacts(repaired).enrolment()?.token == "secret")
        // The same key is the same sale.
        let again = try await SQLiteSaleLedger(repaired).commit(try StoreFixture.draft(40))
        #expect(again.sale.orderNumber.counter == 40)
    }

    @Test("a file that was cut off: what is before the cut is copied, the rest is named")
    func truncated() async throws {
        let (source, bodies) = try await sold(60)
        let live = try source.copy(Self.files)
        TerminalDatabase.closed(try TerminalDatabase.open(home: live.path))
        let bytes = try live.read("terminal.sqlite")
        try live.write(Array(bytes.prefix(bytes.count * 2 / 3)), to: "terminal.sqlite")
        let outcome = try DatabaseRepair(home: live.path).run(at: StoreFixture.noon)
        let kept = try await entries(in: try TerminalDatabase.open(home: live.path))
        let lost = (outcome.report["lost"]?.array ?? []).compactMap { $0["sequence"]?.integer }
        #expect(!lost.isEmpty)
        #expect(!kept.isEmpty)
        #expect(kept.allSatisfy { bodies[$0.key] == $0.value })
        #expect(Set(kept.keys).union(lost) == Set(bodies.keys))
    }

    @Test("a damaged frame of the log hides no commit after it")
    func log() async throws {
        let (source, bodies) = try await sold(30)
        let live = try source.copy(Self.files)
        var bytes = try live.read("terminal.sqlite-wal")
        let frame = 24 + 2048
        let start = 32 + (bytes.count / frame / 2) * frame + 24
        for index in start + 100..<start + 164 { bytes[index] ^= 0x5A }
        try live.write(bytes, to: "terminal.sqlite-wal")
        #expect(throws: TerminalDatabaseError.self) { try TerminalDatabase.open(home: live.path) }
        let outcome = try DatabaseRepair(home: live.path).run(at: StoreFixture.noon)
        #expect(try live.read("quarantine/terminal.sqlite-wal.1") == bytes)
        let kept = try await entries(in: try TerminalDatabase.open(home: live.path))
        #expect(kept.count >= 29)
        #expect(kept.allSatisfy { bodies[$0.key] == $0.value })
        let lost = (outcome.report["lost"]?.array ?? []).compactMap { $0["sequence"]?.integer }
        #expect(Set(kept.keys).union(lost) == Set(bodies.keys))
    }

    @Test("a repair that was killed anywhere is finished by the next one")
    func killed() async throws {
        let (source, bodies) = try await sold(20)
        for stage in 0...3 {
            let live = try source.copy(Self.files)
            TerminalDatabase.closed(try TerminalDatabase.open(home: live.path))
            var bytes = try live.read("terminal.sqlite")
            bytes[3] = 0
            try live.write(bytes, to: "terminal.sqlite")
            // What it leaves when it is killed after each of its steps.
            let other = try live.copy(Self.files)
            _ = try DatabaseRepair(home: other.path).run(at: StoreFixture.noon)
            let fresh = try other.read("terminal.sqlite")
            switch stage {
            case 0: try live.write(Array(fresh.prefix(5000)), to: "terminal.sqlite.repairing")
            case 1: try live.write(fresh, to: "terminal.sqlite.repaired")
            case 2:
                try live.write(fresh, to: "terminal.sqlite.repaired")
                try live.makeFolder("quarantine")
                try live.write(bytes, to: "quarantine/terminal.sqlite.1")
                try live.remove("terminal.sqlite")
            default: try live.write(fresh, to: "terminal.sqlite")
            }
            if (1...2).contains(stage) {
                #expect(throws: TerminalDatabaseError.repairUnfinished(path: live.path + "/terminal.sqlite"))
                {
                    try TerminalDatabase.open(home: live.path, creating: true)
                }
            }
            if stage < 3 { _ = try DatabaseRepair(home: live.path).run(at: StoreFixture.noon) }
            let repaired = try TerminalDatabase.open(home: live.path)
            #expect(try await entries(in: repaired) == bodies)
            #expect(live.exists("quarantine/terminal.sqlite.1") == (stage < 3))
            repaired.close()
        }
    }

    @Test("an undamaged database is not changed, and none is created where there was none")
    func whole() async throws {
        let (source, _) = try await sold(3)
        let live = try source.copy(Self.files)
        #expect(throws: DatabaseRepair.Failure.notDamaged) {
            try DatabaseRepair(home: live.path).run(at: StoreFixture.noon)
        }
        let empty = try TemporaryHome()
        #expect(throws: DatabaseRepair.Failure.missing(path: empty.path + "/terminal.sqlite")) {
            try DatabaseRepair(home: empty.path).run(at: StoreFixture.noon)
        }
        #expect(try empty.names() == [])
    }

    @Test("an export of a damaged database has what can be read, and a hub can read the file")
    func export() async throws {
        let (source, bodies) = try await sold(40)
        let live = try source.copy(Self.files)
        TerminalDatabase.closed(try TerminalDatabase.open(home: live.path))
        var bytes = try live.read("terminal.sqlite")
        let place = bytes.count / 2048 / 2 * 2048
        for index in place..<place + 2048 { bytes[index] = 0xA5 }
        try live.write(bytes, to: "terminal.sqlite")
        let file = live.path + "/export"
        let summary = try await SQLiteJournalExport(salvaging: live.path).write(
            to: file,
            SQLiteJournalExport.Order(
                exportedAt: "2026-11-22T08:00:00.000Z", plainReason: "test", publicKey: nil,
                sign: { _ in nil }))
        let journal = try JournalExport([UInt8](Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(journal.heading.version == JournalExport.salvagedVersion)
        #expect(journal.entries.count == summary.entries)
        #expect(journal.entries.allSatisfy { bodies[$0.sequence] == $0.json.canonicalBytes })
        #expect(summary.salvage?["lostCount"]?.integer == Int64(40 - summary.entries))
        #expect(try live.read("terminal.sqlite") == bytes)
    }
}

@Suite("A database with less than was recorded")
struct JournalLossTests {
    private static let all = ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json", "device.secret"]

    /// The high-water file names its own number in the file system, which a copy has not.
    private func moved(_ home: TemporaryHome, without names: [String] = []) throws {
        for name in names { try home.remove(name) }
    }

    @Test("a log that was removed after a kill is detected once, and the numbers continue after it")
    func logGone() async throws {
        let store = try await StoreFixture()
        store.database.close()
        let running = try await StoreFixture(home: store.home, enrolled: false)
        try await running.sell(1...40)
        let killed = try store.home.copy(Self.all)
        try moved(killed, without: ["terminal.sqlite-wal"])
        let database = try TerminalDatabase.open(home: killed.path)
        let loss = try #require(try await SQLiteTerminalFacts(database).journalLoss())
        #expect(!loss.hadLog)
        #expect(loss.found == "0-0")
        #expect(loss.reserved == "20261121-128")
        let sale = try await SQLiteSaleLedger(database).commit(try StoreFixture.draft(99)).sale
        #expect(sale.orderNumber.counter > 40)
        database.close()
        let again = try TerminalDatabase.open(home: killed.path)
        #expect(try await SQLiteTerminalFacts(again).journalLoss() == loss)
    }

    @Test("a kill with its log, a clean end and idle runs in between are no loss")
    func honest() async throws {
        let store = try await StoreFixture()
        store.database.close()
        let running = try await StoreFixture(home: store.home, enrolled: false)
        try await running.sell(1...40)
        let killed = try store.home.copy(Self.all)
        for _ in 0..<3 {
            let database = try TerminalDatabase.open(home: killed.path)
            #expect(try await SQLiteTerminalFacts(database).journalLoss() == nil)
            database.close()
            #expect(!killed.exists("terminal.sqlite-wal"))
        }
        running.database.close()
        let ended = try TerminalDatabase.open(home: store.home.path)
        #expect(try await SQLiteTerminalFacts(ended).journalLoss() == nil)
    }

    @Test("an older copy of the database with its own log is detected by today's high-water file")
    func olderCopy() async throws {
        let store = try await StoreFixture()
        store.database.close()
        let running = try await StoreFixture(home: store.home, enrolled: false)
        try await running.sell(1...3)
        let older = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "device.secret"])
        try await running.sell(4...400)
        try older.write(store.home.read("high-water.json"), to: "high-water.json")
        let database = try TerminalDatabase.open(home: older.path)
        let loss = try #require(try await SQLiteTerminalFacts(database).journalLoss())
        #expect(loss.hadLog)
        #expect(loss.found == "20261121-3")
    }
}

extension TerminalDatabase {
    /// Brings all of the log into the file.
    static func closed(_ database: TerminalDatabase) { database.close() }
}
