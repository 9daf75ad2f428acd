public import HubProtocol

/// `GET /v1/qos`: what QoS decided on each service beside what this terminal does.
public struct ServicesCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.qos) }

    /// One service.
    public struct Service: AgentDocument {
        /// QoS's decision.
        public struct Decision: AgentDocument {
            public let state: String
            public let scope: String
            public let source: String
            public let reason: String?
            public let generation: Int64

            public init(state: String, scope: String, source: String, reason: String?, generation: Int64) {
                self.state = state
                self.scope = scope
                self.source = source
                self.reason = reason
                self.generation = generation
            }

            public init(_ members: AgentMembers) throws(ShapeError) {
                self.init(
                    state: try members.string("state"), scope: try members.string("scope"),
                    source: try members.string("source"),
                    reason: try members.nullable("reason", members.string),
                    generation: try members.integer("generation"))
            }

            public var json: JSONValue {
                [
                    "state": .string(state), "scope": .string(scope), "source": .string(source),
                    "reason": JSONValue(reason), "generation": .integer(generation),
                ]
            }
        }

        public let service: String
        public let isCore: Bool
        /// What this terminal does.
        public let state: String
        public let source: String
        public let generation: Int64
        /// Nil: QoS sent no decision.
        public let qos: Decision?

        public init(
            service: String, isCore: Bool, state: String, source: String, generation: Int64, qos: Decision?
        ) {
            self.service = service
            self.isCore = isCore
            self.state = state
            self.source = source
            self.generation = generation
            self.qos = qos
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                service: try members.string("service"), isCore: try members.bool("core"),
                state: try members.string("state"), source: try members.string("source"),
                generation: try members.integer("generation"),
                qos: try members.nullable("qos", members.document))
        }

        public var json: JSONValue {
            [
                "service": .string(service), "core": .bool(isCore), "state": .string(state),
                "source": .string(source), "generation": .integer(generation), "qos": qos?.json ?? .null,
            ]
        }
    }

    public struct Response: AgentDocument {
        /// Whether QoS responded.
        public let isAnswered: Bool
        public let issuer: String?
        public let services: [Service]

        public init(isAnswered: Bool, issuer: String?, services: [Service]) {
            (self.isAnswered, self.issuer, self.services) = (isAnswered, issuer, services)
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                isAnswered: try members.bool("answered"),
                issuer: try members.nullable("issuer", members.string),
                services: try members.documents("services"))
        }

        public var json: JSONValue {
            [
                "answered": .bool(isAnswered), "issuer": JSONValue(issuer),
                "services": JSONValue(documents: services),
            ]
        }
    }
}

/// `GET /v1/history`: every offline period.
public struct HistoryCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.history) }

    public struct Period: AgentDocument {
        /// RFC 3339.
        public let start: String
        /// RFC 3339; nil: it lasts.
        public let end: String?
        public let causes: [String]
        public let evidence: [String]
        /// How many sales were made in it.
        public let sales: Int64

        public init(start: String, end: String?, causes: [String], evidence: [String], sales: Int64) {
            self.start = start
            self.end = end
            self.causes = causes
            self.evidence = evidence
            self.sales = sales
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                start: try members.string("start"), end: try members.nullable("end", members.string),
                causes: try members.strings("causes"), evidence: try members.strings("evidence"),
                sales: try members.integer("sales"))
        }

        public var json: JSONValue {
            [
                "start": .string(start), "end": JSONValue(end), "causes": JSONValue(strings: causes),
                "evidence": JSONValue(strings: evidence), "sales": .integer(sales),
            ]
        }
    }

    public struct Response: AgentDocument {
        /// Newest first.
        public let periods: [Period]

        public init(periods: [Period]) {
            self.periods = periods
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            periods = try members.documents("periods")
        }

        public var json: JSONValue { ["periods": JSONValue(documents: periods)] }
    }
}

/// `GET /v1/doctor`: readiness for an outage.
public struct DoctorCall: AgentCall {
    public init() {}

    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.doctor) }

    public struct Check: AgentDocument {
        public let name: String
        public let isOk: Bool
        /// For people.
        public let detail: String

        public init(name: String, isOk: Bool, detail: String) {
            (self.name, self.isOk, self.detail) = (name, isOk, detail)
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                name: try members.string("name"), isOk: try members.bool("ok"),
                detail: try members.string("detail"))
        }

        public var json: JSONValue {
            ["name": .string(name), "ok": .bool(isOk), "detail": .string(detail)]
        }
    }

    public struct Response: AgentDocument {
        public let checks: [Check]
        /// Whether every check passed.
        public let isReady: Bool

        public init(checks: [Check]) {
            (self.checks, isReady) = (checks, checks.allSatisfy(\.isOk))
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            checks = try members.documents("checks")
            isReady = try members.bool("ready")
        }

        public var json: JSONValue { ["ready": .bool(isReady), "checks": JSONValue(documents: checks)] }
    }
}

/// `GET /v1/products`: the article of a barcode.
public struct ProductCall: AgentCall {
    public let barcode: String

    public init(barcode: String) {
        self.barcode = barcode
    }

    public init(query: [String: String]) throws(RequestRefusal) {
        guard let barcode = query["barcode"] else { throw RequestRefusal.malformed("barcode", "given") }
        self.barcode = barcode
    }

    public var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.products, query: ["barcode": barcode])
    }

    public struct Response: AgentDocument {
        public let sku: String
        public let barcode: String
        public let name: String
        /// Minor units for a whole unit.
        public let priceMinor: Int64
        /// ISO 4217.
        public let currency: String

        public init(sku: String, barcode: String, name: String, priceMinor: Int64, currency: String) {
            self.sku = sku
            self.barcode = barcode
            self.name = name
            self.priceMinor = priceMinor
            self.currency = currency
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                sku: try members.string("sku"), barcode: try members.string("barcode"),
                name: try members.string("name"), priceMinor: try members.integer("priceMinor"),
                currency: try members.string("currency"))
        }

        public var json: JSONValue {
            [
                "sku": .string(sku), "barcode": .string(barcode), "name": .string(name),
                "priceMinor": .integer(priceMinor), "currency": .string(currency),
            ]
        }
    }
}
