import HubCore
import HubProtocol
import HubStore
import Synchronization
import TestKit
import Testing

@testable import HubStorePostgres

/// Two tills at two hubs over one database, each pair of pushes at the same instant.
@Suite(
    "PostgresLedger: two hubs at one instant", .serialized,
    .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct PostgresRaceTests {
    private static let rounds = 60

    private let url: String
    private let hubs: [PostgresLedger]

    init() throws {
        let url = try PostgresServer.shared.get().freshSchema()
        self.url = url
        hubs = try (0..<2).map { _ in try PostgresLedger.underLoad(url: url) }
    }

    private func take(_ push: IntakeRequest, at hub: Int = 0) async throws -> [String] {
        guard case .results(let response) = try await hubs[hub].ingest(push) else { return ["refused"] }
        return response.results.map { result in
            result.outcome == .conflict
                ? "conflict \(result.json["policy"]?.string ?? "")" : result.outcome.rawValue
        }
    }

    @Test("A transaction that another one came between runs again, a few times at most")
    func collision() async throws {
        let runs = Mutex(0)
        let third = try await hubs[0].write { _ in
            let run = runs.withLock { count in
                count += 1
                return count
            }
            guard run == 3 else { throw TransactionCollision() }
            return .keep(run)
        }
        #expect(third == 3)
        await #expect(throws: LedgerError.busy) {
            try await hubs[0].write { _ -> TransactionEnding<Int> in throw TransactionCollision() }
        }
    }

    /// Pushes one at each hub, and gives both outcomes in order.
    private func race(_ one: IntakeRequest, _ other: IntakeRequest) async throws -> [String] {
        async let first = take(one, at: 0)
        async let second = take(other, at: 1)
        return try await (first + second).sorted()
    }

    private func count(_ table: String) throws -> String {
        try PostgresServer.shared.get().sql("SELECT COUNT(*) FROM \(table)", on: url)
    }

    /// Two identities of one device.
    private func oneDevice() async throws -> (Till, Till) {
        for id in ["T1", "T2"] {
            try await hubs[0].keepEnrolmentCodes([id], storeId: "S1", expiresAt: 100)
            _ = try await hubs[0].enrol(
                EnrolmentApplicant(
                    terminalId: id, codeDigest: id, name: "till", publicKey: "key", tokenExpiresAt: 500),
                at: 50)
        }
        return (Till("T1"), Till("T2"))
    }

    @Test("Two groups of pushes with receipts in common do not wait for each other for good")
    func receiptLocks() async throws {
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        let before = try PostgresServer.shared.get().sql(deadlocks)
        // A set of another size has its elements in another order.
        let receipts = [40, 100].map { count in Set((0..<count).map { "S1-1-20261126-\($0)" }) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (hub, wanted) in zip(hubs, receipts) {
                group.addTask {
                    for _ in 0..<Self.rounds {
                        _ = try await hub.database.write { connection throws(PostgresError) in
                            .keep(try connection.query([PostgresLock.receipts(wanted)]).count)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // What a connection counted is there a second later at the latest, or with its end.
        for hub in hubs { hub.close() }
        #expect(try PostgresServer.shared.get().sql(deadlocks) == before)
    }

    @Test("One id of an entry or order from two devices: both are accepted, each as its own")
    func sharedIds() async throws {
        var (till, other) = (Till("T1"), Till("T2", store: "S2"))
        for _ in 0..<Self.rounds {
            let sale = till.sale()
            let same = other.minted("order.completed", sale.payload, id: sale.id)
            #expect(try await race(till.push([sale]), other.push([same])) == ["applied", "applied"])
        }
        #expect(try count("orders") == "\(2 * Self.rounds)\n")
    }

    @Test("The same order from two identities of a till: one is accepted, the other is a conflict")
    func order() async throws {
        var (till, other) = try await oneDevice()
        for _ in 0..<Self.rounds {
            let sale = till.sale()
            let again = other.minted("order.completed", sale.payload)
            #expect(
                try await race(till.push([sale]), other.push([again])) == ["applied", "conflict append_only"])
        }
        #expect(try count("orders") == "\(Self.rounds)\n")
    }

    @Test("Many of the same orders in two batches of opposite order do not keep each other waiting")
    func orders() async throws {
        var (till, other) = try await oneDevice()
        for _ in 0..<10 {
            let sales = (0..<20).map { _ in till.sale() }
            let again = sales.reversed().map { other.minted("order.completed", $0.payload) }
            let outcomes = try await race(till.push(sales), other.push(again))
            #expect(outcomes.filter { $0 == "applied" }.count == 20)
            #expect(outcomes.filter { $0 == "conflict append_only" }.count == 20)
        }
        #expect(try count("orders") == "200\n")
    }

    @Test("The last unit of each article, sold at both: both sales count, and one of them is flagged")
    func lastPiece() async throws {
        let articles = (0..<Self.rounds).map { index in
            ProductRecord(
                sku: "A\(index)", barcode: "\(index)", name: "Article", department: "", priceMinor: 1250,
                currency: "CNY", taxBasisPoints: 0, unit: .each, stockMilli: 1_000)
        }
        _ = try await hubs[0].importProducts(articles, at: 1)
        var (till, other) = (Till("T1"), Till("T2"))
        for article in articles {
            let sales = [
                try till.push([till.sale(sku: article.sku)]), try other.push([other.sale(sku: article.sku)]),
            ]
            async let first = hubs[0].ingest(sales[0])
            async let second = hubs[1].ingest(sales[1])
            let flags = try await [first, second].flatMap { response -> [String] in
                guard case .results(let results) = response else { return ["refused"] }
                return (results.results.first?.json["flags"]?.array ?? []).compactMap(\.string)
            }
            #expect(flags.filter { $0 == "stock_negative" }.count == 1, "\(flags)")
        }
        let sold = try PostgresServer.shared.get().sql("SELECT DISTINCT sold_milli FROM products", on: url)
        #expect(sold == "2000\n")
    }

    @Test("The same articles at both in opposite order: every sale counts, and there is no deadlock")
    func oppositeArticles() async throws {
        let server = try PostgresServer.shared.get()
        let skus = (0..<40).map { "A\($0)" }
        let articles = skus.map { sku in
            ProductRecord(
                sku: sku, barcode: sku, name: "Article", department: "", priceMinor: 1250, currency: "CNY",
                taxBasisPoints: 0, unit: .each, stockMilli: 1_000_000)
        }
        _ = try await hubs[0].importProducts(articles, at: 1)
        // A deadlock is undone and tried again, a second later; what leads to it is looked at instead.
        _ = try server.sql(Self.noteOrder, on: url)
        var (till, other) = (Till("T1"), Till("T2"))
        for _ in 0..<Self.rounds {
            let sales = skus.map { till.sale(sku: $0) }
            let others = skus.reversed().map { other.sale(sku: $0) }
            #expect(try await race(till.push(sales), other.push(others)).allSatisfy { $0 == "applied" })
        }
        #expect(try server.sql("SELECT DISTINCT sold_milli FROM products", on: url) == "120000\n")
        let steps = "SELECT sku < lag(sku) OVER (PARTITION BY transaction ORDER BY place) FROM counted"
        let counts = "SELECT count(*), count(*) FILTER (WHERE back) FROM (\(steps)) AS steps (back)"
        #expect(try server.sql(counts, on: url) == "\(2 * skus.count * Self.rounds)|0\n")
    }

    /// Writes down which articles each transaction counts, one after the other.
    private static let noteOrder = """
        CREATE TABLE counted (place bigserial, transaction bigint, sku text);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO counted (transaction, sku) VALUES (txid_current(), NEW.sku);
            RETURN NEW;
        END $$;
        CREATE TRIGGER note BEFORE UPDATE ON products FOR EACH ROW EXECUTE FUNCTION note();
        """

    @Test("Two terminals want the last piece back at two hubs: one is granted, however they meet")
    func decisions() async throws {
        var (till, other) = (Till("T1"), Till("T2"))
        func inquiry(_ sale: Mutation, _ id: String) -> RefundInquiry {
            RefundInquiry(
                refundId: id, kind: .refund, sale: .number(sale.payload["orderNumber"]?.string ?? ""),
                lines: [.init(sku: "tea", quantityMilli: 1000)], amount: 1250)
        }
        @Sendable func verdict(
            _ inquiry: RefundInquiry, by device: DeviceIdentity, at hub: Int
        ) async throws -> String {
            let outcome = try await hubs[hub].decide(inquiry, by: device, at: 1_000)
            guard case .decided(let decision) = outcome else { return "none" }
            return decision.verdict.rawValue
        }
        let devices = [till.device, other.device]
        for round in 0..<Self.rounds {
            let sale = till.sale()
            _ = try await take(till.push([sale]))
            let inquiries = ["A", "B", "D"].map { inquiry(sale, "\($0)\(round)") }
            async let first = verdict(inquiries[0], by: devices[0], at: 0)
            async let second = verdict(inquiries[1], by: devices[1], at: 1)
            let both = try await [first, second]
            #expect(both.sorted() == ["granted", "refused"])
            let winner = both[0] == "granted" ? 0 : 1
            try await hubs[1].releaseRefund(inquiries[winner].refundId, of: devices[winner])
            // A refund that was made without the hub arrives while the other terminal requests a decision.
            let offline = till.minted(
                "refund.completed",
                [
                    "orderId": sale.payload["orderId"] ?? .null, "total": 1250,
                    "lines": [["sku": "tea", "quantityMilli": 1000]],
                ], entityId: "C\(round)")
            let push = try till.push([offline])
            async let intake = take(push, at: 0)
            async let decision = verdict(inquiries[2], by: devices[1], at: 1)
            let outcome = try await intake + [decision]
            #expect(
                outcome == ["applied", "refused"] || outcome == ["conflict escalate", "granted"],
                "\(outcome)")
            try await hubs[0].releaseRefund(inquiries[2].refundId, of: devices[1])
        }
    }

    @Test("Two voids of one sale: one counts")
    func voids() async throws {
        var (till, other) = (Till("T1"), Till("T2"))
        for _ in 0..<Self.rounds {
            let sale = till.sale()
            _ = try await take(till.push([sale]))
            let payload: JSONValue = ["orderId": sale.payload["orderId"] ?? .null]
            let (one, two) = (till.minted("order.voided", payload), other.minted("order.voided", payload))
            #expect(try await race(till.push([one]), other.push([two])) == ["applied", "conflict escalate"])
        }
    }

    @Test("Two refunds that are too much together, or a refund and a void: one counts")
    func refunds() async throws {
        var (till, other) = (Till("T1"), Till("T2"))
        for round in 0..<Self.rounds {
            let sale = till.sale()
            _ = try await take(till.push([sale]))
            let orderId = sale.payload["orderId"] ?? .null
            let one = till.minted("refund.completed", ["orderId": orderId, "total": 700])
            let two =
                round % 2 == 0
                ? other.minted("refund.completed", ["orderId": orderId, "total": 700])
                : other.minted("order.voided", ["orderId": orderId])
            #expect(try await race(till.push([one]), other.push([two])) == ["applied", "conflict escalate"])
        }
    }

    @Test("Points and fields of one member, one note: nothing that was written is lost")
    func entities() async throws {
        var tills = (0..<4).map { Till("T\($0)") }
        for round in 0..<Self.rounds {
            var pushes: [IntakeRequest] = []
            for index in tills.indices {
                let field = "f\(index)"
                let mutations = [
                    tills[index].minted("points.adjusted", ["delta": 1], entityId: "M"),
                    tills[index].minted("member.updated", [field: .integer(Int64(round))], entityId: "M"),
                    tills[index].minted("note.upserted", [field: .integer(Int64(round))], entityId: "N"),
                ]
                pushes.append(try tills[index].push(mutations))
            }
            let sent = pushes
            try await withThrowingTaskGroup(of: [String].self) { group in
                for index in sent.indices { group.addTask { try await take(sent[index], at: index % 2) } }
                for try await outcomes in group {
                    #expect(outcomes == ["applied", "applied", "applied"])
                }
            }
        }
        let changes = try #require(try await hubs[0].changes(after: nil, limit: 9, storeId: "S1")).changes
        let last = Int64(Self.rounds - 1)
        let fields = (0..<4).reduce(into: JSONObject()) { $0["f\($1)"] = .integer(last) }
        #expect(changes.first { $0.entity == "note" }?.value == .object(fields))
        let member = try #require(changes.first { $0.entity == "member" })
        #expect(
            member.value
                == .object(fields.merging(["points": .integer(Int64(4 * Self.rounds))]) { $1 }))
        #expect(member.version == Int64(8 * Self.rounds))
    }

    @Test("One coupon in sales at both, and an import beside them: every sale counts")
    func coupons() async throws {
        _ = try await hubs[0].importEntities([Offer.promotion("p")], at: 1)
        _ = try await hubs[0].importEntities([Offer.coupon("A", of: "p", uses: 1)], at: 1)
        var (till, other) = (Till("T1"), Till("T2"))
        for round in 0..<Self.rounds {
            let coupon = Offer.coupon("A", of: "p", uses: Int64(round + 2))
            async let imported = hubs[round % 2].importEntities([coupon], at: 2)
            let outcomes = try await race(
                till.push([till.sale(coupons: ["A"])]), other.push([other.sale(coupons: ["A"])]))
            #expect(outcomes == ["applied", "applied"])
            #expect(try await imported == .imported(new: 0, changed: 1, unchanged: 0))
        }
        let key = EntityKey("coupon", "A")
        let value = try #require(try await hubs[0].entities([key])[key])
        #expect(value["uses"] == .integer(Int64(2 * Self.rounds)))
        #expect(value["maxUses"] == .integer(Int64(Self.rounds + 1)))
    }

    @Test("An entry and its edit, or two edits of it, from two identities of one disk: one counts")
    func succession() async throws {
        var (till, other) = try await oneDevice()
        for round in 0..<Self.rounds {
            let entry = till.minted("points.adjusted", ["delta": 1], entityId: "M")
            let edit = other.minted("points.adjusted", ["delta": 1], entityId: "M", supersedes: entry.id)
            let first =
                round % 2 == 0
                ? entry : till.minted("points.adjusted", ["delta": 1], entityId: "M", supersedes: entry.id)
            let outcomes = try await race(till.push([first]), other.push([edit]))
            #expect(outcomes.filter { $0 == "applied" }.count == 1, "\(outcomes)")
        }
        let changes = try #require(try await hubs[0].changes(after: nil, limit: 9, storeId: "S1")).changes
        #expect(changes.first?.value?["points"] == .integer(Int64(Self.rounds)))
    }
}
