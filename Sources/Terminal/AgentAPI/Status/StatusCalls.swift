package import HubProtocol

/// `GET /v1/ping`: whether an agent is there, and which.
package struct PingCall: AgentCall {
    /// A call without arguments; it changes nothing at the agent.
    package init() {}

    /// `GET /v1/ping`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.ping) }

    /// The version of the agent that responds, and who runs it.
    package struct Response: MemberDocument {
        /// Semantic, for example `0.1.0`.
        package var version = ""
        /// Whether a command runs the agent and ends it at its own end; nil: the database is damaged and none
        /// runs.
        package var isOfCommand: Bool?

        /// A response; without `isOfCommand` it is the one for a damaged database.
        package init(version: String, isOfCommand: Bool? = nil) {
            (self.version, self.isOfCommand) = (version, isOfCommand)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("version", &version)
            try m.optional("ofCommand", &isOfCommand)
        }
    }
}

/// Requests that the agent lets its data folder go to this program, and goes on with what it finds
/// afterwards.
package struct HandoverCall: AgentCall {
    package init() {}

    /// `POST /v1/handover`; the agent ends its work once the response was sent.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.handover) }

    /// The same document as of a ping.
    package typealias Response = PingCall.Response
}

/// `GET /v1/status`.
package struct StatusCall: AgentCall {
    /// The complete status.
    package typealias Response = StatusResponse

    /// The member whose points the status has: an id or a telephone number, as typed; nil: nobody.
    package let member: String?

    /// A call whose response comes at once; with a member it may wait for the hub as a sale does.
    package init(member: String? = nil) {
        self.member = member
    }

    /// Reads a query; an empty `member` is nobody.
    package init(query: [String: String]) {
        self.init(member: query["member"].flatMap { $0.isEmpty ? nil : $0 })
    }

    /// `GET /v1/status`, with `?member=…` where one is named.
    package var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.status, query: member.map { ["member": $0] } ?? [:])
    }
}

/// `GET /v1/status/stream`: the status once its revision is another one, or after 25 s as it is.
package struct NextStatusCall: AgentCall {
    /// The revision that the caller has; 0 for the first call.
    package let after: Int64

    /// A call that waits until the revision is not `after`, at most 25 s.
    package init(after: Int64) {
        self.after = after
    }

    /// Reads a query; `after` that is missing or no number is 0, so that the response comes at once.
    package init(query: [String: String]) {
        after = query["after"].flatMap { Int64($0) } ?? 0
    }

    /// `GET /v1/status/stream?after=…`.
    package var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.statusStream, query: ["after": String(after)])
    }

    /// The status with its revision, which the next call passes as ``after``.
    package struct Response: MemberDocument {
        /// Counts up from 1 in one run of the agent; another run begins again with 1.
        package var revision: Int64 = 0
        /// The status at the time of the response, not at that of the change.
        package var status = StatusResponse()

        /// A response; `revision` has to be read before `status`, so that no change is missed.
        package init(revision: Int64, status: StatusResponse) {
            (self.revision, self.status) = (revision, status)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("revision", &revision)
            try m("status", &status)
        }
    }
}

/// `POST /v1/manual`: switches the terminal offline by hand, or back.
package struct SetManualCall: AgentCall {
    /// The switch as it is on disk after the call.
    package typealias Response = ManualState

    /// True: offline, until a call with false.
    package let isOn: Bool
    /// Free text that is shown while the switch is on; nil: none was given.
    package let reason: String?
    /// Who does it, as a text; a cashier who is signed in has priority.
    package let by: String?
    /// Who switches; `manualOffline` needs an approver only where `account.approvals` lists it.
    package let person: AgentPerson

    /// A switch to `isOn`; by default whoever is signed in does it, without a reason.
    package init(isOn: Bool, reason: String? = nil, by: String? = nil, person: AgentPerson = AgentPerson()) {
        (self.isOn, self.reason, self.by, self.person) = (isOn, reason, by, person)
    }

    /// Reads the body of a request; a `reason` or `by` that is no string is left out.
    ///
    /// - Throws: `malformed` without `on`, for a `reason` or `by` over 200 bytes, or for a member of the
    ///   person that has another type.
    package init(body: JSONValue?) throws(RequestRefusal) {
        guard let isOn = body?["on"]?.bool else {
            throw RequestRefusal(kind: .malformed, message: "`on` must be true or false")
        }
        try RequestMembers(body ?? [:], of: .request)
            .refuseLong([("by", body?["by"]?.string), ("reason", body?["reason"]?.string)])
        self.init(
            isOn: isOn, reason: body?["reason"]?.string, by: body?["by"]?.string,
            person: try AgentPerson(body: body))
    }

    /// `POST /v1/manual` with `on`; `reason` and `by` are null where they are nil.
    package var request: AgentRequest {
        let members: JSONObject = ["on": .bool(isOn), "reason": JSONValue(reason), "by": JSONValue(by)]
        return AgentRequest("POST", AgentRoutes.manual, body: .object(person.added(to: members)))
    }
}

/// `POST /v1/retry`: the agent sends its next request to the hub now.
package struct RetryCall: AgentCall {
    /// A call without arguments; the response does not wait for the hub.
    package init() {}

    /// `POST /v1/retry`, without a body.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.retry) }

    /// A confirmation without a result: the requests follow it.
    package struct Response: MemberDocument {
        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            var isRetrying = true
            try m("retrying", &isRetrying)
        }
    }
}

/// The manual switch.
package struct ManualState: MemberDocument {
    /// Whether the manual cause keeps the terminal offline.
    package var isOn = false
    /// RFC 3339; nil while the switch is off, and for a file that cannot be read.
    package var since: String?
    /// The id of the signed-in cashier, else the text of the request; nil: neither was given.
    package var by: String?
    /// As it was entered; `flag_corrupt` where the file of the switch cannot be read; nil: none.
    package var reason: String?

    /// A state; without the other arguments it has no time, person or reason.
    package init(isOn: Bool, since: String? = nil, by: String? = nil, reason: String? = nil) {
        (self.isOn, self.since, self.by, self.reason) = (isOn, since, by, reason)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("on", &isOn)
        try m.nullable("since", &since)
        try m.nullable("by", &by)
        try m.nullable("reason", &reason)
    }
}
