package import HubProtocol

/// `GET /v1/sync`: the outbox.
package struct SyncStatusCall: AgentCall {
    /// The outbox with its entries.
    package typealias Response = OutboxResponse

    /// A call without arguments; it sends nothing to the hub.
    package init() {}

    /// `GET /v1/sync`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.sync) }
}

/// `POST /v1/sync/now`: drains the outbox and pulls the catalogue.
package struct SyncNowCall: AgentCall {
    /// A call without arguments: the response comes when drain, uploads and pull have ended.
    package init() {}

    /// `POST /v1/sync/now`, without a body.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.syncNow) }

    /// The document of `pos sync now --json`.
    package struct Response: AgentDocument {
        /// What is left.
        package let outbox: OutboxResponse
        /// The result of the pull; ``PullState/hasFailed`` is not nil here.
        package let catalogue: PullState
        /// How many entries got a result.
        package let sent: Int64
        /// Why the drain ended before the outbox was empty, for people; nil: it was drained.
        package let stoppedBy: String?
        /// Whether the same command again, with nothing else done, may send more.
        package let retryHelps: Bool

        /// A response; `stoppedBy` is nil where the outbox was drained.
        package init(
            outbox: OutboxResponse, catalogue: PullState, sent: Int64, stoppedBy: String?, retryHelps: Bool
        ) {
            self.outbox = outbox
            self.catalogue = catalogue
            self.sent = sent
            self.stoppedBy = stoppedBy
            self.retryHelps = retryHelps
        }

        /// Reads the outbox's members beside the others; `stoppedBy` may be null.
        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                outbox: try OutboxResponse(members), catalogue: try members.read("catalogue"),
                sent: try members.read("sent"),
                stoppedBy: try members.nullable("stoppedBy"),
                retryHelps: try members.read("retryHelps"))
        }

        /// The outbox's members with `catalogue`, `sent`, `stoppedBy` and `retryHelps` beside them.
        package var json: JSONValue {
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
package struct OutboxResponse: AgentDocument {
    /// How many entries there are in all; ``items`` may list fewer.
    package let counts: OutboxCounts
    /// At most 1,000: the pending ones, then the refused ones, each the oldest first.
    package let items: [OutboxItemState]
    /// The files that the hub does not have complete.
    package let attachments: [AttachmentState]
    /// What the drainer does, for people; nil: no drainer runs.
    package let drain: String?
    /// The hub's status of this version: `refused` stops the drain.
    package let schema: SchemaState

    /// A response; `drain` is nil without a drainer.
    package init(
        counts: OutboxCounts, items: [OutboxItemState], attachments: [AttachmentState], drain: String?,
        schema: SchemaState
    ) {
        self.counts = counts
        self.items = items
        self.attachments = attachments
        self.drain = drain
        self.schema = schema
    }

    /// Reads the counts' members beside the others; `drain` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            counts: try OutboxCounts(members), items: try members.read("items"),
            attachments: try members.read("attachments"),
            drain: try members.nullable("drain"), schema: try members.read("schema"))
    }

    var members: JSONObject {
        var members = counts.members
        members["items"] = items.json
        members["attachments"] = attachments.json
        members["drain"] = JSONValue(drain)
        members["schema"] = schema.json
        return members
    }

    /// The counts' members with `items`, `attachments`, `drain` and `schema` beside them.
    package var json: JSONValue { .object(members) }
}

/// One entry of the outbox.
package struct OutboxItemState: MemberDocument {
    /// The mutation's id, a ULID.
    package var id = ""
    /// The entry's number in the journal, which has no gaps.
    package var sequence: Int64 = 0
    /// The mutation's type, for example `order.completed`.
    package var type = ""
    /// How often it was sent without a result.
    package var attempts: Int64 = 0
    /// RFC 3339; nil: at once, or nobody knows.
    package var nextAttemptAt: String?
    /// `pending`, `sending`, `rejected` or `conflicted`.
    package var state = ""
    /// The hub's problem document or a text; nil: none.
    package var problem: JSONValue?
    /// The ids of the attachments that it waits for.
    package var waitsForAttachments: [String] = []

    /// An entry; `nextAttemptAt` and `problem` are nil where there is none.
    package init(
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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("id", &id)
        try m("sequence", &sequence)
        try m("type", &type)
        try m("attempts", &attempts)
        try m.nullable("nextAttemptAt", &nextAttemptAt)
        try m("state", &state)
        try m.nullable("problem", &problem)
        try m.optional("waitsForAttachments", &waitsForAttachments, absent: [])
    }

    /// The problem for people; nil: none.
    package var problemText: String? { problem.flatMap { $0["detail"]?.string ?? $0.string } }
}

/// A file that goes with a mutation.
package struct AttachmentRecord: AgentDocument {
    /// A ULID.
    package let id: String
    /// The last part of the file's path, as it was attached.
    package let name: String
    /// 64 hexadecimal digits in lower case, of the file's bytes.
    package let sha256: String
    /// Bytes.
    package let size: Int64
    /// A media type that the agent guessed from the first bytes, for example `image/jpeg`.
    package let contentType: String
    /// Whether it goes over a metered or narrow path too.
    package let isUrgent: Bool

    /// An attachment; its bytes are not part of it.
    package init(id: String, name: String, sha256: String, size: Int64, contentType: String, isUrgent: Bool) {
        self.id = id
        self.name = name
        self.sha256 = sha256
        self.size = size
        self.contentType = contentType
        self.isUrgent = isUrgent
    }

    /// Every member is required; the key of ``isUrgent`` is `urgent`.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.read("id"), name: try members.read("name"),
            sha256: try members.read("sha256"), size: try members.read("size"),
            contentType: try members.read("contentType"), isUrgent: try members.read("urgent"))
    }

    var members: JSONObject {
        [
            "id": .string(id), "name": .string(name), "sha256": .string(sha256), "size": .integer(size),
            "contentType": .string(contentType), "urgent": .bool(isUrgent),
        ]
    }

    /// Six members, none of them null.
    package var json: JSONValue { .object(members) }
}

/// An attachment on its way to the hub.
package struct AttachmentState: AgentDocument {
    /// What is uploaded.
    package let attachment: AttachmentRecord
    /// `queued`, `sending`, `waiting` or `held`.
    package let state: String
    /// What holds it back, stable names.
    package let heldBy: [String]
    /// Bytes that the hub has; nil unless it is being sent.
    package let received: Int64?
    /// RFC 3339; nil unless it waits.
    package let nextAttemptAt: String?
    /// Why the last attempt failed, for people; nil: none has.
    package let problem: String?

    /// A state; by default nothing holds it, no byte is counted and no attempt is planned.
    package init(
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

    /// Reads the attachment's members beside the others; `received`, `nextAttemptAt` and `problem` may be
    /// null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            attachment: try AttachmentRecord(members), state: try members.read("state"),
            heldBy: try members.read("heldBy"),
            received: try members.nullable("received"),
            nextAttemptAt: try members.nullable("nextAttemptAt"),
            problem: try members.nullable("problem"))
    }

    /// The attachment's members with those of the state beside them.
    package var json: JSONValue {
        var members = attachment.members
        members["state"] = .string(state)
        members["heldBy"] = heldBy.json
        members["received"] = JSONValue(received)
        members["nextAttemptAt"] = JSONValue(nextAttemptAt)
        members["problem"] = JSONValue(problem)
        return .object(members)
    }
}
