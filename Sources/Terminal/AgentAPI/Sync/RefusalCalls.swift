package import HubProtocol

/// `GET /v1/sync/rejected`: what the hub refused.
package struct RefusalListCall: AgentCall {
    /// A call without arguments; it sends nothing to the hub.
    package init() {}

    /// `GET /v1/sync/rejected`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.syncRejected) }

    /// The document of `pos sync rejected --json`.
    package struct Response: AgentDocument {
        /// At most 1,000 that nobody has resolved yet, the oldest first.
        package let items: [RefusedMutation]
        /// What is not sent until somebody releases it with `retry`.
        package let heldBack: [HeldBackMutation]
        /// How many sales are among ``items``.
        package let sales: Int64
        /// The money of those sales, one amount for each currency.
        package let amounts: [MoneyAmount]

        /// A list; `sales` and `amounts` count `items`, not `heldBack`.
        package init(
            items: [RefusedMutation], heldBack: [HeldBackMutation], sales: Int64, amounts: [MoneyAmount]
        ) {
            self.items = items
            self.heldBack = heldBack
            self.sales = sales
            self.amounts = amounts
        }

        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                items: try members.documents("items"), heldBack: try members.documents("heldBack"),
                sales: try members.integer("sales"), amounts: try members.documents("amounts"))
        }

        /// Four members, none of them null.
        package var json: JSONValue {
            [
                "items": JSONValue(documents: items), "heldBack": JSONValue(documents: heldBack),
                "sales": .integer(sales), "amounts": JSONValue(documents: amounts),
            ]
        }
    }
}

/// A mutation that the hub refused.
package struct RefusedMutation: AgentDocument {
    /// The refused mutation, a ULID; the id for ``ResolveRefusalCall``.
    package let id: String
    /// The entry's number in the journal, which has no gaps.
    package let sequence: Int64
    /// For example `order.completed` or `note.upserted`.
    package let type: String
    /// The order, note or other record that it changes; the same after an edit.
    package let entityId: String
    /// `rejected` or `conflicted`.
    package let state: String
    /// RFC 3339.
    package let madeAt: String
    /// Nil for a mutation without an order number.
    package let orderNumber: String?
    /// The hub's problem document; nil: it sent none.
    package let problem: JSONValue?
    /// The merge policy of a conflict.
    package let policy: String?
    /// What the hub has instead; nil unless it is a conflict.
    package let serverState: JSONValue?
    /// The content as it was sent, a JSON object by its ``type``.
    package let payload: JSONValue

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

    /// Every member is required; `orderNumber`, `problem`, `policy` and `serverState` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.string("id"), sequence: try members.integer("sequence"),
            type: try members.string("type"), entityId: try members.string("entityId"),
            state: try members.string("state"), madeAt: try members.string("madeAt"),
            orderNumber: try members.nullable("orderNumber", members.string),
            problem: try members.nullable("problem", members.value),
            policy: try members.nullable("policy", members.string),
            serverState: try members.nullable("serverState", members.value),
            payload: try members.value("payload"))
    }

    /// `orderNumber`, `problem`, `policy` and `serverState` are null where they are nil.
    package var json: JSONValue {
        [
            "id": .string(id), "sequence": .integer(sequence), "type": .string(type),
            "entityId": .string(entityId), "state": .string(state), "madeAt": .string(madeAt),
            "orderNumber": JSONValue(orderNumber), "problem": problem ?? .null, "policy": JSONValue(policy),
            "serverState": serverState ?? .null, "payload": payload,
        ]
    }

    /// The hub's problem for people; nil: it sent none.
    package var problemText: String? { problem.map { $0["detail"]?.string ?? $0.canonicalText } }
}

/// An entry that is not sent, since its content is not what was written.
package struct HeldBackMutation: AgentDocument {
    /// The entry's ULID.
    package let id: String
    /// The entry's number in the journal, which has no gaps.
    package let sequence: Int64
    /// For example `order.completed`.
    package let type: String
    /// RFC 3339.
    package let madeAt: String
    /// As the present content has it; nil: none.
    package let orderNumber: String?
    /// What lies there now; nil: no JSON.
    package let payload: JSONValue?

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

    /// Every member is required; `orderNumber` and `payload` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.string("id"), sequence: try members.integer("sequence"),
            type: try members.string("type"), madeAt: try members.string("madeAt"),
            orderNumber: try members.nullable("orderNumber", members.string),
            payload: try members.nullable("payload", members.value))
    }

    /// `orderNumber` and `payload` are null where they are nil.
    package var json: JSONValue {
        [
            "id": .string(id), "sequence": .integer(sequence), "type": .string(type),
            "madeAt": .string(madeAt), "orderNumber": JSONValue(orderNumber), "payload": payload ?? .null,
        ]
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
            let id = try members.string("id")
            for kind in Kind.allCases {
                if let refused = try members.optional(kind.rawValue, members.string) {
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
        var members: JSONObject = ["set": .object(JSONObject(set)), "unset": JSONValue(strings: unset)]
        members["payload"] = payload
        return members
    }
}
