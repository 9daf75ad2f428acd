internal import Glibc

/// `<home>/reserve`: space on the disk that is kept for draining.
///
/// When the disk is full, selling stops before the tender, and the reserve is released so that results can
/// still be written and the outbox empties. Sales never use that room: what the reserve lacks counts as
/// taken.
package struct ReserveFile: Sendable {
    /// Where the room is kept.
    package let path: String
    /// The room kept, in bytes.
    package let bytes: Int64
    /// What must be free beyond the reserve before a sale begins, in bytes.
    package let margin: Int64

    /// - Parameters:
    ///   - bytes: default 8 MiB.
    ///   - margin: default 4 MiB: a checkpoint's worth of the log.
    package init(home: String, bytes: Int64 = 8 << 20, margin: Int64 = 4 << 20) {
        path = home + "/reserve"
        self.bytes = bytes
        self.margin = margin
    }

    /// Whether a sale may begin. Costs two system calls.
    package func hasRoomForSale() -> Bool {
        freeBytes() - (bytes - keptBytes()) >= margin
    }

    /// Takes the room again when the disk has it to spare; otherwise leaves it for the next time.
    package func keep() {
        guard keptBytes() < bytes, hasRoomForSale() else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if posix_fallocate(descriptor, 0, off_t(bytes)) != 0 { unlink(path) }
    }

    /// Gives the room up for draining.
    package func release() {
        unlink(path)
    }

    private func freeBytes() -> Int64 {
        var status = statvfs()
        guard statvfs(DurableFile.folder(of: path), &status) == 0 else { return .max / 2 }
        return Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize)
    }

    private func keptBytes() -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return min(bytes, Int64(status.st_blocks) * 512)
    }
}
