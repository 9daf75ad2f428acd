internal import Foundation
public import HubProtocol
internal import TerminalStore

extension TerminalLaunch {
    /// Writes the journal of the home into `file`: asked of the agent where one runs, and otherwise out of a
    /// copy of the database, so that neither a dead agent nor a home that cannot be written stands in the
    /// way.
    ///
    /// - Returns: the file, its entries and how many of them have no verdict.
    public func exportJournal(to file: String) async throws(TerminalError) -> JSONValue {
        let target = URL(fileURLWithPath: file).standardizedFileURL.path
        guard !HomeLock.isHeld(home) else {
            let connection = try SocketAgentConnection(home: home, loop: loop)
            let answer: AgentAnswer
            do throws(TerminalError) {
                answer = try await connection.call(
                    AgentRequest("POST", AgentRoutes.syncExport, body: ["file": .string(target)]))
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
            if let error = answer.error { throw error }
            return answer.body
        }
        let copy = try DatabaseCopy(of: home, beside: target)
        defer { copy.remove() }
        let database = try TerminalStores.open(home: TerminalHome(path: copy.folder), creating: false)
        defer { database.close() }
        return try await JournalExportOrder(
            database: database, attachments: AttachmentFolder(home: home.path)
        ).write(to: target)
    }
}

/// Exports an open database's journal.
struct JournalExportOrder {
    let database: TerminalDatabase
    let attachments: AttachmentFolder

    func write(to file: String) async throws(TerminalError) -> JSONValue {
        let now = Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        do throws(SQLiteJournalExport.Failure) {
            let summary = try await SQLiteJournalExport(database, attachments: attachments)
                .write(to: file, exportedAt: now)
            return [
                "file": .string(file), "entries": .integer(Int64(summary.entries)),
                "pending": .integer(summary.pending),
                "attachments": .integer(Int64(summary.attachments)),
                "lostAttachments": .array(summary.lostAttachments.map(JSONValue.string)),
            ]
        } catch {
            throw TerminalError(error)
        }
    }
}

/// A copy of a home's database with its log, in a folder of its own.
private struct DatabaseCopy {
    let folder: String

    init(of home: TerminalHome, beside target: String) throws(TerminalError) {
        folder = target + ".copy-\(ProcessInfo.processInfo.processIdentifier)"
        let files = FileManager.default
        do {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw TerminalError(
                .unusable, code: "file_not_writable", "cannot write beside \(target); choose another FILE")
        }
        for name in ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"]
        where files.fileExists(atPath: home.path + "/" + name) {
            do {
                try files.copyItem(atPath: home.path + "/" + name, toPath: folder + "/" + name)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/" + name)
            } catch {
                try? files.removeItem(atPath: folder)
                throw TerminalError(
                    .unusable, code: "home_not_readable",
                    "cannot copy \(home.path)/\(name) (\(error.localizedDescription)); mend its permissions")
            }
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

extension TerminalError {
    fileprivate init(_ failure: SQLiteJournalExport.Failure) {
        switch failure {
        case .notEnrolled:
            self.init(
                .unusable, code: "not_enrolled",
                "this journal belongs to no terminal yet, so no hub could take it in")
        case .file(let error):
            self.init(.notDurable, code: "file_not_written", "nothing was exported: \(error)")
        case .unavailable(let detail):
            self.init(.unusable, code: "database_unusable", "nothing was exported: \(detail)")
        }
    }
}
