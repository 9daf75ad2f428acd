import Credentials
import HubCore
import HubProtocol
import HubStore
import Pricing
import Testing

@Suite("The feed as a terminal sees it")
struct FeedViewTests {
    private static let code = "SUMMER-2026"

    /// A chain with a coupon and two members.
    private func opened(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities([Offer.coupon(Self.code, of: "p", uses: 2)], at: 1)
        _ = try await store.ledger.importEntities(
            [
                Offer.member("m", "Li Na", phone: "+86 138-0013", points: 5),
                Offer.member("n", "Wu", phone: nil),
            ],
            at: 1)
        return store
    }

    private func page(
        _ store: TemporaryStore, _ storeId: String = "S1", schema: Int64 = 2,
        after cursor: ChangeCursor? = nil
    ) async throws -> FeedPage? {
        try await FeedView(ledger: store.ledger).page(
            after: cursor, limit: 100, storeId: storeId, schema: schema, at: 9)
    }

    private func text(_ page: FeedPage?) -> String {
        (page?.changes ?? []).map(\.json.canonicalText).joined()
    }

    private func keys(_ page: FeedPage?) throws -> StoreLookupKeys {
        let config = page?.changes.last { $0.entity == "storeConfig" }?.value
        return try #require(StoreLookupKeys(storeConfig: config))
    }

    @Test(
        "The payment service is in the store's configuration, and another one begins anew",
        arguments: StoreKind.all)
    func payments(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        func value(_ page: FeedPage?) -> String? {
            page?.changes.last { $0.entity == "storeConfig" }?.value?["payments"]?.string
        }
        let none = try await page(store)
        #expect(value(none) == "none")
        #expect(try await page(store, after: none?.cursor) != nil)
        let simulated = FeedView(ledger: store.ledger, payments: "simulator")
        let refused = try await simulated.page(
            after: none?.cursor, limit: 100, storeId: "S1", schema: 2, at: 9)
        #expect(refused == nil)
        #expect(
            value(try await simulated.page(after: nil, limit: 100, storeId: "S1", schema: 2, at: 9))
                == "simulator")
    }

    @Test("Coupons come by digests under the store's own key", arguments: StoreKind.all)
    func coupons(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        let (one, nine) = (try await page(store), try await page(store, "S9"))
        #expect(!text(one).uppercased().contains(Self.code))
        #expect(try keys(one) != keys(nine))
        for page in [one, nine] {
            let key = try #require(LookupKey(base64: keys(page).couponKey))
            let coupon = try #require(page?.changes.first { $0.entity == "coupon" })
            #expect(coupon.entityId == key.digest(ofCoupon: "summer-2026"))
            #expect(coupon.value?["code"]?.string == coupon.entityId)
            #expect(coupon.value?["maxUses"] == 2 && coupon.value?["promotionId"] == "p")
        }
        #expect(try await keys(page(store)) == keys(one))
        let none: [Coupon] = []
        _ = try await store.ledger.importEntities(
            none, withdrawing: [EntityKey("coupon", Self.code)], at: 10)
        let after = try await page(store, after: one?.cursor)
        #expect(after?.changes.map(\.isDeleted) == [true])
        #expect(after?.changes.first?.entityId == one?.changes.first { $0.entity == "coupon" }?.entityId)
    }

    @Test("Members come with points and the digest of the phone; names where the store is configured so")
    func members() async throws {
        let store = try await opened(.sqlite)
        let plain = try await page(store)
        let key = try #require(LookupKey(base64: keys(plain).phoneKey))
        func member(_ page: FeedPage?, _ id: String) -> JSONValue? {
            page?.changes.first { $0.entity == "member" && $0.entityId == id }?.value
        }
        let digest = JSONValue.string(key.digest(ofPhone: "861380013"))
        #expect(member(plain, "m") == ["phone": digest, "points": 5])
        #expect(member(plain, "n") == ["points": 0])
        _ = try await store.ledger.changeStoreSettings(["members.names": "on"], of: "S1", at: 3)
        #expect(try await page(store, after: plain?.cursor) == nil)
        let named = try await page(store)
        #expect(member(named, "m") == ["name": "Li Na", "phone": digest, "points": 5])
        #expect(member(try await page(store, "S9"), "m")?["name"] == nil)
        #expect(try await page(store, after: named?.cursor)?.changes == [])
    }

    @Test(
        "The origin of a change names the mutation to its own store alone, and who changed it to all",
        arguments: StoreKind.all)
    func origin(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        let changed = till.minted("member.updated", ["tier": "gold"], entityId: "m")
        _ = try await store.take(till.push([changed]))
        func origin(_ storeId: String, schema: Int64) async throws -> JSONValue? {
            try await page(store, storeId, schema: schema)?.changes.last { $0.entityId == "m" }?.origin
        }
        for schema in [1, 5] as [Int64] {
            #expect(
                try await origin("S1", schema: schema)
                    == ["terminalId": "T1", "storeId": "S1", "mutationId": .string(changed.id)])
            #expect(
                try await origin("S9", schema: schema) == ["terminalId": "T1", "storeId": "S1"])
        }
    }

    @Test("A terminal of schema 1 gets no coupons, no keys, and members without phone and name")
    func earlier() async throws {
        let store = try await opened(.sqlite)
        _ = try await page(store)
        for schema in [Int64(0), 1] {
            let page = try await page(store, schema: schema)
            #expect(page?.changes.map(\.entity) == ["promotion", "member", "member", "storeConfig"])
            #expect(page?.changes.last?.value == [:])
            #expect(page?.changes[1].value == ["points": 5])
        }
    }

    @Test("A promotion with terms comes as a tombstone to terminals that would give it without them")
    func terms() async throws {
        let store = try await opened(.sqlite)
        let before = try await page(store, schema: 4)
        func row(_ schema: Int64) async throws -> Change {
            try #require(try await page(store, schema: schema)?.changes.first { $0.entityId == "p" })
        }
        #expect(try await row(4).value != nil)
        let terms = Promotion(
            id: "p", name: "p", reduction: .amount(500), sku: nil, department: nil, minimumQuantityMilli: 0,
            startsAt: nil, endsAt: nil, worksOffline: true, needsCoupon: false, minimumAmount: 10_000)
        _ = try await store.ledger.importEntities([terms], at: 2)
        for schema in [Int64(1), 2, 3, 4] {
            let gone = try await row(schema)
            #expect(gone.isDeleted && gone.value == nil && gone.deletedAt != nil)
        }
        #expect(try await page(store, schema: 4, after: before?.cursor)?.changes.first?.isDeleted == true)
        #expect(try await row(5).value?["minAmountMinor"] == 10_000)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 3)
        #expect(try await row(4).value != nil)
    }

    @Test("A cursor of another form cannot be gone on with: of before, of another schema, of another store")
    func forms() async throws {
        let store = try await opened(.sqlite)
        let cursor = try #require(try await page(store)).cursor
        #expect(ChangeCursor(cursor.text) == cursor)
        #expect(try await page(store, after: cursor) != nil)
        // Schema 3 has the terminals' keys, of which a cursor of schema 2 may be behind.
        #expect(try await page(store, schema: 3, after: cursor) == nil)
        let third = try #require(try await page(store, schema: 3)).cursor
        #expect(try await page(store, schema: 4, after: third) == nil)
        let fourth = try #require(try await page(store, schema: 4)).cursor
        #expect(try await page(store, schema: 5, after: fourth) == nil)
        let fifth = try #require(try await page(store, schema: 5)).cursor
        #expect(try await page(store, schema: 6, after: fifth) != nil)
        let older = ChangeCursor(feed: cursor.feed, position: cursor.position)
        for schema in [Int64(1), 2] { #expect(try await page(store, schema: schema, after: older) == nil) }
        #expect(try await page(store, schema: 1, after: cursor) == nil)
        #expect(try await page(store, "S9", after: cursor) == nil)
        let first = try #require(try await page(store, schema: 1)).cursor
        #expect(try await page(store, schema: 1, after: first) != nil)
        #expect(try await page(store, after: first) == nil)
    }

    @Test("A page of rows that are not shown leads on", arguments: StoreKind.all)
    func leadsOn(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities((0..<5).map { Offer.coupon("C\($0)", of: "p") }, at: 1)
        var (cursor, count) = (ChangeCursor?.none, 0)
        let view = FeedView(ledger: store.ledger)
        for _ in 0..<10 {
            let page = try #require(
                try await view.page(after: cursor, limit: 2, storeId: "S1", schema: 1, at: 9))
            count += page.changes.count
            cursor = page.cursor
            if !page.hasMore { break }
        }
        #expect(count == 1)
        #expect(try await store.ledger.changes(after: cursor, limit: 2, storeId: "S1")?.changes == [])
    }

    @Test(
        "Two hubs that get requests for a new store's keys at once return the same", arguments: StoreKind.all)
    func race(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let keys = try await withThrowingTaskGroup(of: StoreLookupKeys.self) { group in
            for _ in 0..<8 { group.addTask { try await ledger.storeKeys(of: "S1", at: 1) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        #expect(try await ledger.changes(after: nil, limit: 9, storeId: "S1")?.changes.count == 1)
        #expect(try await ledger.storeSettings(of: "S1") == StoreSettings())
    }

    @Test("A coupon is redeemed and evaluated however its code is typed", arguments: StoreKind.all)
    func typed(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        let response = try await store.take(
            till.push([till.sale(coupons: ["summer-2026"]), till.sale(coupons: ["SUMMER 2026"])]))
        #expect(response?.results.map { $0.json["flags"] } == [[], ["coupon_unknown"]])
        let found = try await store.ledger.coupons(typed: [" Summer-2026", Self.code, "none"])
        #expect(found.count == 2)
        #expect(found.values.allSatisfy { $0["uses"] == 1 && $0["code"]?.string == Self.code })
        _ = try await store.ledger.importEntities([Offer.coupon("summer-2026", of: "p")], at: 5)
        let exact = try await store.ledger.coupons(typed: ["summer-2026", Self.code])
        #expect(exact["summer-2026"]?["uses"] == 0 && exact[Self.code]?["uses"] == 1)
    }

    @Test(
        "Who takes somebody's number later comes behind them, however many they are", arguments: StoreKind.all
    )
    func hidden(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        let digits = "861380013"
        // Whoever is made with it is that member; others take it with a change.
        let claims = (0..<30).flatMap {
            [
                till.minted("member.created", ["name": "Wu"], entityId: "a\($0)"),
                till.minted("member.updated", ["phone": "861380013"], entityId: "a\($0)"),
            ]
        }
        let bonus = till.minted("points.adjusted", ["delta": 1], entityId: "m")
        _ = try await store.take(till.push(claims + [bonus]))
        let found = try await store.ledger.members(lookup: digits, limit: 20)
        #expect(found.count == 20)
        #expect(found.first?.id == "m" && found.first?.value["phoneSince"] == nil)
        #expect(found.dropFirst().allSatisfy { $0.value["phoneSince"] != nil })
        // Their first claim counts, also after they are written again; another number counts anew.
        let moved = till.minted(
            "member.updated", ["phone": "1", "lookUp": ["phone": .string(digits)]], entityId: "a0")
        let back = till.minted(
            "member.updated", ["phone": "86-1380013", "lookUp": ["phone": "1"]], entityId: "a0")
        _ = try await store.take(till.push([moved, back]))
        #expect(try await store.ledger.members(lookup: digits, limit: 50).map(\.id).last == "a0")
        let page = try #require(try await page(store))
        let member = page.changes.first { $0.entityId == "m" }?.value
        #expect(member?["points"] == 6 && member?["phoneSince"] == nil)
        #expect(page.changes.first { $0.entityId == "a1" }?.value?["phoneSince"] != nil)
    }

    @Test(
        "An erased member leaves the feed and the journals, and no terminal brings them back",
        arguments: StoreKind.all)
    func erased(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        let sale = till.sale()
        let named = till.minted(
            "order.completed",
            .object(
                (sale.payload.object ?? [:]).merging(
                    ["orderId": "o2", "memberId": "m", "memberName": "Li Na"]) { $1 }))
        let renamed = till.minted("member.updated", ["name": "Li Na-Wu"], entityId: "m")
        let other = till.minted("member.updated", ["name": "Wu Wei"], entityId: "n")
        _ = try await store.take(till.push([sale, named, renamed, other]))
        let cursor = try #require(try await page(store)).cursor
        let done = try await store.ledger.eraseMember("m", at: 20)
        #expect(done.wasKnown && done.entries == 2)
        let again = try await store.ledger.eraseMember("m", at: 21)
        #expect(!again.wasKnown && again.entries == 0)
        #expect(try await page(store, after: cursor)?.changes.map(\.isDeleted) == [true])
        #expect(try await store.ledger.members(lookup: "861380013", limit: 9).isEmpty)
        // What was received goes on to be known and to link.
        #expect(try await store.outcomes(till.push([named, renamed])) == ["duplicate", "duplicate"])
        let late = [
            till.minted("member.updated", ["name": "Li"], entityId: "m"),
            till.minted("member.created", ["name": "Li"], entityId: "m"),
            till.minted("points.adjusted", ["delta": 5], entityId: "m"),
        ]
        let flags = try await store.take(till.push(late))?.results.map { $0.json["flags"] }
        #expect(flags == Array(repeating: ["member_unknown"], count: 3))
        #expect(try await store.ledger.entities([EntityKey("member", "m")]).isEmpty)
        #expect(try await store.ledger.entities([EntityKey("member", "n")]).values.first?["name"] == "Wu Wei")
    }
}
