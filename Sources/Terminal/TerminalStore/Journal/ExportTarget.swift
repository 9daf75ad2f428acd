internal import Glibc

/// The file that an export goes to. It has no name before it is complete and synced, so that a kill in
/// between leaves nothing. On file systems without unnamed files (FAT for example) it has a random name in
/// the target's folder.
struct ExportTarget: Sendable {
    private let path: String
    /// Nil for a file without a name.
    private let temporary: String?
    let descriptor: Int32

    /// O_TMPFILE of open(2), which is a macro that Swift does not see: __O_TMPFILE and O_DIRECTORY.
    private static let nameless: Int32 = 0o20000000 | O_DIRECTORY
    /// AT_FDCWD and AT_SYMLINK_FOLLOW of fcntl.h.
    private static let here: Int32 = -100
    private static let following: Int32 = 0x400

    /// - Throws: for a folder that cannot be written.
    init(_ path: String) throws(FileError) {
        self.path = path
        let folder = DurableFile.folder(of: path)
        let nameless = open(folder, O_WRONLY | O_CLOEXEC | Self.nameless, 0o600)
        if nameless >= 0 {
            (descriptor, temporary) = (nameless, nil)
            return
        }
        // Whether the folder is missing or cannot be written shows here.
        let name = Self.randomName(in: folder)
        let named = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard named >= 0 else { throw FileError(path: path, call: "open", code: errno) }
        (descriptor, temporary) = (named, name)
    }

    /// 80 random bits: no one can place a link there in advance.
    private static func randomName(in folder: String) -> String {
        let high = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        return "\(folder)/.journal-\(high)\(String(UInt16.random(in: 0...UInt16.max), radix: 36)).part"
    }

    /// Syncs the file and gives it its name, in the place of what had it.
    func finish() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError(path: path, call: "fsync", code: errno) }
        let name: String
        if let temporary { name = temporary } else { name = try linked() }
        guard rename(name, path) == 0 else {
            let failure = FileError(path: path, call: "rename", code: errno)
            unlink(name)
            throw failure
        }
        try DurableFile.syncFolder(DurableFile.folder(of: path))
        close(descriptor)
    }

    /// A name for the file without one, for the moment before it takes the target's.
    private func linked() throws(FileError) -> String {
        let name = Self.randomName(in: DurableFile.folder(of: path))
        guard linkat(Self.here, "/proc/self/fd/\(descriptor)", Self.here, name, Self.following) == 0 else {
            throw FileError(path: name, call: "linkat", code: errno)
        }
        return name
    }

    /// Lets go of everything.
    func abandon() {
        close(descriptor)
        if let temporary { unlink(temporary) }
    }
}
