import HubProtocol
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

    @Test("An unknown terminal, member, receipt and key are refused by name, and change nothing")
    func unknown() async throws {
        let hub = try HubCommands()
        for arguments in [
            ["terminals", "revoke", "T1"], ["terminals", "confirm", "T1"], ["operator", "remove", "kim"],
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
