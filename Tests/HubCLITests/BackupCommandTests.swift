import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubCLI

@Suite("Commands that keep and examine a hub")
struct BackupCommandTests {
    @Test("A backup is one private file, and the restored store has what the other had")
    func roundTrip() async throws {
        let hub = try HubCommands()
        _ = try await hub.json("enrol-code", "--store-id", "S1")
        _ = await hub.run("operator", "add", "kim")
        let file = hub.folder.path("hub.backup")
        #expect(await hub.run("backup", file).output.first?.contains("journal entries") == true)
        let again = await hub.run("backup", file)
        #expect(again.exitCode == 3 && again.errors.first?.contains("there is a file already") == true)

        let other = try HubCommands()
        let restored = try await other.json("restore", file)
        #expect(restored["store"]?.string?.hasSuffix("hub.sqlite") == true)
        #expect(restored["next"]?.array?.count == 5)
        #expect(await other.run("operator", "list").output.first?.hasPrefix("kim  ") == true)
        #expect(try await other.json("key", "list") == hub.json("key", "list"))
        #expect(try await other.json("enrol-code", "list")["codes"]?.array?.first?["state"] == "revoked")
        let twice = await other.run("restore", file)
        #expect(twice.exitCode == 4 && twice.errors.first?.contains("is not empty") == true)
    }

    @Test("A backup into a folder that is not there is refused, and makes no folder")
    func unmounted() async throws {
        let hub = try HubCommands()
        let end = await hub.run("backup", hub.folder.path("disk/hub.backup"))
        #expect(end.exitCode == 3)
        #expect(end.errors.first?.contains("mount its disk") == true)
        #expect(!FileManager.default.fileExists(atPath: hub.folder.path("disk")))
    }

    @Test("A backup whose folder has a damaged list is written, and its command ends with 4")
    func damagedList() async throws {
        let hub = try HubCommands()
        let list = hub.folder.path("backups.json")
        try "{".write(toFile: list, atomically: true, encoding: .utf8)
        let end = await hub.run("backup", "--into", hub.folder.url.path)
        #expect(end.exitCode == 4 && end.errors.first?.contains(list) == true, "\(end.errors)")
        #expect(end.output.first?.contains("older ones were removed") == false, "\(end.output)")
        let names = try FileManager.default.contentsOfDirectory(atPath: hub.folder.url.path)
        #expect(names.contains { $0.hasPrefix("hub-") && $0.hasSuffix(".backup") })
    }

    @Test("What is no backup is named, and changes no store")
    func noBackup() async throws {
        let hub = try HubCommands()
        let file = URL(fileURLWithPath: hub.folder.path("hub.sqlite"))
        let before = try Data(contentsOf: file)
        let missing = await hub.run("restore", hub.folder.path("nothing"))
        #expect(missing.exitCode == 3 && missing.errors.first?.contains("there is no such file") == true)
        let other = try HubCommands()
        _ = try await other.json("enrol-code", "--store-id", "S1")
        let store = await hub.run("restore", other.folder.path("hub.sqlite"))
        #expect(store.exitCode == 3 && store.errors.first?.contains("did not write it") == true)
        try "text".write(toFile: hub.folder.path("text"), atomically: true, encoding: .utf8)
        #expect(await hub.run("restore", hub.folder.path("text")).exitCode == 3)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("A database is backed up by its own programs, which the commands name")
    func database() async throws {
        let store = ["--store", "postgresql://holdfast:secret@127.0.0.1:1/shop"]
        let backup = await HubCommands.run(["backup", "/tmp/hub.dump"] + store)
        #expect(backup.exitCode == 4 && backup.errors.first?.contains("pg_dump") == true)
        let restore = await HubCommands.run(["restore", "/tmp/hub.dump"] + store)
        #expect(restore.exitCode == 4 && restore.errors.first?.contains("pg_restore") == true)
        #expect(!(backup.errors + restore.errors).joined().contains("secret"))
    }

    @Test("The examination names what needs somebody, and changes nothing")
    func doctor() async throws {
        let hub = try HubCommands()
        func check(_ name: String) async throws -> JSONValue? {
            try await hub.json("doctor")["checks"]?.array?.first { $0["name"]?.string == name }
        }
        _ = try await hub.json("enrol-code", "--store-id", "S1")
        let end = await hub.run("doctor")
        #expect(end.exitCode == 4 && end.errors.count == 1)
        #expect(end.output.contains { $0.hasPrefix("FAIL  hub: ") })
        #expect(end.output.contains { $0.hasPrefix("ok    store: ") })

        #expect(try await check("backup")?["ok"] == false)
        _ = await hub.run("backup", hub.folder.path("hub.backup"))
        #expect(try await check("backup")?["ok"] == true)
        #expect(try await check("keys")?["ok"] == true)
        #expect(try await check("tokens")?["ok"] == true)
        _ = try await hub.json("operator", "add", "erp", "--role", "integrator", "--expires", "13d")
        #expect(try await check("tokens")?["detail"]?.string?.hasPrefix("that of erp ends 2") == true)
        try FileManager.default.removeItem(atPath: hub.folder.path("keys"))
        #expect(try await check("keys")?["ok"] == false)
        let path = hub.folder.path("hub.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(try await check("files")?["detail"]?.string?.contains("can be opened by others") == true)
        let gone = await HubCommands.run(["doctor", "--json", "--store", "sqlite:" + hub.folder.path("no")])
        #expect(gone.exitCode == 3)
        #expect(!FileManager.default.fileExists(atPath: hub.folder.path("no")))
    }
}
