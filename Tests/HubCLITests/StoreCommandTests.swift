import ArgumentParser
import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@testable import HubCLI

@Suite("Commands on a hub's store")
struct StoreCommandTests {
    @Test("An enrolment code is listed, revoked once, and never shown again", arguments: HubStoreKind.all)
    func codes(_ kind: HubStoreKind) async throws {
        let hub = try HubCommands(on: kind)
        let minted = try await hub.json("enrol-code", "--store-id", "S1", "--expires", "1h")
        let code = try #require(minted["code"]?.string)
        let id = try #require(minted["id"]?.string)
        let listed = try await hub.json("enrol-code", "list")
        #expect(listed["codes"]?.array?.map { $0["id"]?.string } == [id])
        #expect(!listed.canonicalText.contains(code))
        #expect(await hub.run("enrol-code", "revoke", id).exitCode == 0)
        let again = await hub.run("enrol-code", "revoke", id)
        #expect(again.exitCode == 4 && again.errors.first?.contains(id) == true)
        #expect(await hub.run("enrol-code", "--store-id", "a b").exitCode == 4)
    }

    @Test("Commands at the same moment wait for each other, where no hub has the store")
    func atOnce() async throws {
        let hub = try HubCommands()
        let ends = await withTaskGroup(of: CommandEnd.self) { group in
            for _ in 0..<8 { group.addTask { await hub.run("orders", "list", "--json") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.map(\.exitCode) == Array(repeating: 0, count: 8), "\(ends.flatMap(\.errors))")
    }

    @Test(
        "A command on a store that is not there ends with 3, names the place and makes nothing",
        arguments: HubStoreKind.all,
        [
            ["terminals", "list"], ["audit"], ["orders", "list"], ["sales", "--by", "day"],
            ["qos", "status"],
            ["qos", "set", "order", "faulty", "--reason", "exercise"], ["operator", "add", "kim"],
            ["enrol-code", "--store-id", "S1"], ["store-config", "show", "--store-id", "S1"], ["check"],
            ["backup", "hub.backup"],
        ])
    func absent(_ kind: HubStoreKind, _ command: [String]) async throws {
        let folder = try TemporaryFolder()
        let place = try kind == .sqlite ? "sqlite:" + folder.path("new/hub.sqlite") : kind.place(in: folder)
        let end = await HubCommands.run(command + ["--store", place, "--json"])
        // PostgreSQL has its own programs for a backup.
        #expect(end.exitCode == (kind == .postgresql && command[0] == "backup" ? 4 : 3), "\(end)")
        #expect(try end.document()["error"]?["message"]?.string?.isEmpty == false)
        #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
        // Nothing was made by the first command that the next one would find.
        let next = await HubCommands.run(["terminals", "list", "--store", place])
        #expect(next.exitCode == 3)
    }

    @Test("Changes of members are those of a terminal that there is, as long as they are kept")
    func members() async throws {
        let hub = try HubCommands()
        func moment(daysAgo days: Double) -> String {
            Date(timeIntervalSinceNow: -days * 86_400).ISO8601Format()
        }
        let commands = [
            ["revert", "--terminal", "nobody", "--since", moment(daysAgo: 89)],
            ["release", "--terminal", "nobody", "--since", moment(daysAgo: 117)],
            ["release", "--terminal", "nobody", "--order", "O1"],
        ]
        for command in commands {
            let end = try await hub.json(["members"] + command)
            #expect(end["error"]?["code"] == "not_found", "\(command): \(end)")
        }
        let late = await hub.run("members", "revert", "--terminal", "nobody", "--since", moment(daysAgo: 91))
        #expect(late.exitCode == 2 && late.errors.first?.contains("90 days") == true, "\(late)")
        let all = await hub.run("members", "release", "--terminal", "nobody")
        #expect(all.exitCode == 2 && all.errors.joined().contains("--order"), "\(all)")
    }

    @Test("An import may be the first command of a hub")
    func first() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("products.csv")
        try """
        sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli
        A,4006381333931,Pen,office,120,EUR,1900,each,
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let place = ["--store", "sqlite:" + folder.path("new/hub.sqlite")]
        let imported = await HubCommands.run(["import", "products", file] + place)
        #expect(imported.exitCode == 0)
        #expect(imported.errors.first?.contains("note: there was no hub's store") == true)
        let listed = await HubCommands.run(["terminals", "list"] + place)
        #expect(listed.exitCode == 0 && listed.errors.isEmpty)
    }

    @Test("A file of no bytes is no hub's store, and stays as it is")
    func empty() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.sqlite")
        try Data().write(to: URL(fileURLWithPath: file))
        for command in [["check"], ["terminals", "list"], ["qos", "status"], ["doctor"]] {
            let end = await HubCommands.run(command + ["--store", "sqlite:" + file])
            #expect(end.exitCode == 3 && end.errors.joined().contains("no hub's store"), "\(command): \(end)")
        }
        #expect(FileManager.default.contents(atPath: file) == Data())
    }

    @Test("The installed configuration counts where neither a file nor a store is named")
    func installed() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"store":"sqlite:/srv/hub.sqlite"}"#.write(toFile: file, atomically: true, encoding: .utf8)
        func store(_ arguments: [String]) throws -> StoreLocation {
            try StoreOptions.parse(arguments).configuration(installed: file).store
        }
        #expect(try store([]) == .sqlite(path: "/srv/hub.sqlite"))
        #expect(try store(["--store", "sqlite:/tmp/other.sqlite"]) == .sqlite(path: "/tmp/other.sqlite"))
        let other = folder.path("other.json")
        try #"{"store":"sqlite:/srv/other.sqlite"}"#.write(toFile: other, atomically: true, encoding: .utf8)
        #expect(try store(["--config", other]) == .sqlite(path: "/srv/other.sqlite"))
    }

    @Test("An unknown terminal, member, receipt and key are refused by name, and change nothing")
    func unknown() async throws {
        let hub = try HubCommands()
        for arguments in [
            ["terminals", "revoke", "T1"], ["terminals", "confirm", "T1"],
            ["terminals", "link", "T2", "--earlier", "T1"], ["operator", "remove", "kim"],
            ["receipt", "S1-1-20261121-0001"], ["audit", "--terminal", "T1"],
        ] {
            let end = await HubCommands.run(
                arguments + ["--store", "sqlite:" + hub.folder.path("hub.sqlite")])
            #expect(end.exitCode == 4 || end.output.joined().contains(arguments.last ?? ""), "\(arguments)")
        }
        #expect(try await hub.json("terminals", "list")["terminals"] == [])
        #expect(try await hub.json("audit")["terminals"] == [])
    }

    @Test("A store's values are set all or none, shown and cleared", arguments: HubStoreKind.all)
    func storeConfig(_ kind: HubStoreKind) async throws {
        let hub = try HubCommands(on: kind)
        for setting in [
            "network.debounceSeconds=0", "network.debounceSeconds=x", "hub.url=http://x", "a=b",
            "refund.withoutOrder=5", "refund.withoutOrder.perDay=-1",
        ] {
            let end = await hub.run("store-config", "set", "--store-id", "S1", "store.name=x", setting)
            #expect(end.exitCode == 4 && end.errors.count == 1, "\(setting) \(end.errors)")
        }
        func settings() async throws -> JSONValue? {
            try await hub.json("store-config", "show", "--store-id", "S1")["settings"]
        }
        #expect(try await settings()?.object == [:])
        let set = await hub.run(
            "store-config", "set", "--store-id", "S1", "network.debounceSeconds=8",
            "refund.withoutOrder.perRefund=2000", "refund.withoutOrder.perDay=9000")
        #expect(
            set.output == [
                "network.debounceSeconds = 8", "refund.withoutOrder.perDay = 9000",
                "refund.withoutOrder.perRefund = 2000",
            ])
        #expect(
            try await settings() == [
                "network": ["debounceSeconds": 8],
                "refund": ["withoutOrder": ["perDay": 9000, "perRefund": 2000]],
            ])
        let cleared = await hub.run(
            "store-config", "clear", "--store-id", "S1", "refund.withoutOrder.perDay",
            "network.debounceSeconds")
        #expect(cleared.output == ["refund.withoutOrder.perRefund = 2000"])
        let bare = await hub.run("store-config", "show", "--store-id", "S9")
        #expect(bare.output.first?.contains("use their own configuration") == true)
    }

    @Test("An override of a service is shown with its reason, and cleared", arguments: HubStoreKind.all)
    func override(_ kind: HubStoreKind) async throws {
        let hub = try HubCommands(on: kind)
        let set = await hub.run("qos", "set", "payment", "faulty", "--reason", "bank is down")
        #expect(set.exitCode == 0, "\(set.errors)")
        let status = await hub.run("qos", "status")
        let line = status.output.first { $0.hasPrefix("payment  ") }
        #expect(line?.contains("faulty") == true && line?.contains("bank is down") == true)
        #expect(await hub.run("qos", "set", "payment", "tired", "--reason", "x").exitCode == 4)
        #expect(await hub.run("qos", "set", "lunch", "faulty", "--reason", "x").exitCode == 4)
        #expect(await hub.run("qos", "clear", "payment").exitCode == 0)
        let again = await hub.run("qos", "clear", "payment")
        #expect(again.exitCode == 0 && again.errors.contains { $0.contains("no such override") })
        let services = try await hub.json("qos", "status")["services"]?.array ?? []
        #expect(services.allSatisfy { $0["state"] == "healthy" } && !services.isEmpty)
    }

    @Test("An operator is added, listed and removed; a wrong role, lifetime or name is refused")
    func operators() async throws {
        let hub = try HubCommands()
        #expect(await hub.run("operator", "list").output.first?.contains("no operators") == true)
        let added = try await hub.json("operator", "add", "kim", "--role", "viewer", "--expires", "1d")
        #expect(added["role"] == "viewer")
        #expect(added["token"]?.string?.isEmpty == false && added["loginCode"]?.string?.isEmpty == false)
        let listed = await hub.run("operator", "list")
        #expect(listed.output.count == 1 && listed.output[0].hasPrefix("kim  viewer  token until "))
        #expect(await hub.run("operator", "remove", "kim").exitCode == 0)
        #expect(await hub.run("operator", "remove", "kim").exitCode == 4)
        #expect(await hub.run("operator", "add", "kim", "--role", "king").exitCode == 4)
        #expect(await hub.run("operator", "add", "kim", "--expires", "400d").exitCode == 4)
        #expect(await hub.run("operator", "add", "kim\u{1b}[2J").exitCode == 4)
    }
}
