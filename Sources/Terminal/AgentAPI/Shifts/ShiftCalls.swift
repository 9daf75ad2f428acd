package import HubProtocol

/// `POST /v1/shifts`: opens a shift.
package struct OpenShiftCall: AgentCall {
    /// The shift that is open now.
    package typealias Response = ShiftRecord

    /// Minor units of cash in the drawer.
    package let float: Int64
    /// Who opens it.
    package let person: AgentPerson

    /// A shift that begins with `float`.
    package init(float: Int64, person: AgentPerson) {
        (self.float, self.person) = (float, person)
    }

    /// Reads the body of a request; a misspelt member is refused, since it could be the amount.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["float"]))
        guard let float = try members.integer("float") else {
            throw members.malformed("float", "an amount in minor units")
        }
        self.init(float: float, person: try AgentPerson(members))
    }

    /// `POST`, with the amount and the person.
    package var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.shifts, body: .object(person.added(to: ["float": .integer(float)])))
    }
}

/// `POST /v1/shifts/cash`: moves cash, or opens the drawer without a sale.
package struct MoveCashCall: AgentCall {
    /// What was recorded.
    package struct Response: MemberDocument {
        /// A ULID.
        package var moveId = ""
        /// The shift that it belongs to; nil: none was open.
        package var shiftId: String?
        package var kind = CashMove.Kind.noSale
        /// 0 for `noSale`.
        package var amount = MoneyAmount()
        /// As typed.
        package var reason = ""

        /// A recorded movement.
        package init(
            moveId: String, shiftId: String?, kind: CashMove.Kind, amount: MoneyAmount, reason: String
        ) {
            self.moveId = moveId
            self.shiftId = shiftId
            self.kind = kind
            self.amount = amount
            self.reason = reason
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("moveId", &moveId)
            try m.nullable("shiftId", &shiftId)
            try m("kind", &kind)
            try m("amount", &amount)
            try m("reason", &reason)
        }
    }

    /// What happens to the drawer.
    package let kind: CashMove.Kind
    /// Minor units; 0 for ``CashMove/Kind/noSale``.
    package let amount: Int64
    /// Why; never empty.
    package let reason: String
    /// A ULID; the same one again moves nothing more. Nil: every request moves cash.
    package let key: String?
    /// Whether a person knows that more is taken out than the drawer should have.
    package var isConfirmed = false
    /// Who moves it; `cashMovement` and `noSale` can need an approver.
    package let person: AgentPerson

    package init(
        _ kind: CashMove.Kind, amount: Int64, reason: String, key: String? = nil, person: AgentPerson
    ) {
        self.kind = kind
        self.amount = amount
        self.reason = reason
        self.key = key
        self.person = person
    }

    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["kind", "amount", "reason", "key", "confirmed"]))
        guard let kind = try members.text("kind").flatMap(CashMove.Kind.init) else {
            throw members.malformed("kind", "\(CashMove.Kind.words)")
        }
        self.init(
            kind, amount: try members.integer("amount") ?? 0, reason: try members.text("reason") ?? "",
            key: try members.text("key"), person: try AgentPerson(members))
        isConfirmed = body?["confirmed"]?.bool == true
    }

    /// `POST`; a nil ``key`` is null.
    package var request: AgentRequest {
        var members: JSONObject = [
            "kind": .string(kind.rawValue), "amount": .integer(amount), "reason": .string(reason),
            "key": JSONValue(key),
        ]
        if isConfirmed { members["confirmed"] = true }
        return AgentRequest("POST", AgentRoutes.shiftCash, body: .object(person.added(to: members)))
    }

    /// The refusal of a ``key`` that is no ULID.
    package static func malformedKey(_ key: String) -> RequestRefusal {
        RequestMembers([:], of: .request).malformed("key", "a ULID, 26 characters, and not \"\(key)\"")
    }
}

/// `POST /v1/shifts/close`: closes the open shift.
package struct CloseShiftCall: AgentCall {
    /// The shift that is closed now.
    package typealias Response = ShiftRecord

    /// Minor units of cash that were counted.
    package let counted: Int64
    /// What was counted of other tenders.
    package let others: [ShiftClosing.Counted]
    /// Whether it was counted again: false refuses any difference above the tolerated one with
    /// `count_differs`, true closes with it. Nil: it is refused only where the store sets
    /// `shift.toleratedDifference`.
    package var isConfirmed: Bool?
    /// Who closes it.
    package let person: AgentPerson

    /// A counted drawer.
    package init(counted: Int64, others: [ShiftClosing.Counted] = [], person: AgentPerson) {
        self.counted = counted
        self.others = others
        self.person = person
    }

    package init(body: JSONValue?) throws(RequestRefusal) {
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
    package var request: AgentRequest {
        let others = others.map {
            JSONValue.object(["method": .string($0.method), "amount": .integer($0.amount)])
        }
        var members: JSONObject = ["counted": .integer(counted), "others": .array(others)]
        members["confirmed"] = isConfirmed.map(JSONValue.bool)
        return AgentRequest("POST", AgentRoutes.shiftClose, body: .object(person.added(to: members)))
    }
}

/// `GET /v1/shifts`: the shifts of this terminal.
package struct ShiftListCall: AgentCall {
    /// Shifts at most, from 1.
    package let limit: Int

    /// How many shifts are listed unless the request says otherwise.
    package static let defaultLimit = 30

    /// A list of the newest `limit` shifts.
    package init(limit: Int) {
        self.limit = limit
    }

    package init(query: [String: String]) throws(RequestRefusal) {
        guard let limit = Int(query["limit"] ?? "\(Self.defaultLimit)"), (1...1_000_000).contains(limit)
        else {
            throw RequestRefusal.malformed("limit", "a number from 1 to 1000000")
        }
        self.init(limit: limit)
    }

    /// `GET` with the query `limit`.
    package var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.shifts, query: ["limit": "\(limit)"])
    }

    /// The document of `pos shift list --json`.
    package struct Response: MemberDocument {
        /// The newest first.
        package var shifts: [ShiftRecord] = []

        package init(shifts: [ShiftRecord]) {
            self.shifts = shifts
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("shifts", &shifts)
        }
    }
}

/// `GET /v1/shifts/{id}`: one shift; of the open one as it stands now (X).
package struct ShowShiftCall: AgentCall {
    /// The shift with its report.
    package typealias Response = ShiftRecord

    /// Nil: the open one.
    package let id: String?
    /// In the place of an id: the open shift.
    package static let current = "current"

    /// A shift; a nil `id` is the open one.
    package init(id: String?) {
        self.id = id
    }

    /// `GET`, without query and body.
    package var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.one(of: AgentRoutes.shifts, id ?? Self.current))
    }
}

/// `POST /v1/shifts/verify`: whether a hub of this terminal signed the statements of a file; works offline.
package struct VerifyStatementCall: AgentCall {
    /// As it was read from the file.
    package let document: JSONValue

    /// A statement, or the document of a shift with one or several of them.
    package init(_ document: JSONValue) {
        self.document = document
    }

    /// `POST`, all of the file: a statement has to be that of its document.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.shiftVerify, body: document) }

    /// The document of `pos shift verify --json`.
    package struct Response: MemberDocument {
        /// The key that signed the last one, one of those that this terminal pinned.
        package var keyId = ""
        /// What they say, in the order of their epochs; never empty.
        package var statements: [ShiftStatement] = []

        /// Statements whose signatures hold; at least one.
        package init(keyId: String, statements: [ShiftStatement]) {
            (self.keyId, self.statements) = (keyId, statements)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            // For readers other than the commands: a bad signature is an error.
            var isValid = true
            try m("valid", &isValid, missing: true)
            try m("keyId", &keyId)
            try m.statements(&statements)
        }
    }
}
