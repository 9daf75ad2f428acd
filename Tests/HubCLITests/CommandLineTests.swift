import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubCLI

@Suite("Command lines of pos-hub")
struct CommandLineTests {
    @Test(
        "What is wrong is refused with 2 and one line; with --json that is a document",
        arguments: [
            (["nothing"], "pos-hub --help"), (["serve", "--roles", "till"], "till"),
            (["import", "products"], "<file>"), (["qos", "set", "order", "faulty"], "--reason"),
            (["qos", "set", "order", "faulty", "--reason", "x", "--until", "noon"], "RFC 3339"),
            (["store-config", "set", "a=b"], "--store-id"),
            (["store-config", "set", "--store-id", "S1", "network"], "write KEY=VALUE"),
            (["operator", "add", "kim", "--expires", "soon"], "soon"),
            (["enrol-code"], "--store-id"), (["terminals", "revoke"], "<id>"),
            (["audit", "--bogus"], "--bogus"),
            (["serv"], "did you mean `pos-hub serve`?"),
            (["orders", "lst"], "did you mean `pos-hub orders list`?"),
            (["import", "goods", "x.csv", "--store", "sqlite:x"], "there are: products, members, cashiers"),
        ])
    func refused(arguments: [String], text: String) async throws {
        for json in [[], ["--json"]] {
            let end = await HubCommands.run(arguments + json)
            #expect(end.exitCode == 2, "\(end.errors)")
            #expect(end.errors.count == 1 && end.errors[0].hasPrefix("pos-hub: "))
            #expect(end.errors.first?.contains(text) == true, "\(end.errors)")
            #expect(end.output.isEmpty == json.isEmpty)
            if !json.isEmpty { #expect(try end.document()["error"]?["code"] == "wrong_usage") }
        }
    }

    @Test("Help and version are on standard output, and end well")
    func help() async {
        let help = await HubCommands.run(["--help"])
        #expect(help.exitCode == 0 && help.errors.isEmpty)
        #expect(help.output.contains { $0.contains("store-config") })
        let version = await HubCommands.run(["--version"])
        #expect(version.output.first?.hasPrefix("pos-hub ") == true)
    }

    @Test(
        "An unknown key, a value out of range and a wrong text of the file are refused in one line",
        arguments: [
            (#"{"lisen":"127.0.0.1:1"}"#, "listen"), (#"{"qos":{"pollSeconds":0}}"#, "1 to 300"),
            (#"{"payments":"approve"}"#, "simulator:"), (#"{"payments":"simulator:maybe"}"#, "simulator:"),
            (#"{"roles":["till"]}"#, "qos"), ("[", "JSON"),
            (#"{"tls":{"keyFile":"k"}}"#, "together"), (#"{"store":"mysql:x"}"#, "sqlite"),
        ])
    func configuration(text: String, hint: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let end = await HubCommands.run(["config", "--json", "--config", file])
        #expect(end.exitCode == 3 && end.errors.count == 1)
        #expect(end.errors.first?.contains(hint) == true, "\(end.errors)")
        #expect(try end.document()["error"]?["message"]?.string?.contains(hint) == true)
    }
}
