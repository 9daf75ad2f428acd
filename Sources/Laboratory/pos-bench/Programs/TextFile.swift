internal import Foundation

/// Small text files of the run and of `/proc`.
enum TextFile {
    static func read(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    static func write(_ text: String, to path: String) throws(BenchFailure) {
        do {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw .system(call: "write \(path)", code: errno)
        }
    }

    /// How long a file is.
    static func bytes(of path: String) throws(BenchFailure) -> Double {
        do {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
            return Double(size ?? 0)
        } catch {
            throw .system(call: "stat \(path)", code: errno)
        }
    }

    /// What a program said last.
    static func lastLine(of path: String) -> String {
        read(path)?.split(separator: "\n").last.map(String.init) ?? "it said nothing"
    }
}

extension TextFile {
    /// What lies in a folder.
    static func names(in folder: String) throws(BenchFailure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw .system(call: "readdir \(folder)", code: errno)
        }
    }
}
