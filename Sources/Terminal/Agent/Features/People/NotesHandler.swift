internal import AgentAPI
internal import HubProtocol
internal import OfflineMode
internal import Retail
internal import TerminalStore
internal import MachineRuntime

/// The notes of the shift.
struct NotesHandler: RequestHandler {
    let notes: any NoteStorage
    let authority: Authority
    let attachments: SQLiteAttachments
    let drainer: OutboxDrainer
    let uploader: AttachmentUploader
    let time: any SystemTime

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.notes, on: .background, list),
            AgentRoute("POST", AgentRoutes.notes, change),
            AgentRoute("POST", AgentRoutes.notes + "/{id}/{verb}", change),
        ]
    }

    private func list(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing { AgentResponse(NoteListCall.Response(try await notes.list())) }
    }

    private func change(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        try await refusing {
            guard let call = try ChangeNoteCall(steps: path, body: request.body) else {
                throw TerminalError(unknown: request)
            }
            return AgentResponse(try await change(call))
        }
    }

    private func refusing(
        _ work: () async throws -> AgentResponse
    ) async throws(TerminalError) -> AgentResponse {
        try await refusing({ (error: NoteError) in TerminalError(error) }, work)
    }

    private func change(_ call: ChangeNoteCall) async throws -> NoteRecord {
        let cashierId = try await authority.authorize(call.person, []).cashierId
        let text = try checkedText(of: call)
        let now = time.wallMilliseconds()
        switch call.change {
        case .add(let author):
            return try await staged(call) { attachments throws(NoteError) in
                try await notes.add(
                    text: text, author: author, by: cashierId, attachments: attachments, at: now)
            }
        case .edit(let id):
            return try await staged(call) { attachments throws(NoteError) in
                try await notes.edit(id, text: text, by: cashierId, attachments: attachments, at: now)
            }
        case .delete(let id): return changed(try await notes.delete(id, by: cashierId, at: now))
        }
    }

    /// The text of a note that is written; empty for a deletion.
    private func checkedText(of call: ChangeNoteCall) throws(TerminalError) -> String {
        if let text = call.text, text.utf8.count > NoteChange.longestText {
            throw TerminalError(.usage, code: "text_too_long") {
                $0.noteTooLong(text.utf8.count, limit: NoteChange.longestText)
            }
        }
        if case .delete = call.change { return "" }
        guard let text = call.text else {
            throw TerminalError(.usage, code: "text_missing") { $0.noteEmpty }
        }
        return text
    }

    /// Does `work` with the files of the call, and removes their copies when it fails.
    private func staged(
        _ call: ChangeNoteCall, _ work: ([Attachment]) async throws(NoteError) -> Note
    ) async throws -> NoteRecord {
        let staging = AttachmentStaging(
            attachments: attachments, files: call.files ?? AttachedFiles(paths: []))
        return try await staging.with(isUrgent: false) { attachments in
            changed(try await work(attachments), attachments)
        }
    }

    private func changed(_ note: Note, _ attachments: [Attachment] = []) -> NoteRecord {
        drainer.nudge()
        if !attachments.isEmpty { uploader.nudge() }
        return NoteRecord(note, attachments)
    }
}

extension NoteListCall.Response {
    fileprivate init(_ notes: [Note]) {
        self.init(
            notes: notes.filter { $0.value != nil }.map { NoteRecord($0) },
            tombstones: notes.filter { $0.value == nil }.map { NoteRecord($0) })
    }
}

extension NoteRecord {
    fileprivate init(_ note: Note, _ attachments: [Attachment] = []) {
        self.init(
            id: note.id, value: note.value, version: note.version, state: note.state.rawValue,
            deletedAt: note.deletedAt, attachments: attachments.map(AttachmentRecord.init))
    }
}

extension TerminalError {
    /// Why a note was not changed.
    fileprivate init(_ error: NoteError) {
        switch error {
        case .unknown(let id):
            self.init(.refused, code: "unknown_note") { $0.unknownNote(id) }
        case .storage(let error): self.init(nothingChanged: error)
        }
    }
}
