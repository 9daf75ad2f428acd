internal import Foundation
internal import Glibc

/// The lock that makes one process the owner of a home. It names its holder and goes with the process.
final class HomeLock: Sendable {
    private let descriptor: Int32
    private let path: String

    private init(descriptor: Int32, path: String) {
        (self.descriptor, self.path) = (descriptor, path)
    }

    deinit {
        release()
        close(descriptor)
    }

    /// Lets another process own the home from now on, whoever still holds this object. A child process that
    /// was made and has not begun its program yet keeps a copy of the descriptor, so closing it is not
    /// enough.
    func release() { flock(descriptor, LOCK_UN) }

    /// Whether the lock's name still leads to it. Where it does not, another process can take a lock of that
    /// name and own the home, too.
    var isNamed: Bool { Self.isNamed(descriptor, path) }

    private static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        FileIdentity(of: descriptor).map { $0 == FileIdentity(named: path) } ?? false
    }

    /// What trying for the lock came to.
    enum Attempt: Sendable {
        case taken(HomeLock)
        /// Another process holds it; its id as it wrote it, nil when it could not be read.
        case held(by: Int32?)
    }

    /// Tries to take the lock of `home` without waiting.
    static func attempt(_ home: TerminalHome) throws(TerminalError) -> Attempt {
        let descriptor = open(home.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw home.notWritable(errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            return .held(by: holder(descriptor))
        }
        // Removed or replaced between the two calls: then it is nobody's lock.
        guard isNamed(descriptor, home.lock) else {
            close(descriptor)
            return .held(by: nil)
        }
        ftruncate(descriptor, 0)
        let line = Array("\(getpid())\n".utf8)
        _ = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        return .taken(HomeLock(descriptor: descriptor, path: home.lock))
    }

    /// Whether some process holds the lock of `home`; takes nothing and changes nothing.
    static func isHeld(_ home: TerminalHome) -> Bool {
        let descriptor = open(home.lock, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
