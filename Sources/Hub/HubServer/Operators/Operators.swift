internal import Foundation
internal import HubCore
internal import HubProtocol
internal import Synchronization

/// The caller of an operators' route.
struct OperatorIdentity: Hashable, Sendable {
    let name: String
    let role: CallerRole

    /// The owner of this machine, on a local socket that nobody else can open.
    static let local = OperatorIdentity(name: "local", role: .localSocket)
}

/// The operators by the digest of their tokens, and by name.
///
/// The process with the order store publishes them into a file beside it, one operator a line; the others
/// pull that file, so that an operator can speak to the QoS role while the order store is down. The file
/// holds no password and no login code: people sign in where the order store is.
final class Operators: Sendable {
    /// What a process without the order store knows of an operator.
    struct Entry: Hashable, Sendable {
        let name: String
        let role: OperatorRole
        let tokenDigest: String
        let tokenExpiresAt: Int64?
        /// Changes with the password, so that sessions end with it; nil without a password.
        let passwordStamp: String?

        var identity: OperatorIdentity { OperatorIdentity(name: name, role: role.caller) }

        init(_ record: OperatorRecord) {
            name = record.name
            role = record.role
            tokenDigest = record.tokenDigest
            tokenExpiresAt = record.tokenExpiresAt
            passwordStamp = record.passwordHash.map(Self.stamp)
        }

        /// Reads a line of the file; nil for one that is malformed.
        init?(line: Substring) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5, let role = OperatorRole(rawValue: fields[1]) else { return nil }
            tokenDigest = fields[0]
            self.role = role
            tokenExpiresAt = Int64(fields[2])
            passwordStamp = fields[3].isEmpty ? nil : fields[3]
            name = fields[4]
        }

        var line: String {
            let fields = [
                tokenDigest, role.rawValue, tokenExpiresAt.map(String.init) ?? "", passwordStamp ?? "", name,
            ]
            return fields.joined(separator: "\t") + "\n"
        }

        /// 128 bits of the digest of a password's hash.
        static func stamp(of passwordHash: String) -> String {
            String(Digest.sha256Hex(Array(passwordHash.utf8)).prefix(32))
        }
    }

    /// Nil where every process reads the store itself.
    private let path: String?
    private let entries = Mutex<[Entry]>([])

    init(path: String?) {
        self.path = path
    }

    /// The operator whose token has the digest; nil for nobody's.
    func entry(tokenDigest: String) -> Entry? {
        entries.withLock { $0.first { $0.tokenDigest == tokenDigest } }
    }

    /// The operator of a name; nil for nobody's.
    func entry(named name: String) -> Entry? {
        entries.withLock { $0.first { $0.name == name } }
    }

    /// Adds an operator whom another process added, here alone.
    func note(_ record: OperatorRecord) {
        let entry = Entry(record)
        entries.withLock { $0 = $0.filter { $0.name != entry.name } + [entry] }
    }

    /// Replaces the list, here and for the other processes.
    func publish(_ records: [OperatorRecord]) throws {
        let list = records.map(Entry.init)
        entries.withLock { $0 = list }
        guard let path else { return }
        try PrivateFile.publish(list.map(\.line).sorted().joined(), to: path)
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    func pull() {
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        let list = text.split(separator: "\n").compactMap(Entry.init(line:))
        entries.withLock { $0 = list }
    }
}
