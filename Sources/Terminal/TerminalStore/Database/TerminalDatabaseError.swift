internal import HubProtocol

/// Why the terminal's database was not opened. The file is as it was.
package enum TerminalDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no database: the terminal was never set up, or its file was removed. It is not created
    /// silently; `pos init` creates one.
    case missing(path: String)
    /// A newer release wrote it; install that release.
    case newerSchema(path: String, found: Int64, known: Int64)
    /// The file belongs to another program.
    case foreign(path: String)
    /// The file is damaged. It stays where it is until a person has it repaired.
    case corrupt(path: String, detail: String)
    /// A repair was killed between the fresh database and the damaged one's place.
    case repairUnfinished(path: String)
    /// SQLite does not guarantee that a commit survives a power cut.
    case notDurable(path: String, detail: String)
    /// The folder or file cannot be used: permissions, a full disk, another process.
    case unusable(path: String, detail: String)

    /// Whether a repair is the way out.
    package var isDamage: Bool {
        switch self {
        case .corrupt, .repairUnfinished: true
        case .missing, .newerSchema, .foreign, .notDurable, .unusable: false
        }
    }

    /// One line for people: the path, the cause, and the command that helps where there is one.
    package var description: String {
        switch self {
        case .missing(let path): "there is no database at \(path); run `pos init`"
        case .newerSchema(let path, let found, let known):
            "\(path) has schema \(found) and this release knows \(known); install the newer release"
        case .foreign(let path): "\(path) is not a database of this program; move it away"
        case .corrupt(let path, let detail):
            "\(path) is damaged (\(detail)); `pos repair` brings what can be read into a fresh database, "
                + "`pos sync export FILE` writes it into a file"
        case .repairUnfinished(let path):
            "a repair of \(path) was cut short; `pos repair` finishes it, nothing of it is lost"
        case .notDurable(let path, let detail): "\(path) cannot be made durable: \(detail)"
        case .unusable(let path, let detail): "\(path) cannot be used: \(detail)"
        }
    }
}

/// How an access to the open database failed.
enum StoreFailure: Error, Hashable {
    /// No room; the complete transaction was rolled back.
    case diskFull
    /// The handle was closed, since what a failed write or sync left in it cannot be trusted.
    case broken(detail: String)
    /// Refused for a reason of ours; the transaction was rolled back.
    case refused(detail: String)
    /// The terminal has no store and number yet.
    case notEnrolled
    /// A sale would spend more of a lease than is left of it.
    case leaseSpent(LeaseUse, left: Int64)
    /// Another till has the cart that would be sold.
    case cartGranted(to: String)
}
