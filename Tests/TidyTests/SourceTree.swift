import Foundation

/// The project's own files, found from where this file was compiled.
enum SourceTree {
    struct File {
        /// Relative to the project, for example `Sources/OfflineCore/Time/Instant.swift`.
        let path: String
        let lines: [String]
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file below `folder`, for example `Sources`.
    static func swiftFiles(in folder: String) -> [File] {
        let base = root.appendingPathComponent(folder)
        let walker = FileManager.default.enumerator(atPath: base.path)
        var files: [File] = []
        while let name = walker?.nextObject() as? String {
            guard name.hasSuffix(".swift"),
                let text = try? String(contentsOf: base.appendingPathComponent(name), encoding: .utf8)
            else { continue }
            files.append(File(path: folder + "/" + name, lines: text.components(separatedBy: "\n")))
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
