internal import Base
internal import Foundation
internal import Glibc
internal import HubCore
internal import HubProtocol
internal import HubStore

/// A folder of backups that rotate. `backups.json` in it lists what the command wrote, and nothing else is
/// ever removed: neither files of other programs nor those of another hub.
struct BackupFolder {
    /// A backup that the list names.
    struct Entry: Hashable {
        /// The file's name in the folder.
        let file: String
        /// When it was made, in milliseconds since 1970.
        let madeAt: Int64
        /// The ids of the hub's keys at that moment; a hub of none of them is another one.
        let keys: [String]

        fileprivate init?(json: JSONValue) {
            guard let file = json["file"]?.string, BackupFolder.isName(file),
                let madeAt = json["madeAt"]?.integer
            else { return nil }
            self.init(
                file: file, madeAt: madeAt, keys: (json["keys"]?.array ?? []).compactMap(\.string))
        }

        init(file: String, madeAt: Int64, keys: [String]) {
            self.file = file
            self.madeAt = madeAt
            self.keys = keys
        }

        fileprivate var json: JSONValue {
            [
                "file": .string(file), "madeAt": .integer(madeAt),
                "keys": .array(keys.map(JSONValue.string)),
            ]
        }
    }

    let path: String
    /// Nil: the list cannot be read. It stays as it is, and no backup goes.
    private var entries: [Entry]?
    private let lock: FolderLock

    /// Opens the folder for one process.
    ///
    /// - Throws: ``StoreBackupError/noFolder(path:)``, ``StoreBackupError/folderBusy(path:)``,
    ///   ``LedgerError``.
    init(path: String) throws {
        var isFolder: ObjCBool = false
        // A disk that is not mounted has no folder either, and the hub's own disk is no place for a backup.
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw StoreBackupError.noFolder(path: path)
        }
        self.path = path
        lock = try FolderLock(path + "/.backups.lock", of: path)
        entries = Self.listed(at: Self.list(of: path))
    }

    private static func list(of folder: String) -> String { folder + "/backups.json" }

    /// Without a list nothing in the folder is of this command; nil where the list cannot be read.
    private static func listed(at list: String) -> [Entry]? {
        do {
            guard let bytes = try PrivateFile.read(list) else { return [] }
            return try JSONParser.parse(bytes)["backups"]?.array?.compactMap(Entry.init(json:))
        } catch {
            return nil
        }
    }

    /// What a person has to do before backups go again; nil: nothing.
    var problem: String? {
        guard entries == nil else { return nil }
        return "the backup is written, and no older one was removed: the list \(Self.list(of: path)) cannot "
            + "be read. Move it away, then the next backup begins a new list; remove the files of before yourself"
    }

    /// The path of a file in the folder.
    func path(of entry: Entry) -> String { path + "/" + entry.file }

    /// The name of a backup, by the millisecond: a person may run the command in the second of the timer's.
    static func name(at moment: Int64) -> String {
        "hub-" + Timestamp.text(milliseconds: moment).replacing(":", with: "") + ".backup"
    }

    /// Whether a name can be of this command: no path, so that a list that somebody changed removes nothing
    /// outside of the folder.
    fileprivate static func isName(_ name: String) -> Bool {
        name.wholeMatch(of: /hub-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}\.[0-9]{3}Z\.backup/) != nil
    }

    /// Lists a backup that is about to be written, and removes what a killed one left of those listed before.
    mutating func add(_ entry: Entry) throws(LedgerError) {
        removeDrafts()
        entries = entries?.filter { FileManager.default.fileExists(atPath: path(of: $0)) }
        entries?.append(entry)
        try save()
    }

    /// Takes a backup that was not written off the list.
    mutating func withdraw(_ entry: Entry) throws(LedgerError) {
        entries?.removeAll { $0 == entry }
        try save()
    }

    /// Removes the backups of this hub that the rotation does not keep; the newest one must be verified.
    ///
    /// - Returns: how many stay, and the names of those that went; nil where it is not known which are this
    ///   hub's.
    mutating func rotate(
        by rotation: BackupRotation, for newest: Entry
    ) throws(LedgerError) -> (kept: Int, removed: [String])? {
        guard let entries else { return nil }
        let own = entries.filter { $0.keys == newest.keys || !Set($0.keys).isDisjoint(with: newest.keys) }
        let kept = rotation.kept(of: own.map(\.madeAt))
        // What cannot be removed stays on the list, for the next time.
        let old = own.filter {
            !kept.contains($0.madeAt) && $0 != newest && (unlink(path(of: $0)) == 0 || errno == ENOENT)
        }
        self.entries?.removeAll(where: old.contains)
        try save()
        return (own.count - old.count, old.map(\.file))
    }

    private func save() throws(LedgerError) {
        guard let entries else { return }
        let json: JSONValue = ["format": 1, "backups": .array(entries.map(\.json))]
        try PrivateFile.replace(Self.list(of: path), with: json.canonicalBytes + [10])
    }

    /// Nobody else writes into the folder now, so a draft of a listed backup is of a killed command.
    private func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for entry in entries ?? [] {
            for name in names where name.hasPrefix(entry.file + ".part-") { unlink(path + "/" + name) }
        }
    }
}

/// A lock of a folder, held until the object goes, or the process does.
private final class FolderLock: Sendable {
    private let descriptor: Int32

    init(_ path: String, of folder: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw LedgerError.notOpened(path: path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreBackupError.folderBusy(path: folder)
        }
    }

    deinit { close(descriptor) }
}
