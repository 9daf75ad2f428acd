public import HubProtocol

/// `GET /v1/sync`: the outbox.
public struct SyncStatusCall: AgentCall {
    public typealias Response = OutboxResponse

    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.sync) }
}

/// `POST /v1/sync/now`: drains the outbox and pulls the catalogue.
public struct SyncNowCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("POST", AgentRoutes.syncNow) }

    public struct Response: AgentDocument {
        /// What is left.
        public let outbox: OutboxResponse
        public let catalogue: PullState
        /// How many entries got a result.
        public let sent: Int64
        /// Why the drain ended before the outbox was empty, for people; nil: it was drained.
        public let stoppedBy: String?
        /// Whether the same command again, with nothing else done, may send more.
        public let retryHelps: Bool

        public init(
            outbox: OutboxResponse, catalogue: PullState, sent: Int64, stoppedBy: String?, retryHelps: Bool
        ) {
            self.outbox = outbox
            self.catalogue = catalogue
            self.sent = sent
            self.stoppedBy = stoppedBy
            self.retryHelps = retryHelps
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                outbox: try OutboxResponse(members), catalogue: try members.document("catalogue"),
                sent: try members.integer("sent"),
                stoppedBy: try members.nullable("stoppedBy", members.string),
                retryHelps: try members.bool("retryHelps"))
        }

        public var json: JSONValue {
            var members = outbox.members
            members["catalogue"] = catalogue.json
            members["sent"] = .integer(sent)
            members["stoppedBy"] = JSONValue(stoppedBy)
            members["retryHelps"] = .bool(retryHelps)
            return .object(members)
        }
    }
}

/// The document of `pos sync status --json`.
public struct OutboxResponse: AgentDocument {
    public let counts: OutboxCounts
    public let items: [OutboxItemState]
    /// The files that the hub does not have complete.
    public let attachments: [AttachmentState]
    /// What the drainer does, for people; nil: no drainer runs.
    public let drain: String?
    public let schema: SchemaState

    public init(
        counts: OutboxCounts, items: [OutboxItemState], attachments: [AttachmentState], drain: String?,
        schema: SchemaState
    ) {
        self.counts = counts
        self.items = items
        self.attachments = attachments
        self.drain = drain
        self.schema = schema
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            counts: try OutboxCounts(members), items: try members.documents("items"),
            attachments: try members.documents("attachments"),
            drain: try members.nullable("drain", members.string), schema: try members.document("schema"))
    }

    var members: JSONObject {
        var members = counts.members
        members["items"] = JSONValue(documents: items)
        members["attachments"] = JSONValue(documents: attachments)
        members["drain"] = JSONValue(drain)
        members["schema"] = schema.json
        return members
    }

    public var json: JSONValue { .object(members) }
}

/// One entry of the outbox.
public struct OutboxItemState: AgentDocument {
    /// The mutation's id, a ULID.
    public let id: String
    public let sequence: Int64
    public let type: String
    public let attempts: Int64
    /// RFC 3339; nil: at once, or nobody knows.
    public let nextAttemptAt: String?
    /// `pending`, `sending`, `rejected` or `conflicted`.
    public let state: String
    /// The hub's problem document or a text; nil: none.
    public let problem: JSONValue?
    /// The ids of the attachments that it waits for.
    public let waitsForAttachments: [String]

    public init(
        id: String, sequence: Int64, type: String, attempts: Int64, nextAttemptAt: String?, state: String,
        problem: JSONValue?, waitsForAttachments: [String]
    ) {
        self.id = id
        self.sequence = sequence
        self.type = type
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.state = state
        self.problem = problem
        self.waitsForAttachments = waitsForAttachments
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.string("id"), sequence: try members.integer("sequence"),
            type: try members.string("type"), attempts: try members.integer("attempts"),
            nextAttemptAt: try members.nullable("nextAttemptAt", members.string),
            state: try members.string("state"), problem: try members.nullable("problem", members.value),
            waitsForAttachments: try members.optional("waitsForAttachments", members.strings) ?? [])
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "id": .string(id), "sequence": .integer(sequence), "type": .string(type),
            "attempts": .integer(attempts), "nextAttemptAt": JSONValue(nextAttemptAt),
            "state": .string(state), "problem": problem ?? .null,
        ]
        if !waitsForAttachments.isEmpty {
            members["waitsForAttachments"] = JSONValue(strings: waitsForAttachments)
        }
        return .object(members)
    }

    /// The problem for people; nil: none.
    public var problemText: String? { problem.flatMap { $0["detail"]?.string ?? $0.string } }
}

/// A file that goes with a mutation.
public struct AttachmentRecord: AgentDocument {
    /// A ULID.
    public let id: String
    public let name: String
    public let sha256: String
    /// Bytes.
    public let size: Int64
    public let contentType: String
    /// Whether it goes over a metered or narrow path too.
    public let isUrgent: Bool

    public init(id: String, name: String, sha256: String, size: Int64, contentType: String, isUrgent: Bool) {
        self.id = id
        self.name = name
        self.sha256 = sha256
        self.size = size
        self.contentType = contentType
        self.isUrgent = isUrgent
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.string("id"), name: try members.string("name"),
            sha256: try members.string("sha256"), size: try members.integer("size"),
            contentType: try members.string("contentType"), isUrgent: try members.bool("urgent"))
    }

    var members: JSONObject {
        [
            "id": .string(id), "name": .string(name), "sha256": .string(sha256), "size": .integer(size),
            "contentType": .string(contentType), "urgent": .bool(isUrgent),
        ]
    }

    public var json: JSONValue { .object(members) }
}

/// An attachment on its way to the hub.
public struct AttachmentState: AgentDocument {
    public let attachment: AttachmentRecord
    /// `queued`, `sending`, `waiting` or `held`.
    public let state: String
    /// What holds it back, stable names.
    public let heldBy: [String]
    /// Bytes that the hub has; nil unless it is being sent.
    public let received: Int64?
    /// RFC 3339; nil unless it waits.
    public let nextAttemptAt: String?
    public let problem: String?

    public init(
        attachment: AttachmentRecord, state: String, heldBy: [String] = [], received: Int64? = nil,
        nextAttemptAt: String? = nil, problem: String?
    ) {
        self.attachment = attachment
        self.state = state
        self.heldBy = heldBy
        self.received = received
        self.nextAttemptAt = nextAttemptAt
        self.problem = problem
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            attachment: try AttachmentRecord(members), state: try members.string("state"),
            heldBy: try members.strings("heldBy"),
            received: try members.nullable("received", members.integer),
            nextAttemptAt: try members.nullable("nextAttemptAt", members.string),
            problem: try members.nullable("problem", members.string))
    }

    public var json: JSONValue {
        var members = attachment.members
        members["state"] = .string(state)
        members["heldBy"] = JSONValue(strings: heldBy)
        members["received"] = JSONValue(received)
        members["nextAttemptAt"] = JSONValue(nextAttemptAt)
        members["problem"] = JSONValue(problem)
        return .object(members)
    }
}
