internal import Dashboard
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The pages of orders, shifts, debts, alarms, flags and refused mutations, with what operators decide on
/// them.
extension DashboardRoutes {
    var records: [Route] {
        guard let ledger else { return [] }
        let office = BackOffice(ledger: ledger, now: authorizer.now)
        return lists(of: office) + [
            shown("/orders/{id}") { request, frame, _ in
                let call = BackOfficeCall.showOrder(request.parameters["id"] ?? "")
                return pages.order(frame, try await office.perform(call, by: ""))
            },
            shown("/refused/{id}") { request, frame, _ in
                let call = BackOfficeCall.showRefusal(request.parameters["id"] ?? "")
                return pages.refusal(frame, try await office.perform(call, by: ""))
            },
            shown("/shifts/{id}") { request, frame, _ in
                let call = BackOfficeCall.showShift(request.parameters["id"] ?? "")
                return pages.shift(frame, try await office.perform(call, by: ""))
            },
            // Sorts before `/orders/{id}`: no order has this id.
            Route(.get, "/orders/find", .page) { request in
                let wanted = Self.fields(of: request)["q"]?.trimmed ?? ""
                return Self.see("/orders/" + PercentEncoding.encoded(wanted))
            },
            decision(
                "/alarms/acknowledge", ["id", "note", "seen"], on: office, .acknowledged,
                next: { _ in "/alarms" }
            ) {
                .acknowledgeAlarm(id: $0["id"] ?? "", note: $0["note"] ?? "", seen: $0["seen"] ?? "")
            },
            decision("/debts/settle", ["id", "reason"], on: office, .settled, next: { _ in "/debts" }) {
                .settleDebt(id: $0["id"] ?? "", reason: $0["reason"] ?? "")
            },
            decision(
                "/refused/resolve", ["id", "keep", "reason"], on: office, .resolved,
                next: { "/refused/\(PercentEncoding.encoded($0["id"] ?? ""))" }
            ) {
                .resolveRefusal(
                    id: $0["id"] ?? "", keep: $0["keep"] ?? "", reason: $0["reason"] ?? "")
            },
        ]
    }

    private func lists(of office: BackOffice) -> [Route] {
        [
            list("/orders", of: office, { page, _ in .listOrders(page) }, pages.orders),
            list("/shifts", of: office, { .listShifts($0, state: $1.shift) }, pages.shifts),
            list("/debts", of: office, { .listDebts($0, all: $1.state == "all") }, pages.debts),
            list("/alarms", of: office, { .listAlarms($0, all: $1.state == "all") }, pages.alarms),
            list(
                "/flags", of: office, { .listFlags($0, flag: $1.flag.isEmpty ? nil : $1.flag) }, pages.flags),
            list("/refused", of: office, { .listRefusals($0, all: $1.state == "all") }, pages.refusals),
        ]
    }

    private func list(
        _ path: String, of office: BackOffice,
        _ call: @escaping @Sendable (BackOfficeCall.Page, DashboardPages.ListQuery) -> BackOfficeCall,
        _ page: @escaping @Sendable (PageFrame, JSONValue, DashboardPages.ListQuery) -> String
    ) -> Route {
        let names = ["state", "store", "flag", "day", "cursor"]
        return shown(path, names) { request, frame, summary in
            let fields = Self.fields(of: request)
            let isOfShifts = path == "/shifts"
            let state = isOfShifts ? nil : try fields.choice("state", ["open", "all"])
            let query = DashboardPages.ListQuery(
                state: state ?? "open", store: fields["store"]?.trimmed ?? "",
                flag: fields["flag"]?.trimmed ?? "", day: fields["day"] ?? "",
                cursor: fields["cursor"] ?? "",
                shift: isOfShifts ? try fields.choice("state") : nil)
            // Every other list has one day for all stores.
            let isOwn = path == "/orders" && query.day == DashboardPages.ListQuery.own
            let own =
                isOwn
                ? StoreDays(usual: frame.day, others: summary.stores.inOtherDays(at: authorizer.now())) : nil
            let read = { (query: DashboardPages.ListQuery) in
                try await office.perform(call(query.page(of: own), query), by: "")
            }
            return page(frame, try await frame.table == nil ? read(query) : whole(query, read), query)
        }
    }

    /// A list with the rows of its further pages, as many as a table may have.
    private func whole(
        _ query: DashboardPages.ListQuery,
        _ page: (DashboardPages.ListQuery) async throws -> JSONValue
    ) async throws -> JSONValue {
        var query = query
        query.limit = BackOfficeCall.Page.maximumLimit
        var list = try await page(query).object ?? [:]
        guard let name = list.first(where: { $0.0 != "sums" && $0.1.array != nil })?.0 else {
            return .object(list)
        }
        var rows = list[name]?.array ?? []
        while let cursor = list["cursor"]?.string, rows.count < PageTables.mostRows {
            query.cursor = cursor
            let next = try await page(query)
            rows += next[name]?.array ?? []
            list["cursor"] = next["cursor"]
        }
        list[name] = .array(rows)
        return .object(list)
    }

    /// A decision of an operator, kept in the log; a role without the right is refused, which is logged too.
    private func decision(
        _ path: String, _ names: [String], on office: BackOffice, _ result: FormResult,
        next: @escaping @Sendable (FormFields) -> String,
        _ call: @escaping @Sendable (FormFields) -> BackOfficeCall
    ) -> Route {
        submitted(path, names) { request, fields, person in
            guard AuthorizationTable.allows(.acknowledgeAlarm, by: person.role) else {
                log.refuse(ProtectedAction.acknowledgeAlarm, to: person)
                throw Problem.operatorForbidden
            }
            let decision = call(fields)
            _ = try await office.perform(decision, by: person.name)
            if let (action, subject, detail) = decision.act {
                await log.record(action, by: person, subject: subject, detail: detail)
            }
            await reader.readAgain()
            return Self.see(next(fields), result)
        }
    }
}

extension DashboardPages.ListQuery {
    /// The page of the back office's list that it means.
    ///
    /// - Parameter own: the day of each store, in the place of one of the query.
    fileprivate func page(of own: StoreDays?) -> BackOfficeCall.Page {
        let day = day.isEmpty || own != nil ? nil : day
        var filter = SalesFilter(from: day, to: day, storeId: store.isEmpty ? nil : store)
        filter.own = own
        return BackOfficeCall.Page(
            filter, cursor: cursor.isEmpty ? nil : cursor, limit: limit ?? BackOfficeCall.Page.usualLimit)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
