package import OfflineCore

/// What sync may do now, and what stops it.
package struct PolicyState: MemberDocument {
    package struct Activity: MemberDocument {
        /// What stops it; empty: it may go on.
        package var heldBy: [SyncObstacle] = []

        /// An activity; it is allowed exactly where `heldBy` is empty.
        package init(heldBy: [SyncObstacle]) {
            self.heldBy = heldBy
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            // For readers other than the commands: it follows from `heldBy`.
            var isAllowed = heldBy.isEmpty
            try m("allowed", &isAllowed)
            try m("heldBy", &heldBy)
        }
    }

    /// The outbox.
    package var mutations = Activity()
    /// The changes since the last pull.
    package var catalogue = Activity()
    /// Many pages at once: a complete catalogue, or a long backlog of changes.
    package var wholeCatalogue = Activity()
    /// Uploads of files that are not urgent.
    package var attachments = Activity()
    /// Reports about this terminal to the hub.
    package var telemetry = Activity()
    /// Whether batches are small, since the connection is slow or loses requests.
    package var usesSmallBatches = false

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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("mutations", &mutations)
        try m("catalogue", &catalogue)
        try m("wholeCatalogue", &wholeCatalogue)
        try m("attachments", &attachments)
        try m("telemetry", &telemetry)
        try m("smallBatches", &usesSmallBatches)
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
package struct OutboxCounts: MemberDocument {
    /// Nil: the database cannot be read, and then so is everything else.
    package var pending: Int64?
    /// Of those, how many have a copy at another till; nil: the tills do not see each other.
    package var copied: Int64?
    /// The age of the oldest pending entry; nil: none is pending.
    package var oldestAgeMilliseconds: Int64?
    /// Entries that the hub rejected and nobody has resolved.
    package var rejected: Int64?
    /// Entries with a conflict that nobody has resolved.
    package var conflicted: Int64?
    /// The hub has every entry up to this sequence number.
    package var acknowledgedThrough: Int64?
    /// Whether the path to the hub loses large packets; nil: not known.
    package var losesLargePackets: Bool?
    /// The end of the hub's `Retry-After`, RFC 3339; nil while none is valid.
    package var retryAfterEndsAt: String?

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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m.nullable("pending", &pending)
        try m.optional("copied", &copied)
        try m.nullable("oldestAgeMs", &oldestAgeMilliseconds)
        try m.nullable("rejected", &rejected)
        try m.nullable("conflicted", &conflicted)
        try m.nullable("acknowledgedThrough", &acknowledgedThrough)
        // A database that is damaged before it is opened is read without the path to the hub.
        if pending == nil {
            try m.nullable("largePacketsLost", &losesLargePackets)
        } else {
            try m.optional("largePacketsLost", &losesLargePackets)
        }
        try m.nullable("retryAfterEndsAt", &retryAfterEndsAt)
    }
}
