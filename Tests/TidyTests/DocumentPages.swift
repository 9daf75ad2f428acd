import Foundation

/// The project's Markdown pages: `README.md` and everything below `docs`.
struct DocumentPages {
    struct Page {
        /// Relative to the project, for example `docs/README.md`.
        let path: String
        /// Without fenced blocks and code spans, so that only prose is left.
        let prose: String
        let text: String

        init(path: String, text: String) {
            self.path = path
            self.text = text
            prose = Self.prose(of: text)
        }

        /// The fragments that a link may name: one for each heading, as GitHub makes them.
        var anchors: Set<String> {
            var seen: [String: Int] = [:]
            var anchors: Set<String> = []
            for line in Self.withoutBlocks(text) where line.hasPrefix("#") {
                let slug = Self.slug(line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces))
                let count = seen[slug, default: 0]
                anchors.insert(count == 0 ? slug : "\(slug)-\(count)")
                seen[slug] = count + 1
            }
            return anchors
        }

        /// The targets of its links and pictures.
        var targets: [String] {
            DocumentPages.matches(of: #"\]\(([^)\s]+)\)"#, in: prose)
                + DocumentPages.matches(of: #"(?:src|srcset|href)="([^"]+)""#, in: prose)
        }

        private static func slug(_ heading: String) -> String {
            let words = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }.lowercased()
            return String(
                words.compactMap { character -> Character? in
                    if character == " " { return "-" }
                    return character.isLetter || character.isNumber || character == "-" || character == "_"
                        ? character : nil
                })
        }

        private static func withoutBlocks(_ text: String) -> [String] {
            var isInside = false
            return text.components(separatedBy: "\n").filter { line in
                let isFence = line.trimmingCharacters(in: .whitespaces).hasPrefix("```")
                if isFence { isInside.toggle() }
                return !isFence && !isInside
            }
        }

        private static func prose(of text: String) -> String {
            withoutBlocks(text).joined(separator: "\n").replacing(#/`[^`\n]*`/#, with: "")
        }
    }

    let pages: [String: Page]

    init() throws {
        var pages: [String: Page] = [:]
        var paths = ["README.md"]
        let walker = FileManager.default.enumerator(
            atPath: SourceTree.root.appendingPathComponent("docs").path)
        while let name = walker?.nextObject() as? String {
            if name.hasSuffix(".md") { paths.append("docs/" + name) }
        }
        for path in paths { pages[path] = Page(path: path, text: try Self.text(of: path)) }
        self.pages = pages
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The first group of each match.
    static func matches(of pattern: String, in text: String) -> [String] {
        guard let expression = try? NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
        else {
            return []
        }
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 1), in: text).map { String(text[$0]) }
        }
    }

    /// What is wrong with the relative links of all pages.
    var brokenLinks: [String] {
        pages.values.sorted { $0.path < $1.path }.flatMap { page in
            page.targets.compactMap { fault(of: $0, in: page) }
        }
    }

    /// A relative link as a path in the project. `standardizingPath` leaves the `..` of a relative path.
    static func path(_ link: String, from page: String) -> String {
        var folders = page.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") where part != "." {
            if part == ".." { _ = folders.popLast() } else { folders.append(String(part)) }
        }
        return folders.joined(separator: "/")
    }

    private func fault(of target: String, in page: Page) -> String? {
        if target.contains(":") { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let plain = parts[0].isEmpty ? page.path : Self.path(parts[0], from: page.path)
        guard FileManager.default.fileExists(atPath: SourceTree.root.appendingPathComponent(plain).path)
        else {
            return "\(page.path): \(target): no such file"
        }
        guard parts.count > 1, let linked = pages[plain] else { return nil }
        return linked.anchors.contains(parts[1]) ? nil : "\(page.path): \(target): no such heading"
    }
}
