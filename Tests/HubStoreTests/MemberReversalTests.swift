import HubCore
import HubProtocol
import HubStore
import Testing

/// The way back from a terminal that changed members.
@Suite("What a terminal changed of members is taken back")
struct MemberReversalTests {
    private func value(_ id: String, in store: TemporaryStore) async throws -> JSONValue? {
        let key = EntityKey("member", id)
        return try await store.ledger.entities([key])[key]
    }

    private func revert(
        _ part: MemberReversal.Part, since: Int64, in store: TemporaryStore
    ) async throws -> [Int] {
        let reversal = MemberReversal(terminalId: "T1", since: since, part: part)
        let outcome = try await store.ledger.revertMembers(reversal, at: 2_000_000)
        #expect(!outcome.hasMore)
        return [outcome.reverted, outcome.kept, outcome.withdrawn]
    }

    @Test("Profiles become what they were, but for what others changed since", arguments: StoreKind.all)
    func profiles(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (hostile, honest) = (Till("T1"), Till("T2", store: "S2"))
        let made = [("a", "13900001"), ("b", "13900002")].map { id, phone in
            honest.minted(
                "member.created", ["name": .string("N" + id), "phone": .string(phone)], entityId: id)
        }
        _ = try await store.take(honest.push(made))
        let before = hostile.minted("member.updated", ["tier": "gold"], entityId: "a")
        _ = try await store.take(hostile.push([before], at: 1_000_000))
        let attack = [
            hostile.minted(
                "member.updated", ["name": "X", "phone": "1", "lookUp": ["phone": "13900001"]],
                entityId: "a"),
            hostile.minted("member.updated", ["name": "Y", "note": "z"], entityId: "a"),
            hostile.minted("member.updated", ["name": "X"], entityId: "b"),
            hostile.minted("member.created", ["name": "nobody"], entityId: "n"),
            hostile.minted("member.created", ["name": "somebody"], entityId: "s"),
        ]
        #expect(
            try await store.outcomes(hostile.push(attack, at: 1_000_001))
                == Array(repeating: "applied", count: 5))
        let since = [
            honest.minted("member.updated", ["name": "Nb2"], entityId: "b"),
            honest.minted("points.adjusted", ["delta": 7], entityId: "s"),
        ]
        _ = try await store.take(honest.push(since, at: 1_000_002))
        #expect(try await revert(.profiles, since: 1_000_001, in: store) == [4, 1, 1])
        #expect(
            try await value("a", in: store)
                == ["name": "Na", "phone": "13900001", "tier": "gold", "points": 0])
        #expect(try await value("b", in: store) == ["name": "Nb2", "phone": "13900002", "points": 0])
        #expect(try await value("n", in: store) ?? .null == .null)
        #expect(try await value("s", in: store) == ["points": 7])
        #expect(try await revert(.profiles, since: 0, in: store) == [1, 0, 0])
        #expect(try await revert(.profiles, since: 0, in: store) == [0, 0, 0])
    }

    @Test("Points move back, those of sales too, and profiles stay", arguments: StoreKind.all)
    func points(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (hostile, honest) = (Till("T1"), Till("T2", store: "S2"))
        let attack = [
            hostile.minted("member.created", ["name": "friend"], entityId: "f"),
            hostile.minted("points.adjusted", ["delta": 500], entityId: "f"),
            hostile.minted("points.adjusted", ["delta": -80], entityId: "m"),
        ]
        _ = try await store.take(hostile.push(attack))
        _ = try await store.take(
            honest.push([
                honest.minted("points.adjusted", ["delta": 3], entityId: "f"),
                honest.minted("points.adjusted", ["delta": 4], entityId: "m"),
            ]))
        #expect(try await revert(.points, since: 0, in: store) == [2, 0, 0])
        #expect(try await value("f", in: store) == ["name": "friend", "points": 3])
        #expect(try await value("m", in: store) == ["points": 4])
        #expect(try await revert(.points, since: 0, in: store) == [0, 0, 0])
        #expect(try await revert(.profiles, since: 0, in: store) == [1, 0, 0])
        #expect(try await value("f", in: store) == ["points": 3])
    }

    @Test("An erased member's changes are forgotten, and old ones after 90 days", arguments: StoreKind.all)
    func forgotten(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till("T1")
        let made = ["a", "b"].map { till.minted("member.created", ["name": "x"], entityId: $0) }
        _ = try await store.take(till.push(made, at: 1_000))
        _ = try await store.ledger.eraseMember("a", at: 2_000)
        #expect(try await store.ledger.remove(.memberChanges, at: 1_000 + 90 * 86_400_000) == 1)
        #expect(try await revert(.profiles, since: 0, in: store) == [0, 0, 0])
    }
}
