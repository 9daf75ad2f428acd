internal import Dispatch
internal import Glibc
internal import HubProtocol

/// The bytes of attachments, `<home>/attachments/<id>`: copied and synced before an entry names them, and
/// never changed.
package struct AttachmentFolder: Sendable {
    /// A copy that is durable and that nothing names yet.
    package struct Copy: Hashable, Sendable {
        /// 64 lower-case hexadecimal characters, computed while the bytes were copied.
        package let sha256: String
        /// Bytes.
        package let size: Int64
        /// A media type guessed from the first bytes, `image/jpeg` for example.
        package let contentType: String
        /// The original's own name.
        package let name: String
    }

    /// Why a file was not accepted. No part of it was kept.
    package enum Failure: Error, Equatable, Sendable {
        /// It is not there, is no plain file, or this user may not read it.
        case unreadable(path: String, reason: String)
        case empty(path: String)
        /// It has more bytes than an attachment may have.
        case tooLarge(path: String, size: Int64)
        /// There is no room to keep it; free some space.
        case diskFull(path: String)
        /// The data folder could not be written.
        case notKept(FileError)
    }

    /// The folder, `<home>/attachments`; the first copy makes it.
    package let path: String
    /// Files are copied, read and synced on this queue, so that nothing else of the terminal waits for them.
    private let queue = DispatchQueue(label: "attachments", qos: .utility)

    /// Makes the access to the attachments of the data folder `home`; touches nothing on the disk.
    package init(home: String) {
        path = home + "/attachments"
    }

    /// Copies the file at `source` into the folder under `id`, durably.
    package func take(_ source: String, as id: String) async throws(Failure) -> Copy {
        let path = path
        let result = await onQueue { () throws(Failure) in
            try AttachmentCopy(source, into: path, as: id).made()
        }
        return try result.get()
    }

    /// Up to `count` bytes from `position` on; nil when they cannot be read.
    package func read(_ id: String, from position: Int64, count: Int) async -> [UInt8]? {
        let path = file(of: id)
        let result = await onQueue { () throws(Failure) in Self.read(path, from: position, count: count) }
        return (try? result.get()) ?? nil
    }

    /// Removes the bytes of `id`; what is not there is no error.
    package func remove(_ id: String) async {
        let path = file(of: id)
        _ = await onQueue { () throws(Failure) in try? DurableFile.remove(path) }
    }

    /// Removes everything that is not in `known`: copies of a run that ended before they were named.
    package func sweep(keeping known: Set<String>) async {
        let path = path
        _ = await onQueue { () throws(Failure) in
            guard let folder = opendir(path) else { return }
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != "..", !known.contains(name) { unlink(path + "/" + name) }
            }
        }
    }

    /// The path of an attachment's bytes, whether they are there or not.
    package func file(of id: String) -> String { path + "/" + id }

    private static func read(_ path: String, from position: Int64, count: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, buffer.baseAddress.map { $0 + got }, count - got, off_t(position) + off_t(got)
                )
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { return nil }
            guard read > 0 else { break }
            got += read
        }
        return Array(bytes.prefix(got))
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
    }
}
