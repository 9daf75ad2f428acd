public import HubProtocol

/// `POST /v1/shifts`: opens a shift.
public struct OpenShiftCall: AgentCall {
    /// The shift that is open now.
    public typealias Response = ShiftRecord

    /// Minor units of cash in the drawer.
    public let float: Int64
    /// Who opens it.
    public let person: AgentPerson

    /// A shift that begins with `float`.
    public init(float: Int64, person: AgentPerson) {
        (self.float, self.person) = (float, person)
    }

    /// Reads the body of a request; a misspelt member is refused, since it could be the amount.
    public init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["float"]))
        guard let float = try members.integer("float") else {
            throw members.malformed("float", "an amount in minor units")
        }
        self.init(float: float, person: try AgentPerson(members))
    }

    /// `POST`, with the amount and the person.
    public var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.shifts, body: .object(person.added(to: ["float": .integer(float)])))
    }
}

/// `POST /v1/shifts/cash`: moves cash, or opens the drawer without a sale.
public struct MoveCashCall: AgentCall {
    /// What was recorded.
    public struct Response: AgentDocument {
        /// A ULID.
        public let moveId: String
        /// The shift that it belongs to; nil: none was open.
        public let shiftId: String?
        /// `in`, `out`, `drop` or `noSale`.
        public let kind: String
        /// 0 for `noSale`.
        public let amount: MoneyAmount
        /// As typed.
        public let reason: String

        /// A recorded movement.
        public init(moveId: String, shiftId: String?, kind: String, amount: MoneyAmount, reason: String) {
            self.moveId = moveId
            self.shiftId = shiftId
            self.kind = kind
            self.amount = amount
            self.reason = reason
        }

        /// Only `shiftId` may be null.
        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                moveId: try members.string("moveId"),
                shiftId: try members.nullable("shiftId", members.string), kind: try members.string("kind"),
                amount: try members.document("amount"), reason: try members.string("reason"))
        }

        /// `{"moveId","shiftId","kind","amount","reason"}`.
        public var json: JSONValue {
            [
                "moveId": .string(moveId), "shiftId": JSONValue(shiftId), "kind": .string(kind),
                "amount": amount.json, "reason": .string(reason),
            ]
        }
    }

    /// What happens to the drawer.
    public let kind: CashMove.Kind
    /// Minor units; 0 for ``CashMove/Kind/noSale``.
    public let amount: Int64
    /// Why; never empty.
    public let reason: String
    /// A ULID; the same one again moves nothing more. Nil: every request moves cash.
    public let key: String?
    /// Whether a person knows that more is taken out than the drawer should have.
    public var isConfirmed = false
    /// Who moves it; `cashMovement` and `noSale` can need an approver.
    public let person: AgentPerson

    /// A movement of cash.
    public init(
        _ kind: CashMove.Kind, amount: Int64, reason: String, key: String? = nil, person: AgentPerson
    ) {
        self.kind = kind
        self.amount = amount
        self.reason = reason
        self.key = key
        self.person = person
    }

    /// Reads the body of a request.
    public init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["kind", "amount", "reason", "key", "confirmed"]))
        guard let kind = try members.text("kind").flatMap(CashMove.Kind.init) else {
            throw members.malformed("kind", "in, out, drop or noSale")
        }
        self.init(
            kind, amount: try members.integer("amount") ?? 0, reason: try members.text("reason") ?? "",
            key: try members.text("key"), person: try AgentPerson(members))
        isConfirmed = body?["confirmed"]?.bool == true
    }

    /// `POST`; a nil ``key`` is null.
    public var request: AgentRequest {
        var members: JSONObject = [
            "kind": .string(kind.rawValue), "amount": .integer(amount), "reason": .string(reason),
            "key": JSONValue(key),
        ]
        if isConfirmed { members["confirmed"] = true }
        return AgentRequest("POST", AgentRoutes.shiftCash, body: .object(person.added(to: members)))
    }

    /// The refusal of a ``key`` that is no ULID.
    public static func malformedKey(_ key: String) -> RequestRefusal {
        RequestMembers([:], of: .request).malformed("key", "a ULID, 26 characters, and not \"\(key)\"")
    }
}

/// `POST /v1/shifts/close`: closes the open shift.
public struct CloseShiftCall: AgentCall {
    /// The shift that is closed now.
    public typealias Response = ShiftRecord

    /// Minor units of cash that were counted.
    public let counted: Int64
    /// What was counted of other tenders.
    public let others: [ShiftClosing.Counted]
    /// Whether it was counted again: false refuses any difference above the tolerated one with
    /// `count_differs`, true closes with it. Nil: it is refused only where the store sets
    /// `shift.toleratedDifference`.
    public var isConfirmed: Bool?
    /// Who closes it.
    public let person: AgentPerson

    /// A counted drawer.
    public init(counted: Int64, others: [ShiftClosing.Counted] = [], person: AgentPerson) {
        self.counted = counted
        self.others = others
        self.person = person
    }

    /// Reads the body of a request.
    public init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["counted", "others", "confirmed"]))
        guard let counted = try members.integer("counted") else {
            throw members.malformed("counted", "an amount in minor units")
        }
        var others: [ShiftClosing.Counted] = []
        for (index, other) in (try members.list("others") ?? []).enumerated() {
            let fields = RequestMembers(other, path: "others[\(index)].", of: .request)
            try fields.refuseUnknown(["method", "amount"])
            guard let method = try fields.text("method"), let amount = try fields.integer("amount") else {
                throw fields.malformed("method", "a tender, with its amount in minor units")
            }
            others.append(ShiftClosing.Counted(method: method, amount: amount))
        }
        self.init(counted: counted, others: others, person: try AgentPerson(members))
        isConfirmed = body?["confirmed"]?.bool
    }

    /// `POST`, with what was counted and the person.
    public var request: AgentRequest {
        let others = others.map {
            JSONValue.object(["method": .string($0.method), "amount": .integer($0.amount)])
        }
        var members: JSONObject = ["counted": .integer(counted), "others": .array(others)]
        members["confirmed"] = isConfirmed.map(JSONValue.bool)
        return AgentRequest("POST", AgentRoutes.shiftClose, body: .object(person.added(to: members)))
    }
}

/// `GET /v1/shifts`: the shifts of this terminal.
public struct ShiftListCall: AgentCall {
    /// Shifts at most, from 1.
    public let limit: Int

    /// How many shifts are listed unless the request says otherwise.
    public static let defaultLimit = 30

    /// A list of the newest `limit` shifts.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Reads the query of a request.
    public init(query: [String: String]) throws(RequestRefusal) {
        guard let limit = Int(query["limit"] ?? "\(Self.defaultLimit)"), (1...1_000_000).contains(limit)
        else {
            throw RequestRefusal.malformed("limit", "a number from 1 to 1000000")
        }
        self.init(limit: limit)
    }

    /// `GET` with the query `limit`.
    public var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.shifts, query: ["limit": "\(limit)"])
    }

    /// The document of `pos shift list --json`.
    public struct Response: AgentDocument {
        /// The newest first.
        public let shifts: [ShiftRecord]

        /// A list; no shift is an empty one.
        public init(shifts: [ShiftRecord]) {
            self.shifts = shifts
        }

        /// The one member is required.
        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(shifts: try members.documents("shifts"))
        }

        /// `{"shifts":[…]}`.
        public var json: JSONValue { ["shifts": JSONValue(documents: shifts)] }
    }
}

/// `GET /v1/shifts/{id}`: one shift; of the open one as it stands now (X).
public struct ShowShiftCall: AgentCall {
    /// The shift with its report.
    public typealias Response = ShiftRecord

    /// Nil: the open one.
    public let id: String?
    /// In the place of an id: the open shift.
    public static let current = "current"

    /// A shift; a nil `id` is the open one.
    public init(id: String?) {
        self.id = id
    }

    /// `GET`, without query and body.
    public var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.one(of: AgentRoutes.shifts, id ?? Self.current))
    }
}

/// `POST /v1/shifts/verify`: whether a hub of this terminal signed the statements of a file; works offline.
public struct VerifyStatementCall: AgentCall {
    /// As it was read from the file.
    public let document: JSONValue

    /// A statement, or the document of a shift with one or several of them.
    public init(_ document: JSONValue) {
        self.document = document
    }

    /// `POST`, all of the file: a statement has to be that of its document.
    public var request: AgentRequest { AgentRequest("POST", AgentRoutes.shiftVerify, body: document) }

    /// The document of `pos shift verify --json`.
    public struct Response: AgentDocument {
        /// The key that signed the last one, one of those that this terminal pinned.
        public let keyId: String
        /// What they say, in the order of their epochs; never empty.
        public let statements: [ShiftStatement]

        /// Statements whose signatures hold; at least one.
        public init(keyId: String, statements: [ShiftStatement]) {
            (self.keyId, self.statements) = (keyId, statements)
        }

        /// `statements` may be missing.
        public init(_ members: AgentMembers) throws(ShapeError) {
            var statements: [ShiftStatement] = []
            for json in try members.optional("statements", members.value)?.array ?? [] {
                statements.append(try ShiftStatement(json: json))
            }
            if statements.isEmpty {
                statements = [try ShiftStatement(json: try members.value("statement"))]
            }
            self.init(keyId: try members.string("keyId"), statements: statements)
        }

        /// `{"valid":true,"keyId","statement"}`, the last one, with `statements` where there are several.
        public var json: JSONValue {
            var members: JSONObject = [
                "valid": true, "keyId": .string(keyId), "statement": statements.last?.json ?? .null,
            ]
            if statements.count > 1 { members["statements"] = .array(statements.map(\.json)) }
            return .object(members)
        }
    }
}
