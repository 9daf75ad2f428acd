internal import HubCore
internal import HubProtocol

/// The back office's lists over HTTP, cursor-paged and with entity tags, and what people decide there.
struct BackOfficeRoutes: Sendable {
    let office: BackOffice
    let log: OperatorLog

    var routes: [Route] {
        [
            read(Routes.orders, Self.paging) { .listOrders(try Self.page($0)) },
            read(Routes.order, []) { .showOrder($0.parameters["id"] ?? "") },
            read(Routes.sales, Self.paging + ["by"]) { request in
                guard let dimension = SalesDimension(rawValue: request.query("by") ?? "day") else {
                    let names = SalesDimension.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem.malformed("by is one of \(names).")
                }
                return .sales(by: dimension, try Self.page(request).filter)
            },
            read(Routes.alarms, Self.paging + ["state"]) {
                .listAlarms(try Self.page($0), all: try Self.isAll($0))
            },
            act(Routes.alarmAcknowledgement, .members("note")) { id, body throws(ShapeError) in
                .acknowledgeAlarm(id: id, note: try body.requiredString("note"))
            },
            read(Routes.debts, Self.paging + ["state"]) {
                .listDebts(try Self.page($0), all: try Self.isAll($0))
            },
            act(Routes.debtSettlement, .members("by", "reason")) { id, body throws(ShapeError) in
                let isWrittenOff = body["by"] == "writtenOff"
                guard isWrittenOff || body["by"] == nil || body["by"] == "paid" else {
                    throw ShapeError(path: "by", expected: "paid or writtenOff")
                }
                return .settleDebt(
                    id: id, isWrittenOff: isWrittenOff, reason: try body.requiredString("reason"))
            },
            read(Routes.flags, Self.paging + ["flag"]) {
                .listFlags(try Self.page($0), flag: $0.query("flag"))
            },
            read(Routes.refusals, Self.paging + ["state"]) {
                .listRefusals(try Self.page($0), all: try Self.isAll($0))
            },
            read(Routes.terminals, Self.paging) { .listTerminals(try Self.page($0)) },
            read(Routes.shifts, Self.paging + ["state"]) { request in
                .listShifts(try Self.page(request), state: try Self.shiftState(request.query("state")))
            },
            read(Routes.shift, []) { .showShift($0.parameters["id"] ?? "") },
            read(Routes.statements, Self.paging) { .listStatements(try Self.page($0)) },
            read(Routes.stock, Self.paging) { .listStock(try Self.page($0)) },
            read(Routes.refusal, []) { .showRefusal($0.parameters["id"] ?? "") },
            act(Routes.refusalResolution, .members("keep", "reason")) { id, body throws(ShapeError) in
                .resolveRefusal(
                    id: id, keep: try body.requiredString("keep"), reason: try body.requiredString("reason"))
            },
        ]
    }

    /// What every list can be filtered and paged by.
    private static let paging = ["from", "to", "storeId", "cursor", "limit"]

    private func read(
        _ template: String, _ parameters: [String],
        _ call: @escaping @Sendable (HubRequest) throws -> BackOfficeCall
    ) -> Route {
        Route(.get, template, .operator(.exportRecords), parameters: parameters) { [office] request in
            let person = try request.requireOperator()
            let json = try await office.perform(try call(request), by: person.name)
            let response = HubResponse.json(json)
            return response.tagged(String(Digest.sha256Hex(response.body).prefix(32)), for: request)
        }
    }

    private func act(
        _ template: String, _ members: KnownNames,
        _ call: @escaping @Sendable (_ id: String, _ body: JSONValue) throws(ShapeError) -> BackOfficeCall
    ) -> Route {
        Route(.post, template, .operator(.acknowledgeAlarm), parameters: []) { [office, log] request in
            let person = try request.requireOperator()
            let body = try await request.json()
            try members.check((body.object ?? [:]).keys.sorted())
            let decision = try Problem.reading(call(request.parameters["id"] ?? "", body))
            let json = try await office.perform(decision, by: person.name)
            if let (action, subject, detail) = decision.act {
                await log.record(action, by: person, subject: subject, detail: detail)
            }
            return HubResponse.json(json)
                .with("Cache-Control", "no-store")
        }
    }

    private static func isAll(_ request: HubRequest) throws(Problem) -> Bool {
        switch request.query("state") ?? "open" {
        case "open": return false
        case "all": return true
        case _: throw .malformed("state is open or all.")
        }
    }

    private static func shiftState(_ text: String?) throws(Problem) -> ShiftSettlement.State? {
        guard let text else { return nil }
        guard let state = ShiftSettlement.State(rawValue: text) else {
            throw .unknownValue(of: "state", known: ShiftSettlement.State.allCases.map(\.rawValue))
        }
        return state
    }

    private static func page(_ request: HubRequest) throws(Problem) -> BackOfficeCall.Page {
        var page = BackOfficeCall.Page(
            SalesFilter(
                from: request.query("from"), to: request.query("to"), storeId: request.query("storeId")),
            cursor: request.query("cursor"))
        if let text = request.query("limit") {
            let range = 1...Int64(BackOfficeCall.Page.maximumLimit)
            guard let limit = ClampedNumber.value(of: text, in: range) else {
                throw .malformed("limit is a whole number from 1 to \(range.upperBound).")
            }
            page.limit = Int(limit)
        }
        return page
    }
}
