import Base
import HubCore
import HubProtocol
import HubStore
import Testing

/// Cards that were taken offline and refused when they were forwarded.
@Suite("Debts at the hub")
struct DebtTests {
    private static let shift = "01KB0000000000000000000001"

    /// A sale that a card paid offline, in a shift.
    private static func sale(
        _ till: inout Till, key: String, amount: Int64 = 1250, in shiftId: String? = shift
    ) -> Mutation {
        let sale = till.sale(price: amount)
        var members = sale.payload.object ?? [:]
        members["shiftId"] = JSONValue(shiftId)
        members["payments"] = [
            [
                "method": "card", "amount": .integer(amount), "authorizationKey": .string(key),
                "state": "storedOffline", "sealed": ["keyId": "s", "token": "dG9rZW4="],
                "storedAt": "2026-11-21T00:00:00.000Z",
            ]
        ]
        return Mutation(
            id: sale.id, sequence: sale.sequence, type: sale.type, entity: sale.entity,
            entityId: sale.entityId, clientGeneratedAt: sale.clientGeneratedAt,
            previousHash: sale.previousHash, payload: .object(members))
    }

    /// A store with a terminal of S1, and two debts of it in one shift.
    private func store(_ kind: StoreKind) async throws -> (store: TemporaryStore, orders: [String]) {
        let store = try TemporaryStore(kind)
        var till = Till()
        var orders: [String] = []
        for key in ["k1", "k2", "k3"] {
            let sale = Self.sale(&till, key: key)
            orders.append(sale.payload["orderNumber"]?.string ?? "")
            // The chain of hashes is not looked at here.
            _ = try await store.take(till.push([sale]))
        }
        _ = try await store.ledger.settle(key: "k1", by: .declined(reason: "stolen_card"), at: 3)
        _ = try await store.ledger.settle(key: "k2", by: .declined(reason: "expired"), at: 4)
        _ = try await store.ledger.settle(key: "k3", by: .authorized(approvalCode: "A"), at: 5)
        return (store, orders)
    }

    private func page(after: [String] = [], limit: Int = 9) -> BackOfficeQuery.Page {
        BackOfficeQuery.Page(SalesFilter(), after: after, limit: limit)
    }

    private func keys(_ store: TemporaryStore, _ query: StoreQuery) async throws -> [String?] {
        try await store.ledger.rows(of: query).map { $0.text("key") }
    }

    @Test("A refused card is listed with order, shift and reason, page by page", arguments: StoreKind.all)
    func listed(_ kind: StoreKind) async throws {
        let (store, orders) = try await store(kind)
        let rows = try await store.ledger.rows(of: BackOfficeQuery.debts(page(), openOnly: true))
        #expect(rows.map { $0.text("key") } == ["k2", "k1"])
        #expect(rows.map { $0.text("order_number") } == [orders[1], orders[0]])
        #expect(rows.map { $0.text("shift_id") } == [Self.shift, Self.shift])
        #expect(rows.map { $0.text("decline_reason") } == ["expired", "stolen_card"])
        #expect(try await keys(store, BackOfficeQuery.debts(page(limit: 1), openOnly: true)) == ["k2"])
        let next = page(after: ["4", "k2"])
        #expect(try await keys(store, BackOfficeQuery.debts(next, openOnly: true)) == ["k1"])
        #expect(
            try await keys(store, BackOfficeQuery.debts(ofShifts: Self.shift, through: Self.shift))
                == ["k1", "k2"])
        #expect(try await keys(store, BackOfficeQuery.debts(ofShifts: "0", through: "00")) == [])
    }

    @Test(
        "A settled debt is settled once, is no debt of the audit, and shows when at its payment",
        arguments: StoreKind.all)
    func settled(_ kind: StoreKind) async throws {
        let (store, _) = try await store(kind)
        let ledger = store.ledger
        func settle(_ key: String, at now: Int64) async throws -> Bool {
            try await ledger.settleDebt(key, .paid, by: "kim", reason: "paid in cash", at: now)
        }
        #expect(try await settle("k1", at: 9))
        #expect(try await !settle("k1", at: 10), "once")
        #expect(try await !settle("k3", at: 10), "no debt")
        #expect(try await !settle("none", at: 10))
        #expect(try await ledger.paymentDebts(of: nil).map(\.payment.key) == ["k2"])
        #expect(try await ledger.payment(key: "k1", of: "T1")?.settledAt == 9)
        #expect(try await ledger.payment(key: "k2", of: "T1")?.settledAt == nil)
        #expect(try await keys(store, BackOfficeQuery.debts(page(), openOnly: true)) == ["k2"])
        #expect(try await keys(store, BackOfficeQuery.debts(page(), openOnly: false)) == ["k2", "k1"])
        let row = try await ledger.rows(of: BackOfficeQuery.debt("k1")).first
        #expect(row?.text("settled_by") == "kim" && row?.text("settled_reason") == "paid in cash")
        #expect(row?.text("state") == "settled")
        let count = try await ledger.rows(of: BackOfficeQuery.openDebtCount).first
        #expect(count?.integer("count") == 1)
    }

    @Test(
        "What comes back is owed no more, before the refusal and after it, in every list and sum; no money moves",
        arguments: StoreKind.all)
    func refunded(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        try await store.enrol("T1")
        func refund(of sale: Mutation, _ amount: Int64, to key: String) async throws {
            let back = till.minted(
                "refund.completed",
                [
                    "orderId": sale.payload["orderId"] ?? .null, "total": .integer(amount),
                    "lines": [
                        [
                            "sku": "tea", "quantityMilli": .integer(amount * 1000 / 1250),
                            "total": .integer(amount),
                        ]
                    ],
                    "payments": [
                        [
                            "method": "card", "amount": .integer(amount), "authorizationKey": .string(key),
                            "state": "refunded",
                        ]
                    ],
                ])
            _ = try await store.take(till.push([back]))
        }
        var sales: [String: Mutation] = [:]
        for key in ["k1", "k2", "k3"] {
            let sale = Self.sale(&till, key: key)
            sales[key] = sale
            _ = try await store.take(till.push([sale]))
        }
        try await refund(of: #require(sales["k1"]), 1250, to: "k1")
        for key in ["k1", "k2", "k3"] {
            _ = try await store.ledger.settle(key: key, by: .declined(reason: "stolen_card"), at: 3)
        }
        try await refund(of: #require(sales["k2"]), 500, to: "k2")
        try await refund(of: #require(sales["k3"]), 1250, to: "k3")
        #expect(try await store.ledger.paymentDebts(of: nil).map(\.payment.amount) == [750])
        for query in [
            BackOfficeQuery.debts(page(), openOnly: true), BackOfficeQuery.debts(page(), openOnly: false),
            BackOfficeQuery.debts(ofShifts: Self.shift, through: Self.shift),
        ] {
            let rows = try await store.ledger.rows(of: query)
            #expect(rows.map { $0.text("key") } == ["k2"] && rows.map { $0.integer("amount") } == [750])
        }
        let sum = try await store.ledger.rows(of: BackOfficeQuery.openDebtSums(storeId: nil)).first
        #expect(sum?.integer("count") == 1 && sum?.integer("low") == 750)
        #expect(try await store.ledger.paymentCalls(limit: 9).isEmpty)
        let flags = try await store.ledger.rows(of: BackOfficeQuery.flags(page(), flag: "refund_not_on_card"))
        #expect(flags.isEmpty)
        #expect(try await store.ledger.settleDebt("k2", .writtenOff, by: "kim", reason: "gone", at: 9))
        #expect(try await !store.ledger.settleDebt("k3", .paid, by: "kim", reason: "paid", at: 9))
        let debts = try await documents(store, [.debt, .debtSettled])
        #expect(
            debts
                == [
                    "debt k2 1250 stolen_card", "debt k3 1250 stolen_card", "debtSettled k2 500 refund",
                    "debtSettled k3 1250 refund", "debtSettled k2 750 writtenOff",
                ])
        // Money went back before the card was refused, and none did afterwards.
        let refunds = try await documents(store, [.refund])
        #expect(refunds == ["refund card", "refund debt", "refund debt"])
    }

    @Test("A debt has the business day of its store, and the number of its sale", arguments: StoreKind.all)
    func day(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        // 2026-11-21 20:30 UTC is half past five of the next day in Tokyo, where the day begins at six.
        let moment = try #require(Timestamp.milliseconds(of: "2026-11-21T20:30:00.000Z"))
        var till = Till()
        let taken = (0..<3).map { number -> Mutation in
            let sale = till.sale()
            return till.paid(
                sale,
                by: [
                    [
                        "method": "visa", "kind": "card", "amount": 1250, "state": "storedOffline",
                        "authorizationKey": .string("k\(number)"),
                        "sealed": ["keyId": "s", "token": "dG9rZW4="],
                        "storedAt": "2026-11-20T09:00:00.000Z",
                    ]
                ])
        }
        for sale in taken { _ = try await store.take(till.push([sale])) }
        func refuse(_ key: String, at now: Int64) async throws {
            _ = try await store.ledger.settle(key: key, by: .declined(reason: "stolen_card"), at: now)
        }
        try await refuse("k0", at: moment)
        _ = try await store.ledger.changeStoreSettings(
            ["store.timeZone": "Asia/Tokyo", "store.businessDayStartsAt": "06:00"], of: "S1", at: 1)
        try await refuse("k1", at: moment)
        try await refuse("k2", at: moment + 1_800_000)
        let reading = try await store.ledger.journal(after: nil, limit: 9, JournalFilter(kinds: [.debt]))
        guard case .page(let texts, _, _) = reading else { return #expect(Bool(false)) }
        let debts = try texts.map { try JournalCommons(JSONParser.parse($0.utf8), .own) }
        #expect(debts.map(\.businessDay) == ["2026-11-21", "2026-11-21", "2026-11-22"])
        #expect(debts.map(\.orderNumber) == taken.map { $0.payload["orderNumber"]?.string })
    }

    private func documents(
        _ store: TemporaryStore, _ kinds: Set<JournalDocument.Kind>
    ) async throws -> [String] {
        let reading = try await store.ledger.journal(after: nil, limit: 99, JournalFilter(kinds: kinds))
        guard case .page(let texts, _, hasMore: false) = reading else { return [] }
        return try texts.map { text in
            let json = try JSONParser.parse(text.utf8)
            let (common, content) = (try JournalCommons(json, .own), json["document"] ?? .null)
            let words: [String?]
            switch common.kind {
            case .debt:
                let debt = try DebtDocument(content, .own)
                words = [common.id, "\(debt.amount)", debt.reason]
            case .debtSettled:
                let settled = try DebtSettledDocument(content, .own)
                words = [settled.debtId, "\(settled.amount)", settled.way.rawValue]
            case _: words = try SaleDocument(content, .own).payments.map(\.kind)
            }
            #expect(common.storeId != nil && common.terminalId == "T1" && common.currency == "CNY")
            return ([common.kind.rawValue] + words.compactMap(\.self)).joined(separator: " ")
        }
    }

    @Test("A void ends a debt in place of money", arguments: StoreKind.all)
    func voided(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        try await store.enrol("T1")
        let sale = Self.sale(&till, key: "k1")
        _ = try await store.take(till.push([sale]))
        _ = try await store.ledger.settle(key: "k1", by: .declined(reason: "stolen_card"), at: 3)
        let void = till.minted(
            "order.voided", ["orderId": sale.payload["orderId"] ?? .null, "currency": "CNY"])
        _ = try await store.take(till.push([void]))
        #expect(
            try await documents(store, [.debt, .debtSettled, .void])
                == ["debt k1 1250 stolen_card", "void debt", "debtSettled k1 1250 void"])
        #expect(try await store.ledger.paymentDebts(of: nil).isEmpty)
    }

    @Test("The alarm of a terminal is acknowledged with the last of its debts", arguments: StoreKind.all)
    func alarms(_ kind: StoreKind) async throws {
        let (store, _) = try await store(kind)
        let ledger = store.ledger
        try await ledger.raise(Alarm(kind: .paymentForwardDeclined, terminalId: "T1", at: 5))
        try await ledger.raise(Alarm(kind: .paymentForwardDeclined, terminalId: "T2", at: 5))
        try await ledger.raise(Alarm(kind: .chainBroken, terminalId: "T1", at: 5))
        func open() async throws -> Set<String> {
            let rows = try await ledger.rows(of: BackOfficeQuery.alarms(page(), openOnly: true))
            return Set(rows.map { "\($0.text("kind") ?? "") \($0.text("terminal_id") ?? "")" })
        }
        let others: Set = ["payment_forward_declined T2", "chain_broken T1"]
        for (key, left) in [("k1", others.union(["payment_forward_declined T1"])), ("k2", others)] {
            _ = try await ledger.settleDebt(key, .paid, by: "kim", reason: "paid", at: 9)
            #expect(try await open() == left)
        }
    }

    @Test("What is open is summed up, hostile amounts too", arguments: StoreKind.all)
    func sums(_ kind: StoreKind) async throws {
        let (store, _) = try await store(kind)
        func sum() async throws -> String {
            let rows = try await store.ledger.rows(of: BackOfficeQuery.openDebtSums(storeId: nil))
            let row = try #require(rows.first)
            #expect(rows.count == 1 && row.text("currency") == "CNY")
            let high = Int128(row.integer("high") ?? 0) << 32
            return "\(row.integer("count") ?? 0) of \(high + Int128(row.integer("low") ?? 0))"
        }
        #expect(try await sum() == "2 of 2500")
        var other = Till("T9")
        let most = PayloadRange.count.upperBound
        // What money cannot be is never kept.
        let amounts = [most, most, most, most + 1]
        let sales = amounts.enumerated().map {
            Self.sale(&other, key: "h\($0)", amount: $1, in: nil)
        }
        for sale in sales { _ = try await store.take(other.push([sale])) }
        for key in ["h0", "h1", "h2", "h3"] {
            _ = try await store.ledger.settle(key: key, by: .declined(reason: "no"), at: 8)
        }
        #expect(try await sum() == "5 of \(3 * Int128(most) + 2500)")
    }
}
