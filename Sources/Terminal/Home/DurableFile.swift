internal import Foundation
internal import Glibc

/// Files that are whole and on disk, or not there.
enum DurableFile {
    /// Replaces `path` with `bytes`, mode 0600: temporary file, fsync, rename, fsync of the folder.
    static func write(_ bytes: [UInt8], to path: String) throws(TerminalError) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", temporary) }
        let isWritten = bytes.withUnsafeBytes { writeAll($0, to: descriptor) } && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten else { throw failure("write", temporary) }
        guard rename(temporary, path) == 0 else { throw failure("rename", temporary) }
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("open the folder of", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("sync the folder of", path) }
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    private static func failure(_ call: String, _ path: String) -> TerminalError {
        let reason = String(cString: strerror(errno))
        return TerminalError(
            .unusable, code: "home_not_writable", "cannot \(call) \(path): \(reason); free space or mend it")
    }
}
