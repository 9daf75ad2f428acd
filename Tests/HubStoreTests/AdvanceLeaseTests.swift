import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Leases in a chain of several stores")
struct AdvanceLeaseTests {
    private static let hour: Int64 = 3_600_000
    private static let minute: Int64 = 60_000
    private let terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points, .coupon])
    private let now: Int64 = 1_000_000_000_000

    /// A chain with two active terminals in S1, one in S2 to S4, fourteen in S5, and a member with points.
    private func opened(_ kind: StoreKind, points: Int64 = 1_000) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        let others = (1...14).map { ("X\($0)", "S5") }
        for (id, place) in [("A1", "S1"), ("A2", "S1"), ("B1", "S2"), ("C1", "S3"), ("D1", "S4")] + others {
            try await store.enrol(id, in: place, tokenExpiresAt: 1 << 52)
        }
        var till = Till("T9", store: "S9")
        _ = try await store.take(
            till.push([
                till.minted("member.created", ["name": "Li"], entityId: "M"),
                till.minted("points.adjusted", ["memberId": "M", "delta": .integer(points)]),
            ]))
        return store
    }

    private func device(_ id: String, _ store: String) -> DeviceIdentity {
        DeviceIdentity(terminalId: id, storeId: store)
    }

    /// What a terminal's leases leave after a pull.
    private func lent(
        _ store: TemporaryStore, _ id: String, in place: String, by terms: LeaseTerms? = nil, at now: Int64
    ) async throws -> [Int64] {
        try await store.ledger.lendAhead(to: device(id, place), by: terms ?? self.terms, at: now)
        return try await store.ledger.leases(all: false).filter { $0.terminalId == id }.map(\.left)
    }

    @Test(
        "The tills of a store where a member bought get its share, and no others; once in five minutes",
        arguments: StoreKind.all)
    func bought(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        #expect(try await lent(store, "A1", in: "S1", at: now) == [])
        var till = Till("A1")
        let sale = SalePointsTests.sale(by: &till, earned: 200)
        _ = try await store.take(till.push([sale], at: now))
        #expect(try await lent(store, "A1", in: "S1", at: now + Self.minute / 2) == [])
        let soon = now + 6 * Self.minute
        // Half of 1,200 for both: the member was at no other store.
        #expect(try await lent(store, "A1", in: "S1", at: soon) == [300])
        #expect(try await lent(store, "A2", in: "S1", at: soon) == [300])
        for (id, place) in [("B1", "S2"), ("X1", "S5")] {
            #expect(try await lent(store, id, in: place, at: soon) == [])
        }
        let again = SalePointsTests.sale(by: &till, earned: 400)
        _ = try await store.take(till.push([again], at: soon + 1))
        #expect(try await lent(store, "A1", in: "S1", at: soon + 2 * Self.minute) == [300])
        #expect(try await lent(store, "A1", in: "S1", at: soon + 6 * Self.minute) == [400])
        let versions = try await store.ledger.leases(all: false).map(\.version)
        #expect(versions.sorted() == [1, 2])
    }

    @Test(
        "A look-up counts as a visit, and a store that is none of the last three is not renewed",
        arguments: StoreKind.all)
    func lookedUp(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        for (number, place) in [("A1", "S1"), ("B1", "S2"), ("C1", "S3")].enumerated() {
            try await store.ledger.lendShare(
                of: "M", to: device(place.0, place.1), by: terms, at: now + Int64(number))
        }
        // A quarter of what the others leave, as ever.
        #expect(
            try await store.ledger.leases(all: false).map(\.left).sorted() == [140, 187, 250])
        let soon = now + 6 * Self.minute
        #expect(try await lent(store, "C1", in: "S3", at: soon) == [140], "all have more than half")
        #expect(try await lent(store, "A2", in: "S1", at: soon) == [])
        let later = now + 20 * Self.hour
        #expect(try await lent(store, "A1", in: "S1", at: later) == [250])
        #expect(
            try await store.ledger.leases(all: false).allSatisfy { $0.expiresAt < later + 53 * Self.hour },
            "past half nothing is renewed")
        // Everything has ended or been released.
        for lease in try await store.ledger.leases(all: false) {
            _ = try await store.ledger.release(lease.id, by: "ann", reason: "test", at: later)
        }
        try await store.ledger.lendShare(of: "M", to: device("D1", "S4"), by: terms, at: later)
        let next = later + 6 * Self.minute
        #expect(try await lent(store, "D1", in: "S4", at: next) == [250])
        #expect(try await lent(store, "A2", in: "S1", at: next) == [], "S1 is the fourth now")
        let renewed = later + 19 * Self.hour
        #expect(try await lent(store, "D1", in: "S4", at: renewed) == [250])
        let leases = try await store.ledger.leases(all: false)
        #expect(leases.map(\.version) == [2] && leases[0].expiresAt == renewed + terms.duration)
    }

    @Test(
        "The store where a member was last gets its share first, from what those before it return",
        arguments: StoreKind.all)
    func lastFirst(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        for (number, place) in [("A1", "S1"), ("B1", "S2"), ("C1", "S3")].enumerated() {
            try await store.ledger.lendShare(
                of: "M", to: device(place.0, place.1), by: terms, at: now + Int64(number))
        }
        let soon = now + 6 * Self.minute
        #expect(try await lent(store, "C1", in: "S3", at: soon) == [140])
        #expect(try await store.ledger.terminalsOwingReturns(at: soon) == ["A1", "B1"])
        let mine = try #require(try await store.ledger.leases(all: false).first { $0.terminalId == "A1" })
        _ = try await store.ledger.takeBack(
            LeaseReturn(epoch: 1, sequence: 0, leases: [LeaseReturn.Part(leaseId: mine.id, spent: 0)]),
            from: device("A1", "S1"), at: soon + 1)
        #expect(try await lent(store, "C1", in: "S3", at: soon + 5 * Self.minute) == [250])
        let leases = try await store.ledger.leases(all: false)
        #expect(leases.reduce(0) { $0 + $1.left } == 500)
        #expect(try await lent(store, "A1", in: "S1", at: soon + 10 * Self.minute) == [63])
    }

    @Test(
        "What is recalled of one member in advance keeps nobody from requesting another one's",
        arguments: StoreKind.all)
    func otherMember(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T8", store: "S9")
        _ = try await store.take(
            till.push([
                till.minted("member.created", ["name": "Wu"], entityId: "N"),
                till.minted("points.adjusted", ["memberId": "N", "delta": 1_000]),
            ]))
        for (number, place) in [("A1", "S1"), ("B1", "S2"), ("C1", "S3")].enumerated() {
            try await store.ledger.lendShare(
                of: "M", to: device(place.0, place.1), by: terms, at: now + Int64(number))
        }
        let soon = now + 6 * Self.minute
        _ = try await lent(store, "C1", in: "S3", at: soon)
        #expect(try await store.ledger.terminalsOwingReturns(at: soon) == ["A1", "B1"])
        func recalled(_ id: String, for till: DeviceIdentity) async throws -> Set<String> {
            try await store.ledger.lend(
                LeaseRequest(kind: .points, subject: id, amount: 900, epoch: 1), to: till, by: terms, at: soon
            ).recalledFrom
        }
        _ = try await recalled("N", for: device("D1", "S4"))
        #expect(try await recalled("N", for: device("A1", "S1")) == ["D1"])
        #expect(try await recalled("M", for: device("A1", "S1")) == [])
    }

    @Test(
        "What a hub noted whose clock was ahead neither ends lending nor comes first",
        arguments: StoreKind.all)
    func clockAhead(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        func look(_ id: String, _ place: String, at moment: Int64) async throws {
            try await store.ledger.lendShare(of: "M", to: device(id, place), by: terms, at: moment)
        }
        let ahead = now + 400 * 24 * Self.hour
        try await look("A1", "S1", at: ahead - 10 * Self.minute)
        for (id, place) in [("B1", "S2"), ("C1", "S3"), ("X1", "S5")] { try await look(id, place, at: ahead) }
        try await store.ledger.lendAhead(to: device("A1", "S1"), by: terms, at: ahead)
        for lease in try await store.ledger.leases(all: false) {
            _ = try await store.ledger.release(lease.id, by: "ann", reason: "test", at: now)
        }
        var till = Till("A1")
        _ = try await store.take(till.push([SalePointsTests.sale(by: &till, earned: 4)], at: now))
        let soon = now + 6 * Self.minute
        #expect(try await lent(store, "A1", in: "S1", at: soon) == [], "three came after it")
        try await look("B1", "S2", at: now)
        let later = soon + 6 * Self.minute
        _ = try await store.take(till.push([SalePointsTests.sale(by: &till, earned: 4)], at: soon))
        #expect(try await lent(store, "A1", in: "S1", at: later).count == 1, "one of the three is replaced")
    }

    @Test(
        "Stores get of a coupon the part that they used, and none of one with fewer uses than stores",
        arguments: StoreKind.all)
    func coupons(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities(
            [Offer.coupon("MANY", of: "p", uses: 100), Offer.coupon("FEW", of: "p", uses: 6)], at: 1)
        var (a, b) = (Till("A1"), Till("B1", store: "S2"))
        let (sold, few) = ((0..<3).map { _ in a.sale(coupons: ["MANY"]) }, [a.sale(coupons: ["FEW"])])
        let elsewhere = b.sale(coupons: ["MANY"])
        _ = try await store.take(a.push(sold, at: now))
        _ = try await store.take(a.push(few, at: now))
        _ = try await store.take(b.push([elsewhere], at: now))
        let soon = now + 6 * Self.minute
        // Of 96 half, three quarters of it for two tills; of five uses half, which is one for each.
        #expect(try await lent(store, "A2", in: "S1", at: soon).sorted() == [1, 18])
        #expect(try await lent(store, "B1", in: "S2", at: soon) == [12])
        #expect(try await lent(store, "C1", in: "S3", at: soon) == [])
        let last = a.sale(coupons: ["FEW"])
        _ = try await store.take(a.push([last], at: soon + 1))
        #expect(
            try await lent(store, "A1", in: "S1", at: soon + 6 * Self.minute) == [18],
            "four uses are fewer than the stores")
    }

    @Test("One till gets 2,000 shares and no more", arguments: StoreKind.all)
    func limited(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("A1")
        let sale = SalePointsTests.sale(by: &till, earned: 200)
        _ = try await store.take(till.push([sale], at: now))
        let soon = now + 6 * Self.minute
        try await store.execute(
            "INSERT INTO leases (\(LeaseRows.columns)) WITH RECURSIVE n (i) AS "
                + "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(AdvanceShares.mostOfTerminal)) "
                + "SELECT 'L' || i, 'points', 'P' || i, 'A1', 'S1', 1, 0, 5, 0, \(soon + terms.duration), 1, "
                + "\(soon), 'open', NULL, NULL, NULL, NULL, NULL, NULL FROM n")
        #expect(try await lent(store, "A1", in: "S1", at: soon).count == Int(AdvanceShares.mostOfTerminal))
        #expect(try await lent(store, "A2", in: "S1", at: soon) == [300])
    }

    @Test(
        "Where a member was goes with the member, and after its time", arguments: StoreKind.all)
    func forgotten(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        func look(at moment: Int64) async throws {
            try await store.ledger.lendShare(of: "M", to: device("A1", "S1"), by: terms, at: moment)
        }
        try await look(at: now)
        #expect(try await store.ledger.remove(.memberVisits, until: now - 1) == 0)
        #expect(try await store.ledger.remove(.memberVisits, until: now) == 1)
        try await look(at: now)
        _ = try await store.ledger.eraseMemberId("M", at: now + 1)
        #expect(try await store.ledger.remove(.memberVisits, until: now) == 0)
    }

    @Test("Where members were is kept in a chain of several stores alone", arguments: StoreKind.all)
    func oneStore(_ kind: StoreKind) async throws {
        func kept(_ store: TemporaryStore) async throws -> Int {
            try await store.ledger.remove(.memberVisits, until: 1 << 52)
        }
        func trade(_ store: TemporaryStore, _ member: String) async throws {
            var till = Till("A1")
            _ = try await store.take(
                till.push(
                    [
                        till.minted("member.created", ["name": "Li"], entityId: "N"),
                        SalePointsTests.sale(by: &till, member: "N", earned: 20),
                    ], at: now))
            try await store.ledger.lendShare(of: member, to: till.device, by: terms, at: now)
        }
        let store = try TemporaryStore(kind)
        try await store.enrol("A1", tokenExpiresAt: 1 << 52)
        try await trade(store, "N")
        #expect(try await kept(store) == 0)
        let chain = try await opened(kind)
        try await trade(chain, "nobody")
        #expect(try await kept(chain) == 1, "nobody is nowhere")
        try await chain.ledger.lendShare(of: "M", to: device("A1", "S1"), by: terms, at: now)
        #expect(try await kept(chain) == 1)
    }

    @Test("A store's visitors of a busy hour get their shares with one pull", arguments: StoreKind.all)
    func busy(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T8", store: "S9")
        let members = (0..<120).map { "B\($0)" }
        for part in [members.prefix(60), members.suffix(60)] {
            var entries: [Mutation] = []
            for id in part {
                entries.append(till.minted("member.created", ["name": .string(id)], entityId: id))
                entries.append(till.minted("points.adjusted", ["memberId": .string(id), "delta": 100]))
            }
            _ = try await store.take(till.push(entries))
        }
        for (number, id) in members.enumerated() {
            try await store.execute(
                "INSERT INTO member_visits VALUES ('\(id)', 'S1', \(now + Int64(number) * Self.minute / 10), 'A1')"
            )
        }
        let later = now + Self.hour
        #expect(try await lent(store, "A1", in: "S1", at: later).count == 120)
        let page = try await store.ledger.changes(after: nil, limit: 500, storeId: "S1")
        let moments = Set(page?.changes.filter { $0.entity == "lease" }.map(\.hlc) ?? [])
        #expect((1...AdvanceShares.mostPortions).contains(moments.count))
    }

    /// The terms of a store whose tills see each other.
    private var near: LeaseTerms {
        var near = terms
        near.hasNeighbours = true
        return near
    }

    private func sell(_ store: TemporaryStore, by till: inout Till, earned: Int64, at now: Int64) async throws
    {
        _ = try await store.take(till.push([SalePointsTests.sale(by: &till, earned: earned)], at: now))
    }

    @Test(
        "Where tills see each other, the one that served last has the store's share, once it has come back",
        arguments: StoreKind.all)
    func oneTill(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        func lent(_ id: String, at now: Int64) async throws -> [Int64] {
            try await self.lent(store, id, in: "S1", by: near, at: now)
        }
        var (first, second) = (Till("A1"), Till("A2"))
        try await sell(store, by: &first, earned: 200, at: now)
        let soon = now + 6 * Self.minute
        #expect(try await lent("A2", at: soon) == [])
        #expect(try await lent("A1", at: soon) == [600])
        try await sell(store, by: &second, earned: 80, at: soon + 1)
        let next = soon + 6 * Self.minute
        #expect(try await lent("A1", at: next) == [600])
        #expect(try await lent("A2", at: next) == [40], "what A1 has is not lent twice")
        #expect(try await store.ledger.terminalsOwingReturns(at: next) == ["A1"])
        let mine = try #require(try await store.ledger.leases(all: false).first { $0.terminalId == "A1" })
        let rest = try await store.ledger.takeBack(
            LeaseReturn(epoch: 1, sequence: 1, leases: [LeaseReturn.Part(leaseId: mine.id, spent: 0)]),
            from: first.device, at: next + 1)
        #expect(rest == [])
        #expect(try await lent("A2", at: next + 5 * Self.minute) == [640])
        #expect(try await lent("A1", at: next + 5 * Self.minute) == [])
    }

    @Test(
        "Until the till that served last has something, the one before it keeps the share",
        arguments: StoreKind.all)
    func kept(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (first, second) = (Till("A1"), Till("A2"))
        try await sell(store, by: &first, earned: 200, at: now)
        let soon = now + 6 * Self.minute
        #expect(try await lent(store, "A1", in: "S1", by: near, at: soon) == [600])
        try await sell(store, by: &second, earned: 1, at: soon + 1)
        #expect(try await lent(store, "A2", in: "S1", by: near, at: soon + 6 * Self.minute) == [])
        // Switched off for a day, so that nothing is recalled any more.
        let later = soon + 20 * Self.hour
        #expect(try await lent(store, "A1", in: "S1", by: near, at: later) == [600])
        let ends = try await store.ledger.leases(all: false).map(\.expiresAt)
        #expect(ends == [later + terms.duration])
    }

    @Test("In a store of many tills one has its share, where they see each other", arguments: StoreKind.all)
    func manyTills(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        for number in 15...17 { try await store.enrol("X\(number)", in: "S5", tokenExpiresAt: 1 << 52) }
        var till = Till("X1", store: "S5")
        try await sell(store, by: &till, earned: 200, at: now)
        let soon = now + 6 * Self.minute
        var (alone, near) = (terms, self.near)
        (alone.cardsPerStore, near.cardsPerStore) = (1_000, 1_000)
        alone.kinds.insert(.card)
        near.kinds.insert(.card)
        #expect(try await lent(store, "X1", in: "S5", by: alone, at: soon) == [])
        #expect(try await lent(store, "X1", in: "S5", by: near, at: soon) == [600], "and no cards")
        #expect(try await lent(store, "X2", in: "S5", by: near, at: soon) == [])
    }

    @Test(
        "No more sales of a terminal count as visits on a day than it may look members up",
        arguments: StoreKind.all)
    func invented(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (office, till) = (Till("T8", store: "S9"), Till("A1"))
        let members = (0..<4).map { "V\($0)" }
        _ = try await store.take(
            office.push(
                members.map { office.minted("member.created", ["name": .string($0)], entityId: $0) }))
        var limits = IntakeLimits.adjusting
        limits.lookUpsPerDay = 2
        func sell(_ ids: [String], at now: Int64) async throws -> Int {
            let sales = ids.map { SalePointsTests.sale(by: &till, member: .string($0), earned: 20) }
            let results = try await store.take(till.push(sales, at: now, limits: limits))?.results ?? []
            #expect(results.map(\.outcome) == ids.map { _ in .applied })
            return try await store.ledger.remove(.memberVisits, until: 1 << 52)
        }
        #expect(try await sell(Array(members.prefix(3)), at: now) == 2)
        #expect(try await sell([members[3]], at: now + 1) == 0)
        #expect(try await sell([members[3]], at: now + 24 * Self.hour) == 1)
    }
}
