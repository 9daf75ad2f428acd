import Foundation
import Glibc
import OfflineCore
import OfflineMode
import Retail
import TestKit
import Testing

@testable import TerminalStore

/// A file system of a few megabytes in memory, made and removed by the test; only root may.
private final class SmallDisk: Sendable {
    let path: String

    init?(megabytes: Int) {
        path = NSTemporaryDirectory() + "disk-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let mounting = ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]
        guard (try? Command.run(mounting)) != nil else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    deinit {
        _ = try? Command.run(["umount", "-l", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes zeros until not a byte more fits.
    func fill() throws {
        _ = FileManager.default.createFile(atPath: path + "/filler", contents: nil)
        let filler = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/filler"))
        for size in [1 << 20, 4096, 1] {
            while (try? filler.write(contentsOf: Data(count: size))) != nil {}
        }
        try filler.close()
    }

    /// Empties the file before its name goes: a child that another test has just started may hold it open.
    func empty() throws {
        _ = truncate(path + "/filler", 0)
        try FileManager.default.removeItem(atPath: path + "/filler")
    }

    static let isAllowed = SmallDisk(megabytes: 1) != nil
}

@Suite("A full disk")
struct FullDiskTests {
    @Test(
        "refuses before the tender, records no half sale, still records results, and sells on with room again",
        .enabled(if: SmallDisk.isAllowed, "mounting a small file system needs root"))
    func full() async throws {
        let disk = try #require(SmallDisk(megabytes: 40))
        let database = try TerminalDatabase.open(home: disk.path, creating: true)
        let ledger = SQLiteSaleLedger(database)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(terminalId: "t", storeId: "s", terminalNumber: 1, token: "", tokenExpiresAt: ""),
            epoch: 1)
        try await ledger.checkReadiness()
        let first = try await ledger.commit(try StoreFixture.draft(1)).sale
        try disk.fill()

        await #expect(throws: StorageError.diskFull(path: database.path)) {
            try await ledger.checkReadiness()
        }
        // The reserve was released for draining: the result fits although nothing else would.
        let outbox = SQLiteOutbox(database)
        try await outbox.record(
            [.init(id: first.mutationId, outcome: .applied, document: "{}")], acknowledgedThrough: 1)
        #expect(try await outbox.depth().pending == 0)
        await #expect(throws: StorageError.diskFull(path: database.path)) {
            try await ledger.checkReadiness()
        }

        try disk.empty()
        try await ledger.checkReadiness()
        #expect(FileManager.default.fileExists(atPath: database.reserve.path))
        _ = try await ledger.commit(try StoreFixture.draft(2))
        #expect(await database.verify() == [])
        database.close()
    }

    @Test(
        "in the middle of a commit leaves nothing of the sale",
        .enabled(if: SmallDisk.isAllowed, "mounting a small file system needs root"))
    func fullAtCommit() async throws {
        let disk = try #require(SmallDisk(megabytes: 40))
        let database = try TerminalDatabase.open(home: disk.path, creating: true)
        let ledger = SQLiteSaleLedger(database)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(terminalId: "t", storeId: "s", terminalNumber: 1, token: "", tokenExpiresAt: ""),
            epoch: 1)
        _ = try await ledger.commit(try StoreFixture.draft(1))
        try disk.fill()
        database.reserve.release()
        try disk.fill()
        var sold = UInt64(1)
        while sold < 1000, (try? await ledger.commit(try StoreFixture.draft(sold + 1))) != nil { sold += 1 }
        #expect(sold < 1000)
        try disk.empty()
        #expect(await database.verify() == [])
        #expect(try await ledger.sale(key: StoreFixture.key(sold)) != nil)
        #expect(try await ledger.sale(key: StoreFixture.key(sold + 1)) == nil)
        let next = try await ledger.commit(try StoreFixture.draft(sold + 1)).sale
        #expect(next.key == StoreFixture.key(sold + 1))
        database.close()
    }
}
