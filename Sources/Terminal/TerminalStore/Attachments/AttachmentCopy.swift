internal import Glibc
internal import HubProtocol

/// One file that is copied into the data folder.
struct AttachmentCopy {
    private let source: String
    private let folder: String
    private let id: String

    private static let pieceSize = 64 << 10

    init(_ source: String, into folder: String, as id: String) {
        self.source = source
        self.folder = folder
        self.id = id
    }

    /// Copies, syncs, and gives the copy its name only then.
    func made() throws(AttachmentFolder.Failure) -> AttachmentFolder.Copy {
        let input = try opened()
        defer { close(input) }
        let partial = folder + "/" + id + ".part"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure("mkdir", of: folder) }
        let output = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("open", of: partial) }
        do throws(AttachmentFolder.Failure) {
            let copy = try copied(from: input, to: output, partial)
            close(output)
            guard rename(partial, folder + "/" + id) == 0 else { throw failure("rename", of: partial) }
            try synced { () throws(FileError) in
                try DurableFile.syncFolder(folder)
                try DurableFile.syncFolder(DurableFile.folder(of: folder))
            }
            return copy
        } catch {
            close(output)
            unlink(partial)
            throw error
        }
    }

    /// A file that could block the terminal, such as a pipe, is closed again.
    private func opened() throws(AttachmentFolder.Failure) -> Int32 {
        let input = open(source, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard input >= 0 else { throw .unreadable(path: source, reason: String(cString: strerror(errno))) }
        var status = stat()
        let isFile = fstat(input, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile, status.st_size > 0, Int64(status.st_size) <= AttachmentInfo.maximumSize { return input }
        close(input)
        guard isFile else { throw .unreadable(path: source, reason: "it is no plain file") }
        guard status.st_size > 0 else { throw .empty(path: source) }
        throw .tooLarge(path: source, size: Int64(status.st_size))
    }

    private func copied(
        from input: Int32, to output: Int32, _ partial: String
    ) throws(AttachmentFolder.Failure) -> AttachmentFolder.Copy {
        var digest = RunningDigest()
        var size: Int64 = 0
        var head: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = read(input, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw .unreadable(path: source, reason: String(cString: strerror(errno)))
            }
            guard count > 0 else { break }
            let bytes = Array(piece[0..<count])
            if head.isEmpty { head = Array(bytes.prefix(16)) }
            digest.add(bytes)
            size += Int64(count)
            guard size <= AttachmentInfo.maximumSize else { throw .tooLarge(path: source, size: size) }
            try synced { () throws(FileError) in try DurableFile.write(bytes, to: output, path: partial) }
        }
        guard fsync(output) == 0 else { throw failure("fsync", of: partial) }
        guard size > 0 else { throw .empty(path: source) }
        return AttachmentFolder.Copy(
            sha256: digest.hex, size: size, contentType: MediaType.guessed(from: head), name: name)
    }

    private var name: String { source.split(separator: "/").last.map(String.init) ?? source }

    private func synced(_ work: () throws(FileError) -> Void) throws(AttachmentFolder.Failure) {
        do throws(FileError) {
            try work()
        } catch {
            throw error.code == ENOSPC ? .diskFull(path: folder) : .notKept(error)
        }
    }

    private func failure(_ call: String, of path: String) -> AttachmentFolder.Failure {
        errno == ENOSPC ? .diskFull(path: folder) : .notKept(FileError(path: path, call: call, code: errno))
    }
}

/// What kind of file some bytes begin.
enum MediaType {
    private static let signatures: [(bytes: [UInt8], type: String)] = [
        ([0xFF, 0xD8, 0xFF], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47], "image/png"),
        (Array("%PDF-".utf8), "application/pdf"), (Array("GIF8".utf8), "image/gif"),
        ([0x49, 0x49, 0x2A, 0x00], "image/tiff"), ([0x4D, 0x4D, 0x00, 0x2A], "image/tiff"),
    ]

    /// By the first bytes; `application/octet-stream` for an unknown kind.
    static func guessed(from head: [UInt8]) -> String {
        if let known = signatures.first(where: { head.starts(with: $0.bytes) }) { return known.type }
        if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        let isText =
            !head.isEmpty && head.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        return isText ? "text/plain" : "application/octet-stream"
    }
}
