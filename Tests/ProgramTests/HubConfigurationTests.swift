import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub's configuration", .onStage, .serialized)
struct HubConfigurationTests {
    private func config(_ arguments: [String]) throws -> FinishedProgram {
        try ProgramUnderTest.run("pos-hub", ["config", "--json"] + arguments)
    }

    private static let listed = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/hub.json")

    @Test("config/hub.json lists every key with its default")
    func listed() throws {
        let defaults = try JSONParser.parse(try config([]).text.utf8)
        let withFile = try config(["--config", Self.listed.path])
        #expect(try JSONParser.parse(withFile.text.utf8) == defaults)
        var members = try #require(defaults.object)
        members["store"] = .null
        #expect(try JSONParser.parse(Data(contentsOf: Self.listed)) == .object(members))
    }

    @Test(
        "An unknown key, a value out of range and a wrong text are refused in one line",
        arguments: [
            (#"{"lisen":"127.0.0.1:1"}"#, "listen"), (#"{"qos":{"pollSeconds":0}}"#, "1 to 300"),
            (#"{"payments":"maybe"}"#, "simulator:"), (#"{"payments":"simulator:maybe"}"#, "simulator:"),
            (#"{"roles":["till"]}"#, "qos"), ("[", "JSON"),
            (#"{"tls":{"keyFile":"k"}}"#, "together"), (#"{"store":"mysql:x"}"#, "sqlite"),
        ])
    func refused(text: String, hint: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let finished = try config(["--config", file])
        #expect(finished.exitCode == 3)
        #expect(finished.errors.count == 1)
        #expect(finished.errors.first?.contains(hint) == true, "\(finished.errors)")
        #expect(try finished.document()["error"]?["message"]?.string?.contains(hint) == true)
    }

    @Test("Wrong usage ends with 2, help with 0")
    func usage() throws {
        #expect(try ProgramUnderTest.run("pos-hub", ["nothing"]).exitCode == 2)
        #expect(try ProgramUnderTest.run("pos-hub", ["serve", "--roles", "till"]).exitCode == 2)
        #expect(try ProgramUnderTest.run("pos-hub", ["--help"]).exitCode == 0)
        #expect(try ProgramUnderTest.run("pos-hub", ["--version"]).text.hasPrefix("pos-hub "))
    }
}
