package import HubProtocol

/// What sync may do now, and what stops it.
package struct PolicyState: AgentDocument {
    package struct Activity: AgentDocument {
        /// What stops it, stable names; empty: it may go on.
        package let heldBy: [String]

        /// An activity; it is allowed exactly where `heldBy` is empty.
        package init(heldBy: [String]) {
            self.heldBy = heldBy
        }

        /// `allowed` is required and not used, since `heldBy` decides it.
        package init(_ members: AgentMembers) throws(ShapeError) {
            _ = try members.value("allowed")
            heldBy = try members.read("heldBy")
        }

        /// `allowed` is derived from ``heldBy``.
        package var json: JSONValue {
            ["allowed": .bool(heldBy.isEmpty), "heldBy": heldBy.json]
        }
    }

    /// The outbox.
    package let mutations: Activity
    /// The changes since the last pull.
    package let catalogue: Activity
    /// Many pages at once: a complete catalogue, or a long backlog of changes.
    package let wholeCatalogue: Activity
    /// Uploads of files that are not urgent.
    package let attachments: Activity
    /// Reports about this terminal to the hub.
    package let telemetry: Activity
    /// Whether batches are small, since the connection is slow or loses requests.
    package let usesSmallBatches: Bool

    /// A policy; each activity has its own list of obstacles.
    package init(
        mutations: Activity, catalogue: Activity, wholeCatalogue: Activity, attachments: Activity,
        telemetry: Activity, usesSmallBatches: Bool
    ) {
        self.mutations = mutations
        self.catalogue = catalogue
        self.wholeCatalogue = wholeCatalogue
        self.attachments = attachments
        self.telemetry = telemetry
        self.usesSmallBatches = usesSmallBatches
    }

    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            mutations: try members.read("mutations"), catalogue: try members.read("catalogue"),
            wholeCatalogue: try members.read("wholeCatalogue"),
            attachments: try members.read("attachments"), telemetry: try members.read("telemetry"),
            usesSmallBatches: try members.read("smallBatches"))
    }

    /// The key of ``usesSmallBatches`` is `smallBatches`.
    package var json: JSONValue {
        [
            "mutations": mutations.json, "catalogue": catalogue.json, "wholeCatalogue": wholeCatalogue.json,
            "attachments": attachments.json, "telemetry": telemetry.json,
            "smallBatches": .bool(usesSmallBatches),
        ]
    }
}

/// The hub's status of this version.
package struct SchemaState: MemberDocument {
    /// `welcome`, `retiring` or `refused`.
    package var state = ""
    /// Until when the hub accepts this version, RFC 3339; nil unless it is retiring.
    package var sunsetAt: String?
    /// RFC 3339.
    package var deprecatedAt: String?

    /// A state; both times are nil unless the version is retiring.
    package init(state: String, sunsetAt: String?, deprecatedAt: String?) {
        (self.state, self.sunsetAt, self.deprecatedAt) = (state, sunsetAt, deprecatedAt)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("state", &state)
        try m.nullable("sunsetAt", &sunsetAt)
        try m.nullable("deprecatedAt", &deprecatedAt)
    }
}

/// How the last pulls of the catalogue went.
package struct PullState: MemberDocument {
    /// A row of the hub that this terminal could not read.
    package struct SkippedRow: MemberDocument {
        /// The kind of row, for example `product` or `coupon`; empty where the row has none.
        package var entity = ""
        /// The row's id at the hub, for a product its sku.
        package var entityId = ""
        /// Why it was not read, for people and in English.
        package var reason = ""
        /// RFC 3339.
        package var at = ""

        /// A row; `at` is when it was last passed over.
        package init(entity: String, entityId: String, reason: String, at: String) {
            (self.entity, self.entityId, self.reason, self.at) = (entity, entityId, reason, at)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("entity", &entity)
            try m("entityId", &entityId)
            try m("reason", &reason)
            try m("at", &at)
        }
    }

    /// RFC 3339; nil: never.
    package var lastPullAt: String?
    /// Since the last good pull; nil: there was none.
    package var ageMilliseconds: Int64?
    /// Why the newest pull failed; nil: it was good.
    package var problem: String?
    /// The last 20 of 30 days, the newest last; the terminal keeps the former value of each.
    package var skipped: [SkippedRow] = []
    /// Whether the pull of `pos sync now` failed; nil in other documents.
    package var hasFailed: Bool?

    /// A state; without `hasFailed` it is the one of the status.
    package init(
        lastPullAt: String?, ageMilliseconds: Int64?, problem: String?, skipped: [SkippedRow],
        hasFailed: Bool? = nil
    ) {
        self.lastPullAt = lastPullAt
        self.ageMilliseconds = ageMilliseconds
        self.problem = problem
        self.skipped = skipped
        self.hasFailed = hasFailed
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m.nullable("lastPullAt", &lastPullAt)
        try m.nullable("ageMs", &ageMilliseconds)
        try m.nullable("problem", &problem)
        try m("skipped", &skipped)
        try m.optional("failed", &hasFailed)
    }
}

/// How much waits in the outbox.
package struct OutboxCounts: AgentDocument {
    /// Nil: the database cannot be read, and then so is everything else.
    package let pending: Int64?
    /// The age of the oldest pending entry; nil: none is pending.
    package let oldestAgeMilliseconds: Int64?
    /// Entries that the hub rejected and nobody has resolved.
    package let rejected: Int64?
    /// Entries with a conflict that nobody has resolved.
    package let conflicted: Int64?
    /// The hub has every entry up to this sequence number.
    package let acknowledgedThrough: Int64?
    /// Whether the path to the hub loses large packets; nil: not known.
    package let losesLargePackets: Bool?
    /// The end of the hub's `Retry-After`, RFC 3339; nil while none is valid.
    package let retryAfterEndsAt: String?

    /// Counts; every argument but `pending` is nil by default, which means unknown or none.
    package init(
        pending: Int64?, oldestAgeMilliseconds: Int64? = nil, rejected: Int64? = nil,
        conflicted: Int64? = nil, acknowledgedThrough: Int64? = nil, losesLargePackets: Bool? = nil,
        retryAfterEndsAt: String? = nil
    ) {
        self.pending = pending
        self.oldestAgeMilliseconds = oldestAgeMilliseconds
        self.rejected = rejected
        self.conflicted = conflicted
        self.acknowledgedThrough = acknowledgedThrough
        self.losesLargePackets = losesLargePackets
        self.retryAfterEndsAt = retryAfterEndsAt
    }

    /// Of a database that cannot be read: 0 would be a claim.
    package static let unreadable = OutboxCounts(pending: nil)

    /// Every member but `largePacketsLost` is required; all of them may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            pending: try members.nullable("pending"),
            oldestAgeMilliseconds: try members.nullable("oldestAgeMs"),
            rejected: try members.nullable("rejected"),
            conflicted: try members.nullable("conflicted"),
            acknowledgedThrough: try members.nullable("acknowledgedThrough"),
            losesLargePackets: try members.optional("largePacketsLost"),
            retryAfterEndsAt: try members.nullable("retryAfterEndsAt"))
    }

    /// `largePacketsLost` is null with ``pending``, and left out where it alone is nil.
    package var json: JSONValue { .object(members) }

    var members: JSONObject {
        var members: JSONObject = [
            "pending": JSONValue(pending), "oldestAgeMs": JSONValue(oldestAgeMilliseconds),
            "rejected": JSONValue(rejected), "conflicted": JSONValue(conflicted),
            "acknowledgedThrough": JSONValue(acknowledgedThrough),
            "retryAfterEndsAt": JSONValue(retryAfterEndsAt),
        ]
        // A database that is damaged before it is opened is read without the path to the hub.
        if let losesLargePackets {
            members["largePacketsLost"] = .bool(losesLargePackets)
        } else if pending == nil {
            members["largePacketsLost"] = .null
        }
        return members
    }
}
