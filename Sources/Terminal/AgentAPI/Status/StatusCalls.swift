public import HubProtocol

/// `GET /v1/ping`: whether an agent is there, and which.
public struct PingCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.ping) }

    public struct Response: AgentDocument {
        public let version: String
        /// Whether a command runs the agent and ends it at its own end; nil: the database is damaged and none
        /// runs.
        public let isOfCommand: Bool?

        public init(version: String, isOfCommand: Bool? = nil) {
            (self.version, self.isOfCommand) = (version, isOfCommand)
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                version: try members.string("version"),
                isOfCommand: try members.optional("ofCommand", members.bool))
        }

        public var json: JSONValue {
            var members: JSONObject = ["version": .string(version)]
            members["ofCommand"] = isOfCommand.map(JSONValue.bool)
            return .object(members)
        }
    }
}

/// `GET /v1/status`.
public struct StatusCall: AgentCall {
    public typealias Response = StatusResponse

    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.status) }
}

/// `GET /v1/status/stream`: the status once its revision is another one, or after 25 s as it is.
public struct NextStatusCall: AgentCall {
    /// The revision that the caller has; 0 for the first call.
    public let after: Int64

    public init(after: Int64) {
        self.after = after
    }

    public init(query: [String: String]) {
        after = query["after"].flatMap { Int64($0) } ?? 0
    }

    public var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.statusStream, query: ["after": String(after)])
    }

    public struct Response: AgentDocument {
        public let revision: Int64
        public let status: StatusResponse

        public init(revision: Int64, status: StatusResponse) {
            (self.revision, self.status) = (revision, status)
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(revision: try members.integer("revision"), status: try members.document("status"))
        }

        public var json: JSONValue { ["revision": .integer(revision), "status": status.json] }
    }
}

/// `POST /v1/manual`: switches the terminal offline by hand, or back.
public struct SetManualCall: AgentCall {
    public typealias Response = ManualState

    public let isOn: Bool
    public let reason: String?
    /// Who does it, as a text; a cashier who is signed in has priority.
    public let by: String?
    public let person: AgentPerson

    public init(isOn: Bool, reason: String? = nil, by: String? = nil, person: AgentPerson = AgentPerson()) {
        (self.isOn, self.reason, self.by, self.person) = (isOn, reason, by, person)
    }

    public init(body: JSONValue?) throws(RequestRefusal) {
        guard let isOn = body?["on"]?.bool else {
            throw RequestRefusal(kind: .malformed, message: "`on` must be true or false")
        }
        self.init(
            isOn: isOn, reason: body?["reason"]?.string, by: body?["by"]?.string,
            person: try AgentPerson(body: body))
    }

    public var request: AgentRequest {
        let members: JSONObject = ["on": .bool(isOn), "reason": JSONValue(reason), "by": JSONValue(by)]
        return AgentRequest("POST", AgentRoutes.manual, body: .object(person.added(to: members)))
    }
}

/// `POST /v1/retry`: the agent sends its next request to the hub now.
public struct RetryCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("POST", AgentRoutes.retry) }

    public struct Response: AgentDocument {
        public init() {}

        public init(_ members: AgentMembers) throws(ShapeError) {
            _ = try members.bool("retrying")
        }

        public var json: JSONValue { ["retrying": true] }
    }
}

/// The manual switch.
public struct ManualState: AgentDocument {
    public let isOn: Bool
    /// RFC 3339; nil while the switch is off, and for a file that cannot be read.
    public let since: String?
    public let by: String?
    public let reason: String?

    public init(isOn: Bool, since: String? = nil, by: String? = nil, reason: String? = nil) {
        (self.isOn, self.since, self.by, self.reason) = (isOn, since, by, reason)
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            isOn: try members.bool("on"), since: try members.nullable("since", members.string),
            by: try members.nullable("by", members.string),
            reason: try members.nullable("reason", members.string))
    }

    public var json: JSONValue {
        [
            "on": .bool(isOn), "since": JSONValue(since), "by": JSONValue(by), "reason": JSONValue(reason),
        ]
    }
}
