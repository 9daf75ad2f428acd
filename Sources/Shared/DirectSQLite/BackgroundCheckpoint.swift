package import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies a write-ahead log into its database on a connection of its own, beside the writer. Within a commit
/// the copy of 16 MiB takes 20 to 30 ms, for which every write waits.
///
/// SQLite begins the log anew only when all of it is copied (sqlite.org/wal.html, "Checkpointing"), and what
/// is written during a copy is not in that copy. So the writer copies this rest within its next commit.
package final class BackgroundCheckpoint: Sendable {
    private enum State {
        case idle
        case copying
        /// All but what was written since the copy began.
        case copied
    }

    private let connection: DatabaseQueue
    private let pages: Int
    private let state = Mutex(State.idle)

    /// - Parameter pages: of the log, from which on it is copied.
    package init(path: String, from pages: Int) throws {
        var configuration = Configuration()
        configuration.label = "hub.checkpoint"
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        connection = try DatabaseQueue(path: path, configuration: configuration)
        self.pages = pages
    }

    /// Watches the commits of `writer`, whose connection ends before this value does.
    package func watch(_ writer: Database) {
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, connection, name, pages in
                guard let context else { return SQLITE_OK }
                let checkpoint = Unmanaged<BackgroundCheckpoint>.fromOpaque(context).takeUnretainedValue()
                if checkpoint.writerCopies(at: Int(pages)) {
                    // The commit is done whatever this returns; the next one tries again.
                    sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends a copy that runs, and the connection.
    package func close() {
        try? connection.close()
    }

    private func writerCopies(at length: Int) -> Bool {
        let (begins, copies) = state.withLock { state -> (Bool, Bool) in
            switch state {
            case .idle where length >= pages:
                state = .copying
                return (true, false)
            case .idle, .copying:
                return (false, false)
            case .copied:
                state = .idle
                return (false, length >= pages)
            }
        }
        if begins {
            connection.asyncWriteWithoutTransaction { db in
                _ = try? db.checkpoint(.passive)
                self.state.withLock { $0 = .copied }
            }
        }
        return copies
    }
}
