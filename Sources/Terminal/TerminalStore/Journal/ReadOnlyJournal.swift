internal import GRDB
internal import Glibc

/// A terminal's database that no agent owns, opened for reading alone: nothing in the data folder changes.
///
/// SQLite needs a shared-memory file in the folder of a database with a log. Where the folder cannot be
/// written, database and log are copied into memory (`/dev/shm`) and their names are removed as soon as they
/// are open, so that no copy of them remains.
package final class ReadOnlyJournal: Sendable {
    let queue: DatabaseQueue

    /// The folder of the temporary copies; never on the disk that is exported to.
    private static let memory = "/dev/shm"

    /// - Throws: for a database that is missing, damaged, foreign or of a newer release.
    package init(home: String) throws(TerminalDatabaseError) {
        do throws(TerminalDatabaseError) {
            queue = try Self.opened(home + "/terminal.sqlite")
        } catch {
            guard case .unusable = error else { throw error }
            queue = try Self.copied(home)
        }
    }

    /// Closes the database; every read after it fails. An error of SQLite is ignored.
    package func close() {
        try? queue.close()
    }

    private static func opened(_ path: String) throws(TerminalDatabaseError) -> DatabaseQueue {
        try DatabaseOpening.examine(path, creating: false)
        let queue = try DatabaseOpening.openForReading(path)
        do {
            // The first look opens log and shared memory.
            _ = try queue.read { try JournalHead.read($0) }
            return queue
        } catch {
            try? queue.close()
            throw DatabaseOpening.error(error, path: path)
        }
    }

    private static func copied(_ home: String) throws(TerminalDatabaseError) -> DatabaseQueue {
        var template = Array("\(memory)/holdfast-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { name in
            name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let folder = made else {
            throw .unusable(path: home, detail: "no folder can be made in \(memory)")
        }
        defer {
            for suffix in ["", "-wal", "-shm"] { unlink("\(folder)/terminal.sqlite\(suffix)") }
            rmdir(folder)
        }
        for suffix in ["", "-wal"] where DurableFile.exists("\(home)/terminal.sqlite\(suffix)") {
            do throws(FileError) {
                try copy("\(home)/terminal.sqlite\(suffix)", to: "\(folder)/terminal.sqlite\(suffix)")
            } catch {
                throw .unusable(path: home, detail: error.description)
            }
        }
        return try opened(folder + "/terminal.sqlite")
    }

    private static func copy(_ source: String, to target: String) throws(FileError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw FileError(path: source, call: "open", code: errno) }
        defer { Glibc.close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw FileError(path: target, call: "open", code: errno) }
        defer { Glibc.close(output) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(input, &buffer, buffer.count)
            guard count >= 0 else { throw FileError(path: source, call: "read", code: errno) }
            if count == 0 { return }
            try DurableFile.write(Array(buffer[..<count]), to: output, path: target)
        }
    }
}
