internal import GRDB
internal import Glibc

/// How the database is opened: checked before anything is written, then made durable and verified.
enum DatabaseOpening {
    /// A sale touches some ten pages and fills none: half of SQLite's usual size is half of what each commit
    /// writes to the log. A database keeps the size that it was made with.
    static let pageBytes: Int64 = 2048
    /// The size of the log that starts a checkpoint: large enough that less than one sale in a hundred waits
    /// for one, and small, since a commit that makes the log's file grow costs nearly twice one that writes
    /// over it.
    static let checkpointBytes: Int64 = 4 << 20

    /// Refuses a file that is missing, foreign, newer or no database at all, without opening it for writing.
    static func examine(_ path: String, creating: Bool) throws(TerminalDatabaseError) {
        guard !DurableFile.exists(path + ".repaired") else { throw .repairUnfinished(path: path) }
        let head: [UInt8]
        switch DurableFile.readHead(path, count: 100) {
        case .absent:
            guard creating else { throw .missing(path: path) }
            guard !DurableFile.exists(path + "-wal") else {
                throw .corrupt(path: path, detail: "its log is there and the database is gone")
            }
            return
        case .unreadable(let detail): throw .unusable(path: path, detail: detail)
        case .bytes(let bytes): head = bytes
        }
        // Until the first checkpoint a new database is completely in its log.
        if head.isEmpty { return }
        guard let header = DatabaseFileHeader(head) else {
            throw .corrupt(path: path, detail: "its first 100 bytes are no header of SQLite")
        }
        try check(version: header.userVersion, applicationId: header.applicationId, path: path)
        guard DurableFile.exists(path + "-wal") else { return }
        try examineLog(path)
        try examineThroughLog(path)
    }

    /// SQLite takes the first damaged frame for the end of the log, and writes over what follows it. Where
    /// commits follow, that would lose them silently.
    private static func examineLog(_ path: String) throws(TerminalDatabaseError) {
        let log = DamagedPages.contents(of: path + "-wal")
        guard DamagedPages.hasCommitsBehindDamage(of: { DamagedPages.contents(of: path) }, log: log) else {
            return
        }
        throw .corrupt(
            path: path, detail: "its write-ahead log is damaged, and commits lie behind the damage")
    }

    /// A newer release may have migrated in the log alone; a read-only connection sees that and checkpoints
    /// nothing.
    private static func examineThroughLog(_ path: String) throws(TerminalDatabaseError) {
        let queue = try openForReading(path)
        defer { try? queue.close() }
        do {
            let (version, applicationId) = try queue.read { database in
                (
                    try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                    try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
                )
            }
            try check(version: version, applicationId: applicationId, path: path)
        } catch {
            throw self.error(error, path: path)
        }
    }

    private static func check(
        version: Int64, applicationId: Int64, path: String
    ) throws(TerminalDatabaseError) {
        guard applicationId == Schema.applicationId || (applicationId == 0 && version == 0) else {
            throw .foreign(path: path)
        }
        guard version <= Schema.current else {
            throw .newerSchema(path: path, found: version, known: Schema.current)
        }
    }

    static func openForReading(_ path: String) throws(TerminalDatabaseError) -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw self.error(error, path: path)
        }
    }

    /// Opens, makes durable, migrates and checks the journal's end.
    static func open(_ path: String) throws(TerminalDatabaseError) -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.busyMode = .timeout(2)
            configuration.label = "terminal.sqlite"
            try makePrivate(path)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            do {
                try queue.inDatabase { database in
                    try makeDurable(database, path: path)
                    try Schema.migrate(database)
                    try JournalChain.checkHead(of: database)
                }
            } catch {
                try? queue.close()
                throw error
            }
            return queue
        } catch {
            throw self.error(error, path: path)
        }
    }

    /// Makes a new database readable for its owner alone before there is anything in it: SQLite would take
    /// the process's mask, and gives the log the mode of the database. Files of earlier versions lose their
    /// permissions for others where they belong to this user.
    private static func makePrivate(_ path: String) throws {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
        // A file that can only be read is left to SQLite, which refuses or reads it.
        for file in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0, status.st_uid == geteuid() else {
                continue
            }
            guard chmod(file, 0o600) == 0 else { throw FileError(path: file, call: "chmod", code: errno) }
        }
    }

    /// Opens after a failed write or sync: the log is written into the database and synced, and all pages are
    /// checked, so that everything read from here on is on the disk.
    static func reopenAfterFailure(_ path: String) throws(TerminalDatabaseError) -> DatabaseQueue {
        let queue = try open(path)
        do {
            try queue.inDatabase { database in
                try database.checkpoint(.truncate)
                let findings = try String.fetchAll(database, sql: "PRAGMA quick_check(5)")
                guard findings == ["ok"] else {
                    throw TerminalDatabaseError.corrupt(path: path, detail: findings.joined(separator: "; "))
                }
            }
            return queue
        } catch {
            try? queue.close()
            throw self.error(error, path: path)
        }
    }

    /// Write-ahead log with a sync at every commit. Set here and read back, since GRDB lowers `synchronous`
    /// when it sets up the log itself.
    private static func makeDurable(_ database: Database, path: String) throws {
        try database.execute(sql: "PRAGMA page_size = \(pageBytes)")
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let pageBytes = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? pageBytes
        try database.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointBytes / pageBytes)")
        try database.execute(sql: "PRAGMA journal_size_limit = \(32 << 20)")
        // Codes, numbers and verifiers that are erased are overwritten in their pages. Debian's library does
        // so by default; another one would leave them readable on the disk.
        try database.execute(sql: "PRAGMA secure_delete = ON")
        let level = try Int64.fetchOne(database, sql: "PRAGMA synchronous")
        guard mode == "wal", level == 2 else {
            throw TerminalDatabaseError.notDurable(
                path: path, detail: "journal_mode is \(mode ?? "unknown"), synchronous is \(level ?? -1)")
        }
    }

    static func error(_ error: any Error, path: String) -> TerminalDatabaseError {
        switch error {
        case let known as TerminalDatabaseError: return known
        case let error as FileError: return .unusable(path: path, detail: error.description)
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .corrupt(path: path, detail: error.description)
            default: return .unusable(path: path, detail: error.description)
            }
        case let broken as JournalChain.Broken: return .corrupt(path: path, detail: broken.detail)
        default: return .unusable(path: path, detail: "\(error)")
        }
    }
}

/// The first 100 bytes of an SQLite database, read without SQLite, so that a file that must stay as it is
/// stays so. (sqlite.org/fileformat.html, section 1.3)
struct DatabaseFileHeader: Hashable {
    /// `PRAGMA user_version`: the schema's version as of the last checkpoint.
    let userVersion: Int64
    /// `PRAGMA application_id`.
    let applicationId: Int64

    /// - Returns: nil when the bytes are no header of SQLite.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(100))
        guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
        userVersion = Self.integer(in: bytes, at: 60)
        applicationId = Self.integer(in: bytes, at: 68)
    }

    private static func integer(in bytes: [UInt8], at offset: Int) -> Int64 {
        Int64(bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
