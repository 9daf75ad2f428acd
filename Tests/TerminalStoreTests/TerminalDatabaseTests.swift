import GRDB
import Glibc
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("The terminal's database")
struct TerminalDatabaseTests {
    @Test("commits are synced: the level is FULL after opening and after opening again")
    func synchronous() async throws {
        let store = try await StoreFixture()
        #expect(try await store.number("PRAGMA synchronous") == 2)
        #expect(try await store.number("SELECT 1 FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        #expect(try await again.number("PRAGMA synchronous") == 2)
    }

    @Test("pages are small, and the log is bounded in bytes, also with pages of another size")
    func pages() async throws {
        let store = try await StoreFixture()
        #expect(try await store.number("PRAGMA page_size") == 2048)
        #expect(try await store.number("PRAGMA wal_autocheckpoint") == 2048)
        let home = try TemporaryHome()
        let queue = try DatabaseQueue(path: home.path + "/terminal.sqlite")
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA page_size = 4096")
            try Schema.migrate(database)
        }
        try queue.close()
        let older = try await StoreFixture(home: home)
        #expect(try await older.number("PRAGMA page_size") == 4096)
        #expect(try await older.number("PRAGMA wal_autocheckpoint") == 1024)
    }

    @Test("a database that is not there is not made unless a terminal is being set up")
    func missing() throws {
        let home = try TemporaryHome()
        #expect(throws: TerminalDatabaseError.missing(path: home.path + "/terminal.sqlite")) {
            try TerminalDatabase.open(home: home.path)
        }
        #expect(try home.names() == [])
    }

    @Test("a newer schema is refused and its files are as they were", arguments: [false, true])
    func newer(inLogAlone: Bool) async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        if !inLogAlone { store.database.close() }
        let home: TemporaryHome
        if inLogAlone {
            try await store.database.access { try $0.execute(sql: "PRAGMA user_version = 99") }
            home = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        } else {
            home = store.home
            var bytes = try home.read("terminal.sqlite")
            bytes[63] = 99
            try home.write(bytes, to: "terminal.sqlite")
        }
        let files = ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"].filter(home.exists)
        let before = try files.map(home.read)
        #expect(
            throws: TerminalDatabaseError.newerSchema(
                path: home.path + "/terminal.sqlite", found: 99, known: Schema.current)
        ) {
            try TerminalDatabase.open(home: home.path, creating: true)
        }
        #expect(try files.map(home.read) == before)
    }

    @Test("another program's database is refused")
    func foreign() throws {
        let home = try TemporaryHome()
        let queue = try DatabaseQueue(path: home.path + "/terminal.sqlite")
        try queue.write {
            try $0.execute(sql: "PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE t (x)")
        }
        try queue.close()
        #expect(throws: TerminalDatabaseError.foreign(path: home.path + "/terminal.sqlite")) {
            try TerminalDatabase.open(home: home.path)
        }
    }

    @Test("a damaged file is refused, stays where it is, and is moved only on a person's request")
    func damaged() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...50)
        store.database.close()
        let home = store.home
        var bytes = try home.read("terminal.sqlite")
        for index in 0..<4096 { bytes[index] = UInt8(truncatingIfNeeded: index) }
        try home.write(bytes, to: "terminal.sqlite")
        for _ in 0..<2 {
            do throws(TerminalDatabaseError) {
                _ = try TerminalDatabase.open(home: home.path, creating: true)
                Issue.record("a damaged file was opened")
            } catch {
                guard case .corrupt = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
        #expect(try home.read("terminal.sqlite") == bytes)
        _ = try DatabaseRepair(home: home.path).run(at: StoreFixture.noon)
        #expect(try home.read("quarantine/terminal.sqlite.1") == bytes)
    }

    @Test("a log whose database is missing does not start an empty one")
    func orphanedLog() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...1)
        let home = try store.home.copy(["terminal.sqlite-wal"])
        #expect(
            throws: TerminalDatabaseError.corrupt(
                path: home.path + "/terminal.sqlite", detail: "its log is there and the database is gone")
        ) {
            try TerminalDatabase.open(home: home.path, creating: true)
        }
    }

    @Test("a handle that failed is closed, and the next access verifies the file again")
    func reopens() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        await #expect(throws: StoreFailure.self) {
            try await store.database.write { _ in
                throw DatabaseError(resultCode: .SQLITE_IOERR, message: "the disk is gone")
            }
        }
        try await store.sell(3...3)
        #expect(try await store.number("PRAGMA synchronous") == 2)
        #expect(try await store.number("SELECT count(*) FROM orders") == 3)
        #expect(await store.database.verify() == [])
        store.database.close()
        #expect(await store.database.reopenings.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test("a sale whose commit failed is recorded only if the disk has it")
    func failedCommit() async throws {
        let store = try await StoreFixture()
        try makeUnwritable(store.home.path + "/terminal.sqlite-wal")
        await #expect(throws: StorageError.self) { try await store.sell(1...1) }
        #expect(try await store.ledger.sale(key: StoreFixture.key(1)) == nil)
        let sale = try await store.ledger.commit(try StoreFixture.draft(1)).sale
        #expect(sale.orderNumber.counter == 1)
    }

    @Test("a changed, a missing and a moved journal entry are found")
    func tampered() async throws {
        let damage = [
            "UPDATE journal SET body = replace(body, 'Milk', 'Wine') WHERE sequence = 2",
            "DELETE FROM journal WHERE sequence = 2",
            "UPDATE journal SET hash = (SELECT hash FROM journal WHERE sequence = 1) WHERE sequence = 2",
        ]
        for sql in damage {
            let store = try await StoreFixture()
            try await store.sell(1...3)
            try await store.database.access { try $0.execute(sql: sql) }
            #expect(await store.database.verify() != [])
        }
    }

    @Test("after closing nothing is written any more")
    func closed() async throws {
        let store = try await StoreFixture()
        store.database.close()
        store.database.close()
        await #expect(throws: StorageError.self) { try await store.sell(1...1) }
    }
}

/// Lets every write to the open file at `path` fail from now on: its descriptor only reads.
private func makeUnwritable(_ path: String) throws {
    let readOnly = open(path, O_RDONLY)
    defer { close(readOnly) }
    var (wanted, found) = (stat(), stat())
    try #require(fstat(readOnly, &wanted) == 0)
    let descriptors = (0..<1024).filter { descriptor in
        descriptor != readOnly && fstat(descriptor, &found) == 0
            && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
    }
    #expect(descriptors.count == 1)
    for descriptor in descriptors { dup2(readOnly, descriptor) }
}
