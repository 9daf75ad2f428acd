import HubCore
import HubProtocol
import Testing

@Suite("Members")
struct MemberTests {
    private func mutation(_ type: String, _ payload: JSONValue) -> Mutation {
        Mutation(
            id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: 1, type: type, entity: "member", entityId: "M1",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash,
            payload: payload)
    }

    private func isRejected(_ type: String, _ payload: JSONValue) -> Bool {
        if case .rejected = IntakeRules.assess(mutation(type, payload)) { true } else { false }
    }

    @Test("Profiles and points come out the same in every order of writing and adding")
    func merging() throws {
        let steps: [@Sendable (MemberState) -> MemberState?] = [
            { $0.written(["name": "Li"]) }, { $0.adjusted(by: 30) }, { $0.written(["phone": "139"]) },
            { $0.adjusted(by: -50) },
        ]
        let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]]
        let ends = orders.map { order in
            order.reduce(MemberState?.some(MemberState(nil))) { state, step in state.flatMap(steps[step]) }
        }
        for end in ends { #expect(end?.value == ["name": "Li", "phone": "139", "points": -20]) }
    }

    @Test("A sum of points ends at what a number on the wire can be")
    func range() {
        let full = MemberState(["points": .integer(MemberState.range.upperBound)])
        #expect(full.adjusted(by: 1) == nil)
        #expect(full.adjusted(by: MemberState.range.upperBound) == nil)
        #expect(full.adjusted(by: -1)?.points == MemberState.range.upperBound - 1)
        let empty = MemberState(["points": .integer(MemberState.range.lowerBound)])
        #expect(empty.adjusted(by: -1) == nil)
    }

    @Test("A profile names its fields; points and the version it was made on are none of them")
    func profile() {
        let payload: JSONValue = [
            "name": "Li", "phone": nil, "newer": ["a": 1], "points": 7, "baseVersion": 3, "memberId": "M2",
        ]
        #expect(
            IntakeRules.assess(mutation("member.updated", payload))
                == .accepted(
                    flags: [.pointsIgnored],
                    effects: [
                        .writeMember(
                            id: "M2", FieldChange(fields: ["name": "Li", "phone": nil, "newer": ["a": 1]]))
                    ]))
        #expect(
            IntakeRules.assess(mutation("member.updated", ["points": 7]))
                == .accepted(flags: [.pointsIgnored], effects: []))
    }

    @Test("What is no member and no difference of points is rejected")
    func rejected() {
        let tooLong = JSONValue.string(String(repeating: "x", count: 201))
        let longest = JSONValue.string(String(repeating: "x", count: 200))
        #expect(isRejected("member.created", ["name": 5]))
        #expect(isRejected("member.updated", ["phone": ""]))
        #expect(isRejected("member.updated", ["name": tooLong]))
        #expect(!isRejected("member.updated", ["name": longest]))
        #expect(isRejected("member.updated", ["name": "Li", "memberId": ""]))
        #expect(isRejected("points.adjusted", [:]))
        #expect(isRejected("points.adjusted", ["delta": "5"]))
        #expect(isRejected("points.adjusted", ["delta": 5, "memberId": 1]))
        let most = MemberRules.deltas.upperBound
        #expect(isRejected("points.adjusted", ["delta": .integer(most + 1)]))
        #expect(!isRejected("points.adjusted", ["delta": .integer(-most)]))
        #expect(isRejected("member.updated", ["name": "Li", "changed": "name"]))
    }
}
