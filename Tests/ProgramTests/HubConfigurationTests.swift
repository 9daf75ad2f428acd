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

    @Test("Wrong usage ends with 2, help with 0")
    func usage() throws {
        #expect(try ProgramUnderTest.run("pos-hub", ["nothing"]).exitCode == 2)
        #expect(try ProgramUnderTest.run("pos-hub", ["serve", "--roles", "till"]).exitCode == 2)
        #expect(try ProgramUnderTest.run("pos-hub", ["--help"]).exitCode == 0)
        #expect(try ProgramUnderTest.run("pos-hub", ["--version"]).text.hasPrefix("pos-hub "))
    }
}
