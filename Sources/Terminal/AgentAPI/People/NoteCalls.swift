public import HubProtocol

/// `GET /v1/notes`: the notes of the shift.
public struct NoteListCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.notes) }

    public struct Response: AgentDocument {
        public let notes: [NoteRecord]
        /// Notes that were deleted.
        public let tombstones: [NoteRecord]

        public init(notes: [NoteRecord], tombstones: [NoteRecord]) {
            (self.notes, self.tombstones) = (notes, tombstones)
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(notes: try members.documents("notes"), tombstones: try members.documents("tombstones"))
        }

        public var json: JSONValue {
            ["notes": JSONValue(documents: notes), "tombstones": JSONValue(documents: tombstones)]
        }
    }
}

/// The calls below `/v1/notes` that change a note.
public struct ChangeNoteCall: AgentCall {
    public typealias Response = NoteRecord

    public enum Change: Hashable, Sendable {
        case add(author: String?)
        case edit(id: String)
        case delete(id: String)
    }

    public let change: Change
    /// Nil for a deletion.
    public let text: String?
    public let person: AgentPerson
    /// Nil for a deletion.
    public let files: AttachedFiles?

    public init(_ change: Change, text: String? = nil, person: AgentPerson, files: AttachedFiles? = nil) {
        (self.change, self.text, self.person, self.files) = (change, text, person, files)
    }

    /// Reads a `POST` request; nil for a path that there is not. An empty text is one that is missing.
    ///
    /// - Parameter steps: of the path behind `/v1/notes`.
    public init?(steps: [String], body: JSONValue?) throws(RequestRefusal) {
        let change: Change
        switch (steps.count, steps.last) {
        case (0, _): change = .add(author: body?["author"]?.string)
        case (2, "edit"): change = .edit(id: steps[0])
        case (2, "delete"): change = .delete(id: steps[0])
        default: return nil
        }
        let text = body?["text"]?.string
        self.init(
            change, text: text?.isEmpty == true ? nil : text, person: try AgentPerson(body: body),
            files: AttachedFiles(body: body))
    }

    public var request: AgentRequest {
        var members: JSONObject = [:]
        let path: String
        switch change {
        case .add(let author):
            path = AgentRoutes.notes
            members["author"] = JSONValue(author)
        case .edit(let id): path = AgentRoutes.notes + "/\(id)/edit"
        case .delete(let id): path = AgentRoutes.notes + "/\(id)/delete"
        }
        members["text"] = text.map(JSONValue.string)
        members = files?.added(to: members) ?? members
        return AgentRequest("POST", path, body: .object(person.added(to: members)))
    }
}

/// One note.
public struct NoteRecord: AgentDocument {
    /// A ULID.
    public let id: String
    /// All fields, those of other versions too; nil for a note that was deleted.
    public let value: JSONValue?
    /// The hub's version that was seen last; nil: none yet.
    public let version: Int64?
    /// `synced`, `pending`, `rejected` or `conflicted`.
    public let state: String
    /// RFC 3339; nil unless deleted.
    public let deletedAt: String?
    /// The files that go with this change.
    public let attachments: [AttachmentRecord]

    public init(
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

    public var text: String? { value?["text"]?.string }
    public var author: String? { value?["author"]?.string }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.string("id"), value: try members.nullable("value", members.value),
            version: try members.nullable("version", members.integer), state: try members.string("state"),
            deletedAt: try members.nullable("deletedAt", members.string),
            attachments: try members.optional("attachments", members.documents) ?? [])
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "id": .string(id), "text": JSONValue(text), "author": JSONValue(author),
            "version": JSONValue(version), "state": .string(state), "deletedAt": JSONValue(deletedAt),
            "value": value ?? .null,
        ]
        if !attachments.isEmpty { members["attachments"] = JSONValue(documents: attachments) }
        return .object(members)
    }
}
