import Foundation
import HubProtocol
import TestKit
import Testing

@testable import Agent

/// What the project ships as configuration and documentation, held against the code.
@Suite("Configuration files")
struct ConfigurationFilesTests {
    private let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("config/terminal.json lists every key with its default, and no other")
    func terminalFile() throws {
        let document = try JSONParser.parse(text("config/terminal.json").utf8)
        let listed = StoreSettings(json: document).values
        #expect(Set(listed.keys) == Set(ConfigurationKey.all.map(\.name)))
        for key in ConfigurationKey.all where key.name != "hub.url" {
            let expected: JSONValue =
                switch key.kind {
                case .integer(_, let standard, _): .integer(Int64(standard))
                case .boolean(let standard): .bool(standard)
                case .text(let standard): JSONValue(standard)
                case .limit, .decision: .null
                case .list, .words: []
                case .choice(_, let standard): .string(standard)
                }
            #expect(listed[key.name] == expected, "\(key.name)")
        }
    }

    @Test("The reference of the keys is the one that the code gives")
    func reference() throws {
        #expect(try ReferencePage("docs/reference/configuration.md").holds(ConfigurationKey.referenceTable))
    }
}
