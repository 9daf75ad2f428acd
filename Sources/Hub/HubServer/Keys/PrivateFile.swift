internal import Glibc
package import HubStore

/// A small file for its owner alone (0600), synced with its folder before anything is built on it.
enum PrivateFile {
    /// Replaces the file at `path`, completely or not at all.
    static func replace(_ path: String, with bytes: [UInt8]) throws(LedgerError) {
        // A name of its own: two that write at once do not meet in one temporary file.
        let temporary = "\(path).new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try create(temporary, with: bytes)
        guard rename(temporary, path) == 0 else {
            let error = failure(path)
            unlink(temporary)
            throw error
        }
        try syncFolder(of: path)
    }

    /// The same, where the file differs; a process publishes more often than something changes.
    static func publish(_ text: String, to path: String) throws(LedgerError) {
        let bytes = Array(text.utf8)
        if try read(path) != bytes { try replace(path, with: bytes) }
    }

    /// Makes a file that must not be there yet; a link in its place is not followed.
    static func create(_ path: String, with bytes: [UInt8]) throws(LedgerError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw failure(path) }
        try syncFolder(of: path)
    }

    /// The file at `path`; nil when there is none.
    static func read(_ path: String) throws(LedgerError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Lets the system forget what it has of a file in memory, so that the next reader gets it from the disk. A
    /// system that keeps it all the same costs the reader nothing.
    static func dropFromMemory(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        fsync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    private static func syncFolder(of path: String) throws(LedgerError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder) }
    }

    private static func failure(_ path: String) -> LedgerError {
        let code = errno
        return code == ENOSPC ? .full : .notOpened(path: path, reason: String(cString: strerror(code)))
    }
}

/// What a command writes of the hub's secrets.
package enum PrivateKeyFile {
    /// Makes a file for its owner alone (0600), synced.
    ///
    /// - Throws: ``LedgerError`` when there is something at `path` already, or it cannot be written.
    package static func create(_ path: String, with bytes: [UInt8]) throws(LedgerError) {
        try PrivateFile.create(path, with: bytes)
    }
}
