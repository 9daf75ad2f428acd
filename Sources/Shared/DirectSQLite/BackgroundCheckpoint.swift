package import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies a write-ahead log into its database on a connection of its own, beside the writer. Within a commit
/// the copy of 16 MiB takes 20 to 30 ms, for which every write waits.
///
/// SQLite begins the log anew only when all of it is copied and nobody reads of it (sqlite.org/wal.html,
/// "Checkpointing"), and what is written during a copy is not in that copy. So the writer copies this rest
/// within its next commit; ``CheckpointPlan`` says when it does more.
package final class BackgroundCheckpoint: Sendable {
    private let connection: DatabaseQueue
    private let busyMilliseconds: Int32
    private let plan: Mutex<CheckpointPlan>

    /// How long a commit waits for readers so that the log can begin anew. Halved, fewer readers end
    /// meanwhile; doubled, every write beside a reader of minutes stops twice as long, once for each 16 MiB.
    private static let restartMilliseconds: Int32 = 100

    /// - Parameters:
    ///   - pages: of the log, from which on it is copied.
    ///   - busyMilliseconds: how long the writer otherwise waits for another connection.
    package init(path: String, from pages: Int, busyMilliseconds: Int32) throws {
        var configuration = Configuration()
        configuration.label = "hub.checkpoint"
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        connection = try DatabaseQueue(path: path, configuration: configuration)
        plan = Mutex(CheckpointPlan(from: pages))
        self.busyMilliseconds = busyMilliseconds
    }

    /// Watches the commits of `writer`, whose connection ends before this value does.
    package func watch(_ writer: Database) {
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, connection, name, pages in
                guard let context else { return SQLITE_OK }
                let checkpoint = Unmanaged<BackgroundCheckpoint>.fromOpaque(context).takeUnretainedValue()
                // The commit is done whatever a copy returns; the next one tries again.
                switch checkpoint.step(at: Int(pages)) {
                case .nothing, .copyBeside: break
                case .copy: sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                case .restart:
                    sqlite3_busy_timeout(connection, BackgroundCheckpoint.restartMilliseconds)
                    sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_RESTART, nil, nil)
                    sqlite3_busy_timeout(connection, checkpoint.busyMilliseconds)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends a copy that runs, and the connection; a commit after it copies nothing.
    package func close() {
        plan.withLock { $0.close() }
        try? connection.close()
    }

    private func step(at length: Int) -> CheckpointPlan.Step {
        plan.withLock { plan in
            let step = plan.step(at: length)
            // Within the lock, so that it is behind no `close()`.
            if step == .copyBeside {
                connection.asyncWriteWithoutTransaction { db in
                    _ = try? db.checkpoint(.passive)
                    self.plan.withLock { $0.copied() }
                }
            }
            return step
        }
    }
}

/// What is done about the log with each commit.
package struct CheckpointPlan: Sendable {
    package enum Step: Hashable, Sendable {
        case nothing
        /// On the connection beside the writer.
        case copyBeside
        /// By the writer, as far as readers let it.
        case copy
        /// By the writer, which waits a moment for readers.
        case restart
    }

    private enum State {
        case idle
        case copying
        /// All but what was written since the copy began.
        case copied
        /// The log is long, since somebody read of it whenever it could have begun anew. Each commit copies,
        /// so that readers that begin after it read the database alone.
        case behind(restartAt: Int)
        case closed
    }

    private let pages: Int
    private var state = State.idle

    /// Times the length from which on the log is copied. With twice as much a hub's disk holds 128 MiB of log
    /// before the writer does more; with half of it, it works beside a reader of some seconds.
    private static let long = 4
    /// The same, for the first wait for readers; one more with each further ``pages``. Past it only a reader
    /// who never ends, or readers one over the other, keep the log.
    private static let longest = 16

    /// - Parameter pages: of the log, from which on it is copied.
    package init(from pages: Int) {
        self.pages = pages
    }

    /// - Parameter length: of the log behind the commit, in pages.
    package mutating func step(at length: Int) -> Step {
        switch state {
        case .idle where length >= pages:
            state = .copying
            return .copyBeside
        case .idle, .copying, .closed: return .nothing
        case .copied:
            state = length >= Self.long * pages ? .behind(restartAt: Self.longest * pages) : .idle
            return length >= pages ? .copy : .nothing
        case .behind where length < pages:
            state = .idle
            return .nothing
        case .behind(let restartAt) where length >= restartAt:
            state = .behind(restartAt: length + pages)
            return .restart
        case .behind: return .copy
        }
    }

    /// The copy beside the writer has ended.
    package mutating func copied() {
        if case .copying = state { state = .copied }
    }

    package mutating func close() { state = .closed }
}
