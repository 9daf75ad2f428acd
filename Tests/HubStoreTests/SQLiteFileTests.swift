import Foundation
import DirectSQLite
import GRDB
import HubCore
import HubProtocol
import HubStore
import Synchronization
import TestKit
import Testing

@testable import HubStoreSQLite

@Suite("SQLiteFile")
struct SQLiteFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let ledger: SQLiteLedger

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("hub.sqlite")
        ledger = try SQLiteLedger(path: path)
    }

    @Test("Every commit is synced: the level is read back from the writing connection")
    func durability() throws {
        let level = try ledger.file.pool.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        let mode = try ledger.file.pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(level == 2)
        #expect(mode == "wal")
    }

    @Test("The log is copied beside the writer, begins anew, and is complete when it closes")
    func checkpoint() throws {
        let path = folder.path("copied.sqlite")
        let file = try SQLiteFile(path: path, schema: .ledger, checkpointPages: 8)
        func length(_ suffix: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
        }
        func write(_ row: Int) throws {
            try file.pool.write { db in
                try db.execute(
                    sql: "INSERT INTO meta (key, value) VALUES (?, ?)",
                    arguments: ["row\(row)", String(repeating: "x", count: 8_192)])
            }
        }
        // The copy is a thread of its own, so how many commits it takes is not said: until the log holds what
        // was written since it began anew, not all of it.
        var row = 0
        while try length("") < 8_192 * 100 || length("-wal") > length("") / 2 {
            try write(row)
            row += 1
            try #require(row < 20_000)
        }
        for more in row..<(row + 50) { try write(more) }
        file.close()
        // Without its log.
        try FileManager.default.copyItem(atPath: path, toPath: folder.path("alone.sqlite"))
        let alone = try DatabaseQueue(path: folder.path("alone.sqlite"))
        let rows = try alone.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM meta WHERE key LIKE 'row%'")
        }
        #expect(rows == row + 50)
    }

    @Test("Beside readers one over the other the log begins anew past sixteen times its length")
    func readers() async throws {
        let path = folder.path("read.sqlite")
        let file = try SQLiteFile(path: path, schema: .ledger, checkpointPages: 8)
        let isOver = Mutex(false)
        let reading = Task.detached {
            var reader = try Self.reader(of: path)
            while !isOver.withLock({ $0 }) {
                // The next one begins before this one ends.
                let next = try Self.reader(of: path)
                try reader.close()
                reader = next
            }
            try reader.close()
        }
        var longest = 0
        for row in 0..<1_500 {
            try await file.pool.write { db in
                try db.execute(
                    sql: "INSERT INTO meta (key, value) VALUES (?, ?)",
                    arguments: ["row\(row)", String(repeating: "x", count: 8_192)])
            }
            let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
            longest = max(longest, log)
        }
        isOver.withLock { $0 = true }
        try await reading.value
        file.close()
        // 1,500 rows are 18 MB of log.
        #expect(longest < 1_000 * 4_096, "\(longest)")
    }

    /// A connection that reads what is there now until it is closed.
    private static func reader(of path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.unsafeRead { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM meta")
        }
        return queue
    }

    @Test(
        "A long log is copied with each commit until it began anew, and readers are waited for now and then")
    func plan() {
        var plan = CheckpointPlan(from: 10)
        func steps(_ lengths: Int...) -> [CheckpointPlan.Step] { lengths.map { plan.step(at: $0) } }
        #expect(steps(9, 10, 30) == [.nothing, .copyBeside, .nothing])
        plan.copied()
        #expect(steps(31, 32) == [.copy, .copyBeside])
        plan.copied()
        #expect(steps(40, 41, 159, 160, 161, 170) == [.copy, .copy, .copy, .restart, .copy, .restart])
        #expect(steps(3, 11) == [.nothing, .copyBeside])
        plan.close()
        plan.copied()
        #expect(steps(500) == [.nothing])
    }

    @Test("A commit after the copying connection was closed copies nothing")
    func closedCopy() throws {
        let path = folder.path("closing.sqlite")
        let queue = try DatabasePool(path: path)
        let checkpoint = try BackgroundCheckpoint(path: path, from: 1, busyMilliseconds: 1_000)
        try queue.write { db in try db.execute(sql: "CREATE TABLE kept (a)") }
        queue.writeWithoutTransaction { db in checkpoint.watch(db) }
        checkpoint.close()
        for row in 0..<20 {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO kept VALUES (?)", arguments: [row])
            }
        }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM kept") } == 20)
        try queue.close()
        checkpoint.close()
    }

    @Test("A log of which somebody reads is not emptied, and says so")
    func emptyLog() throws {
        let path = folder.path("emptied.sqlite")
        let file = try SQLiteFile(path: path, schema: .ledger, checkpointPages: 1)
        func write(_ row: String) throws {
            try file.pool.write { db in
                try db.execute(sql: "INSERT INTO meta (key, value) VALUES (?, '')", arguments: [row])
            }
        }
        try write("before")
        let reader = try Self.reader(of: path)
        try write("after")
        #expect(throws: DatabaseError.self) { try file.emptyLog() }
        try reader.close()
        try file.emptyLog()
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
        file.close()
    }

    @Test("A release reads the sales whose points wait, and no other flags")
    func heldPoints() throws {
        let plan = try ledger.file.pool.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + HeldPoints.query, arguments: ["T1", 0, nil])
                .map { $0["detail"] as String }
        }
        #expect(plan.first?.contains("flags_of_held_points (terminal_id=? AND received_at>?)") == true)
        #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("The measure of a terminal reads its own rows, and of its store once a day")
    func earnedPoints() throws {
        let plan = try ledger.file.pool.read { db in
            try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN " + EarnedPoints.own(in: .sqlite), arguments: ["S1", "[]", 0]
            ).map { $0["detail"] as String }
        }
        let own = "USING PRIMARY KEY (store_id=? AND terminal_id=? AND received_day>?)"
        #expect(plan.contains { $0.contains(own) }, "\(plan)")

        let known = KnownEarned()
        var reads: [String] = []
        for (store, today): (String, Int64) in [("S1", 7), ("S2", 7), ("S1", 7), ("S1", 8), ("S1", 8)] {
            let days = try known.days(of: store, before: today) {
                reads.append("\(store) \(today)")
                return [EarnedDay(day: today, points: 1, sales: 1, total: 1)]
            }
            #expect(days.count == 1)
        }
        #expect(reads == ["S1 7", "S2 7", "S1 8"])
    }

    @Test("Only the owner can read the store")
    func permissions() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A store of a newer hub is refused and stays as it is, byte by byte")
    func newerSchema() throws {
        let path = folder.path("newer.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE kept (a); PRAGMA user_version = 99")
        }
        try queue.close()
        let before = FileManager.default.contents(atPath: path)
        #expect(throws: LedgerError.newerSchema(path: path, found: 99, known: 1)) {
            try SQLiteLedger(path: path)
        }
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test("A file that is no database, and a folder that cannot be made, are refused with a message")
    func unusable() throws {
        let path = folder.path("text.sqlite")
        try String(repeating: "no database ", count: 100).write(
            toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: LedgerError.self) { try SQLiteLedger(path: path) }
        #expect(throws: LedgerError.self) { try SQLiteLedger(path: path + "/below/hub.sqlite") }
    }

    @Test(
        "While another process has the store locked, all pending calls fail as busy at once; later all succeed"
    )
    func heldByAnother() async throws {
        let ledger = self.ledger
        var holding = Configuration()
        holding.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: holding)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let clock = ContinuousClock()
        let alone = await clock.measure {
            await #expect(throws: LedgerError.busy) { try await ledger.checkWritable() }
        }
        let start = clock.now
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(LedgerError) {
                        try await ledger.checkWritable()
                        return false
                    } catch {
                        return error == .busy
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refusals == 20)
        // Twenty that waited one after the other would take twenty times as long as one.
        #expect(clock.now - start < alone * 15)
        #expect(try await ledger.product(barcode: "1") == nil)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await ledger.checkWritable()
    }

    @Test("A full disk refuses the push, nothing of it stays, and with room it is accepted")
    func fullDisk() async throws {
        var till = Till()
        let small = try till.push([till.minted()])
        let large = try till.push([
            till.minted("shift.opened", ["text": .string(String(repeating: "x", count: 400_000))])
        ])
        _ = try await ledger.ingest(small)
        let pages = try limit(pages: 0)
        try #require(pages > 0)
        await #expect(throws: LedgerError.full) { try await ledger.ingest(large) }
        _ = try limit(pages: 1_000_000)
        guard case .results(let response) = try await ledger.ingest(large) else {
            Issue.record("the journal was refused")
            return
        }
        #expect(response.results.first?.outcome == .applied)
        #expect(response.acknowledgedThrough == 2)
    }

    /// Sets the largest size of the database in pages; below its present size, to that.
    private func limit(pages: Int) throws -> Int {
        try ledger.file.pool.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA max_page_count = \(max(pages, 1))") ?? 0
        }
    }
}
