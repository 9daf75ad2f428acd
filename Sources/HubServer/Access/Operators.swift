internal import Foundation
internal import Synchronization

/// The operators by the digest of their tokens.
///
/// The process with the order store publishes them into a file beside it, one digest and name a line; the
/// others pull that file, so that an operator can speak to the QoS role while the order store is down.
final class Operators: Sendable {
    /// Nil where every process reads the store itself.
    private let path: String?
    private let names = Mutex<[String: String]>([:])

    init(path: String?) {
        self.path = path
    }

    /// The name of the operator whose token has the digest; nil for nobody's.
    func name(of digest: String) -> String? {
        names.withLock { $0[digest] }
    }

    /// Replaces the list, here and for the other processes.
    func publish(_ namesByDigest: [String: String]) throws {
        names.withLock { $0 = namesByDigest }
        guard let path else { return }
        let lines = namesByDigest.map { "\($0.key) \($0.value)\n" }.sorted()
        try PrivateFile.publish(lines.joined(), to: path)
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    func pull() {
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        let pairs = text.split(separator: "\n").map { line in
            line.split(separator: " ", maxSplits: 1).map(String.init)
        }
        let read = pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }
        names.withLock { $0 = Dictionary(read) { _, last in last } }
    }
}
