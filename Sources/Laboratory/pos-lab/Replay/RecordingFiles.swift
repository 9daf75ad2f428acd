internal import Foundation
internal import Agent

/// The files of one flight recording, read as one, the older first.
struct RecordingFiles {
    private var files: [(name: String, lines: Int)] = []
    private(set) var text = ""

    /// - Parameter trace: nil takes the two files of the home.
    init(trace: String?, home: TerminalHome) throws(TerminalError) {
        let paths = trace.map { [$0] } ?? [home.path + "/flight.old.log", home.path + "/flight.log"]
        for path in paths {
            guard let bytes = FileManager.default.contents(atPath: path) else { continue }
            add(path, String(decoding: bytes, as: UTF8.self))
        }
        guard !files.isEmpty else {
            throw TerminalError(
                trace == nil ? .unusable : .usage, code: "recording_missing",
                text: { _ in
                    trace.map { "cannot read \($0); name a flight recording" }
                        ?? "there is no flight recording in \(home.path); `pos agent` makes one"
                })
        }
    }

    private mutating func add(_ path: String, _ content: String) {
        // Line ends only part lines: a file that ends amidst one goes on in the next.
        files.append((path, content.utf8.count { $0 == 0x0A }))
        text += content
    }

    var name: String { files.map(\.name).joined(separator: " and ") }

    /// Where a line, counted over all files, stands.
    func place(ofLine number: Int) -> String {
        var left = number
        for (name, lines) in files.dropLast() {
            guard left > lines else { return "\(name):\(left)" }
            left -= lines
        }
        return "\(files.last?.name ?? "-"):\(left)"
    }
}
