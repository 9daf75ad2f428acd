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
    /// `seen` is when the alarm had been raised last as a page showed it (RFC 3339); nil for a program, which
    /// repeats its request after a response that was lost.
    case acknowledgeAlarm(id: String, note: String, seen: String? = nil)
    /// Cards that were taken offline and refused afterwards: those that nobody settled, or all.
    case listDebts(Page, all: Bool)
    /// A debt was paid, or written off.
    case settleDebt(id: String, isWrittenOff: Bool = false, reason: String)
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
    /// The business days that the stores are in, the earliest first: `{"days"}`.
    case days

    /// What the operators' log keeps of a call; nil for one that decides nothing.
    var act: (action: LoggedAction, subject: String, detail: String)? {
        switch self {
        case .acknowledgeAlarm(let id, let note, _): (.acknowledgeAlarm, id, note)
        case .resolveRefusal(let id, let keep, let reason):
            (.resolveRefusal, id, "keep \(keep): \(reason)")
        case .releaseLease(let id, let reason): (.releaseLease, id, reason)
        case .settleDebt(let id, let isWrittenOff, let reason):
            (.settleDebt, id, isWrittenOff ? "written off: \(reason)" : reason)
        case .rebuild: (.rebuild, "", "")
        case .listOrders, .exportOrders, .showOrder, .sales, .listAlarms, .listDebts, .listFlags,
            .listRefusals, .showRefusal, .listStock, .listTerminals, .listLeases, .listShifts, .showShift,
            .listStatements, .days:
            nil
        }
    }

    /// The days and the store of a list; nil for a call without.
    package var filter: SalesFilter? {
        switch self {
        case .listOrders(let page), .exportOrders(let page), .listStock(let page), .listTerminals(let page),
            .listStatements(let page), .listAlarms(let page, _), .listDebts(let page, _),
            .listFlags(let page, _), .listRefusals(let page, _), .listShifts(let page, _):
            page.filter
        case .sales(_, let filter): filter
        case .showOrder, .acknowledgeAlarm, .settleDebt, .showRefusal, .resolveRefusal, .showShift,
            .listLeases, .releaseLease, .rebuild, .days:
            nil
        }
    }

    var name: String { request.name }

    var request: CallRequest {
        switch self {
        case .listOrders(let page): .init("list-orders", page.json)
        case .exportOrders(let page): .init("export-orders", page.json)
        case .showOrder(let id): .init("show-order", ["id": .string(id)])
        case .sales(let dimension, let filter):
            .init("sales", Page(filter).json.with(["by": .string(dimension.rawValue)]))
        case .listAlarms(let page, let all): .init("list-alarms", page.json.with(["all": .bool(all)]))
        case .acknowledgeAlarm(let id, let note, let seen):
            .init(
                "acknowledge-alarm",
                ["id": .string(id), "note": .string(note), "seen": JSONValue(seen)])
        case .listDebts(let page, let all): .init("list-debts", page.json.with(["all": .bool(all)]))
        case .settleDebt(let id, let isWrittenOff, let reason):
            .init(
                "settle-debt",
                ["id": .string(id), "isWrittenOff": .bool(isWrittenOff), "reason": .string(reason)])
        case .listFlags(let page, let flag): .init("list-flags", page.json.with(["flag": JSONValue(flag)]))
        case .listRefusals(let page, let all): .init("list-refusals", page.json.with(["all": .bool(all)]))
        case .showRefusal(let id): .init("show-refusal", ["id": .string(id)])
        case .listStock(let page): .init("list-stock", page.json)
        case .listTerminals(let page): .init("list-terminals", page.json)
        case .listShifts(let page, let state):
            .init("list-shifts", page.json.with(["state": JSONValue(state?.rawValue)]))
        case .showShift(let id): .init("show-shift", ["id": .string(id)])
        case .listStatements(let page): .init("list-statements", page.json)
        case .resolveRefusal(let id, let keep, let reason):
            .init("resolve-refusal", ["id": .string(id), "keep": .string(keep), "reason": .string(reason)])
        case .listLeases(let all): .init("list-leases", ["all": .bool(all)])
        case .releaseLease(let id, let reason):
            .init("release-lease", ["id": .string(id), "reason": .string(reason)])
        case .rebuild: .init("rebuild")
        case .days: .init("business-days")
        }
    }

    init?(name: String, json: JSONValue) throws(ShapeError) {
        switch name {
        case "list-orders": self = try .listOrders(Page(json: json))
        case "export-orders": self = try .exportOrders(Page(json: json))
        case "show-order": self = try .showOrder(json.requiredString("id"))
        case "sales":
            guard let dimension = SalesDimension(rawValue: try json.requiredString("by")) else {
                throw ShapeError(path: "by", expected: "a dimension of sales")
            }
            self = try .sales(by: dimension, Page(json: json).filter)
        case "list-alarms": self = try .listAlarms(Page(json: json), all: json["all"] == true)
        case "acknowledge-alarm":
            self = try .acknowledgeAlarm(
                id: json.requiredString("id"), note: json.requiredString("note"), seen: json["seen"]?.string)
        case "list-debts": self = try .listDebts(Page(json: json), all: json["all"] == true)
        case "settle-debt":
            self = try .settleDebt(
                id: json.requiredString("id"), isWrittenOff: json["isWrittenOff"]?.bool ?? false,
                reason: json.requiredString("reason"))
        case "list-flags": self = try .listFlags(Page(json: json), flag: json["flag"]?.string)
        case "list-refusals": self = try .listRefusals(Page(json: json), all: json["all"] == true)
        case "list-terminals": self = try .listTerminals(Page(json: json))
        case "list-stock": self = try .listStock(Page(json: json))
        case "list-shifts":
            self = try .listShifts(
                Page(json: json), state: json["state"]?.string.flatMap(ShiftSettlement.State.init))
        case "show-shift": self = try .showShift(json.requiredString("id"))
        case "list-statements": self = try .listStatements(Page(json: json))
        case "show-refusal": self = try .showRefusal(json.requiredString("id"))
        case "resolve-refusal":
            self = try .resolveRefusal(
                id: json.requiredString("id"), keep: json.requiredString("keep"),
                reason: json.requiredString("reason"))
        case "list-leases": self = .listLeases(all: json["all"] == true)
        case "release-lease":
            self = try .releaseLease(id: json.requiredString("id"), reason: json.requiredString("reason"))
        case "rebuild": self = .rebuild
        case "business-days": self = .days
        case _: return nil
        }
    }
}

extension BackOfficeCall.Page: Fact {
    package init() { self.init(SalesFilter()) }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var rows = Int64(limit)
        try m.text("cursor", &cursor, .optional.orNull)
        try m.text("from", &filter.from, .optional.orNull)
        try m.number("limit", &rows, in: 1...Int64(Self.maximumLimit))
        try m.text("storeId", &filter.storeId, .optional.orNull)
        try m.text("to", &filter.to, .optional.orNull)
        limit = Int(rows)
    }
}
