package import HubProtocol

/// `GET /v1/orders`: the newest orders, a page at a time.
package struct OrderListCall: AgentCall {
    /// The orders with their sums.
    package typealias Response = OrderListResponse

    /// The most orders of one response, however many are wanted. With some 1,500 bytes each it takes less
    /// than a megabyte for a reader that does not read; halved, a day's list takes twice as many requests.
    package static let page = 500

    /// How many, newest first: 1 to 1,000,000, default 50. One response has at most ``page`` of them.
    package var limit: Int
    /// Where the page of before ended: ``OrderListResponse/next``; nil: from the newest on.
    package var before: String?

    /// A call for `limit` orders; the agent moves it into 1 to 1,000,000. Nil as `before`, the default, is
    /// the first page.
    package init(limit: Int, before: String? = nil) {
        (self.limit, self.before) = (limit, before)
    }

    /// Reads a query. What is out of range becomes the nearest limit.
    package init(query: [String: String]) {
        // A year of a busy till has some 100,000 orders; more than a million is a mistyped number.
        limit = min(1_000_000, max(1, query["limit"].flatMap { Int($0) } ?? 50))
        before = query["before"]
    }

    /// `GET /v1/orders?limit=…`.
    package var request: AgentRequest {
        var query = ["limit": String(limit)]
        query["before"] = before
        return AgentRequest("GET", AgentRoutes.orders, query: query)
    }
}

package protocol OrderPageCall: AgentCall where Response == OrderListResponse {
    /// How many are wanted in all.
    var limit: Int { get set }
    /// Where the page of before ended; nil: from the newest on.
    var before: String? { get set }
}

extension OrderListCall: OrderPageCall {}
extension OrderSearchCall: OrderPageCall {}

/// `GET /v1/orders` with what a person knows of an order; every member that is not nil has to match.
package struct OrderSearchCall: AgentCall {
    /// The orders with their sums.
    package typealias Response = OrderListResponse

    /// Any part of the order number, or the short code on the receipt.
    package var number: String?
    /// The first business day, `YYYY-MM-DD` in the store's time zone.
    package var from: String?
    /// The last business day.
    package var to: String?
    /// The total in minor units.
    package var amount: Int64?
    /// The member's id.
    package var member: String?
    /// A barcode or SKU, or any part of an article's name.
    package var article: String?
    /// As ``OrderListCall/limit``.
    package var limit = 50
    /// As ``OrderListCall/before``.
    package var before: String?

    /// A search without conditions.
    package init() {}

    /// Whether a query has a condition; without one it lists the newest orders.
    package static func isSearch(_ query: [String: String]) -> Bool {
        query.keys.contains { $0 != "limit" && $0 != "before" }
    }

    /// Reads a query.
    ///
    /// - Throws: `unknownField` for a condition that there is not, `malformed` for an `amount` that is no
    ///   whole number.
    package init(query: [String: String]) throws(RequestRefusal) {
        let known: Set = ["number", "from", "to", "amount", "member", "article", "limit", "before"]
        if let unknown = query.keys.sorted().first(where: { !known.contains($0) }) {
            throw RequestRefusal(
                kind: .unknownField, message: "there is no condition \(unknown); nothing was searched")
        }
        if let text = query["amount"] {
            guard let amount = Int64(text) else {
                throw RequestRefusal.malformed("amount", "a whole number of minor units")
            }
            self.amount = amount
        }
        (number, from, to) = (query["number"], query["from"], query["to"])
        (member, article) = (query["member"], query["article"])
        let page = OrderListCall(query: query)
        (limit, before) = (page.limit, page.before)
    }

    /// `GET /v1/orders?…`.
    package var request: AgentRequest {
        var query = ["limit": String(limit)]
        query["number"] = number
        query["from"] = from
        query["to"] = to
        query["amount"] = amount.map(String.init)
        query["member"] = member
        query["article"] = article
        query["before"] = before
        return AgentRequest("GET", AgentRoutes.orders, query: query)
    }
}

/// `GET /v1/orders/{id}`: one order with its receipt.
package struct ShowOrderCall: AgentCall {
    /// The order with its receipt.
    package typealias Response = OrderResponse

    /// The order's id or number.
    package let id: String

    /// A call for one order; the agent refuses an unknown one with `unknown_order`.
    package init(id: String) {
        self.id = id
    }

    /// `GET /v1/orders/{id}`.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.one(of: AgentRoutes.orders, id)) }
}

/// Files that go with a request.
package struct AttachedFiles: Hashable, Sendable {
    /// Absolute paths.
    package let paths: [String]
    /// Whether they go over a metered or narrow path too; nil: as the request's kind has it.
    package let isUrgent: Bool?

    /// Files to attach, at most 20; without `isUrgent` the request's kind decides.
    package init(paths: [String], isUrgent: Bool? = nil) {
        (self.paths, self.isUrgent) = (paths, isUrgent)
    }

    /// Reads the members of a request. A path that is no string becomes empty, and no file.
    package init(body: JSONValue?) {
        self.init(
            paths: (body?["attach"]?.array ?? []).map { $0.string ?? "" }, isUrgent: body?["urgent"]?.bool)
    }

    static let names: Set = ["attach", "urgent"]

    func added(to body: JSONObject) -> JSONObject {
        var members = body
        members["attach"] = paths.json
        if let isUrgent { members["urgent"] = .bool(isUrgent) }
        return members
    }
}

/// `POST /v1/orders/{id}/void`: takes a finished order back.
package struct VoidOrderCall: AgentCall {
    /// The order as it is after the void.
    package typealias Response = OrderResponse

    /// The order's id or number.
    package let id: String
    /// Free text for the journal; nil: none was given.
    package let reason: String?
    /// Who voids it; `void` can need an approver, by `account.approvals`.
    package let person: AgentPerson
    /// Nil: the request has no member for files.
    package let files: AttachedFiles?

    /// A void; without `files` it has no attachments.
    package init(id: String, reason: String?, person: AgentPerson, files: AttachedFiles? = nil) {
        self.id = id
        self.reason = reason
        self.person = person
        self.files = files
    }

    /// Reads the body of a request; a `reason` that is no string is left out.
    ///
    /// - Throws: `malformed` for a member of the person that has another type, and for a reason or cashier's
    ///   id over 200 bytes.
    package init(id: String, body: JSONValue?) throws(RequestRefusal) {
        let (reason, person) = (body?["reason"]?.string, try AgentPerson(body: body))
        try RequestMembers(body ?? [:], of: .request)
            .refuseLong([("reason", reason), ("cashierId", person.cashierId)])
        self.init(id: id, reason: reason, person: person, files: AttachedFiles(body: body))
    }

    /// `POST /v1/orders/{id}/void`; `reason` is null where it is nil.
    package var request: AgentRequest {
        let members: JSONObject = ["reason": JSONValue(reason)]
        return AgentRequest(
            "POST", AgentRoutes.one(of: AgentRoutes.orders, id, "void"),
            body: .object(person.added(to: files?.added(to: members) ?? members)))
    }
}
