package import HubProtocol

/// `GET /v1/notes`: the notes of the shift.
package struct NoteListCall: AgentCall {
    /// A call without arguments: the agent returns every note.
    package init() {}

    /// `GET /v1/notes`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.notes) }

    /// The document of `pos note list --json`.
    package struct Response: MemberDocument {
        /// The notes that are not deleted, the oldest first.
        package var notes: [NoteRecord] = []
        /// Notes that were deleted.
        package var tombstones: [NoteRecord] = []

        /// A list; what was deleted belongs into `tombstones` alone.
        package init(notes: [NoteRecord], tombstones: [NoteRecord]) {
            (self.notes, self.tombstones) = (notes, tombstones)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("notes", &notes)
            try m("tombstones", &tombstones)
        }
    }
}

/// The calls below `/v1/notes` that change a note.
package struct ChangeNoteCall: AgentCall {
    /// The note as it is after the change.
    package typealias Response = NoteRecord

    /// What happens to which note.
    package enum Change: Hashable, Sendable {
        /// A new note; `author` is a free text, nil: none.
        case add(author: String?)
        /// Another text for the note of this id; its other fields stay.
        case edit(id: String)
        /// A tombstone in place of the note of this id.
        case delete(id: String)
    }

    /// Decides the path of the request.
    package let change: Change
    /// Nil for a deletion.
    package let text: String?
    /// Who changes the note; a store with cashiers needs one who is signed in or named with a PIN.
    package let person: AgentPerson
    /// Nil for a deletion.
    package let files: AttachedFiles?

    /// A change; `text` has at most 4,096 bytes, and without `files` nothing is attached.
    package init(_ change: Change, text: String? = nil, person: AgentPerson, files: AttachedFiles? = nil) {
        (self.change, self.text, self.person, self.files) = (change, text, person, files)
    }

    /// Reads a `POST` request; nil for a path that there is not. An empty text is one that is missing, and an
    /// `author` over 200 bytes is `malformed`.
    ///
    /// - Parameter steps: of the path behind `/v1/notes`.
    package init?(steps: [String], body: JSONValue?) throws(RequestRefusal) {
        let change: Change
        let author = body?["author"]?.string
        try RequestMembers(body ?? [:], of: .request).refuseLong([("author", author)])
        switch (steps.count, steps.last) {
        case (0, _): change = .add(author: author)
        case (2, "edit"): change = .edit(id: steps[0])
        case (2, "delete"): change = .delete(id: steps[0])
        default: return nil
        }
        let text = body?["text"]?.string
        self.init(
            change, text: text?.isEmpty == true ? nil : text, person: try AgentPerson(body: body),
            files: AttachedFiles(body: body))
    }

    /// `POST`, to `/v1/notes` or below it; a nil ``text`` is left out.
    package var request: AgentRequest {
        var members: JSONObject = [:]
        let path: String
        switch change {
        case .add(let author):
            path = AgentRoutes.notes
            members["author"] = JSONValue(author)
        case .edit(let id): path = AgentRoutes.one(of: AgentRoutes.notes, id, "edit")
        case .delete(let id): path = AgentRoutes.one(of: AgentRoutes.notes, id, "delete")
        }
        members["text"] = text.map(JSONValue.string)
        members = files?.added(to: members) ?? members
        return AgentRequest("POST", path, body: .object(person.added(to: members)))
    }
}

package struct NoteRecord: MemberDocument {
    /// A ULID.
    package var id = ""
    /// All fields, those of other versions too; nil for a note that was deleted.
    package var value: JSONValue?
    /// The hub's version that was seen last; nil: none yet.
    package var version: Int64?
    /// `synced`, `pending`, `rejected` or `conflicted`.
    package var state = ""
    /// RFC 3339; nil unless deleted.
    package var deletedAt: String?
    /// The files that go with this change.
    package var attachments: [AttachmentRecord] = []

    /// A note; `attachments` are empty by default and nil values are those of the properties.
    package init(
        id: String, value: JSONValue?, version: Int64?, state: String, deletedAt: String?,
        attachments: [AttachmentRecord] = []
    ) {
        self.id = id
        self.value = value
        self.version = version
        self.state = state
        self.deletedAt = deletedAt
        self.attachments = attachments
    }

    /// The field `text` of ``value``; nil for a tombstone.
    package var text: String? { value?["text"]?.string }
    /// The field `author` of ``value``; nil: none was given, or a tombstone.
    package var author: String? { value?["author"]?.string }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("id", &id)
        // For readers other than the commands: they are in `value`.
        var (text, author) = (text, author)
        try m.nullable("text", &text)
        try m.nullable("author", &author)
        try m.nullable("version", &version)
        try m("state", &state)
        try m.nullable("deletedAt", &deletedAt)
        try m.nullable("value", &value)
        try m.optional("attachments", &attachments, absent: [])
    }
}
