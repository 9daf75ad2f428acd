import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Members who may be one person")
struct MemberDoublesTests {
    private func member(_ id: String, _ phone: String, points: Int64 = 0, name: String? = nil) -> MemberEntry
    {
        var profile: JSONObject = ["phone": .string(phone)]
        profile["name"] = name.map(JSONValue.string)
        return MemberEntry(id: id, profile: profile, openingPoints: points)
    }

    private func groups(_ store: TemporaryStore, limit: Int = 9) async throws -> [[String]] {
        try await store.ledger.doubleMembers(limit: limit).groups.map { $0.members.map(\.id) }
    }

    @Test(
        "are listed by their numbers in any spelling, and one of them stays by an operator's word",
        arguments: StoreKind.all)
    func settled(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let list = [
            member("a", "+49 170 1234567", points: 5), member("b", "0170 1234567", points: 7, name: "Bo"),
            member("c", "0049 170 1234567", points: 1), member("d", "+49 171 1234567"),
            member("e", "13800138000"), member("f", "+86 138-0013-8000"), member("g", "110"),
            member("h", "110"),
        ]
        _ = try await store.ledger.importEntities(list, withdrawing: [], at: 1)
        #expect(try await groups(store) == [["e", "f"], ["a", "b", "c"]])
        let first = try await store.ledger.doubleMembers(limit: 1)
        #expect(first.groups.count == 1 && first.hasMore)
        // Whoever was merged before is what the second one becomes.
        let outcome = try await store.ledger.mergeMembers(keeping: "b", over: "c", at: 2)
        guard case .merged(let bo) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(bo.points == 8 && bo.name == "Bo" && bo.phone == "0170 1234567")
        #expect(try await groups(store) == [["e", "f"], ["a", "b"]])
        guard case .merged(let all) = try await store.ledger.mergeMembers(keeping: "a", over: "b", at: 3)
        else {
            return #expect(Bool(false), "not merged")
        }
        #expect(all.points == 13 && all.name == "Bo" && all.phone == "+49 170 1234567")
        for id in ["b", "c"] { #expect(try await store.ledger.memberOfPerson(id).id == "a") }
        #expect(try await groups(store) == [["e", "f"]])
        // Neither a reference, nor somebody unknown, nor the same member twice.
        for (kept, other, wrong) in [("b", "d", "b"), ("d", "c", "c"), ("d", "x", "x"), ("d", "d", "d")] {
            #expect(
                try await store.ledger.mergeMembers(keeping: kept, over: other, at: 4) == .unknown(wrong))
        }
        _ = try await store.ledger.eraseMember("f", at: 5)
        #expect(try await groups(store) == [])
    }
}
