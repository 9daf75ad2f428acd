internal import GRDB
internal import Glibc
package import HubProtocol

/// Builds a fresh database from what can be read of a damaged one, on a person's request, and moves the
/// damaged one to `<home>/quarantine`.
///
/// It can be killed at any moment: the fresh database gets its name `terminal.sqlite.repaired` when it is
/// complete and synced, only then is the damaged one moved away, and another repair finishes what was begun.
package struct DatabaseRepair: Sendable {
    /// The result of a repair.
    package struct Outcome: Hashable, Sendable {
        /// ``SalvageReport/json(at:)`` of what was copied.
        package let report: JSONValue
        /// The terminal's next epoch.
        package let epoch: Int64
        /// Where the files of the damaged database are now.
        package let quarantine: [String]
    }

    /// Why nothing was repaired.
    package enum Failure: Error, Hashable, Sendable {
        /// There is no database and no log to read from.
        case missing(path: String)
        case notDamaged
        /// It cannot be used for another reason than damage: a newer release's, another program's,
        /// permissions.
        case unusable(TerminalDatabaseError)
        /// The fresh one could not be written; nothing was changed.
        case notWritten(detail: String)
    }

    /// The fact that keeps the report of the last repair.
    static let factName = "repair"

    private let home: String
    private var path: String { home + "/terminal.sqlite" }
    /// The fresh one while it is written.
    private var draft: String { home + "/terminal.sqlite.repairing" }
    private var fresh: String { home + "/terminal.sqlite.repaired" }

    /// - Parameter home: the data folder; its database is not open elsewhere.
    package init(home: String) {
        self.home = home
    }

    /// Whether a repair was cut short between the fresh database and the damaged one's place.
    static func isUnfinished(home: String) -> Bool {
        DurableFile.exists(DatabaseRepair(home: home).fresh)
    }

    /// - Parameter now: Unix milliseconds, for the report.
    package func run(at now: Int64) throws(Failure) -> Outcome {
        if !DurableFile.exists(fresh) {
            try requireDamage()
            try build(at: now)
        }
        do {
            let (report, epoch) = try summary()
            var kept: [String] = []
            let files = ["-shm", "-wal", ""].map { path + $0 }.filter(DurableFile.exists)
            if !files.isEmpty { kept = try QuarantineFolder(home: home).moveInTogether(files) }
            guard rename(fresh, path) == 0 else { throw FileError(path: fresh, call: "rename", code: errno) }
            try DurableFile.syncFolder(home)
            return Outcome(report: report, epoch: epoch, quarantine: kept)
        } catch {
            throw .notWritten(detail: "\(error)")
        }
    }

    /// A database is damaged when it cannot be opened, or when SQLite finds pages that are not as it left
    /// them. Checked without writing: the log is not written into it.
    private func requireDamage() throws(Failure) {
        guard DurableFile.exists(path) || DurableFile.exists(path + "-wal") else {
            throw .missing(path: path)
        }
        do {
            try DatabaseOpening.examine(path, creating: false)
            let queue = try DatabaseOpening.openForReading(path)
            defer { try? queue.close() }
            try queue.read { connection in
                let pages = try String.fetchAll(connection, sql: "PRAGMA integrity_check(1)")
                guard pages == ["ok"] else {
                    throw TerminalDatabaseError.corrupt(path: path, detail: pages.joined(separator: "; "))
                }
                try JournalChain.checkHead(of: connection)
            }
        } catch {
            let error = DatabaseOpening.error(error, path: path)
            guard !error.isDamage else { return }
            throw .unusable(error)
        }
        throw .notDamaged
    }

    private func build(at now: Int64) throws(Failure) {
        do {
            for suffix in ["", "-wal", "-shm"] { try DurableFile.remove(draft + suffix) }
            let salvaged = SalvagedJournal(path: path)
            let queue = try DatabaseOpening.open(draft)
            do {
                let epoch = salvaged.terminal?["epoch"]?.integer.map { $0 + 1 }
                try queue.inDatabase { connection in
                    try salvaged.write(into: connection, report: salvaged.report, epoch: epoch, at: now)
                    try JournalChain.checkHead(of: connection)
                    try connection.checkpoint(.truncate)
                }
                // Closing the last connection removes the log.
                try queue.close()
            } catch {
                try? queue.close()
                throw error
            }
            guard !DurableFile.exists(draft + "-wal") else {
                throw FileError(path: draft + "-wal", call: "unlink", code: EBUSY)
            }
            guard rename(draft, fresh) == 0 else {
                throw FileError(path: draft, call: "rename", code: errno)
            }
            try DurableFile.syncFolder(home)
        } catch {
            for suffix in ["", "-wal", "-shm"] { unlink(draft + suffix) }
            throw .notWritten(detail: "\(error)")
        }
    }

    /// From the fresh one, so that a repair that is finished later reports the same.
    private func summary() throws -> (report: JSONValue, epoch: Int64) {
        let queue = try DatabaseOpening.openForReading(fresh)
        defer {
            try? queue.close()
            for suffix in ["-wal", "-shm"] { unlink(fresh + suffix) }
        }
        return try queue.read { connection in
            let text = try String.fetchOne(
                connection, sql: "SELECT value FROM facts WHERE name = ?", arguments: [Self.factName])
            let report = try text.map { try JSONParser.parse($0.utf8) } ?? .null
            return (report, try JournalHead.read(connection).epoch)
        }
    }
}

extension SQLiteTerminalFacts {
    /// The report of the last repair; nil: there was none.
    package func lastRepair() async throws(Failure) -> JSONValue? {
        try await fact(DatabaseRepair.factName).flatMap { try? JSONParser.parse($0.utf8) }
    }
}
