public import HubProtocol

/// The detector's judgement of the network.
public struct NetworkState: AgentDocument {
    /// `reachable`, `suspect`, `unreachable`, `recovering`, `backendDown` and others of the detector.
    public let state: String
    /// RFC 3339; nil where the database is damaged.
    public let since: String?
    public let evidence: [String]
    /// T1 in milliseconds, as it is valid now; nil where the database is damaged.
    public let debounceMilliseconds: Int64?
    /// Until T1 or the recovery hold ends, in milliseconds; nil while neither runs.
    public let deadlineInMilliseconds: Int64?

    public init(
        state: String, since: String?, evidence: [String], debounceMilliseconds: Int64?,
        deadlineInMilliseconds: Int64?
    ) {
        self.state = state
        self.since = since
        self.evidence = evidence
        self.debounceMilliseconds = debounceMilliseconds
        self.deadlineInMilliseconds = deadlineInMilliseconds
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            state: try members.string("state"), since: try members.nullable("since", members.string),
            evidence: try members.strings("evidence"),
            debounceMilliseconds: try members.optional("t1Ms", members.integer),
            deadlineInMilliseconds: try members.nullable("deadlineInMs", members.integer))
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "state": .string(state), "since": JSONValue(since), "evidence": JSONValue(strings: evidence),
            "deadlineInMs": JSONValue(deadlineInMilliseconds),
        ]
        members["t1Ms"] = debounceMilliseconds.map(JSONValue.integer)
        return .object(members)
    }
}

/// What this terminal does with one of the hub's services.
public struct ServiceState: AgentDocument {
    public let service: String
    /// Whether its fault takes the terminal offline.
    public let isCore: Bool
    public let state: String
    /// RFC 3339.
    public let since: String
    /// Who decided it: `qos`, `local`, `operator`.
    public let source: String
    public let generation: Int64

    public init(
        service: String, isCore: Bool, state: String, since: String, source: String, generation: Int64
    ) {
        self.service = service
        self.isCore = isCore
        self.state = state
        self.since = since
        self.source = source
        self.generation = generation
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            service: try members.string("service"), isCore: try members.bool("core"),
            state: try members.string("state"), since: try members.string("since"),
            source: try members.string("source"), generation: try members.integer("generation"))
    }

    public var json: JSONValue {
        [
            "service": .string(service), "core": .bool(isCore), "state": .string(state),
            "since": .string(since), "source": .string(source), "generation": .integer(generation),
        ]
    }
}

/// The connection in one snapshot: the object `connectivity` of the status and of telemetry.
public struct ConnectivityState: AgentDocument {
    /// What the last responses say about the path; nil where the database is damaged.
    public struct Calls: Hashable, Sendable {
        public let coreCallsFail: Bool
        /// The end of the hub's limit, RFC 3339; nil while none is valid.
        public let rateLimitEndsAt: String?

        public init(coreCallsFail: Bool, rateLimitEndsAt: String?) {
            (self.coreCallsFail, self.rateLimitEndsAt) = (coreCallsFail, rateLimitEndsAt)
        }
    }

    public let state: String
    public let transport: String
    public let isMetered: Bool
    public let isConstrained: Bool
    public let latencyMilliseconds: Int64?
    /// RFC 3339; nil: never.
    public let lastInternetOkAt: String?
    /// RFC 3339; nil: never.
    public let lastBackendOkAt: String?
    public let captivePortalSuspected: Bool
    /// Why the state is not better; `none` for nothing.
    public let reason: String
    public let calls: Calls?

    public init(
        state: String, transport: String, isMetered: Bool, isConstrained: Bool, latencyMilliseconds: Int64?,
        lastInternetOkAt: String?, lastBackendOkAt: String?, captivePortalSuspected: Bool, reason: String,
        calls: Calls?
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
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        var calls: Calls?
        if let fail = try members.optional("coreCallsFail", members.bool) {
            calls = Calls(
                coreCallsFail: fail, rateLimitEndsAt: try members.nullable("rateLimitEndsAt", members.string))
        }
        self.init(
            state: try members.string("state"), transport: try members.string("transport"),
            isMetered: try members.bool("isMetered"), isConstrained: try members.bool("isConstrained"),
            latencyMilliseconds: try members.nullable("latencyMs", members.integer),
            lastInternetOkAt: try members.nullable("lastInternetOkAt", members.string),
            lastBackendOkAt: try members.nullable("lastBackendOkAt", members.string),
            captivePortalSuspected: try members.bool("captivePortalSuspected"),
            reason: try members.string("reason"), calls: calls)
    }

    public var json: JSONValue { .object(members) }

    public var members: JSONObject {
        var members: JSONObject = [
            "state": .string(state), "transport": .string(transport), "isMetered": .bool(isMetered),
            "isConstrained": .bool(isConstrained), "latencyMs": JSONValue(latencyMilliseconds),
            "lastInternetOkAt": JSONValue(lastInternetOkAt), "lastBackendOkAt": JSONValue(lastBackendOkAt),
            "captivePortalSuspected": .bool(captivePortalSuspected), "reason": .string(reason),
        ]
        if let calls {
            members["coreCallsFail"] = .bool(calls.coreCallsFail)
            members["rateLimitEndsAt"] = JSONValue(calls.rateLimitEndsAt)
        }
        return members
    }
}

/// How the last calls to the hub went.
public struct LinkQuality: AgentDocument {
    public let samples: Int64
    public let failures: Int64
    public let medianMilliseconds: Int64?
    public let percentile95Milliseconds: Int64?
    public let isDegraded: Bool

    public init(
        samples: Int64, failures: Int64, medianMilliseconds: Int64?, percentile95Milliseconds: Int64?,
        isDegraded: Bool
    ) {
        self.samples = samples
        self.failures = failures
        self.medianMilliseconds = medianMilliseconds
        self.percentile95Milliseconds = percentile95Milliseconds
        self.isDegraded = isDegraded
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            samples: try members.integer("samples"), failures: try members.integer("failures"),
            medianMilliseconds: try members.nullable("p50Ms", members.integer),
            percentile95Milliseconds: try members.nullable("p95Ms", members.integer),
            isDegraded: try members.bool("degraded"))
    }

    public var json: JSONValue {
        [
            "samples": .integer(samples), "failures": .integer(failures),
            "p50Ms": JSONValue(medianMilliseconds), "p95Ms": JSONValue(percentile95Milliseconds),
            "degraded": .bool(isDegraded),
        ]
    }
}
