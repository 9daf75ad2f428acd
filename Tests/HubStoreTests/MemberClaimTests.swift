import HubCore
import HubProtocol
import HubStore
import Testing

/// What a terminal has to name before it changes how a member is found, or gives points away.
@Suite("Changes of members that need a claim")
struct MemberClaimTests {
    private func value(_ id: String, in store: TemporaryStore) async throws -> JSONValue? {
        let key = EntityKey("member", id)
        return try await store.ledger.entities([key])[key]
    }

    @Test(
        "A telephone number is changed or removed by whoever names the one of now; the rest is taken",
        arguments: StoreKind.all)
    func numbers(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (honest, other) = (Till("T1"), Till("T2", store: "S2"))
        let made = [
            honest.minted("member.created", ["name": "Li", "phone": "13900000001"], entityId: "a"),
            honest.minted("member.created", ["name": "Wu"], entityId: "b"),
        ]
        _ = try await store.take(honest.push(made))
        let attack = [
            other.minted("member.updated", ["name": "X", "phone": "1391"], entityId: "a"),
            other.minted("member.updated", ["phone": .null], entityId: "a"),
            other.minted("member.created", ["phone": "1392"], entityId: "a"),
            other.minted(
                "member.updated", ["phone": "1393", "lookUp": ["phone": "13900000002"]], entityId: "a"),
            other.minted("member.updated", ["phone": "1394", "lookUp": "13900000001"], entityId: "a"),
        ]
        let attacked = try await store.outcomes(other.push(attack))
        #expect(attacked == Array(repeating: "conflict conflict", count: 5))
        #expect(try await value("a", in: store) == ["name": "X", "phone": "13900000001", "points": 0])
        let changes = [
            // As its own state travels back, and spelled otherwise.
            other.minted("member.updated", ["name": "Li", "phone": "139 0000 0001"], entityId: "a"),
            other.minted(
                "member.updated", ["phone": "1395", "tier": "gold", "changed": ["tier"]], entityId: "a"),
            other.minted(
                "member.updated", ["phone": "13900000003", "lookUp": ["phone": "+86 13900000001"]],
                entityId: "a"),
            // Nobody is found by a number that is not there.
            other.minted("member.updated", ["phone": "13900000004"], entityId: "b"),
            other.minted(
                "member.updated", ["phone": .null, "lookUp": ["phone": "13900000004"]], entityId: "b"),
        ]
        let changed = try await store.outcomes(other.push(changes))
        #expect(changed == Array(repeating: "applied", count: 5))
        #expect(
            try await value("a", in: store)
                == ["name": "Li", "phone": "13900000003", "tier": "gold", "points": 0])
        #expect(try await value("b", in: store) == ["name": "Wu", "points": 0])
    }

    @Test("Points are adjusted with an approver where the store has people", arguments: StoreKind.all)
    func approvers(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let people = [
            CashierRecord(id: "c1", name: "Qi", role: .cashier, pinHash: "$"),
            CashierRecord(id: "m1", name: "Wu", role: .manager, pinHash: "$"),
        ]
        _ = try await store.ledger.importEntities(people, at: 1)
        let claims: [JSONObject] = [
            [:], ["cashierId": "c1"], ["cashierId": "c1", "approverId": "c1"],
            ["cashierId": "c1", "approverId": "gone"], ["cashierId": "c1", "approverId": "m1"],
            ["cashierId": "m1"],
        ]
        let all = claims.map { claim in
            till.minted(
                "points.adjusted", .object(claim.merging(["delta": 5]) { own, _ in own }), entityId: "m")
        }
        let refused = "rejected approval_missing"
        #expect(
            try await store.outcomes(till.push(all))
                == [refused, refused, refused, refused, "applied", "applied"])
        #expect(try await value("m", in: store) == ["points": 10])
    }
}
