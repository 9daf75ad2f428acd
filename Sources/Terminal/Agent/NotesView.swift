internal import HubProtocol
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// Answers the requests below `/v1/notes`.
struct NotesView {
    let parts: AgentParts
    let request: AgentRequest

    /// In bytes; what is longer the hub refuses.
    private static let longestText = 4096

    static func answers(_ request: AgentRequest) -> Bool {
        request.path == AgentRoutes.notes || request.path.hasPrefix(AgentRoutes.notes + "/")
    }

    func answer() async throws(TerminalError) -> AgentAnswer {
        let steps = request.path.dropFirst(AgentRoutes.notes.count).split(separator: "/").map(String.init)
        let notes = SQLiteNotes(parts.database)
        let now = parts.time.wallMilliseconds()
        let cashierId = request.method == "GET" ? nil : try await parts.authorize(request.body, []).cashierId
        if let text, text.utf8.count > Self.longestText {
            throw TerminalError(
                .usage, code: "text_too_long",
                "a note has at most \(Self.longestText) bytes, and this one \(text.utf8.count); shorten it")
        }
        do {
            switch (request.method, steps.count, steps.last) {
            case ("GET", 0, _): return AgentAnswer(Self.document(try await notes.list()))
            case ("POST", 0, _):
                guard let text else { return AgentAnswer(textMissing) }
                let author = request.body?["author"]?.string
                return try await staged { attachments throws(NoteError) in
                    changed(
                        try await notes.add(
                            text: text, author: author, by: cashierId, attachments: attachments, at: now),
                        attachments)
                }
            case ("POST", 2, "edit"):
                guard let text else { return AgentAnswer(textMissing) }
                return try await staged { attachments throws(NoteError) in
                    changed(
                        try await notes.edit(
                            steps[0], text: text, by: cashierId, attachments: attachments, at: now),
                        attachments)
                }
            case ("POST", 2, "delete"):
                return changed(try await notes.delete(steps[0], by: cashierId, at: now))
            case (_, _, _):
                return AgentAnswer(
                    TerminalError(
                        .usage, code: "unknown_request",
                        "the agent has no \(request.method) \(request.path); are the versions equal?"))
            }
        } catch let error as NoteError {
            throw TerminalError(error)
        } catch let error as TerminalError {
            throw error
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable", "nothing was changed: \(error)")
        }
    }

    /// Does `work` with the files that the request names, and forgets their copies when it fails.
    private func staged(
        _ work: ([Attachment]) async throws(NoteError) -> AgentAnswer
    ) async throws -> AgentAnswer {
        let staging = AttachmentStaging(attachments: parts.attachments, body: request.body)
        return try await staging.with(isUrgent: false) { attachments in try await work(attachments) }
    }

    private var text: String? {
        guard let text = request.body?["text"]?.string, !text.isEmpty else { return nil }
        return text
    }

    private var textMissing: TerminalError {
        TerminalError(.usage, code: "text_missing", "a note needs a text")
    }

    private func changed(_ note: Note, _ attachments: [Attachment] = []) -> AgentAnswer {
        parts.drainer.nudge()
        guard !attachments.isEmpty else { return AgentAnswer(Self.document(note)) }
        parts.uploader.nudge()
        var members = Self.document(note).object ?? [:]
        members["attachments"] = .array(attachments.map(\.json))
        return AgentAnswer(.object(members))
    }

    private static func document(_ notes: [Note]) -> JSONValue {
        [
            "notes": .array(notes.filter { $0.value != nil }.map(document)),
            "tombstones": .array(notes.filter { $0.value == nil }.map(document)),
        ]
    }

    private static func document(_ note: Note) -> JSONValue {
        [
            "id": .string(note.id), "text": JSONValue(note.value?["text"]?.string),
            "author": JSONValue(note.value?["author"]?.string), "version": JSONValue(note.version),
            "state": .string(note.state.rawValue), "deletedAt": JSONValue(note.deletedAt),
            "value": note.value ?? .null,
        ]
    }
}

extension TerminalError {
    /// Why a note was not changed.
    fileprivate init(_ error: NoteError) {
        switch error {
        case .unknown(let id):
            self.init(.refused, code: "unknown_note", "there is no note \(id); `pos note list` shows them")
        case .diskFull(let path):
            self.init(.notDurable, code: "disk_full", "the disk of \(path) is full; free some space")
        case .unavailable(let detail):
            self.init(.notDurable, code: "store_unavailable", "nothing was changed: \(detail)")
        }
    }
}
