import Foundation
import HubCore
import HubProtocol
import TestKit
import Testing

@testable import HubServer

@Suite("A folder of backups")
struct BackupFolderTests {
    private static let day: Int64 = 86_400_000
    private let rotation: BackupRotation
    private let hub: TemporaryFolder
    private let folder: TemporaryFolder

    init() async throws {
        rotation = try #require(BackupRotation(daily: 2, weekly: 0, monthly: 0))
        (hub, folder) = (try TemporaryFolder(), try TemporaryFolder())
        _ = try await HubInProcess(in: hub).enrol()
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                .filter { $0 != "backups.json" && !$0.hasPrefix(".") }.sorted()
        }
    }

    @discardableResult
    private func write(of hub: TemporaryFolder? = nil, at moment: Int64) throws -> JSONValue {
        try StoreBackup.write(
            HubConfiguration(store: .sqlite(path: (hub ?? self.hub).path("hub.sqlite"))),
            into: folder.url.path, rotation: rotation, at: moment)
    }

    @Test("The third night removes the first, files of others stay, and each of them restores")
    func rotates() async throws {
        let others = ["hub-2020-01-01T000000.000Z.backup", "notes.txt"]
        for name in others { try Data("mine".utf8).write(to: folder.url.appendingPathComponent(name)) }
        try write(at: 0)
        try write(at: Self.day)
        let third = try write(at: 2 * Self.day)
        #expect(third["kept"] == 2 && third["removed"] == ["hub-1970-01-01T000000.000Z.backup"])
        #expect(third["terminals"] == 1)
        let expected = ["hub-1970-01-02T000000.000Z.backup", "hub-1970-01-03T000000.000Z.backup"] + others
        #expect(try files == expected.sorted())
        let target = try TemporaryFolder()
        let restored = try await StoreBackup.restore(
            folder.path("hub-1970-01-02T000000.000Z.backup"),
            to: HubConfiguration(store: .sqlite(path: target.path("hub.sqlite"))))
        #expect(restored["terminals"] == 1)
        let last = try #require(HubCondition.lastBackup(of: StorePaths(ledger: hub.path("hub.sqlite"))))
        #expect(last.madeAt == 2 * Self.day && last.file == third["file"]?.string)
    }

    @Test("A person's backup in the second of the timer's is a file of its own")
    func sameSecond() throws {
        try write(at: 500)
        #expect(try write(at: 501)["removed"] == ["hub-1970-01-01T000000.500Z.backup"])
        #expect(try files == ["hub-1970-01-01T000000.501Z.backup"])
    }

    @Test("Another hub's backups in the folder neither go nor count")
    func twoHubs() async throws {
        let other = try TemporaryFolder()
        _ = try await HubInProcess(in: other).enrol()
        try write(of: other, at: 1_000)
        for night in 0..<3 as Range<Int64> { try write(at: night * Self.day) }
        #expect(try files.count == 3)
        #expect(try files.contains("hub-1970-01-01T000001.000Z.backup"))
    }

    @Test("Where the disk has no room nothing is written and nothing goes")
    func noRoom() throws {
        for night in 0..<2 as Range<Int64> { try write(at: night * Self.day) }
        let (before, list) = (
            try files, try Data(contentsOf: folder.url.appendingPathComponent("backups.json"))
        )
        #expect {
            try StoreBackup.write(
                HubConfiguration(store: .sqlite(path: hub.path("hub.sqlite"))), into: folder.url.path,
                rotation: rotation, at: 9 * Self.day, free: { _ in 4_096 })
        } throws: { error in
            guard case .noRoom(folder.url.path, _, 4_096) = error as? StoreBackupError else { return false }
            return "\(error)".contains("nothing was written")
        }
        #expect(try files == before)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("backups.json")) == list)
    }

    @Test("A store that is gone or damaged removes no backup")
    func failed() throws {
        for night in 0..<2 as Range<Int64> { try write(at: night * Self.day) }
        let store = hub.url.appendingPathComponent("hub.sqlite")
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store.path + suffix)
        }
        var bytes = try Data(contentsOf: store)
        bytes.replaceSubrange(4_096..<bytes.count, with: Data(count: bytes.count - 4_096))
        try bytes.write(to: store)
        let before = try files
        #expect(throws: (any Error).self) { try write(at: 2 * Self.day) }
        try FileManager.default.removeItem(at: store)
        #expect(throws: (any Error).self) { try write(at: 3 * Self.day) }
        #expect(try files == before)
    }

    @Test("What a killed backup left goes with the next one, the list names no path outside of the folder")
    func killed() throws {
        try write(at: 0)
        let draft = "hub-1970-01-01T000000.000Z.backup.part-1-2"
        try Data("x".utf8).write(to: folder.url.appendingPathComponent(draft))
        let outside = hub.url.appendingPathComponent("precious")
        try Data("x".utf8).write(to: outside)
        let list = folder.url.appendingPathComponent("backups.json")
        var document = try #require(try JSONParser.parse(Array(Data(contentsOf: list))).object)
        let keys = document["backups"]?.array?.first?["keys"] ?? []
        document["backups"] = .array(
            (document["backups"]?.array ?? [])
                + [["file": .string("../\(hub.url.lastPathComponent)/precious"), "madeAt": 1, "keys": keys]])
        try Data(JSONValue.object(document).canonicalBytes).write(to: list)
        for night in 1..<4 as Range<Int64> { try write(at: night * Self.day) }
        #expect(try files == ["hub-1970-01-03T000000.000Z.backup", "hub-1970-01-04T000000.000Z.backup"])
        #expect(FileManager.default.fileExists(atPath: outside.path))
    }

    @Test("Beside a list that cannot be read a backup is written and none goes, until somebody moves it away")
    func unreadableList() async throws {
        let list = folder.url.appendingPathComponent("backups.json")
        for damage in ["{", "[]", "{\"backups\":{}}"] {
            try Data(damage.utf8).write(to: list)
            for night in 0..<4 as Range<Int64> {
                let backup = try write(at: night * Self.day)
                #expect(backup["kept"] == nil && backup["removed"] == [], "\(damage)")
                #expect(backup["problem"]?.string?.contains(list.path) == true, "\(damage)")
                let file = try #require(backup["file"]?.string)
                let last = HubCondition.lastBackup(of: StorePaths(ledger: hub.path("hub.sqlite")))
                #expect(last?.file == file)
            }
            #expect(try files.count == 4)
            #expect(try Data(contentsOf: list) == Data(damage.utf8))
            for file in try files { try FileManager.default.removeItem(atPath: folder.path(file)) }
        }
        try FileManager.default.removeItem(at: list)
        let next = try write(at: 4 * Self.day)
        #expect(next["kept"] == 1 && next["problem"] == nil)
    }

    @Test("A folder that is not there or in use is an error, and nothing is written")
    func unusable() throws {
        let held = try BackupFolder(path: folder.url.path)
        #expect(throws: StoreBackupError.folderBusy(path: folder.url.path)) { try write(at: 0) }
        withExtendedLifetime(held) {}
        #expect(throws: StoreBackupError.noFolder(path: folder.path("none"))) {
            try BackupFolder(path: folder.path("none"))
        }
    }
}
