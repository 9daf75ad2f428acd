internal import Foundation
internal import Glibc

/// Opens files that a command cannot do without, and says why it could not.
///
/// A process or a machine without a free descriptor is no missing file: whoever took it for one would advise
/// to enrol anew a terminal that has sales to send.
enum HomeFile {
    /// - Returns: nil where there is no file of the name.
    /// - Throws: kind `tryAgain` while there is no descriptor; kind `unusable` for a file that cannot be
    /// read.
    static func read(_ path: String) throws(TerminalError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            guard code != ENOENT else { return nil }
            try refuseExhaustion(code, path)
            throw unreadable(path, code)
        }
        do {
            return Array(
                try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data())
        } catch {
            throw unreadable(path, errno)
        }
    }

    /// Throws where `code` is the errno of an exhausted process or machine.
    static func refuseExhaustion(_ code: Int32, _ path: String) throws(TerminalError) {
        guard code == EMFILE || code == ENFILE else { return }
        throw TerminalError(.tryAgain, code: "no_resources") {
            $0.noDescriptor(path, ofMachine: code == ENFILE)
        }
    }

    private static func unreadable(_ path: String, _ code: Int32) -> TerminalError {
        TerminalError(.unusable, code: "home_not_readable") { $0.fileUnreadable(path, error: code) }
    }
}
