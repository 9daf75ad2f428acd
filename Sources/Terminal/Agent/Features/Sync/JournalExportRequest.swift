import Base
package import AgentAPI
internal import Foundation
internal import HubProtocol
internal import TerminalStore
internal import LinuxRuntime
internal import MachineRuntime

extension TerminalLaunch {
    /// Writes the journal of the home into `file`: requested from the agent where one runs, and otherwise
    /// read from the database without changing anything, so that neither a dead agent nor a home that cannot
    /// be written stands in the way.
    ///
    /// - Parameter plainReason: why the file is not encrypted; nil: it is, to the hub's sealing key.
    /// - Returns: the file, its entries and how many of them have no result yet.
    package func exportJournal(to file: String, plainReason: String?) async throws(TerminalError)
        -> ExportCall.Response
    {
        try TerminalError.refuseCardNumbers(in: [file, plainReason])
        let target = URL(fileURLWithPath: file).standardizedFileURL.path
        guard !HomeLock.isHeld(home) else { return try await exportByAgent(to: target, plainReason) }
        // A dead till's data folder may lack all but its database; without that there is nothing to export.
        if !FileManager.default.fileExists(atPath: home.database) { try home.requireInitialised() }
        let journal: ReadOnlyJournal
        do throws(TerminalDatabaseError) {
            journal = try ReadOnlyJournal(home: home.path)
        } catch {
            guard error.isDamage else { throw TerminalError(error) }
            return try await exportSalvaged(to: target, plainReason)
        }
        defer { journal.close() }
        let export = SQLiteJournalExport(journal, attachments: AttachmentFolder(home: home.path))
        do throws(TerminalError) {
            return try await JournalExportRequest(export: export, home: home).write(to: target, plainReason)
        } catch {
            // A page that only the reading met.
            guard error.code == "database_unusable" else { throw error }
            return try await exportSalvaged(to: target, plainReason)
        }
    }

    /// All that can be read of a damaged database.
    private func exportSalvaged(
        to target: String, _ plainReason: String?
    ) async throws(TerminalError) -> ExportCall.Response {
        let export: SQLiteJournalExport
        do throws(SQLiteJournalExport.Failure) {
            export = try SQLiteJournalExport(salvaging: home.path)
        } catch {
            throw TerminalError(error)
        }
        return try await JournalExportRequest(export: export, home: home).write(to: target, plainReason)
    }

    private func exportByAgent(
        to target: String, _ plainReason: String?
    ) async throws(TerminalError) -> ExportCall.Response {
        let connection = try SocketAgentConnection(home: home, loop: loop)
        let call = ExportCall(file: target, plainReason: plainReason)
        let response: AgentResponse
        do throws(TerminalError) {
            response = try await connection.call(call.request)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        if let error = response.error { throw error }
        return try call.response(in: response)
    }
}

extension JournalExportRequest {
    /// Exports the journal of a running agent, or what can be read of it when its database is damaged.
    static func write(
        _ database: TerminalDatabase, _ folder: AttachmentFolder, of home: TerminalHome, to file: String,
        _ plainReason: String?
    ) async throws(TerminalError) -> ExportCall.Response {
        do throws(TerminalError) {
            let export = SQLiteJournalExport(database, attachments: folder)
            return try await JournalExportRequest(export: export, home: home).write(
                to: file, plainReason)
        } catch {
            guard error.code == "database_unusable", database.damage != nil else { throw error }
        }
        let export: SQLiteJournalExport
        do throws(SQLiteJournalExport.Failure) {
            export = try SQLiteJournalExport(salvaging: database, attachments: folder)
        } catch {
            throw TerminalError(error)
        }
        return try await JournalExportRequest(export: export, home: home).write(to: file, plainReason)
    }
}

/// Exports a journal that is open.
struct JournalExportRequest {
    let export: SQLiteJournalExport
    let home: TerminalHome

    /// The longest reason, in characters, as for an operator's; it stands in the file and in the hub's audit.
    private static let reasonLength = 1...500

    func write(to file: String, _ plainReason: String?) async throws(TerminalError) -> ExportCall.Response {
        if let plainReason, !Self.reasonLength.contains(plainReason.unicodeScalars.count) {
            throw TerminalError(.usage, code: "reason_required") { $0.plainNeedsReason }
        }
        let now = Timestamp.text(milliseconds: LinuxSystemTime().wallMilliseconds())
        // A dead terminal may have lost its key; then the file is not signed, and the response reports it.
        let key = try? DeviceKey(home: home)
        do throws(SQLiteJournalExport.Failure) {
            let summary = try await export.write(
                to: file,
                SQLiteJournalExport.Order(
                    exportedAt: now, plainReason: plainReason, publicKey: key?.publicKey,
                    sign: { key?.sign($0) }))
            return ExportCall.Response(
                file: file, entries: Int64(summary.entries), pending: summary.pending,
                attachments: Int64(summary.attachments), lostAttachments: summary.lostAttachments,
                sealedTo: summary.sealedTo, isSigned: summary.isSigned, salvage: summary.salvage)
        } catch {
            throw TerminalError(error)
        }
    }
}

extension TerminalError {
    fileprivate init(_ failure: SQLiteJournalExport.Failure) {
        switch failure {
        case .notEnrolled:
            self.init(.unusable, code: "not_enrolled") { $0.journalOfNobody }
        case .noSealingKey:
            self.init(.unusable, code: "hub_key_missing") { $0.noSealingKey }
        case .file(let error):
            self.init(.notDurable, code: "file_not_written") { $0.nothingExported("\(error)") }
        case .unavailable(let detail):
            self.init(.unusable, code: "database_unusable") { $0.nothingExported(detail) }
        }
    }
}
