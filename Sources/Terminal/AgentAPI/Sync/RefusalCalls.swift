package import HubProtocol

/// `GET /v1/sync/rejected`: what the hub refused.
package struct RefusalListCall: AgentCall {
    /// A call without arguments; it sends nothing to the hub.
    package init() {}

    /// `GET /v1/sync/rejected`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.syncRejected) }

    /// The document of `pos sync rejected --json`.
    package struct Response: MemberDocument {
        /// At most 1,000 that nobody has resolved yet, the oldest first.
        package var items: [RefusedMutation] = []
        /// What is not sent until somebody releases it with `retry`.
        package var heldBack: [HeldBackMutation] = []
        /// How many sales are among ``items``.
        package var sales: Int64 = 0
        /// The money of those sales, one amount for each currency.
        package var amounts: [MoneyAmount] = []

        /// A list; `sales` and `amounts` count `items`, not `heldBack`.
        package init(
            items: [RefusedMutation], heldBack: [HeldBackMutation], sales: Int64, amounts: [MoneyAmount]
        ) {
            self.items = items
            self.heldBack = heldBack
            self.sales = sales
            self.amounts = amounts
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("items", &items)
            try m("heldBack", &heldBack)
            try m("sales", &sales)
            try m("amounts", &amounts)
        }
    }
}

/// A mutation that the hub refused.
package struct RefusedMutation: MemberDocument {
    /// The refused mutation, a ULID; the id for ``ResolveRefusalCall``.
    package var id = ""
    /// The entry's number in the journal, which has no gaps.
    package var sequence: Int64 = 0
    /// For example `order.completed` or `note.upserted`.
    package var type = ""
    /// The order, note or other record that it changes; the same after an edit.
    package var entityId = ""
    /// `rejected` or `conflicted`.
    package var state = ""
    /// RFC 3339.
    package var madeAt = ""
    /// Nil for a mutation without an order number.
    package var orderNumber: String?
    /// The hub's problem document; nil: it sent none.
    package var problem: JSONValue?
    /// The merge policy of a conflict.
    package var policy: String?
    /// What the hub has instead; nil unless it is a conflict.
    package var serverState: JSONValue?
    /// The content as it was sent, a JSON object by its ``type``.
    package var payload = JSONValue.null

    /// A refused mutation; `policy` and `serverState` are nil unless it is a conflict.
    package init(
        id: String, sequence: Int64, type: String, entityId: String, state: String, madeAt: String,
        orderNumber: String?, problem: JSONValue?, policy: String?, serverState: JSONValue?,
        payload: JSONValue
    ) {
        self.id = id
        self.sequence = sequence
        self.type = type
        self.entityId = entityId
        self.state = state
        self.madeAt = madeAt
        self.orderNumber = orderNumber
        self.problem = problem
        self.policy = policy
        self.serverState = serverState
        self.payload = payload
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("id", &id)
        try m("sequence", &sequence)
        try m("type", &type)
        try m("entityId", &entityId)
        try m("state", &state)
        try m("madeAt", &madeAt)
        try m.nullable("orderNumber", &orderNumber)
        try m.nullable("problem", &problem)
        try m.nullable("policy", &policy)
        try m.nullable("serverState", &serverState)
        try m("payload", &payload)
    }

    /// The hub's problem for people; nil: it sent none.
    package var problemText: String? { problem.map { $0["detail"]?.string ?? $0.canonicalText } }
}

/// An entry that is not sent, since its content is not what was written.
package struct HeldBackMutation: MemberDocument {
    /// The entry's ULID.
    package var id = ""
    /// The entry's number in the journal, which has no gaps.
    package var sequence: Int64 = 0
    /// For example `order.completed`.
    package var type = ""
    /// RFC 3339.
    package var madeAt = ""
    /// As the present content has it; nil: none.
    package var orderNumber: String?
    /// What lies there now; nil: no JSON.
    package var payload: JSONValue?

    /// An entry; `payload` is nil where its content is no JSON.
    package init(
        id: String, sequence: Int64, type: String, madeAt: String, orderNumber: String?, payload: JSONValue?
    ) {
        self.id = id
        self.sequence = sequence
        self.type = type
        self.madeAt = madeAt
        self.orderNumber = orderNumber
        self.payload = payload
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("id", &id)
        try m("sequence", &sequence)
        try m("type", &type)
        try m("madeAt", &madeAt)
        try m.nullable("orderNumber", &orderNumber)
        try m.nullable("payload", &payload)
    }
}

/// `POST /v1/sync/rejected/{id}/{verb}`: what a person decides on a refused mutation.
package struct ResolveRefusalCall: AgentCall {
    /// A decision other than ``retry`` can need an approver, by `refusals` in `account.approvals`.
    package enum Decision: Hashable, Sendable {
        /// Sends it again as it is.
        case retry
        /// Sends it with another content; entity and order number stay.
        case edit(PayloadChanges)
        /// Gives it up.
        case discard(reason: String, by: String?)
        /// Ends a conflict; nil: the request does not name a side.
        case resolve(keep: Side?, by: String?)
    }

    /// The side of a conflict that is kept.
    package enum Side: String, Hashable, Sendable {
        /// This terminal's change, applied to the server's state.
        case mine
        /// The hub's state; this terminal's change is discarded.
        case server
    }

    /// The mutation's id.
    package let id: String
    /// Its name is the verb in the path.
    package let decision: Decision
    /// Who decides; ``Decision/retry`` needs nobody.
    package let person: AgentPerson

    /// A decision on the mutation `id`, by default of whoever is signed in.
    package init(id: String, _ decision: Decision, by person: AgentPerson = AgentPerson()) {
        (self.id, self.decision, self.person) = (id, decision, person)
    }

    /// Reads a request; nil for a verb that there is not. An empty reason is a reason that is missing.
    ///
    /// - Throws: `malformed` for a `reason` or `by` over 200 bytes.
    package init?(id: String, verb: String, body: JSONValue?) throws(RequestRefusal) {
        let by = body?["by"]?.string
        try RequestMembers(body ?? [:], of: .request)
            .refuseLong([("by", by), ("reason", body?["reason"]?.string)])
        switch verb {
        case "retry": decision = .retry
        case "edit": decision = .edit(PayloadChanges(body: body))
        case "discard": decision = .discard(reason: body?["reason"]?.string ?? "", by: by)
        case "resolve": decision = .resolve(keep: body?["keep"]?.string.flatMap(Side.init), by: by)
        default: return nil
        }
        self.id = id
        person = decision == .retry ? AgentPerson() : try AgentPerson(body: body)
    }

    /// `POST /v1/sync/rejected/{id}/{verb}`; `by` and `keep` are null where they are nil.
    package var request: AgentRequest {
        let (verb, members): (String, JSONObject) =
            switch decision {
            case .retry: ("retry", [:])
            case .edit(let changes): ("edit", changes.members)
            case .discard(let reason, let by):
                ("discard", ["reason": .string(reason), "by": JSONValue(by)])
            case .resolve(let keep, let by):
                ("resolve", ["keep": JSONValue(keep?.rawValue), "by": JSONValue(by)])
            }
        return AgentRequest(
            "POST", AgentRoutes.one(of: AgentRoutes.syncRejected, id, verb),
            body: .object(person.added(to: members)))
    }

    /// Under which id it goes on.
    package struct Response: AgentDocument {
        /// The key in the document under which ``refusedId`` is.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// ``Response/id`` is sent in the place of the refused one.
            case supersedes
            /// The entry itself, which has no result yet, is sent again.
            case retries
            /// ``Response/id`` reports to the hub that the refused one is given up.
            case discards
        }

        /// The id of the mutation that goes to the hub.
        package let id: String
        /// What the mutation ``id`` does with the refused one.
        package let kind: Kind
        /// The refused mutation.
        package let refusedId: String

        /// A response; `id` and `refusedId` are equal for ``Kind/retries`` alone.
        package init(id: String, _ kind: Kind, _ refusedId: String) {
            (self.id, self.kind, self.refusedId) = (id, kind, refusedId)
        }

        /// Reads the first of the keys of ``Kind`` that is present; one of them is required.
        package init(_ members: AgentMembers) throws(ShapeError) {
            let id: String = try members.read("id")
            for kind in Kind.allCases {
                if let refused: String = try members.optional(kind.rawValue) {
                    self.init(id: id, kind, refused)
                    return
                }
            }
            throw members.malformed(Kind.supersedes.rawValue, "present")
        }

        /// Two members, for example `{"id":"…","supersedes":"…"}`.
        package var json: JSONValue { ["id": .string(id), kind.rawValue: .string(refusedId)] }
    }
}

/// What `pos sync edit` changes in a payload.
package struct PayloadChanges: Hashable, Sendable {
    /// The whole new payload; nil to start from the old one.
    package let payload: JSONValue?
    /// New values by their path, `lines.0.sku` for example.
    package let set: [String: JSONValue]
    /// Paths of members to remove.
    package let unset: [String]

    /// Changes; the agent refuses a request without any with `nothing_to_edit`.
    package init(payload: JSONValue?, set: [String: JSONValue], unset: [String]) {
        (self.payload, self.set, self.unset) = (payload, set, unset)
    }

    /// Reads the members of a request; each may be missing.
    package init(body: JSONValue?) {
        var set: [String: JSONValue] = [:]
        for (path, value) in body?["set"]?.object ?? [:] { set[path] = value }
        self.init(
            payload: body?["payload"], set: set,
            unset: (body?["unset"]?.array ?? []).compactMap(\.string))
    }

    fileprivate var members: JSONObject {
        var members: JSONObject = ["set": .object(JSONObject(set)), "unset": unset.json]
        members["payload"] = payload
        return members
    }
}
