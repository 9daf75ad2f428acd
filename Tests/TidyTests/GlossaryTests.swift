import Foundation
import Testing

/// Words that stood for common things here and nowhere else; the glossary has the field's terms for them.
@Suite("Glossary")
struct GlossaryTests {
    /// Beginnings, in halves so that this file is not a hit itself; `=` after one that is the whole word.
    private static let replaced = [
        "to|ld=", "te|ll=", "te|lls=", "sp|oil", "me|nd=", "me|nds=", "me|nded=", "me|nding=", "sh|elf=",
        "sh|elves=",
        "de|sk=", "de|sks=", "cl|erk", "foo|ting=", "con|vict", "ac|quit", "rec|kon", "he|rd=", "he|rds=",
        "as|ker",
        "turn|stile", "pat|ience=", "la|ne=", "la|nes=", "kn|ock", "has|ten", "stan|ding=", "str|etch",
        "bul|letin",
    ].map { $0.replacingOccurrences(of: "|", with: "") }

    /// The parts of names too: `fooBar` is `foo` and `bar`.
    private static func words(of line: String) -> [String] {
        line.matches(of: #/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/#).map { $0.output.lowercased() }
    }

    private static func isReplaced(_ word: String) -> Bool {
        replaced.contains { entry in
            entry.last == "=" ? word == entry.dropLast() : word.hasPrefix(entry)
        }
    }

    private func hits(in files: [(path: String, lines: [String])]) -> [String] {
        files.flatMap { file in
            let name = Self.words(of: file.path).contains(where: Self.isReplaced) ? [file.path] : []
            return name
                + file.lines.enumerated().compactMap { index, line in
                    Self.words(of: line).first(where: Self.isReplaced).map {
                        "\(file.path):\(index + 1): \($0)"
                    }
                }
        }
    }

    @Test("The pages use the terms of the glossary")
    func pages() throws {
        let pages = try DocumentPages().pages.values.map {
            (path: $0.path, lines: $0.text.components(separatedBy: "\n"))
        }
        #expect(pages.count > 40)
        #expect(hits(in: pages).sorted() == [])
    }
}
