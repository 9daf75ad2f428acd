internal import Glibc

/// Small files that are replaced completely or not at all.
///
/// The new content goes to a temporary file in the same folder, is synced, renamed over the old one, and the
/// folder is synced: after a power cut the file has the old content or the new one, never a part. One writer
/// per file, since the temporary name is fixed.
package enum DurableFile {
    /// What is at a path.
    enum Content: Hashable {
        case absent
        case bytes([UInt8])
        /// There is something, and it cannot be read or is larger than the limit.
        case unreadable(detail: String)
    }

    /// Replaces what is at `path`.
    ///
    /// - Parameter temporaryName: the name in the same folder under which the new content is written.
    package static func replace(
        _ path: String, with bytes: [UInt8], temporaryName: String
    ) throws(FileError) {
        try replace(path, temporaryName: temporaryName) { _ in bytes }
    }

    /// Replaces what is at `path` with content that may name the number of the file it goes into, which the
    /// rename keeps.
    static func replace(
        _ path: String, temporaryName: String, content: (_ fileNumber: String) -> [UInt8]
    ) throws(FileError) {
        let folder = folder(of: path)
        let temporary = folder + "/" + temporaryName
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(path: temporary, call: "open", code: errno) }
        do throws(FileError) {
            try write(content(fileNumber(of: descriptor)), to: descriptor, path: temporary)
            guard fsync(descriptor) == 0 else {
                throw FileError(path: temporary, call: "fsync", code: errno)
            }
        } catch {
            close(descriptor)
            throw error
        }
        close(descriptor)
        guard rename(temporary, path) == 0 else { throw FileError(path: path, call: "rename", code: errno) }
        try syncFolder(folder)
    }

    /// A file's identity in its file system, number and generation: a copy has another one, also where a
    /// freed number is used again. Without generations (on tmpfs) it is only the number.
    static func fileNumber(at path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return fileNumber(of: descriptor)
    }

    /// `FS_IOC_GETVERSION` of linux/fs.h.
    private static let generationRequest: UInt = 0x8008_7601

    private static func fileNumber(of descriptor: Int32) -> String {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return "" }
        var generation = 0
        _ = ioctl(descriptor, generationRequest, &generation)
        return "\(status.st_ino).\(generation)"
    }

    /// Removes what is at `path`, durably; a missing file is no error.
    static func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw FileError(path: path, call: "unlink", code: errno)
        }
        try syncFolder(folder(of: path))
    }

    /// Reads what is at `path`, up to `limit` bytes.
    static func read(_ path: String, limit: Int = 65_536) -> Content {
        // No kind of file may block the reader: a FIFO without a writer would.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { return .unreadable(detail: "open failed with error \(errno)") }
            return isThere(path) ? .unreadable(detail: "a link that leads nowhere") : .absent
        }
        defer { close(descriptor) }
        guard isPlainFile(descriptor) else { return .unreadable(detail: "not a plain file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return .unreadable(detail: "read failed with error \(errno)") }
            guard count > 0 else { return .bytes(bytes) }
            bytes += chunk[0..<count]
            guard bytes.count <= limit else { return .unreadable(detail: "larger than \(limit) bytes") }
        }
    }

    /// Writes all of `bytes`, over interruptions and short writes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, call: "write", code: errno) }
            written += count
        }
    }

    /// Makes the names in `folder` durable.
    package static func syncFolder(_ folder: String) throws(FileError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: folder, call: "open", code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError(path: folder, call: "fsync", code: errno) }
    }

    /// The folder that contains `path`.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension DurableFile {
    /// Whether there is anything under the name, be it a link that leads nowhere.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func isPlainFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The first `count` bytes of a file of any size, fewer when it is shorter.
    static func readHead(_ path: String, count: Int) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT ? .absent : .unreadable(detail: "open failed with error \(errno)")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, 0)
        guard got >= 0 else { return .unreadable(detail: "read failed with error \(errno)") }
        return .bytes(Array(bytes.prefix(got)))
    }
}

/// A call on a file failed. Nothing that was durable before is lost.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or folder that the call was made on.
    package let path: String
    /// The system call, for example `fsync`.
    package let call: String
    /// errno.
    package let code: Int32

    package init(path: String, call: String, code: Int32) {
        self.path = path
        self.call = call
        self.code = code
    }

    /// One line for people with call, path and code.
    package var description: String { "\(call) of \(path) failed with error \(code)" }
}
