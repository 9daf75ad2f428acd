import Foundation

/// A page of `docs` that holds a table of the code's.
package struct ReferencePage {
    private let file: URL

    /// - Parameter path: from the root of the project, for example `docs/reference/configuration.md`.
    package init(_ path: String) {
        file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(path)
    }

    /// Whether the page holds the table. `REGENERATE_PAGES=1` writes it there first, in the place of the table
    /// that begins like it.
    ///
    /// - Parameter table: Markdown, with its head; what the first row has in its first column finds the table.
    package func holds(_ table: String) throws -> Bool {
        var page = try String(contentsOf: file, encoding: .utf8)
        if ProcessInfo.processInfo.environment["REGENERATE_PAGES"] != nil, !page.contains(table) {
            page = page.components(separatedBy: "\n\n").map { part in
                part.hasPrefix("|") && Self.start(part) == Self.start(table)
                    ? table + (part.hasSuffix("\n") ? "\n" : "") : part
            }.joined(separator: "\n\n")
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        return page.contains(table)
    }

    /// The head, and the first column of the first row.
    private static func start(_ table: String) -> [Substring] {
        let lines = table.split(separator: "\n")
        return [lines.first ?? "", lines.dropFirst(2).first?.split(separator: "|").first ?? ""]
    }
}
