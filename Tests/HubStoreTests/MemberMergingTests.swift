import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Members at the hub")
struct MemberMergingTests {
    /// The member as a store's feed shows it.
    private func member(_ id: String, in store: TemporaryStore, of storeId: String = "S1") async throws
        -> Change?
    {
        let page = try await store.ledger.changes(after: nil, limit: 100, storeId: storeId)
        return page?.changes.first { $0.entity == "member" && $0.entityId == id }
    }

    private func flags(_ response: MutationBatchResponse?) -> [JSONValue?] {
        (response?.results ?? []).map { $0.json["flags"] }
    }

    @Test(
        "A member goes to every store; fields that a change does not name stay, null takes one away",
        arguments: StoreKind.all)
    func profile(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2", store: "S2"))
        let created = till.minted(
            "member.created", ["name": "Li", "phone": "139", "newer": ["a": 1]], entityId: "M")
        let updated = other.minted(
            "member.updated", ["name": "Li Na", "phone": nil, "lookUp": ["phone": "139"]], entityId: "M")
        #expect(flags(try await store.take(till.push([created]))) == [[]])
        #expect(flags(try await store.take(other.push([updated]))) == [[]])
        for storeId in ["S1", "S2"] {
            let change = try #require(try await member("M", in: store, of: storeId))
            #expect(change.value == ["name": "Li Na", "newer": ["a": 1], "points": 0])
            #expect(change.version == 2)
            #expect(
                change.origin == ["terminalId": "T2", "mutationId": .string(updated.id), "storeId": "S2"])
        }
    }

    @Test("Points are sums of differences, and a profile does not set them", arguments: StoreKind.all)
    func points(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2"))
        let created = till.minted("member.created", ["name": "Li"], entityId: "M")
        let earned = till.minted("points.adjusted", ["delta": 30], entityId: "M")
        let stale = till.minted("member.updated", ["name": "Li Na", "points": 5], entityId: "M")
        let spent = other.minted("points.adjusted", ["memberId": "M", "delta": -50], entityId: "another")
        let response = try await store.take(till.push([created, earned, stale]))
        #expect(flags(response) == [[], [], ["points_ignored"]])
        #expect(flags(try await store.take(other.push([spent]))) == [["points_negative"]])
        #expect(try await member("M", in: store)?.value == ["name": "Li Na", "points": -20])
        // A duplicate is not added again.
        #expect(try await store.outcomes(other.push([spent])) == ["duplicate"])
        #expect(try await member("M", in: store)?.value?["points"] == -20)
    }

    @Test(
        "Points of somebody who was not created yet are kept and flagged, and are there for the creation",
        arguments: StoreKind.all)
    func early(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let first = till.minted("points.adjusted", ["delta": 30], entityId: "M")
        let second = till.minted("points.adjusted", ["delta": 12], entityId: "M")
        let unknown = ["member_unknown"] as JSONValue
        #expect(flags(try await store.take(till.push([first, second]))) == [unknown, unknown])
        let created = till.minted("member.created", ["name": "Li"], entityId: "M")
        let third = till.minted("points.adjusted", ["delta": 1], entityId: "M")
        #expect(flags(try await store.take(till.push([created, third]))) == [[], []])
        #expect(try await member("M", in: store)?.value == ["name": "Li", "points": 43])
        let stranger = till.minted("member.updated", ["phone": "139"], entityId: "N")
        #expect(flags(try await store.take(till.push([stranger]))) == [unknown])
    }

    @Test("A sum that cannot be counted is rejected, and nothing else of the push", arguments: StoreKind.all)
    func overflow(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let most = MemberRules.deltas.upperBound
        let steps = MemberState.range.upperBound / most
        let full = (0..<steps).map { _ in
            till.minted("points.adjusted", ["delta": .integer(most)], entityId: "M")
        }
        let more = till.minted("points.adjusted", ["delta": .integer(most)], entityId: "M")
        let less = till.minted("points.adjusted", ["delta": -2], entityId: "M")
        let outcomes = try await store.outcomes(
            till.push(full + [more, less], limits: IntakeLimits().withoutQuotas))
        #expect(outcomes.suffix(3) == ["applied", "rejected invalid_mutation", "applied"])
        #expect(try await member("M", in: store)?.value?["points"] == .integer(steps * most - 2))
    }

    /// A member whom a terminal makes.
    private func made(_ id: String, _ phone: String, _ name: String, by till: inout Till) -> Mutation {
        till.minted(
            "member.created", ["memberId": .string(id), "phone": .string(phone), "name": .string(name)],
            entityId: id)
    }

    @Test(
        "Two tills that made one person are merged by the number, whatever came first, and points add up",
        arguments: StoreKind.all, [true, false])
    func merged(_ kind: StoreKind, salesFirst: Bool) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2"))
        let first = made("M1", "+86 139 1234 5678", "Li", by: &till)
        #expect(flags(try await store.take(till.push([first]))) == [[]])
        var entries = [made("M2", "13912345678", "Li Na", by: &other)]
        let sale = SalePointsTests.sale(by: &other, member: "M2", earned: 7)
        if salesFirst { entries.insert(sale, at: 0) } else { entries.append(sale) }
        let late = SalePointsTests.sale(by: &other, member: "M2", earned: 5)
        let response = flags(try await store.take(other.push(entries + [late])))
        #expect(
            response
                == (salesFirst ? [["member_unknown"], ["member_merged"], []] : [["member_merged"], [], []]))
        #expect(
            try await member("M1", in: store)?.value
                == ["name": "Li", "phone": "+86 139 1234 5678", "points": 12])
        #expect(try await member("M2", in: store)?.value == ["mergedInto": "M1", "points": 0])
        // What the other id bought goes back to the one balance.
        let void = other.minted(
            "order.voided", ["orderId": late.payload["orderId"] ?? .null],
            entityId: late.payload["orderId"]?.string ?? "")
        let more = other.minted("points.adjusted", ["memberId": "M2", "delta": 3])
        let renamed = other.minted("member.updated", ["memberId": "M2", "tier": "gold"])
        #expect(flags(try await store.take(other.push([void, more, renamed]))) == [[], [], []])
        #expect(
            try await member("M1", in: store)?.value
                == ["name": "Li", "phone": "+86 139 1234 5678", "points": 10, "tier": "gold"])
        // The same person once more, by the first number's owner.
        let third = made("M3", "008613912345678", "L", by: &till)
        let again = made("M2", "13912345678", "Li Na", by: &till)
        #expect(
            flags(try await store.take(till.push([third, again]))) == [["member_merged"], ["member_merged"]])
        #expect(try await store.ledger.memberOfPerson("M3").id == "M1")
    }

    @Test(
        "A sale by an id that was merged spends leases of the one whom it means, of nobody else",
        arguments: StoreKind.all)
    func leased(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2"))
        _ = try await store.take(
            till.push([
                made("M1", "333333", "Li", by: &till), made("N", "444444", "Wu", by: &till),
                till.minted("points.adjusted", ["memberId": "M1", "delta": 100]),
            ]))
        let merged = made("M2", "333 333", "Li Na", by: &other)
        #expect(flags(try await store.take(other.push([merged]))) == [["member_merged"]])
        let lease = try #require(
            try await store.ledger.lend(
                LeaseRequest(kind: .points, subject: "M1", amount: 80, epoch: 1), to: other.device,
                by: LeaseTerms(kinds: [.points]), at: 1_000_000
            ).leases.first { $0.isBrief })
        let uses: JSONValue = [
            ["leaseId": .string(lease.id), "kind": "points", "subject": "M1", "amount": 30]
        ]
        let sales = ["M2", "N"].map { id in
            var draft = other
            let plain = SalePointsTests.sale(by: &draft, member: .string(id), earned: 0, spent: 30)
            return other.minted(
                "order.completed", .object((plain.payload.object ?? [:]).merging(["leases": uses]) { $1 }))
        }
        #expect(
            flags(try await store.take(other.push(sales))) == [[], ["lease_exceeded", "points_negative"]])
        let open = try await store.ledger.leases(all: false)
        #expect(open.first { $0.id == lease.id }?.used == 30)
        #expect(try await member("M1", in: store)?.value?["points"] == 70)
    }

    @Test(
        "What is lent of a member goes to the one whom an operator makes of both, and is not lent twice",
        arguments: StoreKind.all)
    func movedLeases(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2"))
        _ = try await store.take(
            till.push([
                made("K", "333333", "Li", by: &till), made("O", "444444", "Li", by: &till),
                till.minted("points.adjusted", ["memberId": "O", "delta": 1_000]),
            ]))
        let (terms, now) = (LeaseTerms(kinds: [.points]), 1_000_000 as Int64)
        try await store.enrol("X1", in: "S9", tokenExpiresAt: 1 << 52)
        try await store.ledger.lendShare(of: "O", to: other.device, by: terms, at: now)
        func lend(_ id: String, _ amount: Int64, to till: Till) async throws -> [Lease] {
            try await store.ledger.lend(
                LeaseRequest(kind: .points, subject: id, amount: amount, epoch: 1), to: till.device,
                by: terms, at: now
            ).leases
        }
        let before = try await lend("O", 500, to: other)
        #expect(before.reduce(0) { $0 + $1.left } == 500)
        _ = try await store.ledger.mergeMembers(keeping: "K", over: "O", at: now)
        #expect(try await store.ledger.leases(all: false).map(\.subject) == ["K", "K"])
        let page = try await store.ledger.changes(after: nil, limit: 50, storeId: "S1")
        let fed = page?.changes.filter { $0.entity == "lease" } ?? []
        #expect(fed.map { $0.value?["subject"] } == ["K", "K"])
        #expect(fed.map { $0.value?["version"] } == [2, 2])
        #expect(try await lend("K", 1_000, to: till).reduce(0) { $0 + $1.left } == 500)
        // The till has not pulled yet.
        let lease = try #require(before.first { !$0.isBrief })
        var draft = other
        let plain = SalePointsTests.sale(by: &draft, member: "O", earned: 0, spent: 30)
        let uses: JSONValue = [
            ["leaseId": .string(lease.id), "kind": "points", "subject": "O", "amount": 30]
        ]
        let sale = other.minted(
            "order.completed", .object((plain.payload.object ?? [:]).merging(["leases": uses]) { $1 }))
        #expect(flags(try await store.take(other.push([sale]))) == [[]])
        #expect(try await store.ledger.leases(all: false).first { $0.id == lease.id }?.used == 30)
        // Where they were, too.
        _ = try await store.ledger.eraseMemberId("K", at: now)
        #expect(try await store.ledger.remove(.memberVisits, until: 1 << 52) == 0)
    }

    @Test(
        "Nobody is merged who is known already, has a number of several, or none of a person",
        arguments: StoreKind.all)
    func notMerged(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        _ = try await store.ledger.importEntities(
            ["A", "B"].map { MemberEntry(id: $0, profile: ["phone": "333333"], openingPoints: 0) }, at: 1)
        _ = try await store.take(
            till.push([
                till.minted("member.created", ["name": "Li"], entityId: "M"),
                till.minted("points.adjusted", ["delta": 50], entityId: "M"),
                made("N", "444444", "Wu", by: &till), made("O", "12345", "Xu", by: &till),
            ]))
        let response = flags(
            try await store.take(
                till.push([
                    // A member whose id is known does not become another one by a number.
                    made("M", "444444", "Li", by: &till), made("P", "333333", "Yu", by: &till),
                    made("Q", "12345", "Yi", by: &till),
                ])))
        #expect(response == [[], [], []])
        #expect(try await member("M", in: store)?.value?["points"] == 50)
        for id in ["M", "P", "Q", "N"] { #expect(try await store.ledger.memberOfPerson(id).id == id) }
    }

    @Test(
        "A member without a name gets it, an import makes a member of a merged id again",
        arguments: StoreKind.all)
    func completed(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        _ = try await store.ledger.importEntities(
            [MemberEntry(id: "A", profile: ["phone": "333333", "tier": "gold"], openingPoints: 4)], at: 1)
        let made = made("N", "333 333", "Wu", by: &till)
        #expect(flags(try await store.take(till.push([made]))) == [["member_merged"]])
        #expect(
            try await member("A", in: store)?.value
                == ["name": "Wu", "phone": "333333", "tier": "gold", "points": 4])
        _ = try await store.ledger.importEntities(
            [MemberEntry(id: "N", profile: ["name": "Wu", "phone": "555555"], openingPoints: 0)], at: 2)
        #expect(
            try await member("N", in: store)?.value == ["name": "Wu", "phone": "555555", "points": 0])
    }

    @Test("Who is erased is erased with every id of theirs", arguments: StoreKind.all)
    func erased(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let people = [
            made("M1", "333333", "Li", by: &till), made("M2", "333333", "Lili", by: &till),
            made("N", "444444", "Wu", by: &till),
        ]
        _ = try await store.take(till.push(people))
        let erased = try await store.ledger.eraseMember("M2", at: 5)
        #expect(erased.wasKnown && erased.entries == 2)
        #expect(try await member("M1", in: store)?.value == nil)
        #expect(try await member("M2", in: store)?.value == nil)
        #expect(try await member("N", in: store)?.value?["name"] == "Wu")
        // A till that sells to them later brings nobody back.
        let sale = SalePointsTests.sale(by: &till, member: "M2", earned: 7)
        #expect(flags(try await store.take(till.push([sale]))) == [["member_unknown"]])
        #expect(try await member("M2", in: store)?.value == nil)
    }
}
