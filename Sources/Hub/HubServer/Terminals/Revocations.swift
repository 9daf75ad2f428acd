internal import Foundation
internal import Synchronization

/// The terminals whose tokens no longer count.
///
/// The process with the order store publishes them into a file beside it, one id a line; the others pull that
/// file, so that they can refuse a revoked terminal without a query.
final class Revocations: Sendable {
    /// Nil where every process reads the store itself.
    private let path: String?
    private let revoked = Mutex<Set<String>>([])
    /// Held from the reading of the file to its writing.
    private let writing = Mutex(())

    init(path: String?) {
        self.path = path
    }

    /// Beside an SQLite store; for a database in the folder with the keys, where one is given.
    convenience init(_ configuration: HubConfiguration) {
        switch configuration.store {
        case .sqlite(let path): self.init(path: StorePaths(ledger: path).revocations)
        case .postgresql: self.init(path: configuration.keysFolder.map { $0 + "/hub-revoked" })
        }
    }

    func contains(_ terminalId: String) -> Bool {
        revoked.withLock { $0.contains(terminalId) }
    }

    /// Adds to the list, here and for the other processes. Nobody leaves it: a store that was restored from a
    /// backup knows nothing of those that were revoked since, and the file does.
    ///
    /// - Returns: all that are revoked.
    @discardableResult
    func publish(_ terminalIds: Set<String>) throws -> Set<String> {
        try writing.withLock { _ in
            let all = terminalIds.union(path.flatMap { Self.read($0) } ?? [])
            revoked.withLock { $0 = all }
            if let path { try PrivateFile.publish(all.sorted().map { $0 + "\n" }.joined(), to: path) }
            return all
        }
    }

    private static func read(_ path: String) -> Set<String>? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return Set(text.split(separator: "\n").map(String.init))
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func pull() -> Bool {
        guard let path, let terminalIds = Self.read(path) else { return false }
        revoked.withLock { $0 = terminalIds }
        return true
    }
}
