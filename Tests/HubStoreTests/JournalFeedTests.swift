import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

@Suite("The journal feed")
struct JournalFeedTests {
    private typealias Document = (common: JournalCommons, content: JSONValue)

    private func store(_ kind: StoreKind) async throws -> (TemporaryStore, [Till]) {
        let store = try TemporaryStore(kind)
        let tills = [Till("T1"), Till("T2"), Till("T3", store: "S2")]
        for till in tills { try await store.enrol(till.device.terminalId, in: till.device.storeId) }
        return (store, tills)
    }

    /// Every document that a filter leaves, in pages.
    private func texts(
        of ledger: any Ledger, pages limit: Int = 1_000, _ filter: JournalFilter = JournalFilter()
    ) async throws -> [String] {
        var (texts, place): ([String], JournalCursor?) = ([], nil)
        while true {
            guard
                case .page(let found, let cursor, let hasMore) =
                    try await ledger.journal(after: place, limit: limit, filter)
            else { throw LedgerError.failed("the cursor expired") }
            #expect(found.count <= limit)
            texts += found
            place = cursor
            guard hasMore else { return texts }
        }
    }

    private func documents(of ledger: any Ledger) async throws -> [Document] {
        try await texts(of: ledger).map { text in
            let json = try JSONParser.parse(text.utf8)
            return (try JournalCommons(json, .own), json["document"] ?? .null)
        }
    }

    @Test(
        "Of any trade the documents come to the figures, by day and by tender, and each adds up in itself",
        arguments: StoreKind.all, [1, 2, 3] as [UInt64])
    func figures(_ kind: StoreKind, _ seed: UInt64) async throws {
        let (store, tills) = try await store(kind)
        var trade = RandomTrade(seed: seed, tills: tills)
        for _ in 0..<25 { _ = try await store.take(try trade.push()) }
        var byDay: [String: Int128] = [:]
        var byTender: [String: Int128] = [:]
        var byProduct: [String: Int128] = [:]
        var taxes: Int128 = 0
        var currencies: [String: String] = [:]
        let documents = try await documents(of: store.ledger)
        for (common, content) in documents {
            let sale = try SaleDocument(content, .own)
            if common.kind == .order { currencies[try #require(common.orderId)] = common.currency }
            let currency = common.currency ?? common.orderId.flatMap { currencies[$0] } ?? NoCurrency.code
            let sign: Int128 = common.kind == .order ? 1 : -1
            let differs = sale.flags.contains(IntakeFlag.amountsDiffer.rawValue)
            #expect(differs == sale.differs)
            byDay["\(common.businessDay ?? "") \(currency)", default: 0] += sign * Int128(sale.total)
            guard !differs else {
                byTender["nil \(currency)", default: 0] += sign * Int128(sale.total)
                byProduct["nil \(currency)", default: 0] += sign * Int128(sale.total)
                continue
            }
            taxes += sign * Int128(sale.tax)
            for line in sale.lines {
                byProduct["\(line.sku ?? "") \(currency)", default: 0] += sign * Int128(line.total)
            }
            for payment in sale.payments {
                byTender["\(payment.method) \(currency)", default: 0] += sign * Int128(payment.amount)
            }
            byTender["cash \(currency)", default: 0] -= sign * Int128(sale.change + sale.cashRounding)
        }
        func net(by dimension: SalesDimension) async throws -> [String: Int128] {
            let rows = try await store.ledger.sales(by: dimension, SalesFilter())
            return rows.reduce(into: [:]) { $0["\($1.key[0] ?? "nil") \($1.currency)", default: 0] += $1.net }
                .filter { $0.value != 0 }
        }
        #expect(try await net(by: .day) == byDay.filter { $0.value != 0 })
        #expect(try await net(by: .tender) == byTender.filter { $0.value != 0 })
        #expect(try await net(by: .product) == byProduct.filter { $0.value != 0 })
        #expect(try await store.ledger.sales(by: .day, SalesFilter()).reduce(0) { $0 + $1.tax } == taxes)
        #expect(documents.count > 20)
    }

    @Test(
        "Pages of any length are the same documents, each once; a filter takes some of them",
        arguments: StoreKind.all)
    func pages(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        var trade = RandomTrade(seed: 9, tills: tills)
        for _ in 0..<20 {
            let push = try trade.push()
            _ = try await store.take(push)
            // What comes again makes no document.
            _ = try await store.take(push)
        }
        let all = try await texts(of: store.ledger)
        let names = try all.map { try JournalCommons(JSONParser.parse($0.utf8), .own) }
            .map { [$0.kind.rawValue, $0.terminalId ?? "", $0.id] }
        #expect(Set(names).count == all.count)
        for limit in [1, 3, 17] { #expect(try await texts(of: store.ledger, pages: limit) == all) }
        let ofStore = try await texts(of: store.ledger, pages: 4, JournalFilter(storeId: "S2"))
        #expect(ofStore == all.filter { $0.contains("\"storeId\":\"S2\"") } && !ofStore.isEmpty)
        let refunds = try await texts(of: store.ledger, pages: 2, JournalFilter(kinds: [.refund, .void]))
        #expect(refunds == all.filter { !$0.contains("\"type\":\"order\"") } && !refunds.isEmpty)
    }

    @Test(
        "A cursor of another life, or behind the end, says what both lives have in common",
        arguments: StoreKind.all)
    func expired(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        var till = tills[0]
        _ = try await store.take(till.push([till.sale(), till.sale()]))
        let end = try await store.ledger.journalEnd()
        #expect(end.number == 2)
        #expect(JournalCursor(end.text) == end)
        let unknown = try await store.ledger.journal(
            after: JournalCursor(life: "other", number: 1), limit: 10, JournalFilter())
        #expect(unknown == .expired(life: end.life, sameThrough: 0))
        let beyond = try await store.ledger.journal(
            after: JournalCursor(life: end.life, number: 3), limit: 10, JournalFilter())
        #expect(beyond == .expired(life: end.life, sameThrough: 2))
        let nothing = try await store.ledger.journal(after: end, limit: 10, JournalFilter())
        #expect(nothing == .page(documents: [], cursor: end, hasMore: false))
    }

    @Test(
        "What the drawer and the shift did are documents, and a sale has both of its times",
        arguments: StoreKind.all)
    func shift(_ kind: StoreKind) async throws {
        let (store, tills) = try await store(kind)
        var till = tills[0]
        let day: JSONObject = [
            "shiftId": "shift-1", "currency": "CNY", "businessDay": "1970-01-01", "timeZone": "UTC",
        ]
        let opening = till.minted(
            "shift.opened",
            .object(
                day.merging(["openedAt": "1970-01-01T00:00:00.000Z", "openedBy": "ann", "float": 10_000])))
        let drop = till.minted(
            "cash.moved",
            .object(
                day.merging([
                    "moveId": .string(Till.ulid()), "kind": "drop", "amount": 2_000, "reason": "to the safe",
                    "cashierId": "ann",
                ])))
        var sale = till.sale().payload.object ?? [:]
        sale["hubTime"] = "1970-01-01T00:10:00.000Z"
        sale["businessDay"] = "1970-01-01"
        let sold = till.minted("order.completed", .object(sale))
        #expect(
            try await store.outcomes(try till.push([opening, drop], lowSequence: 1))
                == ["applied", "applied"])
        _ = try await store.take(try till.push([sold], lowSequence: 1))
        let documents = try await documents(of: store.ledger)
        #expect(documents.map(\.common.kind) == [.cash, .cash, .order])
        #expect(try CashDocument(documents[0].content, .own) == CashDocument(.float, 10_000, by: "ann"))
        #expect(
            try CashDocument(documents[1].content, .own)
                == CashDocument(.move(.drop), 2_000, by: "ann", reason: "to the safe"))
        #expect(documents[1].common.shiftId == "shift-1")
        let common = documents[2].common
        #expect(common.madeAt == "2026-11-21T00:00:00.000Z" && common.madeAtHub == "1970-01-01T00:10:00.000Z")
        #expect(common.receivedAt == "1970-01-01T00:16:40.000Z" && common.id == sold.id)
    }

    @Test(
        "Nothing is served above what an open transaction can still fill",
        .enabled(if: PostgresServer.isAvailable))
    func openTransaction() async throws {
        let (store, tills) = try await store(.postgresql)
        var till = tills[0]
        _ = try await store.take(till.push([till.sale()]))
        let other = try PostgresConnection(url: store.place)
        let announcement = try #require(JournalNumbering.postgres.announcement)
        try other.query([
            .begin, PostgresStatement(announcement),
            PostgresStatement(
                "INSERT INTO documents (kind, store_id, document) VALUES ('order', 'S9', '{\"slow\":true}')"),
        ])
        _ = try await store.take(till.push([till.sale(), till.sale()]))
        #expect(try await texts(of: store.ledger).count == 1)
        try other.query([.commit])
        let all = try await texts(of: store.ledger)
        #expect(all.count == 4 && all[1] == "{\"slow\":true}")
        // A transaction that ends without anything leaves a number out, and holds up nobody.
        try other.query([
            .begin, PostgresStatement(announcement),
            PostgresStatement(
                "INSERT INTO documents (kind, store_id, document) VALUES ('order', 'S9', '{}')"),
        ])
        try other.query([.rollback])
        _ = try await store.take(till.push([till.sale()]))
        #expect(try await texts(of: store.ledger).count == 5)
    }
}

extension JSONObject {
    fileprivate func merging(_ others: JSONObject) -> JSONObject {
        var all = self
        for (key, value) in others { all[key] = value }
        return all
    }
}
