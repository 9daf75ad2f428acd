internal import DirectSQLite
internal import Foundation
internal import GRDB
internal import HubStore
internal import Synchronization

/// One SQLite database with one writing connection, opened so that every commit is synced.
///
/// GRDB sets `synchronous` back to NORMAL when it turns the write-ahead log on, so FULL is applied behind
/// that and read back: a store that would not sync is refused.
final class SQLiteFile: Sendable {
    let path: String
    private let schema: SQLiteSchema
    private let checkpointPages: Int
    private let current: Mutex<Connections>

    private struct Connections {
        let pool: DatabasePool
        let checkpoint: BackgroundCheckpoint

        /// The copy first: then the last connection that closes leaves no log behind.
        func close() {
            checkpoint.close()
            try? pool.close()
        }
    }

    /// How long a transaction waits for another process before the store counts as held.
    static let busySeconds = 1.0
    /// Of the writing connection: the indexes of a day's orders, so that an insert reads nothing back.
    private static let cacheKibibytes = 16 << 10
    /// 16 MiB of log: pages that every batch changes are copied into the database once for many batches.
    static let checkpointPages = 4 << 10

    /// - Parameters:
    ///   - isChecked: every page is looked at before anything is written.
    ///   - checkpointPages: of the log, from which on it is copied into the database.
    init(
        path: String, schema: SQLiteSchema, isChecked: Bool = false,
        checkpointPages: Int = SQLiteFile.checkpointPages
    ) throws(LedgerError) {
        self.path = path
        self.schema = schema
        self.checkpointPages = checkpointPages
        do {
            try Self.refuseNewer(path, schema)
            if isChecked { try Self.refuseDamaged(path) }
            try Self.createPrivately(path)
            current = Mutex(try Self.opened(path, schema, checkpointPages))
        } catch let error as LedgerError {
            throw error
        } catch {
            if let damage = error as? DatabaseError, Self.isDamage(damage) {
                throw LedgerError.damaged(path: path, detail: Self.message(damage))
            }
            throw LedgerError.notOpened(path: path, reason: Self.message(error))
        }
    }

    static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    /// What SQLite finds in the pages and indexes; empty when all is well.
    ///
    /// - Parameters:
    ///   - isComplete: also whether every index has what its table has, which takes several times as long.
    ///   - limit: how many findings are listed.
    static func findings(in db: Database, isComplete: Bool, limit: Int) throws -> [String] {
        let pragma = isComplete ? "integrity_check" : "quick_check"
        let rows = try String.fetchAll(db, sql: "PRAGMA \(pragma)(\(limit))")
        return rows == ["ok"] ? [] : rows
    }

    /// Looks at every page without changing a byte. Reads the file once: some seconds for each gigabyte.
    static func refuseDamaged(_ path: String) throws {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        guard size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(busySeconds)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        let findings = try queue.read { db in try Self.findings(in: db, isComplete: false, limit: 3) }
        guard findings.isEmpty else {
            throw LedgerError.damaged(path: path, detail: findings.joined(separator: "; "))
        }
    }

    var pool: DatabasePool { current.withLock { $0.pool } }

    /// Opens the database anew after a failed write or sync: what such a handle returns is not reliable.
    func reopen() throws {
        let fresh = try Self.opened(path, schema, checkpointPages)
        let spent = current.withLock { connections in
            defer { connections = fresh }
            return connections
        }
        spent.close()
    }

    func close() {
        current.withLock { $0 }.close()
    }

    /// Copies all of the log into the database and leaves an empty one; throws while somebody reads of it.
    /// From then on the writer alone copies.
    func emptyLog() throws {
        let connections = current.withLock { $0 }
        // A copy that runs keeps this one out.
        connections.checkpoint.close()
        try connections.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    }

    /// Reads in a snapshot of its own, beside the writer.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw Self.translated(error)
        }
    }

    private static func opened(
        _ path: String, _ schema: SQLiteSchema, _ checkpointPages: Int
    ) throws -> Connections {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busySeconds)
        configuration.label = "hub"
        let pool = try DatabasePool(path: path, configuration: configuration)
        let level = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // An erased member is overwritten in the pages, also where the library does not do so of itself.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
            // Without it the log stays as long as its longest transaction made it, an import's for example.
            // Twice what lies between two checkpoints, so that an ordinary day never cuts it.
            try db.execute(sql: "PRAGMA journal_size_limit = \(2 * checkpointPages * 4096)")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard level == 2 else { throw LedgerError.notDurable(path: path) }
        let checkpoint = try BackgroundCheckpoint(
            path: path, from: checkpointPages, busyMilliseconds: Int32(busySeconds * 1_000))
        try pool.writeWithoutTransaction { db in
            checkpoint.watch(db)
            try schema.migrate(db)
        }
        return Connections(pool: pool, checkpoint: checkpoint)
    }

    /// Looks at the version without changing a byte.
    static func refuseNewer(_ path: String, _ schema: SQLiteSchema) throws {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        guard size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(busySeconds)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let found = try queue.read { db in try schema.version(of: db) }
        try queue.close()
        guard found <= schema.steps.count else {
            throw LedgerError.newerSchema(path: path, found: found, known: schema.steps.count)
        }
    }

    /// Renames the file and its companions to the first free `<path>.damaged-N`.
    static func setAside(_ path: String) throws(LedgerError) -> String {
        let files = FileManager.default
        var number = 1
        while files.fileExists(atPath: "\(path).damaged-\(number)") { number += 1 }
        let kept = "\(path).damaged-\(number)"
        do {
            // The file itself last: what is left after a kill in between is still damaged and goes once more.
            for suffix in ["-wal", "-shm", ""] where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: kept + suffix)
            }
        } catch {
            throw .notOpened(path: path, reason: "it is damaged and cannot be moved aside: \(error)")
        }
        return kept
    }

    /// Makes the file, readable by its owner alone; SQLite gives its companions the same permissions.
    static func createPrivately(_ path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let isMade = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw LedgerError.notOpened(path: path, reason: "the folder is not writable") }
    }

    /// The port's error for an error of the store.
    static func translated(_ error: any Error) -> LedgerError {
        switch error {
        case let error as LedgerError: return error
        case is TransactionCollision: return .busy
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: return .busy
            case .SQLITE_FULL: return .full
            case _: return .failed(message(error))
            }
        case _: return .failed("\(error)")
        }
    }

    static func message(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        return "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
    }
}

/// Statements that are prepared once per connection.
extension Database {
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func first(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func all(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }
}
