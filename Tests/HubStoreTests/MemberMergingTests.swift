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
        let updated = other.minted("member.updated", ["name": "Li Na", "phone": nil], entityId: "M")
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
}
