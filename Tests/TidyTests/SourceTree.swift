import Foundation

/// The project's own files, found from where this file was compiled.
enum SourceTree {
    struct File {
        /// Relative to the project, for example `Sources/Offline/OfflineCore/Time/Instant.swift`.
        let path: String
        let lines: [String]

        /// A source's path from its target on, for example `OfflineCore/Time/Instant.swift`.
        var pathInFloor: String { path.split(separator: "/").dropFirst(2).joined(separator: "/") }
        var target: String { String(pathInFloor.prefix { $0 != "/" }) }

        /// The lines of each function and initializer with a body of several lines: from its first line to
        /// the brace that closes it, which the formatter puts as far in as the first line.
        var functions: [ClosedRange<Int>] {
            lines.indices.compactMap { start in
                let head = lines[start]
                guard head.contains(/^ *([a-z@][\w@():]* )*(func |init[?(<])/), !head.hasSuffix("}") else {
                    return nil
                }
                let margin = head.prefix { $0 == " " }
                let end = lines[start...].dropFirst().firstIndex { line in
                    line.hasPrefix(margin + "}") || !line.isEmpty && !line.hasPrefix(margin)
                }
                guard let end, lines[end].hasPrefix(margin + "}") else { return nil }
                return start...end
            }
        }
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file below `folder`, for example `Sources`.
    static func swiftFiles(in folder: String) -> [File] { files(in: folder) { $0.hasSuffix(".swift") } }

    /// Every file of text below `folder`.
    static func textFiles(in folder: String) -> [File] {
        files(in: folder) { !$0.contains("__pycache__") }
    }

    /// The file at `path`, relative to the project; nil for one that is not there or no text.
    static func file(_ path: String) -> File? {
        let url = root.appendingPathComponent(path)
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
        return File(path: path, lines: text.components(separatedBy: "\n"))
    }

    private static func files(in folder: String, where isWanted: (String) -> Bool) -> [File] {
        let walker = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        var files: [File] = []
        while let name = walker?.nextObject() as? String {
            guard isWanted(name), let file = Self.file(folder + "/" + name) else { continue }
            files.append(file)
        }
        return files.sorted { $0.path < $1.path }
    }

    /// `path:line: text` of each line of `files` that matches `pattern`.
    static func hits(of pattern: String, in files: [File]) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern)
        return files.flatMap { file in
            file.lines.enumerated().compactMap { index, line in
                let range = NSRange(line.startIndex..., in: line)
                guard expression.firstMatch(in: line, range: range) != nil else { return nil }
                return "\(file.path):\(index + 1): \(line)"
            }
        }
    }
}
