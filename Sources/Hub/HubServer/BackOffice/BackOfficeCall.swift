package import HubCore
package import HubProtocol

/// What people and back offices look at and decide, the same over HTTP and in commands.
package enum BackOfficeCall: Hashable, Sendable {
    /// A page of a list.
    package struct Page: Hashable, Sendable {
        /// Days and store.
        package var filter: SalesFilter
        /// The `cursor` of the page before; nil for the first page.
        package var cursor: String?
        /// How many rows.
        package var limit: Int

        /// How many rows a page has where nothing is said, and how many at most: at about 500 bytes an order
        /// this is half a megabyte.
        package static let (usualLimit, maximumLimit) = (100, 1_000)

        /// A page; by default the first one, of the usual length.
        package init(_ filter: SalesFilter, cursor: String? = nil, limit: Int = Page.usualLimit) {
            self.filter = filter
            self.cursor = cursor
            self.limit = limit
        }
    }

    case listOrders(Page)
    /// Orders with the payloads of their mutations.
    case exportOrders(Page)
    /// By id, number or mutation.
    case showOrder(String)
    case sales(by: SalesDimension, SalesFilter)
    /// Those that nobody acknowledged, or all.
    case listAlarms(Page, all: Bool)
    case acknowledgeAlarm(id: String, note: String)
    /// Cards that were taken offline and refused afterwards: those that nobody settled, or all.
    case listDebts(Page, all: Bool)
    /// A debt was paid, or written off.
    case settleDebt(id: String, reason: String)
    /// Of one kind, or of all.
    case listFlags(Page, flag: String?)
    /// Those that are open, or all.
    case listRefusals(Page, all: Bool)
    case showRefusal(String)
    /// What stores have of articles.
    case listStock(Page)
    case listTerminals(Page)
    case listShifts(Page, state: ShiftSettlement.State?)
    /// By its id.
    case showShift(String)
    /// Those that the hub signed.
    case listStatements(Page)
    /// `keep` is `terminal` or `server`.
    case resolveRefusal(id: String, keep: String, reason: String)
    /// What terminals were lent: what is open, or all.
    case listLeases(all: Bool)
    /// Gives up a lease.
    case releaseLease(id: String, reason: String)
    /// Computes the read model again.
    case rebuild

    /// What the operators' log keeps of a call; nil for one that decides nothing.
    var act: (subject: String, detail: String)? {
        switch self {
        case .acknowledgeAlarm(let id, let note): (id, note)
        case .resolveRefusal(let id, let keep, let reason): (id, "keep \(keep): \(reason)")
        case .releaseLease(let id, let reason), .settleDebt(let id, let reason): (id, reason)
        case .rebuild: ("", "")
        case .listOrders, .exportOrders, .showOrder, .sales, .listAlarms, .listDebts, .listFlags,
            .listRefusals, .showRefusal, .listStock, .listTerminals, .listLeases, .listShifts, .showShift,
            .listStatements:
            nil
        }
    }

    var name: String {
        switch self {
        case .listOrders: "list-orders"
        case .exportOrders: "export-orders"
        case .showOrder: "show-order"
        case .sales: "sales"
        case .listAlarms: "list-alarms"
        case .acknowledgeAlarm: "acknowledge-alarm"
        case .listDebts: "list-debts"
        case .settleDebt: "settle-debt"
        case .listFlags: "list-flags"
        case .listRefusals: "list-refusals"
        case .showRefusal: "show-refusal"
        case .listStock: "list-stock"
        case .listTerminals: "list-terminals"
        case .listShifts: "list-shifts"
        case .showShift: "show-shift"
        case .listStatements: "list-statements"
        case .resolveRefusal: "resolve-refusal"
        case .listLeases: "list-leases"
        case .releaseLease: "release-lease"
        case .rebuild: "rebuild"
        }
    }

    var json: JSONValue {
        switch self {
        case .listOrders(let page), .exportOrders(let page), .listStock(let page),
            .listTerminals(let page), .listStatements(let page):
            page.json([:])
        case .listShifts(let page, let state): page.json(["state": JSONValue(state?.rawValue)])
        case .listAlarms(let page, let all), .listRefusals(let page, let all),
            .listDebts(let page, let all):
            page.json(["all": .bool(all)])
        case .listFlags(let page, let flag): page.json(["flag": JSONValue(flag)])
        case .showOrder(let id), .showRefusal(let id), .showShift(let id): ["id": .string(id)]
        case .sales(let dimension, let filter):
            Page(filter).json(["by": .string(dimension.rawValue)])
        case .acknowledgeAlarm(let id, let note): ["id": .string(id), "note": .string(note)]
        case .resolveRefusal(let id, let keep, let reason):
            ["id": .string(id), "keep": .string(keep), "reason": .string(reason)]
        case .listLeases(let all): ["all": .bool(all)]
        case .releaseLease(let id, let reason), .settleDebt(let id, let reason):
            ["id": .string(id), "reason": .string(reason)]
        case .rebuild: [:]
        }
    }

    init?(name: String, json: JSONValue) throws(ShapeError) {
        switch name {
        case "list-orders": self = .listOrders(try Page(json: json))
        case "export-orders": self = .exportOrders(try Page(json: json))
        case "show-order": self = .showOrder(try json.requiredString("id"))
        case "sales":
            guard let dimension = SalesDimension(rawValue: try json.requiredString("by")) else {
                throw ShapeError(path: "by", expected: "a dimension of sales")
            }
            self = .sales(by: dimension, try Page(json: json).filter)
        case "list-alarms": self = .listAlarms(try Page(json: json), all: json["all"]?.bool ?? false)
        case "acknowledge-alarm":
            self = .acknowledgeAlarm(
                id: try json.requiredString("id"), note: try json.requiredString("note"))
        case "list-debts": self = .listDebts(try Page(json: json), all: json["all"]?.bool ?? false)
        case "settle-debt":
            self = .settleDebt(
                id: try json.requiredString("id"), reason: try json.requiredString("reason"))
        case "list-flags": self = .listFlags(try Page(json: json), flag: json["flag"]?.string)
        case "list-refusals": self = .listRefusals(try Page(json: json), all: json["all"]?.bool ?? false)
        case "list-terminals": self = .listTerminals(try Page(json: json))
        case "list-stock": self = .listStock(try Page(json: json))
        case "list-shifts":
            self = .listShifts(
                try Page(json: json), state: json["state"]?.string.flatMap(ShiftSettlement.State.init))
        case "show-shift": self = .showShift(try json.requiredString("id"))
        case "list-statements": self = .listStatements(try Page(json: json))
        case "show-refusal": self = .showRefusal(try json.requiredString("id"))
        case "resolve-refusal":
            self = .resolveRefusal(
                id: try json.requiredString("id"), keep: try json.requiredString("keep"),
                reason: try json.requiredString("reason"))
        case "list-leases": self = .listLeases(all: json["all"]?.bool ?? false)
        case "release-lease":
            self = .releaseLease(
                id: try json.requiredString("id"), reason: try json.requiredString("reason"))
        case "rebuild": self = .rebuild
        case _: return nil
        }
    }
}

extension BackOfficeCall.Page {
    fileprivate func json(_ others: JSONObject) -> JSONValue {
        var members = others
        members["from"] = JSONValue(filter.from)
        members["to"] = JSONValue(filter.to)
        members["storeId"] = JSONValue(filter.storeId)
        members["cursor"] = JSONValue(cursor)
        members["limit"] = .integer(Int64(limit))
        return .object(members)
    }

    fileprivate init(json: JSONValue) throws(ShapeError) {
        self.init(
            SalesFilter(
                from: json["from"]?.string, to: json["to"]?.string, storeId: json["storeId"]?.string),
            cursor: json["cursor"]?.string,
            limit: Int(try json.requiredInteger("limit", in: 1...Int64(Self.maximumLimit))))
    }
}
