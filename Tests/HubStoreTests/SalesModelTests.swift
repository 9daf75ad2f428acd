import GRDB
import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

@Suite("The read model of sales")
struct SalesModelTests {
    /// Net sums by currency, as the results of the pushes give them.
    private struct Expected {
        var all: [String: Int128] = [:]
        var byDay: [String: Int128] = [:]
        var orders: Int128 = 0
    }

    /// Runs `sql` beside the ledger.
    private func run(_ sql: [String], on store: TemporaryStore, _ kind: StoreKind) throws {
        switch kind {
        case .sqlite:
            let queue = try DatabaseQueue(path: store.place)
            try queue.writeWithoutTransaction { db in for statement in sql { try db.execute(sql: statement) }
            }
            try queue.close()
        case .postgresql:
            let connection = try PostgresConnection(url: store.place)
            for statement in sql { try connection.query(statement) }
        }
    }

    private func store(_ kind: StoreKind) async throws -> (TemporaryStore, [Till]) {
        let store = try TemporaryStore(kind)
        let tills = [Till("T1"), Till("T2"), Till("T3", store: "S2")]
        for till in tills { try await store.enrol(till.device.terminalId, in: till.device.storeId) }
        return (store, tills)
    }

    /// Pushes random trade and adds up what was applied.
    private func trade(_ seed: UInt64, on store: TemporaryStore, _ tills: [Till]) async throws -> Expected {
        var trade = RandomTrade(seed: seed, tills: tills)
        var expected = Expected()
        for _ in 0..<25 {
            let push = try trade.push()
            guard !push.mutations.isEmpty, let response = try await store.take(push) else { continue }
            for result in response.results where result.outcome == .applied {
                guard let worth = trade.worth[result.id],
                    let type = push.mutations.first(where: { $0.id == result.id })?.type
                else { continue }
                expected.all[worth.currency, default: 0] += Int128(worth.net)
                expected.byDay["\(worth.day) \(worth.currency)", default: 0] += Int128(worth.net)
                expected.orders += type == "order.completed" ? 1 : type == "order.voided" ? -1 : 0
            }
        }
        return expected
    }

    private func reports(_ ledger: any Ledger) async throws -> [SalesDimension: [SalesRow]] {
        var reports: [SalesDimension: [SalesRow]] = [:]
        for dimension in SalesDimension.allCases {
            reports[dimension] = try await ledger.sales(by: dimension, SalesFilter())
        }
        return reports
    }

    @Test(
        "Complaint: of any trade, net is what was sold less voids and refunds, by whatever it is summed up",
        arguments: StoreKind.all, [1, 2, 3, 4] as [UInt64])
    func consistent(_ kind: StoreKind, _ seed: UInt64) async throws {
        let (store, tills) = try await store(kind)
        let expected = try await trade(seed, on: store, tills)
        let reports = try await reports(store.ledger)
        let days = Dictionary(
            uniqueKeysWithValues: (reports[.day] ?? []).map {
                ("\($0.key[0] ?? "") \($0.currency)", $0.net)
            })
        #expect(days == expected.byDay)
        #expect(reports[.day]?.reduce(0) { $0 + $1.orders } == expected.orders)
        var sums: Set<[String]> = []
        for (_, rows) in reports {
            var net: [String: Int128] = [:]
            var line: [String] = []
            for row in rows {
                #expect(row.gross - row.discounts - row.refunds == row.net)
                net[row.currency, default: 0] += row.net
            }
            for currency in ["CNY", "USD"] {
                let own = rows.filter { $0.currency == currency }
                line += [\SalesRow.gross, \.discounts, \.refunds, \.tax].map { figure in
                    "\(own.reduce(0) { $0 + $1[keyPath: figure] })"
                }
            }
            #expect(net == expected.all)
            sums.insert(line)
        }
        #expect(sums.count == 1, "every dimension comes to the same gross, discounts, refunds and tax")
        let audits = try await store.ledger.audit(terminal: nil)
        #expect(audits.flatMap(\.differingSums) == [])
        let audited = audits.flatMap(\.net)
        var auditedNet: [String: Int128] = [:]
        for sum in audited { auditedNet[sum.currency, default: 0] += Int128(sum.amount) }
        #expect(auditedNet.filter { $0.value != 0 } == expected.all.filter { $0.value != 0 })
    }

    @Test("A rebuild gives the same again, also of a read model that was damaged", arguments: StoreKind.all)
    func rebuilt(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        _ = try await trade(7, on: store, tills)
        let before = try await reports(store.ledger)
        #expect(before[.product]?.isEmpty == false)
        let count = try await store.ledger.rebuildSales()
        #expect(count > 10)
        #expect(try await reports(store.ledger) == before)
        try run(
            [
                "UPDATE sales SET gross = gross + 1, day = '1999-01-01' WHERE store_id = 'S1'",
                "DELETE FROM sales WHERE store_id = 'S2'",
                "UPDATE sales_sums SET gross_low = gross_low + 1 WHERE store_id = 'S1'",
                "INSERT INTO sales VALUES ('0STRAY', 'sale', 'o', '1970-01-01', 'S1', 'T1', NULL, 'CNY', 1, "
                    + "5, 0, 0, 0), ('ZSTRAY', 'sale', 'o', '1970-01-01', 'S1', 'T1', NULL, 'CNY', 1, "
                    + "5, 0, 0, 0)",
            ], on: store, kind)
        #expect(try await reports(store.ledger) != before)
        #expect(try await !store.ledger.audit(terminal: nil).flatMap(\.differingSums).isEmpty)
        #expect(try await store.ledger.rebuildSales() == count)
        #expect(try await store.ledger.audit(terminal: nil).flatMap(\.differingSums) == [])
        #expect(try await reports(store.ledger) == before)
    }

    @Test(
        "Figures are the same before documents are added to the sums, in between and after",
        arguments: StoreKind.all)
    func folded(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        _ = try await trade(5, on: store, tills)
        let before = try await reports(store.ledger)
        var count = 0
        while case let part = try await store.ledger.foldSales(), part > 0 { count += part }
        #expect(Int64(count) == (try await store.ledger.journalEnd().number))
        #expect(try await reports(store.ledger) == before)
        #expect(try await store.ledger.foldSales() == 0)
        // Once more in the same days: some of it is in the sums, some is not.
        _ = try await trade(6, on: store, tills)
        let mixed = try await reports(store.ledger)
        #expect(mixed != before)
        _ = try await store.ledger.foldSales()
        #expect(try await reports(store.ledger) == mixed)
        #expect(try await store.ledger.rebuildSales() > count)
        #expect(try await reports(store.ledger) == mixed)
    }

    @Test("The sums are those of the documents in the store, whatever the hub wrote", arguments: StoreKind.all)
    func storedDocuments(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        var till = tills[0]
        _ = try await store.take(till.push([till.sale(), till.sale()]))
        try run(["UPDATE documents SET document = '{}' WHERE number = 1"], on: store, kind)
        let before = try await reports(store.ledger)
        #expect(try await store.ledger.foldSales() == 2)
        #expect(try await reports(store.ledger) == before)
    }

    @Test("Sums are added up beside pushes without losing or doubling one", arguments: StoreKind.all)
    func foldedBesidePushes(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for till in tills {
                group.addTask {
                    var till = till
                    for _ in 0..<60 { _ = try await store.take(till.push([till.sale(), till.sale()])) }
                }
            }
            group.addTask { for _ in 0..<200 { _ = try await store.ledger.foldSales() } }
            try await group.waitForAll()
        }
        while try await store.ledger.foldSales() > 0 {}
        let rows = try await store.ledger.sales(by: .store, SalesFilter())
        #expect(rows.map(\.orders) == [240, 120])
        let before = try await reports(store.ledger)
        _ = try await store.ledger.rebuildSales()
        #expect(try await reports(store.ledger) == before)
    }

    @Test(
        "What a hostile terminal names stops no sum and makes no transaction of a million rows",
        arguments: StoreKind.all)
    func hostileKeys(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        var till = tills[0]
        for part in 0..<4 {
            let lines = (0..<2_500).map { number -> JSONValue in
                ["sku": .string("s\(part).\(number)"), "total": 1, "taxBasisPoints": .integer(Int64(number))]
            }
            let refund = till.minted(
                "refund.completed",
                [
                    "total": 2_500, "currency": "CNY", "lines": .array(lines),
                    "payments": [["method": "a\u{0}b", "amount": 2_500]],
                ])
            #expect(try await store.outcomes(till.push([refund])) == ["applied"])
        }
        // Amounts that together are none of JSON's.
        let most: Int64 = 9_007_199_254_740_991
        var sale = till.sale(price: most).payload.object ?? [:]
        (sale["change"], sale["cashRounding"]) = (.integer(-most), .integer(most))
        let sold = till.minted("order.completed", .object(sale))
        let void = till.minted("order.voided", ["orderId": sale["orderId"] ?? .null])
        let refund = till.minted(
            "refund.completed", ["total": .integer(most), "cashRounding": .integer(most)])
        let results = try await store.take(till.push([sold, void, refund], lowSequence: 1))?.results
        #expect(results?.map(\.outcome) == [.applied, .applied, .applied])
        let before = try await reports(store.ledger)
        var parts = 0
        while try await store.ledger.foldSales() > 0 { parts += 1 }
        #expect(parts > 1)
        #expect(try await reports(store.ledger) == before)
    }

    @Test("What keeps the price of a scale's label is no discount in the figures", arguments: StoreKind.all)
    func labels(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, twin) = (Till(), Till())
        let plain = twin.sale(price: 749)
        var members = plain.payload.object ?? [:]
        members["lines"] = [
            [
                "sku": "saffron", "quantityMilli": 2, "unitPrice": 500_000, "discount": 251,
                "labelRounding": 251, "total": 749, "taxBasisPoints": 0,
            ]
        ]
        let sale = till.minted("order.completed", .object(members))
        let results = try await store.take(till.push([sale]))?.results
        #expect(results?.map { $0.json["flags"] } == [[]])
        for dimension in [SalesDimension.day, .product, .tender, .tax] {
            let row = try #require(try await store.ledger.sales(by: dimension, SalesFilter()).first)
            #expect(row.gross == 749 && row.discounts == 0 && row.net == 749, "\(dimension)")
        }
    }

    @Test("Sums of hostile amounts are shown as the nearest that travels", arguments: StoreKind.all)
    func hostile(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        var till = tills[0]
        let most: Int64 = 9_007_199_254_740_991
        let sales = (0..<2_100).map { _ in till.sale(price: most) }
        for part in stride(from: 0, to: sales.count, by: 700) {
            _ = try await store.take(till.push(Array(sales[part..<part + 700])))
        }
        let rows = try await store.ledger.sales(by: .store, SalesFilter())
        #expect(rows.map(\.net) == [Int128(most) * 2_100])
        #expect(rows.first?.json["net"] == .integer(most))
        #expect(rows.first?.json["exceeds"] == true)
        #expect(try await store.ledger.sales(by: .product, SalesFilter()).map(\.net) == rows.map(\.net))
    }

    @Test("Days and stores limit what is summed up", arguments: StoreKind.all)
    func filtered(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        _ = try await trade(9, on: store, tills)
        let all = try await store.ledger.sales(by: .day, SalesFilter())
        for day in ["1970-01-01", "1970-01-03"] {
            let one = try await store.ledger.sales(by: .day, SalesFilter(from: day, to: day))
            #expect(one == all.filter { $0.key == [day] })
        }
        let own = try await store.ledger.sales(by: .terminal, SalesFilter(storeId: "S2"))
        #expect(Set(own.map(\.key)) == [["S2", "T3"]])
        let limits = SalesFilter(from: "1970-01-02", storeId: "S1")
        let tenders = try await store.ledger.sales(by: .tender, limits)
        let stores = try await store.ledger.sales(by: .store, limits)
        #expect(tenders.reduce(0) { $0 + $1.net } == stores.reduce(0) { $0 + $1.net })
    }
}
