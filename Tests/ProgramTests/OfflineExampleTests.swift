import Foundation
import TestKit
import Testing

/// The example of the offline module in another program, from outside, and the pages that quote it.
@Suite("offline-example", .onStage)
struct OfflineExampleTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of `page` that begin with three backquotes and `language`.
    private func blocks(of page: String, _ language: String) -> [String] {
        page.components(separatedBy: "\n```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test("A module is notified before the switch and after it, and a service gets its route")
    func runs() throws {
        let page = try text("docs/concepts/embedding.md")
        let session = try #require(blocks(of: page, "text").last { $0.hasPrefix("$ printf") })
        let lines = session.split(separator: "\n").map(String.init)
        let input = try #require(lines[0].split(separator: "'").dropFirst().first)
        let finished = try ProgramUnderTest.run(
            "offline-example", [], input: input.components(separatedBy: "\\n").filter { !$0.isEmpty })
        #expect(finished.exitCode == 0)
        #expect(finished.output == Array(lines.dropFirst()))
        #expect(lines.count == 5)
    }

    /// `make embed-test` builds them outside of the repository, which takes too long for this suite.
    @Test("The blocks of the page are the program, complete and in its order")
    func complete() throws {
        let program = try text("Sources/Embedding/offline-example/OfflineExample.swift")
        let page = try text("docs/concepts/embedding.md").components(separatedBy: "## Real ports")
        let blocks = blocks(of: page[0], "swift")
        let manifest = try #require(blocks.first)
        #expect(manifest.contains(#".package(name: "HoldfastOffline", path: "../holdfast", traits: [])"#))
        #expect(manifest.contains(#"dependencies: ["HoldfastOffline"]"#))
        #expect(blocks.dropFirst().joined(separator: "\n") == program)
    }

    @Test(
        "Every code block of the pages is part of the program",
        arguments: [
            "docs/concepts/embedding.md", "Sources/Offline/OfflineMode/OfflineMode.docc/OfflineMode.md",
        ])
    func quotes(page: String) throws {
        let program = try text("Sources/Embedding/offline-example/OfflineExample.swift")
        let first = try text(page).components(separatedBy: "## Real ports")[0]
        let blocks = blocks(of: first, "swift").filter { !$0.hasPrefix("// swift-tools-version") }
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(program.contains(block), "\(page) shows:\n\(block)") }
    }
}
