import Foundation
import Testing

/// What pages owe to people who read English as a second language, or Chinese only.
@Suite("Pages for people")
struct ReaderTests {
    private let documents: DocumentPages

    init() throws {
        documents = try DocumentPages()
    }

    /// Tutorials, procedures and the pages of the shop. The Chinese ones have no words to count.
    private var pages: [DocumentPages.Page] {
        let folders = ["docs/tutorials/", "docs/operating/", "docs/cashiers/"]
        return documents.pages.values
            .filter { page in page.path == "README.md" || folders.contains { page.path.hasPrefix($0) } }
            .filter { !$0.path.hasSuffix(".zh.md") }
    }

    @Test("No sentence of a tutorial, a procedure or a page of the shop has more than 30 words")
    func sentences() {
        #expect(pages.count > 15)
        let long = pages.flatMap { page in
            page.sentences.filter { $0.count > 30 }.map { "\(page.path): \($0.joined(separator: " "))" }
        }
        #expect(long.sorted() == [])
    }

    /// Pages whose text is written from the code; nobody shortens them by hand.
    private static let generated = ["docs/reference/commands.md"]

    @Test("No cell of a page has more than 60 words")
    func cells() {
        let written = documents.pages.values.filter { !Self.generated.contains($0.path) }
        let long = written.flatMap { page in
            page.cells.filter { $0.count > 60 }.map { "\(page.path): \($0.count) words: \($0.prefix(8))" }
        }
        #expect(long.sorted() == [])
    }

    /// Tables that are written from the code: `ConfigurationTests`, `ConfigurationFilesTests` and
    /// `AuthorizationTests` compare them with it byte by byte. What stands around them is written by hand.
    private static let generatedTables = [
        "docs/reference/configuration.md": ["| key | environment | default ", "| key | default | range "],
        "docs/reference/authorization.md": ["| action | what | anybody "],
    ]

    /// What is said twice, or read by nobody, hides the rest. Everything in the files counts, comments and
    /// blocks too; a bar of a table is no word.
    @Test("The pages below docs have at most 90,000 words without the generated reference")
    func length() {
        let written = documents.pages.values.filter {
            $0.path.hasPrefix("docs/") && !Self.generated.contains($0.path)
        }
        #expect(written.count > 100)
        let words = written.reduce(0) { sum, page in
            var text = page.text
            for head in Self.generatedTables[page.path] ?? [] {
                let table = text.components(separatedBy: "\n\n").first { $0.hasPrefix(head) }
                #expect(table != nil, "\(page.path) has no table \(head)")
                text = text.replacing(table ?? "", with: "")
            }
            return sum + DocumentPages.Page.words(of: text).count
        }
        #expect(words <= 90_000, "\(words) words")
    }

    @Test("The lines of the idea are as many as its page says, and about a thousand")
    func idea() throws {
        let page = try #require(documents.pages["docs/concepts/idea.md"])
        let rows = page.text.matches(of: #/(?m)^\| (`Sources/[^|]*) \| (\d+) \|/#)
        #expect(rows.count == 8)
        var sum = 0
        for row in rows {
            let names = row.1.matches(of: #/`([^`]+)`/#).map { String($0.1) }
            let folder = (names[0] as NSString).deletingLastPathComponent
            let lines = try names.map { name in
                let path = name.hasPrefix("Sources/") ? name : folder + "/" + name
                return try DocumentPages.text(of: (path as NSString).standardizingPath)
                    .split(separator: "\n", omittingEmptySubsequences: false).count - 1
            }.reduce(0, +)
            let said = try #require(Int(row.2))
            #expect(abs(lines - said) <= 5, "\(row.1) has \(lines) lines")
            sum += lines
        }
        #expect((900...1100).contains(sum))
    }

    @Test(
        "A page and its Chinese counterpart have the same headings, tables and pictures, in the same order",
        arguments: [
            ("README.md", "docs/README.zh.md"),
            ("docs/tutorials/first-sale.md", "docs/tutorials/first-sale.zh.md"),
            ("docs/cashiers/counter.en.md", "docs/cashiers/counter.zh.md"),
            ("docs/cashiers/banner.en.md", "docs/cashiers/banner.zh.md"),
        ])
    func chinese(english: String, chinese: String) throws {
        let pair = try [english, chinese].map { try #require(documents.pages[$0], "\($0)") }
        #expect(pair[0].outline == pair[1].outline)
        #expect(pair[1].text.contains(#/\p{Han}/#))
    }
}

extension DocumentPages.Page {
    /// Each heading by its level, each row of a table by its number of cells, each block by its language.
    fileprivate var outline: [String] {
        var isInside = false
        return text.components(separatedBy: "\n").compactMap { line in
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") {
                isInside.toggle()
                return isInside ? "block" : nil
            }
            if isInside { return nil }
            if line.hasPrefix("#") { return String(line.prefix { $0 == "#" }) }
            if line.hasPrefix("|") { return "row of \(line.count { $0 == "|" })" }
            return line.hasPrefix("![") ? "picture" : nil
        }
    }

    /// The words of each sentence, which ends at a full stop, an exclamation mark or a question mark.
    fileprivate var sentences: [[String]] {
        paragraphs.flatMap { paragraph in
            paragraph.split(separator: #/[.!?][\s*)_]+/#).map { Self.words(of: String($0)) }
        }
    }

    /// The words of each cell of a table.
    fileprivate var cells: [[String]] {
        paragraphs(ofTables: true).map(Self.words)
    }

    private var paragraphs: [String] { paragraphs(ofTables: false) + paragraphs(ofTables: true) }

    /// Running text without its line breaks, or the cells of tables; code counts as one word.
    private func paragraphs(ofTables: Bool) -> [String] {
        let plain = readable.components(separatedBy: "\n")
        if ofTables {
            return plain.filter { $0.hasPrefix("|") }
                .flatMap { $0.replacing(#"\|"#, with: "/").components(separatedBy: "|") }
        }
        var paragraphs = [""]
        for line in plain {
            let startsAnew = line.isEmpty || line.contains(#/^(\s*([-*]|\d+\.)\s|[#|<])/#)
            if startsAnew { paragraphs.append("") }
            if !line.hasPrefix("|"), !line.hasPrefix("#") { paragraphs[paragraphs.count - 1] += " " + line }
        }
        return paragraphs
    }

    /// Without blocks and comments, code as the word `code`, links as their text.
    private var readable: String {
        text.replacing(#/<!--[\s\S]*?-->/#, with: "")
            .replacing(#/(?m)^ *```[\s\S]*?^ *```/#, with: "")
            .replacing(#/`[^`\n]*`/#, with: "code")
            .replacing(#/\]\([^)]*\)/#, with: "]")
    }

    fileprivate static func words(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init).filter {
            $0.contains(where: \.isLetter) || $0.contains(where: \.isNumber)
        }
    }
}
