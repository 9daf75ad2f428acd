package import OfflineCore

/// The detector's judgement of the network.
package struct NetworkState: MemberDocument {
    package var state = NetworkStatus.State.suspect
    /// RFC 3339; nil where the database is damaged.
    package var since: String?
    /// At most 8 identifiers, the newest last, such as `probe:timeout` (docs/reference/cli-till.md lists
    /// them).
    package var evidence: [String] = []
    /// T1 in milliseconds, as it is valid now; nil where the database is damaged.
    package var debounceMilliseconds: Int64?
    /// Until T1 or the recovery hold ends, in milliseconds; nil while neither runs.
    package var deadlineInMilliseconds: Int64?

    /// A state; `since` and `debounceMilliseconds` are nil where the database is damaged.
    package init(
        state: NetworkStatus.State, since: String?, evidence: [String], debounceMilliseconds: Int64?,
        deadlineInMilliseconds: Int64?
    ) {
        self.state = state
        self.since = since
        self.evidence = evidence
        self.debounceMilliseconds = debounceMilliseconds
        self.deadlineInMilliseconds = deadlineInMilliseconds
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("state", &state)
        try m.nullable("since", &since)
        try m("evidence", &evidence)
        try m.nullable("deadlineInMs", &deadlineInMilliseconds)
        try m.optional("t1Ms", &debounceMilliseconds)
    }
}

/// What this terminal does with one of the hub's services.
package struct ServiceState: MemberDocument {
    /// For example `order`, `payment` or `member`.
    package var service = ""
    /// Whether its fault takes the terminal offline.
    package var isCore = false
    package var state = ServiceStatus.State.healthy
    /// RFC 3339.
    package var since = ""
    /// Who decided it.
    package var source = ServiceStatus.Source.local
    /// The number of the decision in force; 0 before the first.
    package var generation: Int64 = 0

    /// A service's state; `isCore` is decided by `config/core-apis.json`.
    package init(
        service: String, isCore: Bool, state: ServiceStatus.State, since: String,
        source: ServiceStatus.Source, generation: Int64
    ) {
        self.service = service
        self.isCore = isCore
        self.state = state
        self.since = since
        self.source = source
        self.generation = generation
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("service", &service)
        try m("core", &isCore)
        try m("state", &state)
        try m("since", &since)
        try m("source", &source)
        try m("generation", &generation)
    }
}

/// The connection in one snapshot: the object `connectivity` of the status and of telemetry.
package struct ConnectivityState: MemberDocument {
    /// What the last responses say about the path; nil where the database is damaged.
    package struct Calls: MemberDocument {
        /// Whether calls of a core service fail in a row while the hub responds to other calls.
        package var coreCallsFail = false
        /// The end of the hub's limit, RFC 3339; nil while none is valid.
        package var rateLimitEndsAt: String?

        /// The result of the last calls; `rateLimitEndsAt` is nil while the hub sets no limit.
        package init(coreCallsFail: Bool, rateLimitEndsAt: String?) {
            (self.coreCallsFail, self.rateLimitEndsAt) = (coreCallsFail, rateLimitEndsAt)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("coreCallsFail", &coreCallsFail)
            try m.nullable("rateLimitEndsAt", &rateLimitEndsAt)
        }
    }

    package var state = ConnectivitySnapshot.State.localNetworkOnly
    package var transport = Transport.unknown
    /// Whether the path costs by volume: `network.meteredInterfaces` or the system reports it.
    package var isMetered = false
    /// Whether the path is narrow; decided by `network.constrained`.
    package var isConstrained = false
    /// Round trip of the last verified response; nil before the first.
    package var latencyMilliseconds: Int64?
    /// RFC 3339; nil: never.
    package var lastInternetOkAt: String?
    /// RFC 3339; nil: never.
    package var lastBackendOkAt: String?
    /// Whether somebody else than the hub responds, a login page for example.
    package var captivePortalSuspected = false
    /// Why the state is not better.
    package var reason = ConnectivitySnapshot.Reason.none
    /// Nil where the database is damaged; then two members of the document are missing.
    package var calls: Calls?
    /// The interface over which the hub is reached while the main path is dark; nil while that is used.
    package var standby: String?

    /// A snapshot; `latencyMilliseconds` and the two times are nil where there was no response yet.
    package init(
        state: ConnectivitySnapshot.State, transport: Transport, isMetered: Bool, isConstrained: Bool,
        latencyMilliseconds: Int64?, lastInternetOkAt: String?, lastBackendOkAt: String?,
        captivePortalSuspected: Bool, reason: ConnectivitySnapshot.Reason, calls: Calls?,
        standby: String? = nil
    ) {
        self.state = state
        self.transport = transport
        self.isMetered = isMetered
        self.isConstrained = isConstrained
        self.latencyMilliseconds = latencyMilliseconds
        self.lastInternetOkAt = lastInternetOkAt
        self.lastBackendOkAt = lastBackendOkAt
        self.captivePortalSuspected = captivePortalSuspected
        self.reason = reason
        self.calls = calls
        self.standby = standby
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("state", &state)
        try m("transport", &transport)
        try m("isMetered", &isMetered)
        try m("isConstrained", &isConstrained)
        try m.nullable("latencyMs", &latencyMilliseconds)
        try m.nullable("lastInternetOkAt", &lastInternetOkAt)
        try m.nullable("lastBackendOkAt", &lastBackendOkAt)
        try m("captivePortalSuspected", &captivePortalSuspected)
        try m("reason", &reason)
        try m.part("coreCallsFail", &calls)
        try m.optional("standby", &standby)
    }
}
