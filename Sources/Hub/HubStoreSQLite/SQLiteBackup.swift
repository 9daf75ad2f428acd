internal import Foundation
internal import GRDB
internal import Glibc
package import HubStore

/// A backup of a hub on SQLite: one file, readable by its owner alone. It is a copy of the order store with
/// one more table, which holds what else a hub needs.
package struct SQLiteBackup: Sendable {
    /// What lies beside the order store.
    package enum Part: String, Sendable, CaseIterable {
        /// When and from which form it was made, as JSON.
        case made
        /// The hub's private keys.
        case keys
        /// The ids of revoked terminals.
        case revoked
        /// The file of QoS decisions.
        case qos
    }

    /// What a backup or a restored store holds.
    package struct Extent: Hashable, Sendable {
        /// Rows of the terminals.
        package let terminals: Int64
        /// Entries of their journals.
        package let entries: Int64
    }

    /// The path of the file.
    package let path: String
    /// What the copy of the order store holds.
    package let extent: Extent
    private let parts: [Part: [UInt8]]

    /// Opens a backup and looks at every page of it.
    ///
    /// - Throws: ``LedgerError/notOpened(path:reason:)`` for a file that is none,
    ///   ``LedgerError/newerSchema(path:found:known:)`` for one of a newer hub.
    package init(path: String) throws(LedgerError) {
        self.path = path
        do {
            guard FileManager.default.fileExists(atPath: path) else {
                throw LedgerError.notOpened(path: path, reason: "there is no such file")
            }
            try SQLiteFile.refuseNewer(path, .ledger)
            try SQLiteFile.refuseDamaged(path)
            let queue = try SQLiteFile.readOnly(path)
            defer { try? queue.close() }
            (parts, extent) = try queue.read { db in
                guard try db.tableExists(Self.table) else {
                    throw LedgerError.notOpened(path: path, reason: "`pos-hub backup` did not write it")
                }
                let rows = try db.all("SELECT name, content FROM \(Self.table)", [])
                let parts = rows.compactMap { row -> (Part, [UInt8])? in
                    Part(rawValue: row["name"]).map { ($0, Array(row["content"] as Data)) }
                }
                return (Dictionary(parts) { _, last in last }, try Self.extent(of: db))
            }
        } catch {
            throw SQLiteFile.opening(path, error)
        }
    }

    /// A part; nil for one that the hub did not have.
    package func part(_ part: Part) -> [UInt8]? { parts[part] }

    private static let table = "backup_parts"

    fileprivate static func extent(of db: Database) throws -> Extent {
        Extent(
            terminals: try Int64.fetchOne(db, sql: "SELECT COUNT(*) FROM terminals") ?? 0,
            entries: try Int64.fetchOne(db, sql: "SELECT COUNT(*) FROM journal") ?? 0)
    }
}

/// Writing a backup.
extension SQLiteBackup {
    /// Copies the store at `ledger` as it is at one moment, beside a hub that works on it; complete or not at
    /// all.
    ///
    /// - Parameters:
    ///   - path: a file that must not be there yet.
    ///   - qos: the path of the QoS decisions; nil when there are none.
    ///   - others: the other parts, read behind the copy: a key that the copy names is in them.
    /// - Throws: ``LedgerError``; whatever `others` throws.
    package static func write(
        to path: String, ledger: String, qos: String?, others: () throws -> [Part: [UInt8]]
    ) throws -> Extent {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw LedgerError.notOpened(path: path, reason: "there is a file already; name a new one")
        }
        // A disk that is not mounted has no folder either, and the hub's own disk is no place for a backup.
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw LedgerError.notOpened(
                path: path, reason: "there is no folder \(folder.path); mount its disk, or make the folder")
        }
        // A name of its own: what a killed backup left is in nobody's way.
        let draft = "\(path).part-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { SQLiteFile.remove(draft) }
        do {
            try SQLiteFile.refuseNewer(ledger, .ledger)
            try copy(ledger, to: draft)
            let decisions = try qos.map { try bytes(of: $0, by: draft + "-qos") }
            var parts = try others()
            parts[.qos] = decisions
            let queue = try DatabaseQueue(path: draft)
            let extent = try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.inTransaction {
                    try db.execute(
                        sql: "CREATE TABLE \(table) (name TEXT PRIMARY KEY, content BLOB NOT NULL)")
                    for (part, content) in parts {
                        try db.run(
                            "INSERT INTO \(table) (name, content) VALUES (?, ?)",
                            [part.rawValue, Data(content)])
                    }
                    return .commit
                }
                return try Self.extent(of: db)
            }
            try queue.close()
            try SQLiteFile.refuseDamaged(draft)
            try SQLiteFile.place(draft, at: path)
            return extent
        } catch LedgerError.damaged(_, let detail) {
            // The copy has the pages of the store.
            throw LedgerError.damaged(path: ledger, detail: detail)
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_FULL { throw LedgerError.full }
            throw SQLiteFile.opening(SQLiteFile.isDamage(error) ? ledger : path, error)
        }
    }

    /// A database that a copy is made of in one read transaction, which no writer waits for; a file without
    /// companions.
    fileprivate static func copy(_ path: String, to copy: String) throws {
        let source = try SQLiteFile.readOnly(path)
        defer { try? source.close() }
        try SQLiteFile.createPrivately(copy)
        let target = try DatabaseQueue(path: copy)
        try source.backup(to: target)
        try target.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
        try target.close()
    }

    private static func bytes(of path: String, by draft: String) throws -> [UInt8] {
        defer { SQLiteFile.remove(draft) }
        try copy(path, to: draft)
        return Array(try Data(contentsOf: URL(fileURLWithPath: draft)))
    }
}

/// Putting a backup in the place of a store.
extension SQLiteBackup {
    /// Whether there is nothing at `path` that a restore would take away: no file, or what a hub makes at its
    /// first start.
    package static func isEmpty(_ path: String) throws(LedgerError) -> Bool {
        do {
            let size =
                try FileManager.default.fileExists(atPath: path)
                ? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int : 0
            guard (size ?? 0) > 0 else { return true }
            let queue = try SQLiteFile.readOnly(path)
            defer { try? queue.close() }
            return try queue.read { db in
                let tables = try String.fetchAll(
                    db,
                    sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
                return try tables.allSatisfy { table in
                    try ["meta", "write_checks"].contains(table)
                        || Row.fetchOne(db, sql: "SELECT 1 FROM \"\(table)\" LIMIT 1") == nil
                }
            }
        } catch {
            throw SQLiteFile.opening(path, error)
        }
    }

    /// Makes a store of the backup at `ledger` and `qos`, which must be empty. The order store gets its name
    /// last: until then the restore can be repeated.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - beforeLedger: puts the other files in their places.
    package func restore(
        ledger: String, qos: String, at now: Int64, beforeLedger: () throws -> Void
    ) throws -> Extent {
        let drafts = [ledger, qos].map { $0 + ".restoring" }
        drafts.forEach(SQLiteFile.remove)
        defer { drafts.forEach(SQLiteFile.remove) }
        do {
            try Self.copy(path, to: drafts[0])
            try Self.change(drafts[0], .ledger) { db in try Self.mark(db, at: now) }
            if let bytes = part(.qos) {
                try SQLiteFile.createPrivately(drafts[1])
                try Data(bytes).write(to: URL(fileURLWithPath: drafts[1]))
                try Self.change(drafts[1], .qos) { db in
                    // Within one issuer terminals ignore what is older than what they have.
                    try db.execute(
                        sql: "UPDATE meta SET value = lower(hex(randomblob(12))) WHERE key = 'issuer'")
                }
            }
            try beforeLedger()
            if part(.qos) != nil { try SQLiteFile.place(drafts[1], at: qos) }
            try SQLiteFile.place(drafts[0], at: ledger)
            return extent
        } catch let error as DatabaseError {
            throw error.resultCode == .SQLITE_FULL ? LedgerError.full : SQLiteFile.opening(ledger, error)
        }
    }

    /// Migrates the copy and changes it in one transaction; a file without companions.
    private static func change(
        _ path: String, _ schema: SQLiteSchema, _ body: (Database) throws -> Void
    ) throws {
        let file = try SQLiteFile(path: path, schema: schema)
        defer { file.close() }
        try file.pool.writeWithoutTransaction { db in
            try db.inTransaction {
                try body(db)
                return .commit
            }
        }
        try file.emptyLog()
    }

    /// What happened after the backup is unknown to the copy: cursors of then name other rows, codes that
    /// were used since are open in it.
    private static func mark(_ db: Database, at now: Int64) throws {
        try db.execute(sql: "DROP TABLE \(table)")
        try db.execute(sql: "UPDATE meta SET value = lower(hex(randomblob(8))) WHERE key = 'feed'")
        for change in JournalRows.newLife(named: "lower(hex(randomblob(8)))") { try db.execute(sql: change) }
        try db.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('restored_at', ?)", ["\(now)"])
        try db.run(
            "UPDATE enrolment_codes SET revoked_at = ? WHERE terminal_id IS NULL AND revoked_at IS NULL",
            [now])
        try db.execute(sql: "UPDATE operators SET login_code_digest = NULL")
    }
}

extension SQLiteFile {
    /// A connection that changes nothing.
    static func readOnly(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(busySeconds)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Gives a finished database without companions its name.
    fileprivate static func place(_ draft: String, at path: String) throws(LedgerError) {
        // Of the empty store that is replaced; beside another file they would be its end.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        guard rename(draft, path) == 0 else {
            throw .notOpened(path: path, reason: String(cString: strerror(errno)))
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Glibc.close(descriptor)
    }

    fileprivate static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Why a file could not be used.
    static func opening(_ path: String, _ error: any Error) -> LedgerError {
        switch error {
        case let error as LedgerError: error
        case let error as DatabaseError where isDamage(error): .damaged(path: path, detail: message(error))
        case _: .notOpened(path: path, reason: message(error))
        }
    }
}
