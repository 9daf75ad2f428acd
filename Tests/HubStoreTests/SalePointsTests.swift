import Base
import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Points of sales at the hub")
struct SalePointsTests {
    /// A sale of 1,000 in two articles that earns and spends points.
    static func sale(
        by till: inout Till, member: JSONValue = "M", earned: Int64 = 10, spent: Int64 = 0
    ) -> Mutation {
        func line(_ sku: String) -> JSONValue {
            [
                "sku": .string(sku), "barcode": .string(sku), "name": .string(sku), "quantityMilli": 1000,
                "unitPrice": 500, "discount": 0, "total": 500, "taxBasisPoints": 0,
            ]
        }
        return till.minted(
            "order.completed",
            [
                "orderId": .string(Till.ulid()), "orderNumber": .string("S1-1-19700101-\(till.sequence + 1)"),
                "currency": "CNY", "taxIncluded": true, "lines": [line("a"), line("b")],
                "payments": [["method": "cash", "amount": 1000]], "total": 1000, "tax": 0, "change": 0,
                "memberId": member,
                "points": [
                    "earned": .integer(earned), "spent": .integer(spent), "value": .integer(spent),
                ],
            ])
    }

    private func points(_ store: TemporaryStore) async throws -> Int64? {
        try await store.ledger.entities([EntityKey("member", "M")])[EntityKey("member", "M")]?["points"]?
            .integer
    }

    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue?] {
        try await store.take(push)?.results.map { $0.json["flags"] } ?? []
    }

    private static func refund(
        of sale: Mutation, _ articles: [String], by till: inout Till, points: JSONValue?,
        dependsOnSale: Bool = true
    ) -> Mutation {
        var payload: JSONObject = [
            "orderId": sale.payload["orderId"] ?? .null, "total": .integer(500 * Int64(articles.count)),
            "currency": "CNY",
            "lines": .array(articles.map { ["sku": .string($0), "quantityMilli": 1000] }),
        ]
        payload["points"] = points
        return till.minted("refund.completed", .object(payload), dependsOn: dependsOnSale ? [sale.id] : [])
    }

    private func opened(_ kind: StoreKind) async throws -> (TemporaryStore, Till) {
        let store = try TemporaryStore(kind)
        var till = Till()
        let created = till.minted("member.created", ["name": "Li"], entityId: "M")
        let opening = till.minted("points.adjusted", ["memberId": "M", "delta": 100], entityId: "x")
        _ = try await store.take(till.push([created, opening]))
        return (store, till)
    }

    @Test(
        "A sale moves the balance once; without a member, or unread, it moves none", arguments: StoreKind.all)
    func sales(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let sale = Self.sale(by: &till, earned: 10, spent: 4)
        #expect(try await flags(store, till.push([sale])) == [["lease_exceeded"]])
        #expect(try await store.outcomes(till.push([sale])) == ["duplicate"])
        #expect(try await points(store) == 106)
        let others = [
            Self.sale(by: &till, member: nil), Self.sale(by: &till, member: ""),
            Self.sale(by: &till, earned: -1), Self.sale(by: &till, earned: 0, spent: 200),
        ]
        #expect(
            try await flags(store, till.push(others))
                == [[], [], ["details_unreadable"], ["lease_exceeded", "points_negative"]])
        #expect(try await points(store) == -94)
    }

    @Test(
        "A void returns all points, refunds return them with the running sum of all terminals",
        arguments: StoreKind.all)
    func reversals(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        var other = Till("T2")
        let (voided, returned) = (
            Self.sale(by: &till, earned: 9, spent: 5), Self.sale(by: &till, earned: 9, spent: 5)
        )
        _ = try await store.take(till.push([voided, returned]))
        #expect(try await points(store) == 108)
        let void = till.minted(
            "order.voided", ["orderId": voided.payload["orderId"] ?? .null],
            entityId: voided.payload["orderId"]?.string ?? "")
        #expect(try await flags(store, till.push([void])) == [[]])
        #expect(try await points(store) == 104)
        // A terminal that has no points to name moves them all the same.
        let first = Self.refund(of: returned, ["a"], by: &till, points: nil)
        #expect(try await flags(store, till.push([first])) == [[]])
        #expect(try await points(store) == 104 - 4 + 2)
        let rest = Self.refund(
            of: returned, ["b"], by: &other, points: ["earnedReturned": 5, "spentReturned": 3],
            dependsOnSale: false)
        #expect(try await flags(store, other.push([rest])) == [[]])
        #expect(try await points(store) == 100)
    }

    @Test(
        "The documents of what came back have what its points had paid, together as much as the sale's",
        arguments: StoreKind.all)
    func valueOfPoints(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let (sale, voided) = (
            Self.sale(by: &till, earned: 9, spent: 5), Self.sale(by: &till, earned: 9, spent: 3)
        )
        let parts = ["a", "b"].map { Self.refund(of: sale, [$0], by: &till, points: nil) }
        let plain = Self.sale(by: &till, earned: 9)
        let void = till.minted(
            "order.voided", ["orderId": voided.payload["orderId"] ?? .null],
            entityId: voided.payload["orderId"]?.string ?? "")
        let unpaid = Self.refund(of: plain, ["a"], by: &till, points: nil)
        _ = try await store.take(till.push([sale, voided, plain] + parts + [void, unpaid]))
        let reading = try await store.ledger.journal(
            after: nil, limit: 9, JournalFilter(kinds: [.refund, .void]))
        guard case .page(let texts, _, _) = reading else { return #expect(Bool(false)) }
        let points = try texts.map { try JSONParser.parse($0.utf8)["document"]?["points"] }
        #expect(
            points == [
                ["earnedReturned": 4, "spentReturned": 2, "value": 2],
                ["earnedReturned": 5, "spentReturned": 3, "value": 3],
                ["earnedReturned": 9, "spentReturned": 3, "value": 3],
                ["earnedReturned": 4, "spentReturned": 0],
            ])
    }

    @Test("Another amount on the receipt is flagged", arguments: StoreKind.all)
    func receipts(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let sale = Self.sale(by: &till, earned: 9, spent: 5)
        let first = Self.refund(
            of: sale, ["a"], by: &till, points: ["earnedReturned": 4, "spentReturned": 2])
        let rest = Self.refund(
            of: sale, ["b"], by: &till, points: ["earnedReturned": 4, "spentReturned": 3])
        #expect(
            try await flags(store, till.push([sale, first, rest]))
                == [["lease_exceeded"], [], ["points_differ"]])
        #expect(try await points(store) == 100)
        let unknown = till.minted(
            "order.voided", ["orderId": "never", "points": ["earnedReturned": 4, "spentReturned": 3]])
        #expect(try await flags(store, till.push([unknown])) == [["order_unknown"]])
        #expect(try await points(store) == 100)
    }

    @Test(
        "Other points than the store gives are flagged, of sales that are not older than its configuration",
        arguments: StoreKind.all)
    func schemes(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let made = try #require(Timestamp.milliseconds(of: "2026-11-21T00:00:00.000Z"))
        func configure(_ every: Int64, at now: Int64) async throws {
            _ = try await store.ledger.changeStoreSettings(
                ["points.earnEveryMinor": .integer(every), "points.valueMinor": 1], of: "S1", at: now)
        }
        try await configure(100, at: made)
        let sales = [
            Self.sale(by: &till, earned: 10), Self.sale(by: &till, earned: 11),
            Self.sale(by: &till, earned: 9),
        ]
        #expect(
            try await flags(store, till.push(sales)) == [[], ["points_differ"], ["points_differ"]])
        #expect(try await points(store) == 130)
        try await configure(10, at: made + 1)
        #expect(try await flags(store, till.push([Self.sale(by: &till, earned: 10)])) == [[]])
    }

    @Test(
        "Points that neither scheme nor leases explain count as adjustments, and past the limits none move",
        arguments: StoreKind.all)
    func limits(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        var limits = IntakeLimits.adjusting
        (limits.pointsPerMutation, limits.pointsPerDay) = (1_000, 1_500)
        let sales = [
            Self.sale(by: &till, earned: 1_001), Self.sale(by: &till, earned: 900),
            Self.sale(by: &till, earned: 0, spent: 501), Self.sale(by: &till, earned: 500),
        ]
        #expect(
            try await flags(store, till.push(sales, limits: limits))
                == [["points_limit"], [], ["points_limit"], []])
        #expect(try await points(store) == 1_500)
        // What did not move does not come back.
        let voids = sales.prefix(2).map { sale in
            till.minted(
                "order.voided", ["orderId": sale.payload["orderId"] ?? .null],
                entityId: sale.payload["orderId"]?.string ?? "")
        }
        _ = try await store.take(till.push(voids, limits: limits))
        #expect(try await points(store) == 600)
        // A sale that nobody makes earns nothing by its scheme.
        var narrow = limits
        (narrow.plausibleSaleAmount, narrow.pointsPerDay) = (999, 9_999)
        _ = try await store.ledger.changeStoreSettings(
            ["points.earnEveryMinor": 1, "points.valueMinor": 1], of: "S1", at: 1)
        #expect(
            try await flags(store, till.push([Self.sale(by: &till, earned: 1_000)], limits: narrow))
                == [["amount_implausible"]])
        narrow.pointsPerMutation = 999
        #expect(
            try await flags(store, till.push([Self.sale(by: &till, earned: 1_000)], limits: narrow))
                == [["amount_implausible", "points_limit"]])
        _ = try await store.ledger.changeStoreSettings(
            ["points.earnEveryMinor": nil, "points.valueMinor": nil], of: "S1", at: 2)
        #expect(try await points(store) == 1_600)
        // An adjustment waits for the next day as before.
        let more = till.minted("points.adjusted", ["memberId": "M", "delta": 1_000])
        #expect(try await store.outcomes(till.push([more], limits: limits)) == ["retry quota_exceeded"])
        _ = try await store.take(till.push([Self.sale(by: &till, earned: 1)], limits: limits))
        #expect(try await points(store) == 1_600)
    }
}
