internal import Glibc
internal import HubCore

/// A file of archived days: written beside its name, and read line by line with every check.
enum ArchiveFile {
    /// Bytes that are read or written at once.
    private static let block = 1 << 16

    /// Reads a whole file and calls `body` with each line.
    ///
    /// - Returns: the hash of the last line, and the counts.
    /// - Throws: ``ArchiveDamage`` where it is not what was written.
    @discardableResult
    static func read(
        _ path: String, _ body: (ArchiveLine) async throws -> Void = { _ in }
    ) async throws -> ArchiveReader {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure.unusable("\(path) cannot be read: \(reason)") }
        defer { close(descriptor) }
        var reader = ArchiveReader()
        var (rest, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: block))
        while true {
            let count = Glibc.read(descriptor, &buffer, block)
            guard count >= 0 else { throw CommandFailure.unusable("\(path) cannot be read: \(reason)") }
            guard count > 0 else { break }
            var begin = 0
            while let end = buffer[begin..<count].firstIndex(of: UInt8(ascii: "\n")) {
                try await body(reader.read(rest + buffer[begin..<end]))
                rest = []
                begin = end + 1
            }
            rest += buffer[begin..<count]
            // A file of something else may have no line break at all.
            if rest.count > ArchiveReader.longest { _ = try reader.read(rest) }
        }
        try reader.finish(rest: rest.count)
        return reader
    }

    /// Whether there is something under the name, whatever it is.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// What is being written; a killed command's is begun anew.
    final class Draft {
        private let path: String
        private let part: String
        private let descriptor: Int32
        private var pending: [UInt8] = []
        private var chain = ArchiveChain()

        /// The hash of the last line.
        var hash: String { chain.hash }

        /// Opens it for its owner alone. What an ended command left is another name of its file at most, and
        /// so it is not written to.
        init(_ path: String) throws(CommandFailure) {
            self.path = path
            part = Self.part(of: path)
            unlink(part)
            descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .unusable("\(part) cannot be written: \(reason)") }
        }

        deinit { close(descriptor) }

        static func part(of path: String) -> String { path + ".part" }

        func append(_ line: ArchiveLine) throws(CommandFailure) { try append(line.text) }

        /// - Parameter json: the text of a line.
        func append(_ json: String) throws(CommandFailure) {
            pending += Array(chain.line(json).utf8)
            if pending.count >= block { try flush() }
        }

        /// Syncs it, reads it back from the disk, and gives it its name.
        func complete() async throws {
            try flush()
            guard fsync(descriptor) == 0 else {
                throw CommandFailure.unusable("\(part) cannot be written: \(reason)")
            }
            // What is read back should be the disk's and not the memory's.
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            let read = try await ArchiveFile.read(part)
            guard read.hash == hash else {
                throw CommandFailure.unusable("\(part) is not what was written; check the disk")
            }
            // Something that took the name meanwhile stays.
            guard link(part, path) == 0 else {
                throw CommandFailure.unusable("\(path) cannot be written: \(reason)")
            }
            try ArchiveFile.settle(path)
        }

        private func flush() throws(CommandFailure) {
            var written = 0
            while written < pending.count {
                let count = pending[written...].withUnsafeBytes {
                    write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .unusable("\(part) cannot be written: \(reason)") }
                written += count
            }
            pending.removeAll(keepingCapacity: true)
        }
    }

    /// Makes a file's name durable, and the only one: a command that was ended behind the name left the
    /// draft's.
    static func settle(_ path: String) throws(CommandFailure) {
        unlink(Draft.part(of: path))
        try syncFolder(of: path)
    }

    private static func syncFolder(of path: String) throws(CommandFailure) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(folder) cannot be synced: \(reason)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .unusable("\(folder) cannot be synced: \(reason)") }
    }

    private static var reason: String { String(cString: strerror(errno)) }
}

extension CommandFailure {
    /// Why a file is no archive.
    init(_ damage: ArchiveDamage, in path: String) {
        self = .invalid(
            "\(path) is broken at line \(damage.line), byte \(damage.byte): \(damage.reason); take another copy of it"
        )
    }
}
