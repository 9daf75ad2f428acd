internal import Foundation
internal import Synchronization

/// The terminals whose tokens no longer count.
///
/// The process with the order store publishes them into a file beside it, one id a line; the others pull that
/// file, so that they can refuse a revoked terminal without asking anybody.
final class Revocations: Sendable {
    /// Nil where every process reads the store itself.
    private let path: String?
    private let revoked = Mutex<Set<String>>([])

    init(path: String?) {
        self.path = path
    }

    func contains(_ terminalId: String) -> Bool {
        revoked.withLock { $0.contains(terminalId) }
    }

    /// Replaces the list, here and for the other processes.
    func publish(_ terminalIds: Set<String>) throws {
        revoked.withLock { $0 = terminalIds }
        guard let path else { return }
        let text = terminalIds.sorted().map { $0 + "\n" }.joined()
        try PublishedFile.write(text, to: path)
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func pull() -> Bool {
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        let terminalIds = Set(text.split(separator: "\n").map(String.init))
        revoked.withLock { $0 = terminalIds }
        return true
    }
}
