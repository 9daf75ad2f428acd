internal import Foundation
internal import Glibc
package import HubStore

/// Says that this process owns a store. Held until the object goes, or the process does.
package final class StoreLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes the lock of the store at `path`; nil when another process has it.
    package static func taken(of path: String) throws(LedgerError) -> StoreLock? {
        let lock = StorePaths.lock(of: path)
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .notOpened(path: lock, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return StoreLock(descriptor: descriptor)
    }
}
