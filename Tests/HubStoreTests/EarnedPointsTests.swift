import Base
import HubCore
import HubProtocol
import HubStore
import Testing

/// What a terminal's sales earn on one business day has a measure.
@Suite("Points that sales earn have a measure by business day")
struct EarnedPointsTests {
    /// 2026-11-21, and the days around it.
    private static let today: Int64 = 20_778
    private static func moment(_ day: Int64) -> Int64 { day * 86_400_000 + 3_600_000 }

    private static func businessDay(_ day: Int64) -> String { day.formattedDay }

    /// A store with a scheme of a point for each unit of 100, of which `days` days before today are known,
    /// each with one sale that earned 10 points.
    private func opened(_ kind: StoreKind, days: Int64 = 7) async throws -> (TemporaryStore, Till) {
        let store = try TemporaryStore(kind)
        var till = Till()
        _ = try await store.ledger.changeStoreSettings(
            ["points.earnEveryMinor": 100, "points.valueMinor": 1], of: "S1", at: 1)
        let created = ["M", "gone"].map { till.minted("member.created", ["name": "Li"], entityId: $0) }
        _ = try await store.take(till.push(created, at: Self.moment(Self.today - days)))
        for day in (Self.today - days)..<Self.today {
            let sale = Self.sale(by: &till, on: day, total: 1_000)
            #expect(try await flags(store, till, [sale], at: day) == [[]])
        }
        return (store, till)
    }

    private static func sale(
        by till: inout Till, on day: Int64, total: Int64, earned: Int64? = nil, spent: Int64 = 0,
        orderId: String = Till.ulid(), member: String = "M"
    ) -> Mutation {
        till.minted(
            "order.completed",
            [
                "orderId": .string(orderId), "businessDay": .string(businessDay(day)),
                "orderNumber": .string("\(till.device.storeId)-1-20261101-\(till.sequence + 1)"),
                "currency": "CNY", "taxIncluded": true,
                "lines": [
                    [
                        "sku": "a", "quantityMilli": 1000, "unitPrice": .integer(total), "discount": 0,
                        "total": .integer(total), "taxBasisPoints": 0,
                    ]
                ],
                "payments": [["method": "cash", "amount": .integer(total)]], "total": .integer(total),
                "tax": 0, "change": 0, "memberId": .string(member),
                "points": [
                    "earned": .integer(earned ?? total / 100), "spent": .integer(spent),
                    "value": .integer(spent),
                ],
            ])
    }

    private func flags(
        _ store: TemporaryStore, _ till: Till, _ sales: [Mutation], at day: Int64
    ) async throws -> [JSONValue?] {
        try await store.take(till.push(sales, at: Self.moment(day)))?.results.map { $0.json["flags"] } ?? []
    }

    private func points(_ store: TemporaryStore, _ id: String = "M") async throws -> Int64? {
        try await store.ledger.entities([EntityKey("member", id)])[EntityKey("member", id)]?["points"]?
            .integer
    }

    private func alarms(_ store: TemporaryStore) async throws -> [String] {
        try await store.ledger.alarms(terminal: "T1", limit: 9).map(\.first.kind).sorted()
    }

    /// A mean sale earns 10 points, so that the measure is 100,000.
    @Test(
        "What is past 10,000 mean sales waits: the sale counts, and half of the measure is an alarm",
        arguments: StoreKind.all)
    func measure(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind, days: 8)
        let first = Self.sale(by: &till, on: Self.today, total: 4_900_000)
        #expect(try await flags(store, till, [first], at: Self.today) == [[]])
        #expect(try await alarms(store) == [])
        let more = [
            Self.sale(by: &till, on: Self.today, total: 5_000_000),
            Self.sale(by: &till, on: Self.today, total: 110_000, spent: 3),
            Self.sale(by: &till, on: Self.today, total: 100_000),
        ]
        #expect(
            try await flags(store, till, more, at: Self.today)
                == [[], ["lease_exceeded", "points_held"], []])
        #expect(try await points(store) == 80 + 49_000 + 50_000 - 3 + 1_000)
        #expect(try await alarms(store) == ["points_earned_many", "points_held"])
        // What came today raises no measure of today, whatever days it names.
        let sales = (1...3).map { Self.sale(by: &till, on: Self.today - $0, total: 9_999_000) }
        let again = Self.sale(by: &till, on: Self.today - 1, total: 2_000)
        #expect(
            try await flags(store, till, sales + [again], at: Self.today) == [[], [], [], ["points_held"]])
        // Days that the measure does not look back to are one day.
        let old = [100, 200].map { Self.sale(by: &till, on: Self.today - $0, total: 6_000_000) }
        #expect(try await flags(store, till, old, at: Self.today) == [[], ["points_held"]])
    }

    /// Eight sales earned 10 points each, so that the measure is 80,000 with the other two.
    @Test(
        "A sale that earned other points than its total gives adds nothing to the mean total",
        arguments: StoreKind.all)
    func meanTotal(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind, days: 8)
        let large = [9_000_000_000_000, 90_000_000].map {
            Self.sale(by: &till, on: Self.today - 1, total: $0, earned: 1)
        }
        #expect(
            try await flags(store, till, large, at: Self.today - 1)
                == [["amount_implausible", "points_differ"], ["points_differ"]])
        let sales = [8_000_000, 100].map { Self.sale(by: &till, on: Self.today, total: $0) }
        #expect(try await flags(store, till, sales, at: Self.today) == [[], ["points_held"]])
        #expect(try await points(store) == 80 + 2 + 80_000)
    }

    @Test(
        "What says more than its store gives does not wait for a person past the measure: none of it moves",
        arguments: StoreKind.all)
    func differing(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let stated: [Int64] = [900_000_000, 60_000, 50_000]
        let sales = stated.map { Self.sale(by: &till, on: Self.today, total: 100, earned: $0) }
        let refused = ["points_differ", "points_limit"] as JSONValue
        let limits = IntakeLimits()
        let pushed = try till.push(sales, at: Self.moment(Self.today), limits: limits)
        let results = try #require(try await store.take(pushed)).results
        #expect(results.map { $0.json["flags"] } == [refused, refused, refused])
        // None of these points moved, so that nobody has to look how near the measure they came.
        #expect(try await alarms(store) == [])
        let past = [
            Self.sale(by: &till, on: Self.today, total: 10_000_000),
            Self.sale(by: &till, on: Self.today, total: 100, earned: 2),
            Self.sale(by: &till, on: Self.today, total: 100),
        ]
        let more = try till.push(past, at: Self.moment(Self.today), limits: limits)
        #expect(
            try await store.take(more)?.results.map { $0.json["flags"] } == [[], refused, ["points_held"]])
        let held = HeldPoints(terminalId: "T1", since: 0)
        #expect(try await store.ledger.releaseHeldPoints(held, at: Self.moment(Self.today) + 1).points == 1)
    }

    @Test(
        "A day may come to twice the store's largest; another terminal has its own, and a new store none",
        arguments: StoreKind.all)
    func largest(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        _ = try await store.ledger.changeStoreSettings(
            ["points.earnEveryMinor": 100, "points.valueMinor": 1], of: "S9", at: 1)
        _ = try await flags(
            store, till, [Self.sale(by: &till, on: Self.today, total: 10_000_000)], at: Self.today)
        // Without a scheme nothing is known of a mean sale.
        _ = try await store.ledger.changeStoreSettings(
            ["points.earnEveryMinor": nil, "points.valueMinor": nil], of: "S1", at: 2)
        let tomorrow = Self.today + 1
        let sales = [20_000_000, 100].map { Self.sale(by: &till, on: tomorrow, total: $0) }
        var limits = IntakeLimits()
        (limits.pointsPerMutation, limits.pointsPerDay) = (1_000_000, 1_000_000)
        let pushed = try till.push(sales, at: Self.moment(tomorrow), limits: limits)
        #expect(try await store.take(pushed)?.results.map { $0.json["flags"] } == [[], ["points_held"]])
        var other = Till("T2")
        let fair = Self.sale(by: &other, on: tomorrow, total: 100)
        #expect(try await flags(store, other, [fair], at: tomorrow) == [[]])
        var newcomer = Till("T9", store: "S9")
        let much = Self.sale(by: &newcomer, on: tomorrow, total: 90_000_000)
        #expect(try await flags(store, newcomer, [much], at: tomorrow) == [[]])
        (store, till) = try await opened(kind, days: 6)
        let free = Self.sale(by: &till, on: Self.today, total: 90_000_000)
        #expect(try await flags(store, till, [free], at: Self.today) == [[]])
    }

    @Test(
        "Where a store has no scheme, what its sales say they earn ends at 100,000 a day, with an alarm at half",
        arguments: StoreKind.all)
    func unexplained(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let created = till.minted("member.created", ["name": "Li"], entityId: "M")
        _ = try await store.take(till.push([created], at: Self.moment(Self.today)))
        let limit = ["points_limit"] as JSONValue
        let sales = [1_000_100, 1_000_000, 1_000_000, 1_000_000, 1_000_000].map {
            Self.sale(by: &till, on: Self.today, total: $0)
        }
        let some = try till.push(Array(sales.prefix(4)), at: Self.moment(Self.today), limits: IntakeLimits())
        #expect(try await store.take(some)?.results.map { $0.json["flags"] } == [limit, [], [], []])
        #expect(try await alarms(store) == [])
        let more = [sales[4]] + (0..<6).map { _ in Self.sale(by: &till, on: Self.today, total: 1_000_000) }
        let rest = try till.push(more, at: Self.moment(Self.today), limits: IntakeLimits())
        _ = try await store.take(rest)
        #expect(try await alarms(store) == ["points_unexplained_many"])
        let last = (0..<2).map { _ in Self.sale(by: &till, on: Self.today, total: 500_000) }
        let end = try till.push(last, at: Self.moment(Self.today), limits: IntakeLimits())
        #expect(try await store.take(end)?.results.map { $0.json["flags"] } == [limit, limit])
        #expect(try await points(store) == 100_000)
    }

    @Test(
        "Half of what a day has for points without a reason is an alarm, whether sales or adjustments reach it",
        arguments: StoreKind.all)
    func half(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let created = till.minted("member.created", ["name": "Li"], entityId: "M")
        _ = try await store.take(till.push([created], at: Self.moment(Self.today)))
        func adjusted(_ delta: Int64) -> Mutation {
            till.minted("points.adjusted", ["delta": .integer(delta)], entityId: "M")
        }
        let first = [
            adjusted(10_000), adjusted(10_000), adjusted(10_000), adjusted(10_000),
            Self.sale(by: &till, on: Self.today, total: 900_000),
        ]
        #expect(try await flags(store, till, first, at: Self.today).allSatisfy { $0 == [] })
        #expect(try await alarms(store) == [])
        #expect(try await flags(store, till, [adjusted(1_000)], at: Self.today) == [[]])
        #expect(try await alarms(store) == ["points_unexplained_many"])
    }

    @Test("One sale is released alone, by its order", arguments: StoreKind.all)
    func releaseOne(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let orders = (1...2).map { _ in Till.ulid() }
        let sales =
            [Self.sale(by: &till, on: Self.today, total: 10_000_000)]
            + orders.map { Self.sale(by: &till, on: Self.today, total: 10_000, orderId: $0) }
        #expect(
            try await flags(store, till, sales, at: Self.today) == [[], ["points_held"], ["points_held"]])
        let one = HeldPoints(terminalId: "T1", since: 0, orderId: orders[1])
        let outcome = try await store.ledger.releaseHeldPoints(one, at: Self.moment(Self.today) + 1)
        #expect(outcome.sales.map(\.orderId) == [orders[1]])
        #expect(try await points(store) == 70 + 100_000 + 100)
        let rest = HeldPoints(terminalId: "T1", since: 0)
        let others = try await store.ledger.releaseHeldPoints(rest, at: Self.moment(Self.today) + 2)
        #expect(others.sales.map(\.orderId) == [orders[0]])
    }

    @Test(
        "A person releases what waits, without what came back; once, and it is taken back with the rest",
        arguments: StoreKind.all)
    func release(_ kind: StoreKind) async throws {
        var (store, till) = try await opened(kind)
        let orders = (1...4).map { _ in Till.ulid() }
        var sales = [Self.sale(by: &till, on: Self.today, total: 10_000_000)]
        sales += orders.prefix(3).map {
            Self.sale(by: &till, on: Self.today, total: 10_000, spent: 2, orderId: $0)
        }
        sales.append(
            Self.sale(by: &till, on: Self.today, total: 10_000, orderId: orders[3], member: "gone"))
        #expect(
            try await flags(store, till, sales, at: Self.today)
                == [[]] + Array(repeating: ["lease_exceeded", "points_held"], count: 3) + [["points_held"]])
        let before = try #require(try await points(store))
        #expect(before == 70 + 100_000 - 6)
        // What did not move does not come back.
        let void = till.minted("order.voided", ["orderId": .string(orders[0])], entityId: orders[0])
        let refund = till.minted(
            "refund.completed",
            [
                "orderId": .string(orders[1]), "total": 5_000, "currency": "CNY",
                "lines": [["sku": "a", "quantityMilli": 500]],
            ])
        #expect(try await flags(store, till, [void, refund], at: Self.today) == [[], []])
        #expect(try await points(store) == before + 2 + 1)
        _ = try await store.ledger.withdrawMember("gone", at: Self.moment(Self.today))
        let held = HeldPoints(terminalId: "T1", since: Self.moment(Self.today))
        let outcome = try await store.ledger.releaseHeldPoints(held, at: Self.moment(Self.today) + 1)
        #expect([outcome.sales.count, Int(outcome.points), outcome.lost] == [4, 50 + 100, 1])
        let given = Dictionary(uniqueKeysWithValues: outcome.sales.map { ($0.orderId, $0.points) })
        #expect(given == Dictionary(uniqueKeysWithValues: zip(orders, [0, 50, 100, 0])))
        #expect(outcome.sales.allSatisfy { $0.total == 10_000 && $0.currency == "CNY" && $0.earned == 100 })
        #expect(!outcome.hasMore)
        #expect(try await points(store) == before + 3 + 150)
        let reading = try await store.ledger.journal(
            after: nil, limit: 99, JournalFilter(kinds: [.points, .flag]))
        guard case .page(let texts, _, _) = reading else { return }
        let documents = try texts.map { try JSONParser.parse($0.utf8)["document"] ?? .null }
        let gone = documents.filter { $0["flag"] != nil }
        #expect(gone.allSatisfy { $0["flag"] == "points_held" && $0["set"] == false })
        #expect(gone.count == outcome.sales.count)
        #expect(documents.reduce(0) { $0 + ($1["delta"]?.integer ?? 0) } == outcome.points)
        let again = try await store.ledger.releaseHeldPoints(held, at: Self.moment(Self.today) + 2)
        #expect(again.sales.isEmpty)
        // From now on the sale has moved its points.
        let rest = till.minted("order.voided", ["orderId": .string(orders[2])], entityId: orders[2])
        #expect(try await flags(store, till, [rest], at: Self.today) == [[]])
        #expect(try await points(store) == before + 3 + 150 + 2 - 100)
        let reversal = MemberReversal(terminalId: "T1", since: Self.moment(Self.today), part: .points)
        _ = try await store.ledger.revertMembers(reversal, at: Self.moment(Self.today) + 3)
        #expect(try await points(store) == 70)
    }
}

extension Int64 {
    /// Of a day since 1970, as a till names its business day.
    fileprivate var formattedDay: String {
        let date = CivilDate(daysSince1970: self)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }
}
