import Foundation
import Testing

/// The JSON keys of the agent's interface are spelled in `AgentAPI` alone.
@Suite("JSON keys spelled outside the agent's interface")
struct KeyRatchetTests {
    @Test("No file of the commands spells a JSON key")
    func keys() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sources = root.appendingPathComponent("Sources/Terminal/PosCLI")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var found: [String: Int] = [:]
        // What texts look up are the values of documents.
        for case let file as String in files where file.hasSuffix(".swift") && !file.hasPrefix("Texts/") {
            // The labels of a switch are no keys.
            let text =
                try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
                .split(separator: "\n").filter {
                    !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("case ")
                }
                .joined(separator: "\n") + "\n"
            // A subscript with a key, and a member of an object literal.
            let subscripts = text.matches(of: #/\["[a-z][A-Za-z0-9]*"\]/#).count
            let members = text.matches(of: #/"[a-z][A-Za-z0-9]*":\s/#).count
            if subscripts + members > 0 { found[file] = subscripts + members }
        }
        #expect(found.isEmpty, "put these keys into AgentAPI: \(found.sorted { $0.key < $1.key })")
    }
}
