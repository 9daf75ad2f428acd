import Base

internal import Foundation
internal import Glibc
package import HubCore
package import HubProtocol
internal import HubStore
internal import HubStorePostgres
internal import HubStoreSQLite
internal import LinuxRuntime
internal import MachineRuntime

/// A complete hub in one file, or in a folder of such files that rotate, and back.
package enum StoreBackup {
    /// Writes the hub of `configuration` to `path`, beside its work.
    ///
    /// - Throws: ``StoreBackupError``, ``HubKeyError``, ``LedgerError``.
    package static func write(_ configuration: HubConfiguration, to path: String) throws -> JSONValue {
        let paths = try sqlite(configuration, .backup(path: path))
        let now = LinuxSystemTime.hub.wallMilliseconds()
        let document = try copy(paths, configuration, to: path, at: now)
        try note(document, beside: paths)
        return document
    }

    /// Writes the hub of `configuration` into a folder of backups, reads the file back, and removes those
    /// that `rotation` does not keep. A failure removes nothing.
    ///
    /// - Parameters:
    ///   - moment: when it is made, in milliseconds since 1970; nil: now.
    ///   - free: the free bytes of a folder.
    /// - Returns: that of ``write(_:to:)`` with `kept`, how many backups of this hub the folder has, and
    ///   `removed`, the names of the files that went; where the folder's list cannot be read nothing goes,
    ///   `kept` is null and `problem` says what to do.
    package static func write(
        _ configuration: HubConfiguration, into folder: String, rotation: BackupRotation,
        at moment: Int64? = nil, free: (String) throws -> Int64 = HubCondition.freeBytes(in:)
    ) throws -> JSONValue {
        let now = moment ?? LinuxSystemTime.hub.wallMilliseconds()
        let name = BackupFolder.name(at: now)
        let paths = try sqlite(configuration, .backup(path: folder + "/" + name))
        var backups = try BackupFolder(path: folder)
        let keys = try HubKeyFile(configured: configuration.keysFolder, beside: paths).ids()
        let entry = BackupFolder.Entry(file: name, madeAt: now, keys: keys)
        try backups.add(entry)
        let document: JSONValue
        do {
            document = try copy(paths, configuration, to: backups.path(of: entry), at: now, free: free)
            try verify(backups.path(of: entry), holds: document)
        } catch {
            try? backups.withdraw(entry)
            throw error
        }
        try note(document, beside: paths)
        let rotated = try backups.rotate(by: rotation, for: entry)
        var members = document.object ?? [:]
        members["kept"] = JSONValue(rotated.map { Int64($0.kept) })
        members["removed"] = .array((rotated?.removed ?? []).map(JSONValue.string))
        if let problem = backups.problem { members["problem"] = .string(problem) }
        return .object(members)
    }

    private static func copy(
        _ paths: StorePaths, _ configuration: HubConfiguration, to path: String, at now: Int64,
        free: (String) throws -> Int64 = HubCondition.freeBytes(in:)
    ) throws -> JSONValue {
        try refuseForeignOwner(of: paths)
        guard FileManager.default.fileExists(atPath: paths.ledger) else {
            throw LedgerError.notOpened(path: paths.ledger, reason: "there is no such file")
        }
        let qos = FileManager.default.fileExists(atPath: paths.qos) ? paths.qos : nil
        try requireRoom(for: paths, at: path, free: free)
        let extent = try SQLiteBackup.write(to: path, ledger: paths.ledger, qos: qos) {
            var parts: [SQLiteBackup.Part: [UInt8]] = [
                .made: (["format": 1, "madeAt": .integer(now)] as JSONValue).canonicalBytes
            ]
            parts[.revoked] = try PrivateFile.read(paths.revocations)
            parts[.keys] = try keys(of: HubKeyFile(configured: configuration.keysFolder, beside: paths))
            return parts
        }
        return [
            "file": .string(path), "bytes": .integer(size(of: path)),
            "madeAt": .string(Timestamp.text(milliseconds: now)),
            "terminals": .integer(extent.terminals), "entries": .integer(extent.entries),
        ]
    }

    /// Refuses to begin where the copy would fill the disk: other programs of it would stop first.
    private static func requireRoom(
        for paths: StorePaths, at path: String, free: (String) throws -> Int64
    ) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        // A folder that is not there has its own error.
        guard let free = try? free(folder) else { return }
        // The decisions are there twice for a moment; a MiB for what is beside.
        let needed =
            size(of: paths.ledger) + size(of: paths.ledger + "-wal") + 2 * size(of: paths.qos) + 1 << 20
        guard free >= needed else {
            throw StoreBackupError.noRoom(folder: folder, needed: needed, free: free)
        }
    }

    /// Reads a written backup from its disk, every page of it.
    private static func verify(_ path: String, holds document: JSONValue) throws {
        PrivateFile.dropFromMemory(path)
        let backup = try SQLiteBackup(path: path)
        guard backup.extent.terminals == document["terminals"]?.integer,
            backup.extent.entries == document["entries"]?.integer, backup.part(.made) != nil
        else {
            throw LedgerError.damaged(path: path, detail: "it does not hold what was written")
        }
    }

    /// What `doctor` and the metrics read.
    private static func note(_ document: JSONValue, beside paths: StorePaths) throws {
        try PrivateFile.replace(paths.lastBackup, with: document.canonicalBytes + [10])
    }

    private static func keys(of file: HubKeyFile) throws -> [UInt8]? {
        switch try file.read() {
        case .missing: nil
        case .keys(let ring): ring.json(isPrivate: true).canonicalBytes
        }
    }

    private static func size(of path: String) -> Int64 {
        Int64((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
    }

    private static func sqlite(
        _ configuration: HubConfiguration, _ deed: StoreBackupError.Deed
    ) throws(StoreBackupError) -> StorePaths {
        switch configuration.store {
        case .sqlite(let path): return StorePaths(ledger: path)
        case .postgresql(let url):
            throw .ofDatabase(
                deed, url: StoreLocation.postgresql(url: url).shown, keysFolder: configuration.keysFolder)
        }
    }
}

/// Back into an empty store.
extension StoreBackup {
    /// Makes the empty store of `configuration` the hub that `path` holds, with a new issuer of QoS decisions
    /// and a new feed, marked as restored.
    ///
    /// - Throws: ``StoreBackupError``, ``HubKeyError``, ``LedgerError``, ``HubStartError/storeOwned(path:)``
    ///   while a hub serves the store.
    package static func restore(_ path: String, to configuration: HubConfiguration) async throws -> JSONValue
    {
        let paths = try sqlite(configuration, .restore(path: path))
        try refuseForeignOwner(of: paths)
        let backup = try SQLiteBackup(path: path)
        let locks = try [paths.ledger, paths.qos].map(StoreMigration.owned)
        defer { withExtendedLifetime(locks) {} }
        guard try SQLiteBackup.isEmpty(paths.ledger) else {
            throw StoreBackupError.notEmpty(path: paths.ledger)
        }
        let isFresh = FileManager.default.fileExists(atPath: paths.ledger)
        let keyFile = HubKeyFile(configured: configuration.keysFolder, beside: paths)
        let keys = try backup.part(.keys).map {
            try joined(HubKeyFile.ring($0, path: path), keyFile, isFresh: isFresh)
        }
        let extent = try backup.restore(
            ledger: paths.ledger, qos: paths.qos, at: LinuxSystemTime.hub.wallMilliseconds()
        ) {
            if let keys { try keyFile.write(keys) }
            let revoked = backup.part(.revoked).map { String(decoding: $0, as: UTF8.self) } ?? ""
            try Revocations(path: paths.revocations).publish(
                Set(revoked.split(separator: "\n").map(String.init)))
        }
        try await publish(paths, configuration)
        return [
            "store": .string(configuration.store.shown), "terminals": .integer(extent.terminals),
            "entries": .integer(extent.entries), "madeAt": JSONValue(madeAt(backup)),
            "next": .array(next.map(JSONValue.string)),
        ]
    }

    /// What a person does behind a restore, in order.
    private static let next = [
        "start the hub; each terminal sends again what it has sent since the backup",
        "`pos-hub terminals list`: confirm or revoke the unconfirmed ones, which were enrolled since",
        "`pos-hub operator list`: remove who was removed since; codes for enrolment and login are void, make "
            + "new ones",
        "import lists again that were imported since",
        "`pos-hub audit` when the terminals have sent: every gap is 0",
    ]

    private static func madeAt(_ backup: SQLiteBackup) -> String? {
        let made = backup.part(.made).flatMap { try? JSONParser.parse($0) }
        return made?["madeAt"]?.integer.map(Timestamp.text(milliseconds:))
    }

    /// The keys of the backup with those that are at its place already: of the same hub they are newer, and
    /// terminals use them.
    private static func joined(
        _ kept: HubKeyRing, _ file: HubKeyFile, isFresh: Bool
    ) throws -> HubKeyRing {
        guard case .keys(let present) = try file.read() else { return kept }
        let isSameHub = present.entries.contains { kept.entry($0.id) != nil }
        guard isSameHub || isFresh else { throw StoreBackupError.foreignKeys(path: file.path) }
        guard isSameHub else { return kept }
        var ring = HubKeyRing(kept.entries.filter { present.entry($0.id) == nil } + present.entries)
        for entry in kept.entries { ring.add(entry) }
        return ring
    }

    /// Writes the files that other processes of the hub read, and revokes again who was revoked since.
    private static func publish(_ paths: StorePaths, _ configuration: HubConfiguration) async throws {
        let ledger = try SQLiteLedger(path: paths.ledger)
        defer { ledger.close() }
        let service = LedgerService(ledger: ledger, configuration: configuration)
        try await service.vault.opened()
        try await service.publish()
    }

    /// Files that root writes beside those of the hub's user cannot be opened by the hub.
    private static func refuseForeignOwner(of paths: StorePaths) throws(StoreBackupError) {
        let folder = URL(fileURLWithPath: paths.ledger).deletingLastPathComponent().path
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid != geteuid(), geteuid() == 0 else { return }
        let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        throw .otherUser(folder: folder, user: name)
    }
}

/// Why nothing was backed up or restored.
package enum StoreBackupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done.
    package enum Deed: Hashable, Sendable {
        /// A backup to the file at `path`.
        case backup(path: String)
        /// A restore from the file at `path`.
        case restore(path: String)
    }

    /// The store is a database, which its own programs back up.
    case ofDatabase(Deed, url: String, keysFolder: String?)
    /// The store at `path` holds something and was left as it is.
    case notEmpty(path: String)
    /// The key file at `path` is another hub's.
    case foreignKeys(path: String)
    /// The command runs as root, and the store belongs to `user`.
    case otherUser(folder: String, user: String)
    /// There is no folder for backups at `path`.
    case noFolder(path: String)
    /// Another command writes a backup into the folder at `path`.
    case folderBusy(path: String)
    /// A backup needs more bytes than are free; nothing was written.
    case noRoom(folder: String, needed: Int64, free: Int64)

    /// What happened and what to do next.
    package var description: String {
        switch self {
        case .ofDatabase(.backup(let path), let url, let keys):
            "the store is a PostgreSQL database; run: pg_dump --format=custom --file='\(path)' '\(url)'"
                + (keys.map { ", and keep a copy of the folder \($0)" } ?? " (the keys are in it)")
        case .ofDatabase(.restore(let path), let url, let keys):
            "the store is a PostgreSQL database; end every hub of it, put the keys back"
                + (keys.map { " into \($0)" } ?? " (they are in the dump)")
                + ", then run on an empty database: pg_restore --exit-on-error --no-owner --no-privileges "
                + "--no-comments --dbname='\(url)' '\(path)' && psql --single-transaction -v ON_ERROR_STOP=1 '\(url)' -c \""
                + PostgresRestore.statements.joined(separator: "; ") + "\""
        case .notEmpty(let path):
            "the store \(path) is not empty and was left as it is; end its hub, move \(path) with its -wal and "
                + "-shm to another folder, then restore again"
        case .foreignKeys(let path):
            "\(path) holds the keys of another hub; move it to another folder, then restore again"
        case .otherUser(let folder, let user):
            "\(folder) belongs to \(user), whose hub cannot open files of root; run the command as that user: "
                + "runuser -u \(user) -- pos-hub …"
        case .noFolder(let path):
            "there is no folder \(path); mount its disk, or make the folder for the hub's user alone"
        case .folderBusy(let path):
            "another command writes a backup into \(path); try again when it has ended"
        case .noRoom(let folder, let needed, let free):
            "the backup needs \(needed >> 20) MiB, and \(folder) has \(free >> 20) MiB free; nothing was written: "
                + "make room, use a larger disk, or keep fewer backups (--keep-daily, --keep-weekly, --keep-monthly)"
        }
    }
}
