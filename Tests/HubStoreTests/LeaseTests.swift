import Base
import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Leases at the hub")
struct LeaseTests {
    private let terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points, .coupon])
    private let now: Int64 = 1_000_000

    private func opened(_ kind: StoreKind, points: Int64 = 1_000) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        var till = Till("T9")
        _ = try await store.take(
            till.push([
                till.minted("member.created", ["name": "Li"], entityId: "M"),
                till.minted("points.adjusted", ["memberId": "M", "delta": .integer(points)]),
            ]))
        return store
    }

    private func wanted(_ amount: Int64, epoch: Int64 = 1) -> LeaseRequest {
        LeaseRequest(kind: .points, subject: "M", amount: amount, epoch: epoch)
    }

    private func points(_ store: TemporaryStore) async throws -> Int64? {
        try await store.ledger.entities([EntityKey("member", "M")])[EntityKey("member", "M")]?["points"]?
            .integer
    }

    /// A sale that spends points of leases.
    private func sale(by till: inout Till, _ uses: [(Lease, Int64)]) -> Mutation {
        let spent = uses.reduce(0) { $0 + $1.1 }
        var scratch = till
        let plain = SalePointsTests.sale(by: &scratch, earned: 0, spent: spent)
        var payload = plain.payload.object ?? [:]
        payload["leases"] = .array(
            uses.map { lease, amount in
                [
                    "leaseId": .string(lease.id), "kind": "points", "subject": "M",
                    "amount": .integer(amount),
                ]
            })
        return till.minted("order.completed", .object(payload))
    }

    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue?] {
        try await store.take(push)?.results.map { $0.json["flags"] } ?? []
    }

    @Test(
        "A sale takes from balance and lease, its void gives both back; the rest is flagged",
        arguments: StoreKind.all)
    func spent(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1", from: 2)
        let (a, b) = (
            DeviceIdentity(terminalId: "T1", storeId: "S1"), DeviceIdentity(terminalId: "T2", storeId: "S1")
        )
        let mine = try await store.ledger.lend(wanted(600), to: a, by: terms, at: now).leases
        #expect(mine.map(\.amount).sorted() == [250, 350])
        let others = try await store.ledger.lend(wanted(900), to: b, by: terms, at: now).leases
        #expect(others.reduce(0) { $0 + $1.amount } == 400, "all that nobody had")
        let sold = sale(by: &till, [(mine[0], mine[0].amount), (mine[1], 100)])
        #expect(try await flags(store, till.push([sold])) == [[]])
        #expect(try await points(store) == 1_000 - mine[0].amount - 100)
        let left = try await store.ledger.leases(all: false).reduce(0) { $0 + $1.left }
        #expect(try await points(store) == left)
        let void = till.minted(
            "order.voided",
            [
                "orderId": sold.payload["orderId"] ?? .null, "leases": sold.payload["leases"] ?? .null,
            ], entityId: sold.payload["orderId"]?.string ?? "")
        #expect(try await flags(store, till.push([void])) == [[]])
        #expect(try await points(store) == 1_000)
        #expect(try await store.ledger.leases(all: false).reduce(0) { $0 + $1.left } == 1_000)
        // Too much, another terminal's, and one that nobody has.
        let foreign = sale(by: &till, [(others[0], 1)])
        let more = sale(by: &till, [(mine[0], mine[0].amount + 1)])
        #expect(
            try await flags(store, till.push([foreign, more])) == [["lease_exceeded"], ["lease_exceeded"]])
    }

    /// A push with the till's signed head behind its entries; nobody looks at the signature here.
    private func headed(
        _ till: Till, _ mutations: [Mutation], signedAt: Int64, at now: Int64
    ) throws -> IntakeRequest {
        let head = SignedHead(
            terminalId: till.device.terminalId, epoch: 1, sequence: till.sequence, hash: till.previousHash,
            orderCounter: 1, at: signedAt
        ) { _ in "c2lnbmF0dXJl" }
        return IntakeRequest(
            device: till.device, epoch: 1, lowSequence: 1,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) }, receivedAt: now,
            head: .signed(try #require(head)))
    }

    @Test(
        "A lease that expired is never renewed: it ends once all of it has arrived, and other ids are lent",
        arguments: StoreKind.all)
    func expired(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1")
        let first = try #require(
            try await store.ledger.lend(wanted(0), to: till.device, by: terms, at: now).leases.first)
        // 50 are left as far as the hub knows; the terminal may have forgotten what it spent.
        let sold = sale(by: &till, [(first, 200)])
        #expect(try await flags(store, headed(till, [sold], signedAt: now, at: now)) == [[]])
        let later = now + terms.duration + 1
        let requested = try await store.ledger.lend(wanted(300), to: till.device, by: terms, at: later).leases
        #expect(requested.allSatisfy { $0.id != first.id })
        #expect(requested.reduce(0) { $0 + $1.amount } == 300)
        let open = try await store.ledger.leases(all: false)
        #expect(open.first { $0.id == first.id }.map { [$0.version, $0.amount, $0.left] } == [1, 250, 50])
        #expect(open.reduce(0) { $0 + $1.left } <= 800)
        // Everything up to a later head is here.
        let entry = till.minted()
        _ = try await store.take(headed(till, [entry], signedAt: later, at: later))
        try await store.ledger.lendAhead(to: till.device, by: terms, at: later)
        let all = try await store.ledger.leases(all: true)
        #expect(all.first { $0.id == first.id }?.state == .ended)
        #expect(all.filter { $0.state == .open }.allSatisfy { $0.expiresAt > later })
    }

    @Test(
        "What expired ends with the next pull of its terminal, once: also what nobody lends any more",
        arguments: StoreKind.all)
    func ends(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1")
        try await store.ledger.lendAhead(to: till.device, by: terms, at: now)
        let brief = try await store.ledger.lend(wanted(400), to: till.device, by: terms, at: now).leases
        #expect(brief.count == 2)
        let later = now + LeaseTerms.briefDuration + 1
        // A head that was signed under a clock that is ahead, and seen while the lease could be spent.
        let early = till.minted()
        _ = try await store.take(headed(till, [early], signedAt: later + 1_200_000, at: later - 60_000))
        try await store.ledger.lendAhead(to: till.device, by: terms, at: later)
        #expect(try await store.ledger.leases(all: false).count == 2)
        let late = till.minted()
        _ = try await store.take(headed(till, [late], signedAt: later, at: later))
        try await store.ledger.lendAhead(
            to: till.device, by: LeaseTerms(kinds: [.coupon]), at: later + 1)
        #expect(try await store.ledger.leases(all: false).map(\.isBrief) == [false])
        // What the brief one left is nobody's.
        try await store.ledger.lendAhead(to: till.device, by: terms, at: later + 2)
        #expect(try await store.ledger.leases(all: false).map(\.left) == [250])
    }

    @Test(
        "Released, its rest is free for others, and a late sale of it is accepted with a flag",
        arguments: StoreKind.all)
    func released(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1", from: 2)
        let a = DeviceIdentity(terminalId: "T1", storeId: "S1")
        let lease = try #require(
            try await store.ledger.lend(wanted(0), to: a, by: terms, at: now).leases.first)
        let end = try await store.ledger.release(lease.id, by: "ann", reason: "burnt", at: now + 5)
        #expect(end?.state == .released && end?.endedBy == "ann" && end?.reason == "burnt")
        #expect(try await store.ledger.release(lease.id, by: "ann", reason: "burnt", at: now + 6) == nil)
        #expect(try await store.ledger.leases(all: false).isEmpty)
        #expect(try await store.ledger.leases(all: true).map(\.id) == [lease.id])
        #expect(try await flags(store, till.push([sale(by: &till, [(lease, 250)])])) == [["lease_exceeded"]])
        #expect(try await points(store) == 750)
        let page = try await store.ledger.changes(after: nil, limit: 20, storeId: "S1")
        let change = page?.changes.first { $0.entity == "lease" }
        #expect(change?.isDeleted == true && change?.origin?["terminalId"] == "T1")
    }

    @Test(
        "Terminals of one store are lent in advance what changed since, at most sixteen",
        arguments: StoreKind.all)
    func ahead(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        let a = DeviceIdentity(terminalId: "T1", storeId: "S1")
        try await store.ledger.lendAhead(to: a, by: terms, at: now)
        #expect(try await store.ledger.leases(all: false).map(\.amount) == [250])
        try await store.ledger.lendAhead(to: a, by: terms, at: now)
        #expect(try await store.ledger.leases(all: false).map(\.version) == [1])
        var till = Till("T9", from: 3)
        _ = try await store.take(
            till.push([till.minted("points.adjusted", ["memberId": "M", "delta": 1_000])]))
        try await store.ledger.lendAhead(to: a, by: terms, at: now)
        #expect(try await store.ledger.leases(all: false).map(\.amount) == [500])
        let later = now + terms.duration / 2
        try await store.ledger.lendAhead(to: a, by: terms, at: later)
        #expect(try await store.ledger.leases(all: false).map(\.expiresAt) == [later + terms.duration])
        for number in 1...17 { try await store.enrol("E\(number)") }
        try await store.ledger.lendAhead(
            to: DeviceIdentity(terminalId: "E1", storeId: "S1"), by: terms, at: 60)
        #expect(try await store.ledger.leases(all: false).count == 1)
    }

    @Test("Terminals that request at once never get more together than there is", arguments: StoreKind.all)
    func races(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        let (terms, now) = (terms, now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let device = DeviceIdentity(terminalId: "R\(number)", storeId: "S1")
                    for amount in [300, 100, 500] as [Int64] {
                        _ = try await store.ledger.lend(
                            LeaseRequest(kind: .points, subject: "M", amount: amount, epoch: 1), to: device,
                            by: terms, at: now)
                    }
                }
            }
            try await group.waitForAll()
        }
        let leased = try await store.ledger.leases(all: false).reduce(0) { $0 + $1.left }
        #expect(leased == 1_000)
    }

    @Test(
        "What a card machine took without its bank is not lent again before its end of day",
        arguments: StoreKind.all)
    func machineCards(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        try await store.enrol(till.device.terminalId)
        var terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.card])
        terms.cardsPerStore = 2_000
        let (device, now) = (till.device, now)
        func lent() async throws -> Int64 {
            let wanted = LeaseRequest(kind: .card, subject: device.storeId, amount: 9_000, epoch: 1)
            _ = try await store.ledger.lend(wanted, to: device, by: terms, at: now)
            return try await store.ledger.leases(all: false).reduce(0) { $0 + $1.left }
        }
        func payment(_ key: String, offline: Bool) -> JSONValue {
            [
                "method": "card", "amount": 625,
                "machine": [
                    "reference": "R", "approvalCode": "", "key": .string(key), "offline": .bool(offline),
                ],
            ]
        }
        let sold = till.paid(till.sale(), by: [payment("k1", offline: true), payment("k2", offline: false)])
        _ = try await flags(store, till.push([sold]))
        #expect(try await lent() == 1_375)
        let next = till.paid(till.sale(), by: [payment("k3", offline: true), payment("k1", offline: true)])
        let closed = till.minted(CardDayClosing.type, CardDayClosing().json)
        _ = try await flags(store, till.push([next, closed]))
        #expect(try await lent() == 2_000)
    }

    @Test(
        "What a store's terminals may take by card is lent to them, and comes back when it was forwarded",
        arguments: StoreKind.all)
    func cards(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        try await store.enrol(till.device.terminalId)
        var terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.card])
        terms.cardsPerStore = 10_000
        let (device, now) = (till.device, now)
        let other = DeviceIdentity(terminalId: "T2", storeId: device.storeId)
        func lend() async throws -> [Int64] {
            try await store.ledger.lendAhead(to: device, by: terms, at: now)
            try await store.ledger.lendAhead(to: other, by: terms, at: now)
            return try await store.ledger.leases(all: false).map(\.left).sorted()
        }
        #expect(try await lend() == [1_875, 2_500])
        #expect(try await lend() == [1_875, 2_500])
        let lease = try #require(
            try await store.ledger.leases(all: false).first { $0.terminalId == device.terminalId })
        // More for one sale, and nothing of another store.
        let wanted = LeaseRequest(kind: .card, subject: device.storeId, amount: 20_000, epoch: 1)
        let brief = try await store.ledger.lend(wanted, to: other, by: terms, at: now).leases
        #expect(brief.reduce(0) { $0 + $1.left } == 7_500)
        let foreign = LeaseRequest(kind: .card, subject: "S9", amount: 1, epoch: 1)
        #expect(try await store.ledger.lend(foreign, to: device, by: terms, at: now).leases == [])

        let plain = till.paid(
            till.sale(),
            by: [
                [
                    "method": "card", "amount": 1250, "authorizationKey": "k1", "state": "storedOffline",
                    "sealed": ["keyId": "s", "token": "dG9rZW4="], "storedAt": "2026-11-21T00:00:00.000Z",
                ]
            ])
        var payload = plain.payload.object ?? [:]
        payload["leases"] = [
            [
                "leaseId": .string(lease.id), "kind": "card", "subject": .string(device.storeId),
                "amount": 1250,
            ]
        ]
        let sold = till.minted("order.completed", .object(payload))
        _ = try await store.ledger.changeStoreSettings(
            [
                "offlineCard.perSale": 1250, "offlineCard.perShift": 9000, "offlineCard.perTerminal": 9000,
            ], of: device.storeId, at: 1)
        #expect(try await flags(store, till.push([sold])) == [[]])
        // Stored and left are what was there: nothing is lent anew.
        #expect(try await lend() == [1_250, 1_875, 5_625])
        _ = try await store.ledger.settle(key: "k1", by: .authorized(approvalCode: "A"), at: 3)
        #expect(try await lend() == [1_250, 1_875, 5_625], "it has its share of what is not lent")
        let more = LeaseRequest(kind: .card, subject: device.storeId, amount: 9_000, epoch: 1)
        let all = try await store.ledger.lend(more, to: device, by: terms, at: now).leases
        #expect(all.reduce(0) { $0 + $1.left } == 2_500)
    }

    /// A sale like ``sale(by:_:)`` with other members of its payload.
    private func sale(
        by till: inout Till, _ uses: [(Lease, Int64)], changing members: JSONObject
    ) -> Mutation {
        var draft = till
        let plain = sale(by: &draft, uses)
        return till.minted(
            "order.completed", .object((plain.payload.object ?? [:]).merging(members) { $1 }))
    }

    @Test(
        "Spending without a lease is flagged, and a lease of another member stays as it is",
        arguments: StoreKind.all)
    func uncovered(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1")
        _ = try await store.take(
            till.push([till.minted("member.created", ["name": "Wu"], entityId: "N")]))
        let lease = try #require(
            try await store.ledger.lend(wanted(0), to: till.device, by: terms, at: now).leases.first)
        let points: JSONValue = ["earned": 0, "spent": 30, "value": 30]
        let bare = [
            sale(by: &till, [], changing: ["points": points]),
            sale(by: &till, [(lease, 20)], changing: ["points": points]),
            sale(by: &till, [(lease, 30)], changing: ["memberId": "N"]),
            sale(by: &till, [(lease, 30)], changing: ["memberId": .null]),
        ]
        #expect(
            try await flags(store, till.push(bare)) == [
                ["lease_exceeded"], ["lease_exceeded"], ["lease_exceeded", "points_negative"],
                ["lease_exceeded"],
            ])
        func used() async throws -> Int64? { try await store.ledger.leases(all: false).first?.used }
        #expect(try await used() == 20)
        // Nor does a void of the foreign use give anything back.
        let void = till.minted(
            "order.voided",
            [
                "orderId": bare[2].payload["orderId"] ?? .null, "leases": bare[2].payload["leases"] ?? .null,
            ], entityId: bare[2].payload["orderId"]?.string ?? "")
        _ = try await store.take(till.push([void]))
        #expect(try await used() == 20)
        #expect(try await flags(store, till.push([sale(by: &till, [(lease, 30)])])) == [[]])
        #expect(try await used() == 50)
    }

    @Test(
        "A coupon for a limited number of sales without its lease is flagged where the terminal has leases",
        arguments: StoreKind.all)
    func coupons(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities(
            ["ONE", "TWO"].map { Offer.coupon($0, of: "p", uses: 9) }, at: 1)
        var till = Till("T1")
        #expect(try await flags(store, till.push([till.sale(coupons: ["one"])])) == [[]])
        let wanted = LeaseRequest(kind: .coupon, subject: "ONE", amount: 1, epoch: 1)
        let lease = try #require(
            try await store.ledger.lend(wanted, to: till.device, by: terms, at: now).leases.first)
        func sold(_ codes: [JSONValue]) -> Mutation {
            let plain = till.sale(coupons: codes)
            var payload = plain.payload.object ?? [:]
            payload["leases"] = [
                ["leaseId": .string(lease.id), "kind": "coupon", "subject": "digest", "amount": 1]
            ]
            return till.minted("order.completed", .object(payload))
        }
        #expect(try await flags(store, till.push([sold(["ONE"])])) == [[]])
        #expect(try await flags(store, till.push([sold(["ONE", "TWO"])])) == [["lease_exceeded"]])
        #expect(try await flags(store, till.push([sold(["TWO"])])) == [["lease_exceeded"]])
        #expect(try await flags(store, till.push([till.sale(coupons: ["ONE"])])) == [["lease_exceeded"]])
    }

    @Test("A terminal has at most so many brief leases at once, also expired ones", arguments: StoreKind.all)
    func briefs(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T9", from: 3)
        let most = LeaseTerms.mostBriefs
        let members = (0...most).map { "B\($0)" }
        var entries: [Mutation] = []
        for id in members {
            entries.append(till.minted("member.created", ["name": .string(id)], entityId: id))
            entries.append(till.minted("points.adjusted", ["memberId": .string(id), "delta": 100]))
        }
        _ = try await store.take(till.push(entries))
        let device = DeviceIdentity(terminalId: "T1", storeId: "S1")
        func lent(_ id: String, at now: Int64) async throws -> Int64 {
            try await store.ledger.lend(
                LeaseRequest(kind: .points, subject: id, amount: 100, epoch: 1), to: device, by: terms,
                at: now
            ).leases.reduce(0) { $0 + $1.left }
        }
        for id in members.dropLast() { #expect(try await lent(id, at: now) == 100) }
        // Its share alone; also later, while nothing shows that the others are over.
        let last = try #require(members.last)
        #expect(try await lent(last, at: now) == 25)
        #expect(try await lent(last, at: now + LeaseTerms.briefDuration + 1) == 25)
        let all = try await store.ledger.leases(all: false)
        let brief = try #require(all.first { $0.isBrief })
        _ = try await store.ledger.release(brief.id, by: "ann", reason: "test", at: now)
        #expect(try await lent(last, at: now) == 100)
    }

    /// A store with 1,000 points of M, of which T1 has two leases that T2 wants.
    private func recalled(_ kind: StoreKind) async throws -> (TemporaryStore, [Lease]) {
        let store = try await opened(kind)
        let mine = try await store.ledger.lend(wanted(600), to: Self.one, by: terms, at: now).leases
        let other = try await store.ledger.lend(wanted(500), to: Self.two, by: terms, at: now)
        #expect(other.leases.reduce(0) { $0 + $1.left } == 400)
        #expect(other.recalledFrom == ["T1"])
        #expect(try await store.ledger.terminalsOwingReturns(at: now) == ["T1"])
        return (store, mine)
    }

    private static let one = DeviceIdentity(terminalId: "T1", storeId: "S1")
    private static let two = DeviceIdentity(terminalId: "T2", storeId: "S1")

    private func order(_ parts: [(Lease, Int64)], through sequence: Int64, epoch: Int64 = 1) -> LeaseReturn {
        LeaseReturn(
            epoch: epoch, sequence: sequence,
            leases: parts.map { LeaseReturn.Part(leaseId: $0.0.id, spent: $0.1) })
    }

    @Test(
        "What is returned is free at once, what was spent of it stays reserved until it has arrived",
        arguments: StoreKind.all)
    func returned(_ kind: StoreKind) async throws {
        let (store, mine) = try await recalled(kind)
        var till = Till("T1")
        let sold = sale(by: &till, [(mine[0], 30)])
        let back = try await store.ledger.takeBack(
            order([(mine[0], 30), (mine[1], 0)], through: till.sequence), from: Self.one, at: now)
        // 100 were wanted: of the first lease they were there, the second one is lent again as a whole.
        let rest = mine[0].amount - 130
        #expect(back.map(\.amount) == [rest, mine[1].amount].filter { $0 > 0 })
        #expect(try await store.ledger.terminalsOwingReturns(at: now) == [])
        // A response that was lost changes nothing.
        #expect(
            try await store.ledger.takeBack(
                order([(mine[0], 30), (mine[1], 0)], through: till.sequence), from: Self.one, at: now) == [])
        let lent = try await store.ledger.lend(wanted(500), to: Self.two, by: terms, at: now)
        #expect(lent.leases.reduce(0) { $0 + $1.left } == 500 && lent.recalledFrom == [])
        func reserved() async throws -> Int64 {
            try await store.ledger.leases(all: false).reduce(0) { $0 + $1.left }
        }
        #expect(try await reserved() == 1_000)
        #expect(try await flags(store, till.push([sold])) == [[]])
        #expect(try await points(store) == 970)
        #expect(try await reserved() == 970)
        // It ends with the next look at the member, and the feed has its end since the return.
        _ = try await store.ledger.lend(wanted(0), to: Self.two, by: terms, at: now)
        let all = try await store.ledger.leases(all: true)
        #expect(all.filter { $0.state == .ended }.map(\.id).sorted() == mine.map(\.id).sorted())
        let page = try await store.ledger.changes(after: nil, limit: 50, storeId: "S1")
        let gone = page?.changes.filter { $0.entity == "lease" && $0.isDeleted }.map(\.entityId) ?? []
        #expect(gone.sorted() == mine.map(\.id).sorted())
        // What a void gives back of it is nobody's.
        let void = till.minted(
            "order.voided", ["orderId": sold.payload["orderId"] ?? .null, "leases": []],
            entityId: sold.payload["orderId"]?.string ?? "")
        #expect(try await flags(store, till.push([void])) == [[]])
        #expect(try await points(store) == 1_000)
        #expect(try await reserved() == 970)
    }

    @Test(
        "An old copy, another terminal and another epoch return nothing; a released lease is gone",
        arguments: StoreKind.all)
    func notReturned(_ kind: StoreKind) async throws {
        let (store, mine) = try await recalled(kind)
        var till = Till("T1")
        let pushes = (0..<2).map { _ in sale(by: &till, [(mine[0], 1)]) }
        #expect(try await flags(store, till.push(pushes)) == [[], []])
        let before = try await store.ledger.leases(all: true)
        for (parts, device) in [
            (order([(mine[0], 0)], through: 1), Self.one), (order([(mine[0], 2)], through: 2), Self.two),
            (order([(mine[0], 2)], through: 2, epoch: 2), Self.one),
        ] {
            #expect(try await store.ledger.takeBack(parts, from: device, at: now) == [])
        }
        #expect(try await store.ledger.leases(all: true) == before)
        _ = try await store.ledger.release(mine[0].id, by: "ann", reason: "lost", at: now)
        _ = try await store.ledger.takeBack(order([(mine[0], 2)], through: 2), from: Self.one, at: now)
        #expect(try await store.ledger.leases(all: true).first { $0.id == mine[0].id }?.state == .released)
    }

    @Test(
        "Who has not returned what others want recalls nothing; after ten minutes nobody wants it any more",
        arguments: StoreKind.all)
    func hoarding(_ kind: StoreKind) async throws {
        let (store, mine) = try await recalled(kind)
        #expect(try await store.ledger.lend(wanted(700), to: Self.one, by: terms, at: now).recalledFrom == [])
        #expect(
            try await store.ledger.lend(
                wanted(500), to: DeviceIdentity(terminalId: "T3", storeId: "S1"), by: terms, at: now
            ).recalledFrom == ["T1", "T2"])
        let later = now + LeaseTerms.recallDuration
        #expect(try await store.ledger.terminalsOwingReturns(at: later) == [])
        let back = try await store.ledger.takeBack(
            order([(mine[0], 0)], through: 0), from: Self.one, at: later)
        #expect(back.map(\.amount) == [mine[0].amount])
        #expect(
            try await store.ledger.lend(wanted(700), to: Self.one, by: terms, at: later).recalledFrom == [
                "T2"
            ])
    }

    @Test("A restored store believes what it may have lent after its backup", arguments: StoreKind.all)
    func restored(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        let lost = Lease(
            id: "01J0000000000000000000000X", kind: .points, subject: "M", terminalId: "T1", storeId: "S1",
            epoch: 1, isBrief: false, amount: 10, used: 0, expiresAt: now, version: 1, issuedAt: now,
            state: .open)
        var till = Till("T1", from: 2)
        let first = sale(by: &till, [(lost, 1)])
        let made = try #require(Timestamp.milliseconds(of: first.clientGeneratedAt))
        #expect(try await flags(store, till.push([first])) == [["lease_exceeded"]])
        try await store.mark(restoredAt: made - terms.duration)
        #expect(try await flags(store, till.push([sale(by: &till, [(lost, 1)])])) == [[]])
        try await store.mark(restoredAt: made - terms.duration - 1)
        #expect(try await flags(store, till.push([sale(by: &till, [(lost, 1)])])) == [["lease_exceeded"]])
    }
}
