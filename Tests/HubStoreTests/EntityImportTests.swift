import HubCore
import HubProtocol
import HubStore
import Pricing
import Testing

@Suite("An import of members, cashiers, promotions and coupons")
struct EntityImportTests {
    private func changes(_ store: TemporaryStore, after cursor: ChangeCursor? = nil) async throws -> [Change]
    {
        try #require(try await store.ledger.changes(after: cursor, limit: 1_000, storeId: "S1")).changes
    }

    private func ids(_ members: [MemberRecord]) -> [String] { members.map(\.id) }

    @Test("moves what it changes to every store's feed, and nothing else", arguments: StoreKind.all)
    func changed(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let kim = CashierRecord(id: "c", name: "Kim", role: .manager, pinHash: "$")
        #expect(try await ledger.importEntities([kim], at: 1) == .imported(new: 1, changed: 0, unchanged: 0))
        let first = [Offer.member("m", "Li", phone: "1"), Offer.member("n", "Wu", phone: "2", points: 5)]
        #expect(try await ledger.importEntities(first, at: 2) == .imported(new: 2, changed: 0, unchanged: 0))
        let cursor = try #require(try await ledger.changes(after: nil, limit: 9, storeId: "S2")).cursor
        let second = [Offer.member("m", "Li Na", phone: "1"), first[1], Offer.member("o", "He", phone: "3")]
        #expect(try await ledger.importEntities(second, at: 3) == .imported(new: 1, changed: 1, unchanged: 1))
        let moved = try await changes(store, after: cursor)
        #expect(moved.map(\.entityId) == ["m", "o"])
        #expect(moved.map(\.version) == [2, 1])
        #expect(moved.first?.value == ["name": "Li Na", "phone": "1", "points": 0])
        #expect(zip(moved, moved.dropFirst()).allSatisfy { $0.hlc < $1.hlc })
        let values = try await ledger.entities([EntityKey("member", "n"), EntityKey("member", "x")])
        #expect(values == [EntityKey("member", "n"): ["name": "Wu", "phone": "2", "points": 5]])
    }

    @Test(
        "makes a document of each balance that it changes, and so does the end of a member",
        arguments: StoreKind.all)
    func balances(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        _ = try await store.take(
            till.push([till.minted("points.adjusted", ["memberId": "n", "delta": 7], entityId: "x")]))
        let list = [
            Offer.member("m", "Li", phone: nil, points: 5), Offer.member("n", "Wu", phone: nil, points: 4),
            Offer.member("o", "He", phone: nil),
        ]
        for at in [2, 3] as [Int64] { _ = try await ledger.importEntities(list, at: at) }
        _ = try await ledger.eraseMember("m", at: 4)
        let reading = try await ledger.journal(after: nil, limit: 9, JournalFilter(kinds: [.points]))
        guard case .page(let texts, _, _) = reading else { return #expect(Bool(false)) }
        let documents = try texts.map { try JSONParser.parse($0.utf8) }
        let said = documents.map { document in
            let content = document["document"]
            return [content?["memberId"], content?["delta"], content?["reason"]].map { $0 ?? .null }
        }
        // Imported points are the opening ones, and count once.
        #expect(
            said == [["n", 7, .null], ["m", 5, "imported"], ["n", 4, "imported"], ["m", -5, "withdrawn"]])
        #expect(Set(documents.map { $0["id"] }).count == documents.count)
    }

    @Test("of more than one portion is accepted completely and in its order", arguments: StoreKind.all)
    func portions(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let list = (0..<4_100).map { Offer.member("m\($0)", "Name \($0)", phone: "\($0)") }
        #expect(
            try await store.ledger.importEntities(list, at: 1)
                == .imported(new: 4_100, changed: 0, unchanged: 0))
        let page = try #require(try await store.ledger.changes(after: nil, limit: 5_000, storeId: "S1"))
        #expect(page.changes.map(\.entityId) == list.map(\.id))
        #expect(
            try await store.ledger.importEntities(list, at: 2)
                == .imported(new: 0, changed: 0, unchanged: 4_100))
    }

    @Test("gives another mark after each change of a kind for a store", arguments: StoreKind.all)
    func marks(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var marks = [try await ledger.changeMark(ofKind: "promotion", for: "S1")]
        func noteMark() async throws {
            marks.append(try await ledger.changeMark(ofKind: "promotion", for: "S1"))
        }
        _ = try await ledger.importEntities([Offer.promotion("p"), Offer.promotion("q")], at: 1)
        try await noteMark()
        _ = try await ledger.importEntities([Offer.coupon("A", of: "p")], at: 2)
        try await noteMark()
        let none: [Promotion] = []
        _ = try await ledger.importEntities(none, withdrawing: [EntityKey("promotion", "q")], at: 3)
        try await noteMark()
        #expect(Set(marks).count == 4 && marks[0] == 0)
        _ = try await ledger.importEntities([Offer.member("m", "Li", phone: nil)], at: 4)
        try await noteMark()
        #expect(marks[4] == marks[3])
    }

    @Test("marks the promotions of coupons, and is refused as a whole at a place", arguments: StoreKind.all)
    func coupons(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.importEntities([Offer.promotion("p"), Offer.promotion("q")], at: 1)
        let list = [Offer.coupon("A", of: "p"), Offer.coupon("B", of: "r"), Offer.coupon("C", of: "q")]
        guard case .refused(let objections) = try await ledger.importEntities(list, at: 2) else {
            Issue.record("not refused at its place")
            return
        }
        #expect(objections.map(\.place) == [1])
        #expect(objections.first?.message.contains("import promotions first") == true)
        #expect(try await changes(store).map(\.entity) == ["promotion", "promotion"])
        _ = try await ledger.importEntities([list[0]], at: 3)
        #expect(try await changes(store).map(\.entityId) == ["q", "p", "A"])
        let promotions = try await ledger.entities(ofKind: "promotion", for: "S1").map {
            try Promotion(json: $0)
        }
        #expect(Set(promotions.filter(\.needsCoupon).map(\.id)) == ["p"])
        #expect(
            try await ledger.importEntities([Offer.promotion("p")], at: 4)
                == .imported(new: 0, changed: 0, unchanged: 1))
    }

    @Test("and pushes write one member field by field, and its points once", arguments: StoreKind.all)
    func beside(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let early = till.minted("points.adjusted", ["delta": 20], entityId: "m")
        _ = try await store.take(till.push([early]))
        let imported = Offer.member("m", "Li", phone: "139", points: 100)
        _ = try await store.ledger.importEntities([imported], at: 1)
        let spent = till.minted("points.adjusted", ["delta": -50], entityId: "m")
        let renamed = till.minted("member.updated", ["tier": "gold"], entityId: "m")
        _ = try await store.take(till.push([spent, renamed]))
        _ = try await store.ledger.importEntities(
            [Offer.member("m", "Li Na", phone: "139", points: 7)], at: 2)
        #expect(
            try await changes(store).map(\.value)
                == [["name": "Li Na", "phone": "139", "tier": "gold", "points": 70]])
    }

    @Test("loses nothing that pushes write at the same time", arguments: StoreKind.all)
    func together(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var pushes: [IntakeRequest] = []
        var till = Till()
        for _ in 0..<60 {
            pushes.append(try till.push([till.minted("points.adjusted", ["delta": 1], entityId: "m")]))
        }
        let sent = pushes
        async let pushed: Void = {
            for push in sent { _ = try await ledger.ingest(push) }
        }()
        for round in 1...60 {
            let member = Offer.member("m", "Name \(round)", phone: "\(round)", points: 1_000)
            _ = try await ledger.importEntities([member], at: Int64(round))
        }
        try await pushed
        let value = try await changes(store).first?.value
        // The import opened the account once, whether the first push came before it or behind.
        #expect(value == ["name": "Name 60", "phone": "60", "points": 1_060])
    }

    @Test("Members are found by the digits of their phone, whoever wrote it", arguments: StoreKind.all)
    func lookup(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        _ = try await ledger.importEntities([Offer.member("b", "Li", phone: "+86 139-00")], at: 1)
        let created = till.minted("member.created", ["name": "Wu"], entityId: "a")
        let numbered = till.minted("member.updated", ["phone": "(86) 13900"], entityId: "a")
        let note = till.minted("note.upserted", ["phone": "8613900"], entityId: "n")
        _ = try await store.take(till.push([created, numbered, note]))
        // Who has the number from an import comes before who takes it.
        #expect(ids(try await ledger.members(lookup: "8613900", limit: 20)) == ["b", "a"])
        #expect(ids(try await ledger.members(lookup: "8613900", limit: 1)) == ["b"])
        #expect(try await ledger.members(lookup: "13900", limit: 20) == [])
        let moved = till.minted(
            "member.updated", ["phone": "77", "lookUp": ["phone": "8613900"]], entityId: "a")
        let points = till.minted("points.adjusted", ["delta": 3], entityId: "a")
        _ = try await store.take(till.push([moved, points]))
        _ = try await ledger.importEntities([Offer.member("b", "Li", phone: nil)], at: 2)
        #expect(try await ledger.members(lookup: "8613900", limit: 20) == [])
        #expect(try await ledger.members(lookup: "77", limit: 20).first?.points == 3)
    }
}

/// Members and offers for tests.
enum Offer {
    static func member(_ id: String, _ name: String, phone: String?, points: Int64 = 0) -> MemberEntry {
        MemberEntry(
            id: id, profile: ["name": .string(name), "phone": JSONValue(phone)], openingPoints: points)
    }

    static func promotion(_ id: String) -> Promotion {
        Promotion(
            id: id, name: id, reduction: .amount(500), sku: nil, department: nil, minimumQuantityMilli: 0,
            startsAt: nil, endsAt: nil, worksOffline: true, needsCoupon: false)
    }

    static func coupon(_ code: String, of promotion: String, uses: Int64? = nil) -> Coupon {
        Coupon(
            code: code, promotionId: promotion, memberId: nil, maximumUses: uses, uses: 0, expiresAt: nil,
            worksOffline: true)
    }
}
