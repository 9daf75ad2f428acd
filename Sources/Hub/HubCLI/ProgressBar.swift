internal import Foundation
internal import Glibc

/// How far something is, on one line of standard error; nothing when that is no terminal.
struct ProgressBar {
    private static let width = 40

    private let label: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var shown = -1

    init(label: String) {
        self.label = label
    }

    /// - Parameter fraction: from 0 to 1.
    mutating func show(_ fraction: Double) {
        let filled = Int(fraction * Double(Self.width))
        guard isShown, filled != shown else { return }
        shown = filled
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        write("\r\(label) [\(bar)]")
    }

    mutating func finish() {
        if shown >= 0 { write("\n") }
        shown = -1
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
