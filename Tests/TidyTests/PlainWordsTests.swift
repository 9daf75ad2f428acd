import Foundation
import Testing

/// Keeps words out that a reader has to learn here: one thing has one name, the one that the field uses.
@Suite("Plain words")
struct PlainWordsTests {
    /// A word that is not used, as a pattern of its inflections, and what to use instead.
    private static let kept: [(pattern: String, instead: String)] = [
        ("told|tells?", "reports, notifies, responds; sent, received"),
        ("spoil\\w*", "corrupt, malformed; to invalidate"),
        ("mend|mends|mended|mending", "fix, repair"),
        ("shelf|shelves", "store, cache"),
        ("desks?", "service, handler"),
        ("clerks?", "recorder"),
        ("footing", "network reachability"),
        ("convict\\w*", "confirm the fault, confirmed"),
        ("acquit\\w*", "clear"),
        ("reckon\\w*", "compute, estimate"),
        ("herds?", "reconnect storm, admission"),
        ("askers?", "pending request, waiter"),
        ("turnstiles?", "serial gate"),
        ("patience", "wait budget"),
        ("lanes?", "ordering key; connection, worker"),
        ("knock\\w*", "wake-up"),
        ("hasten\\w*", "retry now"),
        ("standing", "status"),
        ("stretch\\w*", "interval"),
        ("bulletins?", "status publisher, status digest"),
    ]

    /// Files that list the words themselves.
    private static let lists = [
        "Tests/TidyTests/PlainWordsTests.swift", "docs/reference/glossary.md",
    ]

    @Test("No source, test, page or setting uses a word that the glossary replaces")
    func words() throws {
        let folders = ["Sources", "Tests", "docs", "config", ".ci"]
        let files =
            folders.flatMap(SourceTree.textFiles)
            + ["README.md", "Makefile", "Package.swift"].compactMap(SourceTree.file)
        #expect(files.count > 700)
        let all = "(" + Self.kept.map(\.pattern).joined(separator: "|") + ")"
        // Whole words alone, also within `camelCase`; what holds none of them is not taken apart.
        let (candidate, part) = (
            try NSRegularExpression(pattern: all, options: .caseInsensitive),
            try NSRegularExpression(pattern: "[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
        )
        let found = files.filter { !Self.lists.contains($0.path) }.flatMap { file in
            // A file's name is a line of its own, 0.
            ([file.path] + file.lines).enumerated().flatMap { number, line -> [String] in
                guard Self.parts(of: line, candidate).count > 0 else { return [] }
                return Self.parts(of: line, part).compactMap { word in
                    let word = word.lowercased()
                    guard let instead = Self.instead(of: word) else { return nil }
                    return "\(file.path):\(number): \"\(word)\"; use: \(instead)"
                }
            }
        }
        #expect(found == [], "\(found.count) places:\n\(found.joined(separator: "\n"))")
    }

    @Test(
        "An inflection and a part of an identifier are found, another word that holds one is not",
        arguments: [
            ("toldUntil", true), ("HerdRelease", true), ("stretches", true), ("Spoilt", true),
            ("SQLShelf", true), ("freedesktop", false), ("recommended", false), ("understanding", false),
            ("planes", false), ("intelligence", false),
        ])
    func recognised(text: String, isFound: Bool) throws {
        let part = try NSRegularExpression(pattern: "[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
        let words = Self.parts(of: text, part).map { $0.lowercased() }
        #expect(words.contains { Self.instead(of: $0) != nil } == isFound)
    }

    @Test("No text of the counter has a word of the programs: a cashier knows no hub and no agent")
    func counterTexts() throws {
        let literal = try NSRegularExpression(pattern: #""[^"]* [^"]*""#)
        let word = try NSRegularExpression(
            pattern: #"\b(hub|agent|mutation|thousandths|outbox|journal|terminal)s?\b"#,
            options: .caseInsensitive)
        // Its list of commands is a page's, not a screen's.
        let files = SourceTree.swiftFiles(in: "Sources/Terminal/Counter").filter {
            !$0.path.hasSuffix("CounterCoverage.swift")
        }
        #expect(files.count > 20)
        let found = files.flatMap { file in
            file.lines.filter { !$0.contains("//") }.flatMap { Self.parts(of: $0, literal) }
                .filter { !Self.parts(of: $0, word).isEmpty }.map { "\(file.path): \($0)" }
        }
        #expect(found == [], "\(found.joined(separator: "\n"))")
    }

    private static func parts(of line: String, _ pattern: NSRegularExpression) -> [String] {
        pattern.matches(in: line, range: NSRange(line.startIndex..., in: line))
            .compactMap { Range($0.range, in: line).map { String(line[$0]) } }
    }

    private static func instead(of word: String) -> String? {
        kept.first { entry in
            word.range(of: "^(\(entry.pattern))$", options: .regularExpression) != nil
        }?.instead
    }
}
