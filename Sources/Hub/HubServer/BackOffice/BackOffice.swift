import Base

internal import Dashboard
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// Answers what people and back offices look at, out of the read model, and notes what they decide.
struct BackOffice: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64

    /// - Parameter name: of the operator, which is kept with a decision.
    /// - Throws: a ``Problem`` for a call that cannot be done, or an error of the store.
    func perform(_ call: BackOfficeCall, by name: String) async throws -> JSONValue {
        switch call {
        case .listOrders(let page): return try await orders(page)
        case .exportOrders(let page): return try await export(page)
        case .showOrder(let id): return try await order(id)
        case .sales(let dimension, let filter):
            try Self.check(filter)
            let rows = try await ledger.sales(by: dimension, filter).ended(at: [SalesRow].mostInResponse)
            return ["rows": .array(rows.map(\.json))]
        case .listAlarms(let page, let all):
            return try await list("alarms", page, key: ["last_at", "id"], as: BackOfficeRows.alarm) {
                BackOfficeQuery.alarms($0, openOnly: !all)
            }
        case .acknowledgeAlarm(let id, let note, let seen):
            return try await acknowledge(id, note, seen: seen, by: name)
        case .listDebts(let page, let all): return try await debts(page, all: all)
        case .settleDebt(let id, let isWrittenOff, let reason):
            return try await settle(id, isWrittenOff ? .writtenOff : .paid, reason, by: name)
        case .listFlags(let page, let flag):
            return try await list("flags", page, key: ["mutation_id", "flag"], as: BackOfficeRows.flag) {
                BackOfficeQuery.flags($0, flag: flag)
            }
        case .listRefusals(let page, let all):
            return try await list("refused", page, key: ["mutation_id"], as: BackOfficeRows.refusal) {
                BackOfficeQuery.refusals($0, openOnly: !all)
            }
        case .listTerminals(let page):
            return try await list("terminals", page, key: ["id"], as: BackOfficeRows.terminal) {
                BackOfficeQuery.terminals($0)
            }
        case .listStock(let page):
            return try await list("stock", page, key: ["store_id", "id"], as: BackOfficeRows.stock) {
                BackOfficeQuery.stock($0)
            }
        case .listShifts(let page, let state): return try await shifts(page, state: state)
        case .showShift(let id): return try await shift(id)
        case .listStatements(let page):
            return try await list(
                "statements", page, key: ["shift_id", "terminal_id"], as: BackOfficeRows.statements
            ) { ShiftQuery.settled($0) }
        case .showRefusal(let id): return try await refusal(id)
        case .resolveRefusal(let id, let keep, let reason):
            return try await resolve(id, keep: keep, reason, by: name)
        case .listLeases(let all): return try await leases(all: all)
        case .releaseLease(let id, let reason): return try await release(id, reason, by: name)
        case .days:
            let days = try await StoreDirectory(of: ledger).days(at: now())
            return ["days": .array(days.map(JSONValue.string))]
        case .rebuild: return ["entries": .integer(Int64(try await ledger.rebuildSales()))]
        }
    }

    private func orders(_ page: BackOfficeCall.Page) async throws -> JSONValue {
        try await list("orders", page, key: ["day", "mutation_id"], as: BackOfficeRows.order) {
            BackOfficeQuery.orders($0)
        }
    }

    /// Orders, voids and refunds with what their terminals wrote.
    private func export(_ page: BackOfficeCall.Page) async throws -> JSONValue {
        try await list("orders", page, key: ["day", "mutation_id"], as: BackOfficeRows.exported) {
            BackOfficeQuery.orders($0, forExport: true)
        }
    }

    /// A page of a list with the cursor of the next one; null at the end. It ends by bytes as well as rows.
    private func list(
        _ name: String, _ page: BackOfficeCall.Page, key: [String], as json: (StoreRow) -> JSONValue,
        _ query: (BackOfficeQuery.Page) -> StoreQuery
    ) async throws -> JSONValue {
        try Self.check(page.filter)
        let place = try page.cursor.map { try Self.place($0, of: name, key.count) } ?? []
        // One more shows whether there is another page.
        let wanted = BackOfficeQuery.Page(page.filter, after: place, limit: page.limit + 1)
        let found = try await ledger.page(of: query(wanted), rows: page.limit)
        let cursor = found.hasMore ? found.rows.last.map { Self.cursor($0, of: name, key) } : nil
        return [
            name: .array(found.rows.map(json)), "cursor": JSONValue(cursor),
        ]
    }

    private static func cursor(_ row: StoreRow, of name: String, _ key: [String]) -> String {
        let place = JSONValue.array(([name] + key.map { row.text($0) ?? "" }).map(JSONValue.string))
        return Base64URL.text(place.canonicalBytes)
    }

    private static func place(_ cursor: String, of name: String, _ count: Int) throws(Problem) -> [String] {
        guard let bytes = Base64URL.bytes(cursor), let json = try? JSONParser.parse(bytes),
            let texts = json.array?.compactMap(\.string), texts.count == count + 1, texts[0] == name
        else { throw .malformed("The cursor is none of this list; start again without one.", .foreignCursor) }
        return Array(texts.dropFirst())
    }

    static func check(_ filter: SalesFilter) throws(Problem) {
        for day in [filter.from, filter.to].compactMap(\.self) where SaleEntry.day(day) == nil {
            throw .malformed("\"\(day)\" is no day; write YYYY-MM-DD.", .noDay(day))
        }
        if let from = filter.from, let to = filter.to, from > to {
            throw .malformed("No day is from \(from) to \(to); name the earlier one first.")
        }
    }

    private func order(_ id: String) async throws -> JSONValue {
        guard let row = try await ledger.rows(of: BackOfficeQuery.order(id)).first else {
            throw Problem.notFound(
                "No order has the id, number or mutation \(id): check it; lists of orders name the id.",
                .unknown(.order, id: id))
        }
        var order = BackOfficeRows.order(row).object ?? [:]
        var payload = JSONValue.stored(row.text("document"))["payload"] ?? .null
        // What the store keeps of archived lines are sums, of no article.
        if row.text("archived") != nil { payload = payload.with(["lines": []]) }
        let ofSale: [OrderMember] = [
            .lines, .payments, .change, .cashRounding, .memberId, .approverId, .mode, .coupons,
        ]
        for member in ofSale { order[member.rawValue] = payload[member.rawValue] ?? .null }
        let orderId = row.text("order_id") ?? ""
        let reversals = try await ledger.page(
            of: BackOfficeQuery.reversals(ofOrder: orderId), rows: BackOfficeQuery.mostReversals)
        order["reversals"] = .array(reversals.rows.map(BackOfficeRows.reversal))
        let flags = try await ledger.rows(
            of: BackOfficeQuery.flags(ofMutation: row.text("mutation_id") ?? ""))
        order["flags"] = .array(flags.compactMap { $0.text("flag").map(JSONValue.string) })
        return .object(order)
    }

    /// With the sums of what is reserved, which is what lost terminals can cost at most.
    private func leases(all: Bool) async throws -> JSONValue {
        let leases = try await ledger.leases(all: all)
        let silent = try await ledger.silentTerminals(among: try await ledger.lent(), at: now())
        let reserved = LeaseKind.allCases.map { kind in
            (kind.rawValue, leases.reduce(0) { $1.kind == kind ? $0 + $1.left : $0 })
        }
        return [
            "leases": .array(
                leases.map { BackOfficeRows.lease($0, at: now(), silent.since($0.terminalId)) }),
            "reserved": .object(
                JSONObject(Dictionary(uniqueKeysWithValues: reserved).mapValues(JSONValue.integer))),
        ]
    }

    private func release(_ id: String, _ reason: String, by name: String) async throws -> JSONValue {
        let reason = try Self.line(reason, named: "reason")
        guard let lease = try await ledger.release(id, by: name, reason: reason, at: now()) else {
            throw Problem.notFound("No open lease has the id \(id); `pos-hub leases list` names them.")
        }
        return BackOfficeRows.lease(lease, at: now())
    }

    /// What somebody noted before stays; a program gets the alarm as it is, a person who saw another state
    /// the reason.
    private func acknowledge(
        _ id: String, _ note: String, seen: String?, by name: String
    ) async throws -> JSONValue {
        let note = try Self.line(note, named: "note")
        let lastAt = seen.map { Timestamp.milliseconds(of: $0) ?? -1 }
        let number = Int64(id)
        let isChanged =
            if let number {
                try await ledger.change(
                    by: BackOfficeQuery.acknowledgement(
                        of: number, raisedAt: lastAt, by: name, note: note, at: now()))
            } else { false }
        guard let number, let row = try await ledger.rows(of: BackOfficeQuery.alarm(number)).first else {
            throw Problem.notFound(
                "No alarm has the id \(id); `pos-hub alarms list --all` names them.", .unknown(.alarm, id: id)
            )
        }
        let alarm = BackOfficeRows.alarm(row)
        guard isChanged || seen == nil else { throw Problem.alarmChanged(ListRow<AlarmMember>(alarm)) }
        return alarm
    }

    /// With what is open of each store, whichever rows the page has.
    private func debts(_ page: BackOfficeCall.Page, all: Bool) async throws -> JSONValue {
        let list = try await list("debts", page, key: ["decided_at", "key"], as: BackOfficeRows.debt) {
            BackOfficeQuery.debts($0, openOnly: !all)
        }
        var members = list.object ?? [:]
        let sums = try await ledger.rows(of: BackOfficeQuery.openDebtSums(storeId: page.filter.storeId))
        members["sums"] = .array(sums.map(BackOfficeRows.debtSum))
        return .object(members)
    }

    private func settle(
        _ id: String, _ way: DebtSettledDocument.Way, _ reason: String, by name: String
    ) async throws -> JSONValue {
        let reason = try Self.line(reason, named: "reason")
        let isChanged = try await ledger.settleDebt(id, way, by: name, reason: reason, at: now())
        guard let row = try await ledger.rows(of: BackOfficeQuery.debt(id)).first else {
            throw Problem.notFound(
                "No debt has the id \(id); `pos-hub debts list` names them.", .unknown(.debt, id: id))
        }
        guard isChanged else { throw Problem.debtSettled(id) }
        return BackOfficeRows.debt(row)
    }

    private func shifts(
        _ page: BackOfficeCall.Page, state: ShiftSettlement.State?
    ) async throws -> JSONValue {
        let list = try await list(
            "shifts", page, key: ["shift_id", "terminal_id"], as: BackOfficeRows.shift
        ) { ShiftQuery.shifts($0, state: state) }
        var members = list.object ?? [:]
        members["shifts"] = .array(try await withLacks(withDebts(list["shifts"]?.array ?? [])))
        return .object(members)
    }

    private func shift(_ id: String) async throws -> JSONValue {
        guard let row = try await ledger.rows(of: ShiftQuery.shift(id)).first else {
            throw Problem.notFound(
                "No shift has the id \(id); `pos-hub shifts list` names them.", .unknown(.shift, id: id))
        }
        let shift = try await withLacks(withDebts([BackOfficeRows.shift(row)]))[0]
        guard row.text("state") == ShiftSettlement.State.open.rawValue, let epoch = row.integer("epoch"),
            let opening = try? ShiftOpening(json: JSONValue.stored(row.text("opening"))),
            let sums = try await ShiftComparing(ledger).soFar(
                of: opening, of: row.text("terminal_id") ?? "", from: epoch)
        else { return shift }
        return shift.with([ShiftMember.soFar.rawValue: sums.json])
    }

    /// Shifts, those that are not settled with what the hub lacks of them.
    private func withLacks(_ shifts: [JSONValue]) async throws -> [JSONValue] {
        let rows = shifts.map(ListRow<ShiftMember>.init)
        let unsettled = rows.indices.filter { index in
            let state = rows[index][.state]?.string.flatMap(ShiftSettlement.State.init(rawValue:))
            return state == .open || state == .provisional
        }
        let lacks = try await ledger.lacks(
            of: unsettled.map { index in
                ShiftReach(
                    terminalId: rows[index].text(.terminalId), epoch: rows[index].number(.epoch),
                    through: rows[index][.sequence]?["to"]?.integer)
            })
        var shifts = shifts
        for (index, lack) in zip(unsettled, lacks) {
            shifts[index] = shifts[index].with(BackOfficeRows.members(of: lack))
        }
        return shifts
    }

    /// Shifts, each with its own debts; they follow each other by their ids.
    private func withDebts(_ shifts: [JSONValue]) async throws -> [JSONValue] {
        let ids = shifts.compactMap { $0["shiftId"]?.string }
        guard let first = ids.min(), let last = ids.max() else { return shifts }
        let rows = try await ledger.page(
            of: BackOfficeQuery.debts(ofShifts: first, through: last), rows: BackOfficeQuery.mostDebts)
        let debts = Dictionary(grouping: rows.rows) { [$0.text("terminal_id"), $0.text("shift_id")] }
        return shifts.map { shift in
            BackOfficeRows.shift(
                shift, with: debts[[shift["terminalId"]?.string, shift["shiftId"]?.string]] ?? [])
        }
    }

    private func refusal(_ id: String) async throws -> JSONValue {
        guard let row = try await ledger.rows(of: BackOfficeQuery.refusal(id)).first else {
            throw Problem.notFound(
                "No refused mutation has the id \(id); `pos-hub refused list` names them.",
                .unknown(.refusal, id: id))
        }
        let payload = JSONValue.stored(row.text("document"))["payload"] ?? .null
        return BackOfficeRows.refusal(row).with([RefusalMember.payload.rawValue: payload])
    }

    private func resolve(
        _ id: String, keep: String, _ reason: String, by name: String
    ) async throws -> JSONValue {
        let reason = try Self.line(reason, named: "reason")
        guard ["terminal", "server"].contains(keep) else {
            throw Problem.malformed("keep is terminal or server.")
        }
        guard let row = try await ledger.rows(of: BackOfficeQuery.refusal(id)).first else {
            throw Problem.notFound(
                "No refused mutation has the id \(id); `pos-hub refused list` names them.",
                .unknown(.refusal, id: id))
        }
        var changes = BackOfficeQuery.resolution(
            of: id, keepsServer: keep == "server", by: name, reason: reason, at: now())
        // What is given up counts in its shift as it was written.
        let entry = EntryMembers(shown: JSONValue.stored(row.text("document"))["payload"])
        if keep == "server", let shiftId = entry.shiftId,
            let terminalId = row.text("terminal_id")
        {
            changes.append(ShiftQuery.reconsideration(of: shiftId, of: terminalId))
        }
        guard try await ledger.change(by: changes) else { throw Problem.refusalResolved(id) }
        return try await refusal(id)
    }

    private static func line(_ text: String, named name: String) throws(Problem) -> String {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard (1...500).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .malformed("\(name) is one line of 1 to 500 bytes.", .noLine) }
        return text
    }
}

extension Problem {
    fileprivate static func alarmChanged(_ alarm: ListRow<AlarmMember>) -> Problem {
        let person = alarm.text(.state) == "open" ? nil : alarm.text(.acknowledgedBy)
        let now =
            person.map { "\($0) acknowledged it at \(alarm.text(.acknowledgedAt))" }
            ?? "It was raised again at \(alarm.text(.lastAt))"
        return Problem(
            status: 409, code: ProblemCode(rawValue: "alarm_changed"), title: "The alarm has changed",
            detail: "\(now); nothing was changed. Load the page anew.", reason: .alarmChanged(by: person))
    }

    fileprivate static func debtSettled(_ id: String) -> Problem {
        Problem(
            status: 409, code: ProblemCode(rawValue: "debt_settled"), title: "The debt is settled",
            detail:
                "Somebody settled \(id) before; nothing was changed. The list of all debts says who and why.",
            reason: .debtSettled)
    }

    fileprivate static func refusalResolved(_ id: String) -> Problem {
        Problem(
            status: 409, code: ProblemCode(rawValue: "refusal_resolved"), title: "The refusal is resolved",
            detail:
                "\(id) was edited, given up or decided on before; nothing was changed. Load it again to see how.",
            reason: .refusalResolved)
    }
}
