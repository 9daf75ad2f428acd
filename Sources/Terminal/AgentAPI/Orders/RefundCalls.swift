package import HubProtocol

/// `POST /v1/orders/{id}/refund` and `POST /v1/refunds`: takes goods back for their money.
package struct RefundOrderCall: AgentCall {
    /// The refund with its slip.
    package typealias Response = RefundResponse

    /// An article of the order.
    package struct Line: Hashable, Sendable {
        /// A barcode or sku of the order.
        package let article: String
        /// Thousandths of a unit; nil: all that is left of it.
        package let quantityMilli: Int64?
        /// Minor units for one unit of goods without a receipt; nil: the catalogue's price.
        package let unitPriceMinor: Int64?

        /// An article to refund; `quantityMilli` is nil for all that is left of it.
        package init(article: String, quantityMilli: Int64?, unitPriceMinor: Int64? = nil) {
            self.article = article
            self.quantityMilli = quantityMilli
            self.unitPriceMinor = unitPriceMinor
        }
    }

    /// Where the goods came from.
    package enum Origin: Hashable, Sendable {
        /// An order of this terminal, by its id or number.
        case order(String)
        /// The code of a receipt, `HF1.…`; the sale may be another terminal's.
        case receipt(String)
        /// No receipt.
        case nothing
    }

    /// Where the goods came from.
    package let origin: Origin
    /// Empty: all that is left of the order.
    package let lines: [Line]
    /// Free text for the journal, at most 200 bytes; nil: none was given.
    package let reason: String?
    /// The idempotency key, a ULID; nil: the agent makes one.
    package let key: String?
    /// Who refunds; `refund` can need an approver, by `account.approvals`.
    package let person: AgentPerson
    /// Attachments of the refund, a photo of the goods for example; urgent unless they state otherwise.
    package let files: AttachedFiles
    /// Whether a card's money is paid in cash too, which needs an approver.
    package let isInCash: Bool

    /// A refund; empty `lines` are all that is left, and a nil `key` leaves it to the agent. By default the
    /// money goes back to what paid the sale.
    package init(
        of origin: Origin, lines: [Line], reason: String?, key: String?, person: AgentPerson,
        files: AttachedFiles, isInCash: Bool = false
    ) {
        self.isInCash = isInCash
        self.origin = origin
        self.lines = lines
        self.reason = reason
        self.key = key
        self.person = person
        self.files = files
    }

    /// `POST` to the order's own path, or to `/v1/refunds` with the `receiptCode` or without one; `reason`
    /// and `key` are null where they are nil.
    package var request: AgentRequest {
        var members: JSONObject = [
            "lines": .array(lines.map(\.json)), "reason": JSONValue(reason), "key": JSONValue(key),
        ]
        if isInCash { members["inCash"] = true }
        var path = AgentRoutes.refunds
        switch origin {
        case .order(let id): path = AgentRoutes.one(of: AgentRoutes.orders, id, "refund")
        case .receipt(let code): members["receiptCode"] = .string(code)
        case .nothing: break
        }
        return AgentRequest("POST", path, body: .object(person.added(to: files.added(to: members))))
    }

    private static let known = AgentPerson.names.union(AttachedFiles.names).union([
        "lines", "reason", "key", "inCash",
    ])

    /// Reads the body of a request.
    ///
    /// - Throws: `unknownField` for a member that a refund does not have, and `malformed` for another type,
    ///   and for a reason or cashier's id over 200 bytes.
    package init(id: String, body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .refund)
        try members.refuseUnknown(Self.known)
        try self.init(of: .order(id), members, body)
    }

    /// Reads the body of a request that names no order of this terminal.
    ///
    /// - Throws: as ``init(id:body:)``.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .refund)
        try members.refuseUnknown(Self.known.union(["receiptCode"]))
        let code = try members.text("receiptCode")
        try self.init(of: code.map(Origin.receipt) ?? .nothing, members, body)
    }

    private init(of origin: Origin, _ members: RequestMembers, _ body: JSONValue?) throws(RequestRefusal) {
        let reason = try members.text("reason")
        let person = try AgentPerson(members)
        let key = try members.text("key")
        try members.refuseLong([("reason", reason), ("cashierId", person.cashierId)])
        var lines: [Line] = []
        for (index, line) in (try members.list("lines") ?? []).enumerated() {
            lines.append(try Line(line, at: index))
        }
        self.init(
            of: origin, lines: lines, reason: reason, key: key, person: person,
            files: AttachedFiles(body: body), isInCash: body?["inCash"]?.bool == true)
    }

    /// The refusal of a ``key`` that is no ULID.
    package static func malformedKey(_ key: String) -> RequestRefusal {
        RequestMembers([:], of: .refund).malformed("key", "a ULID, 26 characters, and not \"\(key)\"")
    }
}

extension SellCall.Returns: DocumentValue {
    /// Reads the member `returns` of a cart.
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        do throws(RequestRefusal) {
            try self.init(json)
        } catch {
            throw ShapeError(path: path, expected: "goods that come back: " + error.message)
        }
    }

    /// Reads the member `returns` of a sale.
    ///
    /// - Throws: `malformed` for two origins at once and for members of another type, `unknownField`.
    init(_ json: JSONValue) throws(RequestRefusal) {
        let members = RequestMembers(json, path: "returns.", of: .sale)
        try members.refuseUnknown(["orderId", "receiptCode", "lines", "reason"])
        let origin: RefundOrderCall.Origin
        switch (try members.text("orderId"), try members.text("receiptCode")) {
        case (let id?, nil): origin = .order(id)
        case (nil, let code?): origin = .receipt(code)
        case (nil, nil): origin = .nothing
        case (_?, _?): throw members.malformed("orderId", "missing where receiptCode is given")
        }
        var lines: [RefundOrderCall.Line] = []
        for (index, line) in (try members.list("lines") ?? []).enumerated() {
            lines.append(try RefundOrderCall.Line(line, at: index, path: "returns.lines", of: .sale))
        }
        self.init(of: origin, lines: lines, reason: try members.text("reason"))
    }

    package var json: JSONValue {
        var members: JSONObject = ["lines": .array(lines.map(\.json)), "reason": JSONValue(reason)]
        switch origin {
        case .order(let id): members["orderId"] = .string(id)
        case .receipt(let code): members["receiptCode"] = .string(code)
        case .nothing: break
        }
        return .object(members)
    }
}

extension RefundOrderCall.Line {
    fileprivate init(
        _ json: JSONValue, at index: Int, path: String = "lines", of request: RequestMembers.Subject = .refund
    ) throws(RequestRefusal) {
        let members = RequestMembers(json, path: "\(path)[\(index)].", of: request)
        try members.refuseUnknown(["barcode", "quantityMilli", "unitPriceMinor"])
        guard let article = try members.text("barcode") else {
            throw members.malformed("barcode", "a barcode or sku of the order")
        }
        self.init(
            article: article, quantityMilli: try members.integer("quantityMilli"),
            unitPriceMinor: try members.integer("unitPriceMinor"))
    }

    fileprivate var json: JSONValue {
        var members: JSONObject = ["barcode": .string(article)]
        members["quantityMilli"] = quantityMilli.map(JSONValue.integer)
        members["unitPriceMinor"] = unitPriceMinor.map(JSONValue.integer)
        return .object(members)
    }
}
