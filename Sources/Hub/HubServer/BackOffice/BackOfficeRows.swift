import Base

internal import HubCore
internal import HubProtocol
internal import HubStore

/// The rows of the back office's lists as JSON. Amounts are minor units, times RFC 3339.
enum BackOfficeRows {
    static func order(_ row: StoreRow) -> JSONValue {
        guard let file = row.text("archived") else {
            return order(row, JournalDocument.shown(row.text("entry")).common).json
        }
        let stub = JSONValue.stored(row.text("stub"))
        var times = JournalCommons()
        times.madeAt = stub["clientGeneratedAt"]?.string
        times.madeAtHub = EntryMembers(shown: stub["payload"]).hubTime
        return order(row, times, with: [.archived: .string(file)]).json
    }

    /// A sale, void or refund with its document and its payload; of what came back amounts are negative.
    static func exported(_ row: StoreRow) -> JSONValue {
        let (entry, content) = JournalDocument.shown(row.text("entry"))
        return order(
            row, entry,
            with: [
                .type: .string(entry.kind.rawValue), .document: content,
                .payload: JSONValue.stored(row.text("document"))["payload"] ?? .null,
            ]
        ).json
    }

    /// - Parameter entry: what its document of the journal feed says.
    private static func order(
        _ row: StoreRow, _ entry: JournalCommons, with others: [OrderMember: JSONValue] = [:]
    ) -> ListRow<OrderMember> {
        let discounts = row.integer("discounts") ?? 0
        let total = (row.integer("gross") ?? 0) - discounts - (row.integer("refunds") ?? 0)
        let refunded = refunded(row)
        let isSale = row.text("kind") == SaleEntry.Kind.sale.rawValue
        let isVoided = row.text("voided_by") != nil
        let state =
            isVoided
            ? "voided"
            : refunded == 0 || !isSale ? "completed" : refunded < total ? "refundedInPart" : "refunded"
        let members: [OrderMember: JSONValue] = [
            .orderId: isSale ? text(row, "order_id") : JSONValue(entry.orderId),
            .orderNumber: isSale ? text(row, "order_number") : JSONValue(entry.orderNumber),
            .mutationId: text(row, "mutation_id"), .storeId: text(row, "store_id"),
            .terminalId: text(row, "terminal_id"), .cashierId: text(row, "cashier_id"),
            .businessDay: text(row, "day"), .soldAt: JSONValue(entry.madeAtHub ?? entry.madeAt),
            .receivedAt: time(row, "received_at"), .state: .string(state),
            .voidedBy: text(row, "voided_by"), .currency: text(row, "currency"), .total: .integer(total),
            .discounts: .integer(discounts), .tax: number(row, "tax"), .refunded: .integer(refunded),
        ]
        return ListRow(members.merging(others) { _, other in other })
    }

    /// - Parameter silentSince: when the last sign of life of its terminal came; nil: it is not silent.
    static func lease(_ lease: Lease, at now: Int64, _ silentSince: Int64? = nil) -> JSONValue {
        let state =
            lease.state != .open
            ? lease.state.rawValue
            : lease.returnedThrough != nil ? "returned" : now > lease.expiresAt ? "expired" : "open"
        var row: [LeaseMember: JSONValue] = [
            .leaseId: .string(lease.id), .kind: .string(lease.kind.rawValue),
            .subject: .string(lease.subject), .terminalId: .string(lease.terminalId),
            .storeId: .string(lease.storeId), .epoch: .integer(lease.epoch),
            .amount: .integer(lease.amount), .used: .integer(lease.used), .left: .integer(lease.left),
            .state: .string(state),
            .issuedAt: .string(Timestamp.text(milliseconds: lease.issuedAt)),
            .expiresAt: .string(Timestamp.text(milliseconds: lease.expiresAt)),
        ]
        if lease.isSpendable, let recall = lease.recall, now < recall.until, recall.amount > 0 {
            row[.recalled] = .integer(recall.amount)
        }
        if lease.state == .open, let silentSince {
            row[.silentSince] = .string(Timestamp.text(milliseconds: silentSince))
            row[.risk] = .integer(lease.left)
        }
        if lease.state == .released {
            row[.risk] = .integer(max(0, lease.amount - lease.used))
            row[.releasedBy] = JSONValue(lease.endedBy)
            row[.releasedAt] = JSONValue(lease.endedAt.map(Timestamp.text(milliseconds:)))
            row[.reason] = JSONValue(lease.reason)
        }
        return ListRow(row).json
    }

    /// At most what travels, however much hostile refunds come to.
    private static func refunded(_ row: StoreRow) -> Int64 {
        sum(row, "refunded_high", "refunded_low")
    }

    /// A sum in two parts, at most what travels.
    private static func sum(_ row: StoreRow, _ high: String, _ low: String) -> Int64 {
        let sum = Int128(row.integer(high) ?? 0) << 32 + Int128(row.integer(low) ?? 0)
        return Int64(min(sum, Int128(JSONValue.exactIntegers.upperBound)))
    }

    /// A void or a refund of an order.
    static func reversal(_ row: StoreRow) -> JSONValue {
        let kind = row.text("kind") ?? ""
        let sold = (row.integer("gross") ?? 0) - (row.integer("discounts") ?? 0)
        let entry = EntryMembers(shown: JSONValue.stored(row.text("document"))["payload"])
        return ListRow<ReversalMember>([
            .kind: .string(kind), .mutationId: text(row, "mutation_id"), .storeId: text(row, "store_id"),
            .terminalId: text(row, "terminal_id"), .cashierId: text(row, "cashier_id"),
            .businessDay: text(row, "day"), .receivedAt: time(row, "received_at"),
            .currency: text(row, "currency"),
            .amount: .integer(kind == "void" ? -sold : row.integer("refunds") ?? 0),
            .reason: shown(JSONValue(entry.reason)), .approverId: shown(JSONValue(entry.approverId)),
        ]).json
    }

    static func alarm(_ row: StoreRow) -> JSONValue {
        ListRow<AlarmMember>([
            .id: text(row, "id"), .kind: text(row, "kind"), .terminalId: text(row, "terminal_id"),
            .storeId: text(row, "store_id"), .mutationId: text(row, "mutation_id"),
            .detail: text(row, "detail"), .raisedAt: time(row, "raised_at"), .lastAt: time(row, "last_at"),
            .count: number(row, "count"), .state: text(row, "state"),
            .acknowledgedAt: time(row, "acknowledged_at"), .acknowledgedBy: text(row, "acknowledged_by"),
            .note: text(row, "note"),
        ]).json
    }

    static func debt(_ row: StoreRow) -> JSONValue {
        var settlement: JSONValue = .null
        if row.integer("settled_at") != nil {
            settlement =
                ListRow<DecisionMember>([
                    .at: time(row, "settled_at"), .by: text(row, "settled_by"),
                    .reason: text(row, "settled_reason"),
                ]).json
        }
        return ListRow<DebtMember>([
            .id: text(row, "key"), .terminalId: text(row, "terminal_id"), .storeId: text(row, "store_id"),
            .shiftId: text(row, "shift_id"), .orderId: text(row, "order_id"),
            .orderNumber: text(row, "order_number"), .amount: number(row, "amount"),
            .original: number(row, "debt"), .currency: text(row, "currency"),
            .reason: text(row, "decline_reason"),
            .takenAt: time(row, "stored_at"), .refusedAt: time(row, "decided_at"),
            .state: text(row, "state"), .settlement: settlement,
        ]).json
    }

    /// What is open of a store in a currency.
    static func debtSum(_ row: StoreRow) -> JSONValue {
        ListRow<DebtMember>([
            .storeId: text(row, "store_id"), .currency: text(row, "currency"),
            .count: number(row, "count"), .amount: .integer(sum(row, "high", "low")),
        ]).json
    }

    /// A shift with the debts that belong to it; `debtTotal` is what of them is open.
    static func shift(_ shift: JSONValue, with rows: [StoreRow]) -> JSONValue {
        var members = shift.object ?? [:]
        members["debts"] = .array(
            rows.map { row in
                ListRow<DebtMember>([
                    .id: text(row, "key"), .orderId: text(row, "order_id"),
                    .orderNumber: text(row, "order_number"), .amount: number(row, "amount"),
                    .reason: text(row, "decline_reason"), .refusedAt: time(row, "decided_at"),
                    .state: text(row, "state"),
                ]).json
            })
        let open = rows.filter { $0.text("state") == "open" }
        let total = open.reduce(Int128(0)) { $0 + Int128($1.integer("amount") ?? 0) }
        members["debtTotal"] = .integer(Int64(min(total, Int128(JSONValue.exactIntegers.upperBound))))
        return .object(members)
    }

    /// A terminal with what it reported last; null where it never did.
    static func terminal(_ row: StoreRow) -> JSONValue {
        let document = row.text("document").map(JSONValue.stored)
        let report = document?["report"]
        let state =
            row.integer("revoked_at") != nil
            ? TerminalState.revoked : row.integer("unconfirmed_since") != nil ? .unconfirmed : .confirmed
        return [
            "terminalId": text(row, "id"), "storeId": text(row, "store_id"), "number": number(row, "number"),
            "name": text(row, "name"), "state": .string(state.rawValue),
            "enrolledAt": time(row, "enrolled_at"), "revokedAt": time(row, "revoked_at"),
            "reportedAt": JSONValue(document?["receivedAt"]?.integer.map(Timestamp.text(milliseconds:))),
            "appVersion": report?["appVersion"] ?? .null, "outbox": report?["outbox"] ?? .null,
            "connectivity": report?["connectivity"] ?? .null,
            "offlinePeriods": report?["offlinePeriods"] ?? .null,
        ]
    }

    /// What a store has of an article, and when the hub counted it last; without a store what all have.
    static func stock(_ row: StoreRow) -> JSONValue {
        let storeId = row.text("store_id") ?? ""
        let sku = (row.text("id") ?? "").dropFirst(storeId.utf8.count + 1)
        let counted = row.text("value").flatMap { JSONValue.stored($0)["stockMilli"]?.integer }
        let moment = row.text("hlc").flatMap { Int64($0.prefix(13)) }
        return [
            "sku": .string(String(sku)), "storeId": storeId.isEmpty ? .null : .string(storeId),
            "stockMilli": JSONValue(counted ?? row.integer("stock")),
            "countedAt": JSONValue(moment.map(Timestamp.text(milliseconds:))),
        ]
    }

    static func flag(_ row: StoreRow) -> JSONValue {
        ListRow<FlagMember>([
            .flag: text(row, "flag"), .mutationId: text(row, "mutation_id"), .type: text(row, "type"),
            .terminalId: text(row, "terminal_id"), .storeId: text(row, "store_id"),
            .orderNumber: text(row, "order_number"), .receivedAt: time(row, "received_at"),
        ]).json
    }

    static func refusal(_ row: StoreRow) -> JSONValue {
        let document = JSONValue.stored(row.text("document"))
        let result = JSONValue.stored(row.text("result"))
        let entry = EntryMembers(shown: document["payload"])
        var resolution: JSONValue = .null
        if row.integer("resolved_at") != nil {
            resolution =
                ListRow<DecisionMember>([
                    .at: time(row, "resolved_at"), .by: text(row, "resolved_by"), .keep: text(row, "kept"),
                    .reason: text(row, "reason"),
                ]).json
        }
        return ListRow<RefusalMember>([
            .id: text(row, "mutation_id"), .type: text(row, "type"),
            .entityId: shown(document["entityId"]), .sequence: number(row, "sequence"),
            .terminalId: text(row, "terminal_id"), .storeId: text(row, "store_id"),
            .outcome: text(row, "outcome"), .state: text(row, "state"),
            .receivedAt: time(row, "received_at"), .orderNumber: shown(JSONValue(entry.orderNumber)),
            .amount: JSONValue(entry.total), .currency: shown(JSONValue(entry.currency)),
            .problem: shown(result["problem"]), .policy: result["policy"] ?? .null,
            .serverState: shown(result["serverState"]), .resolution: resolution,
        ]).json
    }

    /// A shift as its terminal closed it, with the hub's statements.
    static func shift(_ row: StoreRow) -> JSONValue {
        let opening = JSONValue.stored(row.text("opening"))
        let closing = row.text("closing").map(JSONValue.stored)
        var shift: [ShiftMember: JSONValue] = [
            .shiftId: text(row, "shift_id"), .terminalId: text(row, "terminal_id"),
            .storeId: text(row, "store_id"), .state: text(row, "state"),
            .businessDay: text(row, "business_day"), .currency: text(row, "currency"),
            .openedAt: time(row, "opened_at"), .openedBy: shown(opening["openedBy"]),
            .closedAt: time(row, "closed_at"), .closedBy: shown(closing?["closedBy"]),
            .float: opening["float"] ?? .null, .epoch: number(row, "epoch"),
            .statements: statementList(row), .differences: differences(row),
        ]
        for member in ShiftMember.closing { shift[member] = shown(closing?[member.rawValue]) }
        if let left = closing?["uncounted"] { shift[.uncounted] = left }
        let cardMachine = row.text("card_machine").map(JSONValue.stored)
        for member in ShiftMember.cardMachine { shift[member] = cardMachine?[member.rawValue].map(shown) }
        return ListRow(shift).json
    }

    /// What an unsettled shift has besides.
    static func members(of lack: ShiftLack) -> JSONObject {
        [
            ShiftMember.missing.rawValue: .array(lack.missing.map(JSONValue.integer)),
            ShiftMember.lastHeard.rawValue: JSONValue(
                lack.lastHeard.map(Timestamp.text(milliseconds:))),
        ]
    }

    /// The statements of a shift.
    static func statements(_ row: StoreRow) -> JSONValue {
        ListRow<ShiftMember>([
            .shiftId: text(row, "shift_id"), .terminalId: text(row, "terminal_id"),
            .storeId: text(row, "store_id"), .state: text(row, "state"),
            .statements: statementList(row), .differences: differences(row),
        ]).json
    }

    private static func statementList(_ row: StoreRow) -> JSONValue {
        row.text("statements").map(JSONValue.stored) ?? []
    }

    private static func differences(_ row: StoreRow) -> JSONValue {
        var differences = row.text("differences").map(JSONValue.stored)?.array ?? []
        if let behind = row.integer("behind"), behind > 0 {
            differences.append(["figure": "behind", "terminal": 0, "hub": .integer(behind)])
        }
        return .array(differences)
    }

    /// What peers wrote is shown in part where it is longer than its bound.
    private static func text(_ row: StoreRow, _ column: String) -> JSONValue {
        JSONValue(row.text(column).map { TextBound.shown($0, upTo: TextBound.remark) })
    }

    /// A part of what a peer wrote; null where there is none.
    private static func shown(_ value: JSONValue?) -> JSONValue { value.map { TextBound.shown($0) } ?? .null }

    private static func number(_ row: StoreRow, _ column: String) -> JSONValue {
        JSONValue(row.integer(column))
    }

    private static func time(_ row: StoreRow, _ column: String) -> JSONValue {
        JSONValue(row.integer(column).map(Timestamp.text(milliseconds:)))
    }
}
