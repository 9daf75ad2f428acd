package import Base
internal import HubProtocol
package import OfflineCore

/// `GET /v1/qos`: what QoS decided on each service beside what this terminal does.
package struct ServicesCall: AgentCall {
    /// A call without arguments: it is for every service that the terminal has.
    package init() {}

    /// `GET /v1/qos`; the agent queries QoS first, for 3 s at most.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.qos) }

    package struct Service: MemberDocument {
        /// QoS's decision.
        package struct Decision: MemberDocument {
            package var state = ServiceDecision.State.healthy
            /// For whom it is valid.
            package var scope = ServiceDecision.Scope.global
            /// Who decided it.
            package var source = ServiceDecision.Source.reports
            /// Free text of QoS or of an operator; nil: QoS sent none.
            package var reason: String?
            /// Counts up for each service over all scopes of one issuer, docs/reference/http.md.
            package var generation: Int64 = 0

            /// A decision as QoS sent it; `reason` is nil where QoS sent none.
            package init(
                state: ServiceDecision.State, scope: ServiceDecision.Scope,
                source: ServiceDecision.Source, reason: String?, generation: Int64
            ) {
                self.state = state
                self.scope = scope
                self.source = source
                self.reason = reason
                self.generation = generation
            }

            package init() {}

            package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
                try m("state", &state)
                try m("scope", &scope)
                try m("source", &source)
                try m.nullable("reason", &reason)
                try m("generation", &generation)
            }
        }

        /// For example `order`, `payment` or `member`.
        package var service = ""
        /// Whether its fault takes the terminal offline; by default this is `order` alone.
        package var isCore = false
        /// What this terminal does.
        package var state = ServiceStatus.State.healthy
        /// Who decided ``state``.
        package var source = ServiceStatus.Source.local
        /// The number of the decision in force at this terminal; 0 before the first.
        package var generation: Int64 = 0
        /// Nil: QoS sent no decision.
        package var qos: Decision?

        /// A service; `qos` is nil where QoS sent no decision on it.
        package init(
            service: String, isCore: Bool, state: ServiceStatus.State, source: ServiceStatus.Source,
            generation: Int64, qos: Decision?
        ) {
            self.service = service
            self.isCore = isCore
            self.state = state
            self.source = source
            self.generation = generation
            self.qos = qos
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("service", &service)
            try m("core", &isCore)
            try m("state", &state)
            try m("source", &source)
            try m("generation", &generation)
            try m.nullable("qos", &qos)
        }
    }

    /// The document of `pos qos status --json`.
    package struct Response: MemberDocument {
        /// Whether QoS responded.
        package var hasResponse = false
        /// The id of the QoS store's incarnation; nil where QoS did not respond, or sent none.
        package var issuer: String?
        /// Every service of the terminal, by name, also where QoS did not respond.
        package var services: [Service] = []

        /// A response; without one of QoS `hasResponse` is false and `issuer` nil.
        package init(hasResponse: Bool, issuer: String?, services: [Service]) {
            (self.hasResponse, self.issuer, self.services) = (hasResponse, issuer, services)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("answered", &hasResponse)
            try m.nullable("issuer", &issuer)
            try m("services", &services)
        }
    }
}

/// `GET /v1/history`: every offline period.
package struct HistoryCall: AgentCall {
    /// A call without arguments: the agent returns the newest 10,000 periods.
    package init() {}

    /// `GET /v1/history`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.history) }

    /// An interval in which the terminal was offline.
    package struct Period: MemberDocument {
        /// RFC 3339.
        package var start = ""
        /// RFC 3339; nil: it lasts.
        package var end: String?
        /// Every cause that was valid in it: `manual`, `network`, `service`.
        package var causes: [String] = []
        /// Identifiers such as `probe:timeout`, at most the last 20; docs/reference/cli-till.md lists them.
        package var evidence: [String] = []
        /// How many sales were made in it.
        package var sales: Int64 = 0

        /// A period; `end` is nil while it lasts.
        package init(start: String, end: String?, causes: [String], evidence: [String], sales: Int64) {
            self.start = start
            self.end = end
            self.causes = causes
            self.evidence = evidence
            self.sales = sales
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("start", &start)
            try m.nullable("end", &end)
            try m("causes", &causes)
            try m("evidence", &evidence)
            try m("sales", &sales)
        }
    }

    /// The document of `pos history --json`.
    package struct Response: MemberDocument {
        /// Newest first.
        package var periods: [Period] = []

        /// A response; `periods` have to come newest first.
        package init(periods: [Period]) {
            self.periods = periods
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("periods", &periods)
        }
    }
}

/// `POST /v1/losses/seen`: what the database lost, or a repair, was compared with the hub.
package struct AcknowledgeLossesCall: AgentCall {
    /// A call without arguments: everything that was lost so far.
    package init() {}

    /// `POST /v1/losses/seen`, with an empty object.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.seenLosses, body: [:]) }

    /// The document of `pos repair --seen --json`.
    package struct Response: MemberDocument {
        /// What is acknowledged now, in English; nil: nothing was open.
        package var acknowledged: String?
        /// ``acknowledged`` by language, `en` and `zh`.
        package var texts: [String: String]?

        /// - Parameter acknowledged: nil in every language where nothing was open.
        package init(_ acknowledged: (Language) -> String?) {
            (self.acknowledged, texts) = (acknowledged(.english), Language.texts(acknowledged))
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m.nullable("acknowledged", &acknowledged)
            try m.optional("texts", &texts)
        }
    }
}

/// `GET /v1/doctor`: readiness for an outage.
package struct DoctorCall: AgentCall {
    /// Of who reads it, where the till has no language of its own; nil: a program reads it, in English.
    package let reader: Language?

    /// The agent makes every check.
    package init(reader: Language? = nil) { self.reader = reader }

    /// Reads a query; a language that there is not is a program's.
    package init(query: [String: String]) {
        reader = query["reader"].flatMap(Language.init(rawValue:))
    }

    /// `GET /v1/doctor?reader=`; the check of the database reads every page, so the response can take
    /// seconds.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.doctor, query: query) }

    /// The language to answer in at a till of this language.
    package func language(of till: Language?) -> Language { reader.map { till ?? $0 } ?? .english }

    fileprivate var query: [String: String] { reader.map { ["reader": $0.rawValue] } ?? [:] }

    /// The result of one check.
    package struct Check: MemberDocument {
        /// A stable name in English, for example `catalogue`, `order numbers` or `disk`.
        package var name = ""
        /// False: a person should act before the next outage; ``detail`` names what to do.
        package var isOk = false
        /// Whether it passed, and somebody should act all the same; it does not change the score.
        package var isWarning = false
        /// For people.
        package var detail = ""
        /// What to do about it, with a command where one helps; nil for one that passed without a warning.
        package var fix: String?
        /// The age of what the check is about; nil where it has none.
        package var ageMilliseconds: Int64?
        /// What the check counts in the score, 1 to 5.
        package var weight: Int64 = 1

        /// The result of a check; `fix` is left out of one that passed.
        package init(
            name: String, isOk: Bool, isWarning: Bool = false, detail: String, fix: String? = nil,
            ageMilliseconds: Int64? = nil, weight: Int64 = 1
        ) {
            (self.name, self.isOk, self.isWarning, self.detail) = (name, isOk, isWarning, detail)
            self.fix = isOk && !isWarning ? nil : fix
            (self.ageMilliseconds, self.weight) = (ageMilliseconds, weight)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("name", &name)
            try m("ok", &isOk)
            try m.optional("warns", &isWarning, absent: false)
            try m("detail", &detail)
            try m("weight", &weight, missing: 1)
            try m.optional("fix", &fix)
            try m.optional("ageMs", &ageMilliseconds)
        }
    }

    /// The document of `pos doctor --json`; the command ends with 1 where it is not ready.
    package struct Response: MemberDocument {
        /// In the order of the output; for a damaged database `store` alone.
        package var checks: [Check] = []
        /// Whether every check passed.
        package var isReady = false
        /// 0 to 100: the weights of the checks that passed in percent of all weights, rounded down.
        package var score: Int64 = 0

        /// A response whose ``isReady`` and ``score`` are computed from `checks`.
        package init(checks: [Check]) {
            (self.checks, isReady) = (checks, checks.allSatisfy(\.isOk))
            score = Self.score(of: checks)
        }

        private static func score(of checks: [Check]) -> Int64 {
            let all = checks.reduce(0) { $0 + $1.weight }
            return all == 0 ? 0 : checks.reduce(0) { $0 + ($1.isOk ? $1.weight : 0) } * 100 / all
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("checks", &checks)
            try m("ready", &isReady)
            try m("score", &score, missing: Self.score(of: checks))
        }
    }
}

/// `POST /v1/doctor/drill`: plays an outage against the agent, then makes every check.
package struct DrillCall: AgentCall {
    /// The checks of ``DoctorCall``, those of the drill first.
    package typealias Response = DoctorCall.Response

    /// As ``DoctorCall/reader``.
    package let reader: Language?

    /// A call; its end, also that of its connection, ends the drill.
    package init(reader: Language? = nil) { self.reader = reader }

    /// `POST /v1/doctor/drill?reader=`; the response takes half a minute to two.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.drill, query: DoctorCall(reader: reader).query)
    }
}
