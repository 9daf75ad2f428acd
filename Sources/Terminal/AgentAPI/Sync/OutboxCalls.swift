package import Base
package import HubProtocol
package import OfflineCore

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
    package struct Response: MemberDocument {
        /// What is left.
        package var outbox = OutboxResponse()
        /// The result of the pull; ``PullState/hasFailed`` is not nil here.
        package var catalogue = PullState()
        /// How many entries got a result.
        package var sent: Int64 = 0
        /// Why the drain ended before the outbox was empty, in English; nil: it was drained.
        package var stoppedBy: String?
        /// ``stoppedBy`` by language, `en` and `zh`.
        package var texts: [String: String]?
        /// Whether the same command again, with nothing else done, may send more.
        package var retryHelps = false

        /// - Parameter stoppedBy: nil in every language where the outbox was drained.
        package init(
            outbox: OutboxResponse, catalogue: PullState, sent: Int64, stoppedBy: (Language) -> String?,
            retryHelps: Bool
        ) {
            self.outbox = outbox
            self.catalogue = catalogue
            self.sent = sent
            (self.stoppedBy, texts) = (stoppedBy(.english), Language.texts(stoppedBy))
            self.retryHelps = retryHelps
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try outbox.members(&m)
            try m("catalogue", &catalogue)
            try m("sent", &sent)
            try m.nullable("stoppedBy", &stoppedBy)
            try m.optional("texts", &texts)
            try m("retryHelps", &retryHelps)
        }
    }
}

/// The document of `pos sync status --json`.
package struct OutboxResponse: MemberDocument {
    /// How many entries there are in all; ``items`` may list fewer.
    package var counts = OutboxCounts()
    /// At most 1,000: the pending ones, then the refused ones, each the oldest first.
    package var items: [OutboxItemState] = []
    /// The files that the hub does not have complete.
    package var attachments: [AttachmentState] = []
    /// What the drainer does, for people; nil: no drainer runs.
    package var drain: String?
    /// The hub's status of this version: `refused` stops the drain.
    package var schema = SchemaState()

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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try counts.members(&m)
        try m("items", &items)
        try m("attachments", &attachments)
        try m.nullable("drain", &drain)
        try m("schema", &schema)
    }
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
package struct AttachmentRecord: MemberDocument {
    /// A ULID.
    package var id = ""
    /// The last part of the file's path, as it was attached.
    package var name = ""
    /// 64 hexadecimal digits in lower case, of the file's bytes.
    package var sha256 = ""
    /// Bytes.
    package var size: Int64 = 0
    /// A media type that the agent guessed from the first bytes, for example `image/jpeg`.
    package var contentType = ""
    /// Whether it goes over a metered or narrow path too.
    package var isUrgent = false

    /// An attachment; its bytes are not part of it.
    package init(id: String, name: String, sha256: String, size: Int64, contentType: String, isUrgent: Bool) {
        self.id = id
        self.name = name
        self.sha256 = sha256
        self.size = size
        self.contentType = contentType
        self.isUrgent = isUrgent
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("id", &id)
        try m("name", &name)
        try m("sha256", &sha256)
        try m("size", &size)
        try m("contentType", &contentType)
        try m("urgent", &isUrgent)
    }
}

/// An attachment on its way to the hub.
package struct AttachmentState: MemberDocument {
    /// What is uploaded.
    package var attachment = AttachmentRecord()
    /// `queued`, `sending`, `waiting` or `held`.
    package var state = ""
    /// What holds it back.
    package var heldBy: [SyncObstacle] = []
    /// Bytes that the hub has; nil unless it is being sent.
    package var received: Int64?
    /// RFC 3339; nil unless it waits.
    package var nextAttemptAt: String?
    /// Why the last attempt failed, for people; nil: none has.
    package var problem: String?

    /// A state; by default nothing holds it, no byte is counted and no attempt is planned.
    package init(
        attachment: AttachmentRecord, state: String, heldBy: [SyncObstacle] = [], received: Int64? = nil,
        nextAttemptAt: String? = nil, problem: String?
    ) {
        self.attachment = attachment
        self.state = state
        self.heldBy = heldBy
        self.received = received
        self.nextAttemptAt = nextAttemptAt
        self.problem = problem
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try attachment.members(&m)
        try m("state", &state)
        try m("heldBy", &heldBy)
        try m.nullable("received", &received)
        try m.nullable("nextAttemptAt", &nextAttemptAt)
        try m.nullable("problem", &problem)
    }
}
