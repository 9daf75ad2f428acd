import Credentials
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@testable import TerminalStore

@Suite("The till's copy of people and offers")
struct SQLiteFeedCopyTests {
    private let store: StoreFixture
    private let catalogue: SQLiteCatalogue
    private let copy: SQLiteFeedCopy

    init() async throws {
        store = try await StoreFixture()
        catalogue = SQLiteCatalogue(store.database, now: { 0 })
        copy = SQLiteFeedCopy(store.database) { StoreFixture.noon }
    }

    private func change(_ entity: String, _ id: String, _ value: JSONValue?) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: value == nil, deletedAt: nil, hlc: "h",
            origin: nil, value: value)
    }

    private func pull(_ changes: [Change], cursor: String = "c") async throws {
        try await catalogue.apply(ChangePage(changes: changes, cursor: cursor, hasMore: false))
        try await copy.refresh()
    }

    private func promotion(_ id: String, needsCoupon: Bool = false, offline: Bool = true) -> Change {
        change(
            "promotion", id,
            Promotion(
                id: id, name: "Offer", reduction: .percent(basisPoints: 1000), sku: "S1", department: nil,
                minimumQuantityMilli: 0, startsAt: nil, endsAt: StoreFixture.noon + 1,
                worksOffline: offline, needsCoupon: needsCoupon
            ).json)
    }

    private func coupon(_ code: String, _ promotionId: String, uses: Int64 = 0) -> Change {
        change(
            "coupon", code,
            Coupon(
                code: code, promotionId: promotionId, memberId: nil, maximumUses: 2, uses: uses,
                expiresAt: nil, worksOffline: true
            ).json)
    }

    private func query(_ coupons: [String] = []) throws -> OfferQuery {
        let price = try PricedLine(quantityMilli: 1000, unitPrice: 200, discount: 0, taxBasisPoints: 0)
        return OfferQuery(
            memberId: nil, coupons: coupons,
            lines: ["S1", "S2"].map { OfferQuery.Line(sku: $0, department: "", price: price) })
    }

    @Test("is empty before the first pull")
    func empty() async throws {
        try await copy.refresh()
        #expect(!copy.hasCashiers && !copy.hasMembers && !copy.hasPromotions && !copy.hasCoupons)
        #expect(try await copy.member("M1") == nil)
        #expect(try await copy.response(to: query(["A"])).coupons.map(\.objection) == [.unknown])
    }

    @Test("checks PINs against what the feed brought, and nobody's without one")
    func cashiers() async throws {
        let hash = try #require(PINHash(hashing: "1234")).text
        try await pull([
            change("cashier", "c1", ["id": "c1", "name": "Li", "role": "newer", "pinHash": .string(hash)]),
            change("cashier", "c2", ["id": "c2"]),
        ])
        #expect(copy.hasCashiers)
        let li = try #require(copy.cashier("c1"))
        #expect(li.name == "Li" && li.role == .cashier && copy.cashier("c2")?.verifier == nil)
        #expect(try await copy.check("1234", of: "c1") == .right(li))
        #expect(
            try await store.number("SELECT count(*) FROM feed_entities WHERE value LIKE '%$scrypt$%'") == 0)
        for (id, pin) in [("c1", "1235"), ("c2", ""), ("c2", "1234"), ("c3", "1234")] {
            #expect(try await copy.check(pin, of: id) == .wrong)
        }
        #expect(try await copy.counts().cashiers == 2)
        #expect(try await copy.counts().unreadableCashiers == 1)
        #expect(!copy.hasManager)
        try await pull([change("cashier", "c4", ["id": "c4", "role": "manager"])], cursor: "c2")
        #expect(copy.hasManager)
        try await pull([change("cashier", "c4", nil)], cursor: "c3")
        try await pull([change("cashier", "c1", nil), change("cashier", "c2", nil)], cursor: "d")
        #expect(!copy.hasCashiers)
        #expect(try await copy.check("1234", of: "c1") == .wrong)
    }

    @Test("finds members by id and by the digits of their telephone number, as long as they have it")
    func members() async throws {
        try await pull([
            change("member", "M1", ["name": "Li", "phone": "+86 138-0013 8000", "points": 1]),
            change("member", "M2", ["name": "Wu", "phone": "222222", "points": 0]),
            change("member", "M3", ["phone": "222222", "points": 0]),
            change("member", "M4", ["points": 9]),
        ])
        #expect(copy.hasMembers)
        #expect(try await copy.member("M1") == Member(id: "M1", name: "Li", points: 1))
        #expect(try await copy.member("M4") == Member(id: "M4", name: nil, points: 9))
        #expect(try await copy.members(phone: "8613800138000").map(\.id) == ["M1"])
        #expect(try await copy.members(phone: "86 (138) 0013-8000").map(\.id) == ["M1"])
        #expect(Set(try await copy.members(phone: "222222").map(\.id)) == ["M2", "M3"])
        #expect(try await copy.members(phone: "no digits") == [])
        try await pull(
            [
                change("member", "M1", ["name": "Li", "phone": "777777", "points": 1]),
                change("member", "M2", nil),
            ],
            cursor: "d")
        #expect(try await copy.members(phone: "8613800138000") == [])
        #expect(try await copy.members(phone: "222222").map(\.id) == ["M3"])
        #expect(try await copy.counts().members == 3)
    }

    @Test("gives the offers that are valid without the hub, at the till's own time")
    func offers() async throws {
        try await pull([
            promotion("P1"), promotion("P2", offline: false), promotion("P3", needsCoupon: true),
            change("promotion", "P4", ["id": "P4", "kind": "of a newer hub"]), coupon("A", "P3"),
        ])
        #expect(copy.hasPromotions && copy.hasCoupons)
        let response = try await copy.response(to: query(["A", "B"]))
        #expect(response.lines.map { $0.map(\.amount) } == [[20, 18], []])
        #expect(response.coupons.map(\.objection) == [nil, .unknown])
        #expect(
            try await copy.counts()
                == FeedCopyCounts(
                    cashiers: 0, unreadableCashiers: 0, cheapCashiers: [], members: 0, promotions: 3,
                    offlinePromotions: 2,
                    coupons: 1))
        try await pull([change("promotion", "P1", nil), change("promotion", "P2", nil)], cursor: "d")
        #expect(!copy.hasPromotions)
    }

    @Test("a coupon needs a lease when it is for some sales only and valid without the hub")
    func limitedCoupons() async throws {
        let key = try #require(LookupKey(base64: Self.keys.couponKey))
        let digest = key.digest(ofCoupon: "A 1")
        func value(_ most: Int64?, offline: Bool, _ code: String) -> Change {
            change(
                "coupon", code,
                Coupon(
                    code: code, promotionId: "P3", memberId: nil, maximumUses: most, uses: 0,
                    expiresAt: nil, worksOffline: offline
                ).json)
        }
        try await pull([
            change("storeConfig", "S1", Self.keys.added(to: [:])), value(1, offline: true, digest),
            value(nil, offline: true, key.digest(ofCoupon: "B")),
            value(1, offline: false, key.digest(ofCoupon: "C")),
        ])
        #expect(try await copy.limited(["a1", "B", "C", "D"], named: []) == ["a1": digest])
        #expect(try await copy.limited([], named: []) == [:])
        // The hub has one that came in since.
        #expect(
            try await copy.limited(["a1", "d 4"], named: ["d 4"]) == [
                "a1": digest, "d 4": key.digest(ofCoupon: "D4"),
            ])
    }

    private static let keys = StoreLookupKeys(couponKey: LookupKey().base64, phoneKey: LookupKey().base64)

    /// The rows as a hub of today sends them to a terminal.
    private func digested(coupon code: String, phones: [String: String]) throws -> [Change] {
        let coupons = try #require(LookupKey(base64: Self.keys.couponKey))
        let numbers = try #require(LookupKey(base64: Self.keys.phoneKey))
        let members = phones.map { id, digits in
            change(
                "member", id,
                ["points": 0, "phone": .string(numbers.digest(ofPhone: digits)), "phoneSince": .string(id)])
        }
        return [
            promotion("P3", needsCoupon: true), coupon(coupons.digest(ofCoupon: code), "P3"),
            change("storeConfig", "S1", Self.keys.added(to: [:])),
        ] + members
    }

    @Test("finds coupons and members by digests, however code and number are typed")
    func digests() async throws {
        try await pull(
            digested(coupon: "SUMMER-2026", phones: ["M2": "8613800138000", "M1": "8613800138000"]))
        let response = try await copy.response(to: query(["summer-2026", "ｓummer-2026", "SUMMER2026"]))
        #expect(response.coupons.map(\.objection) == [nil, .repeated, .unknown])
        #expect(response.coupons.map(\.code) == ["summer-2026", "ｓummer-2026", "SUMMER2026"])
        #expect(response.lines[0].map(\.coupon) == ["summer-2026"])
        let found = try await copy.members(phone: "+86 138 0013 8000")
        #expect(Set(found.map(\.phoneSince)) == ["M1", "M2"])
        #expect(try await copy.members(phone: "13800138000").map(\.id) == found.map(\.id))
        #expect(try await copy.members(phone: "13800138001") == [])
        #expect(try await copy.member("M1")?.name == nil)
    }
}
