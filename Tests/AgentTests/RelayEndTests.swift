import HubProtocol
import Testing

@testable import Agent

/// What a keeper does with a piece after the hub's response.
@Suite("The end of a piece that was handed in")
struct RelayEndTests {
    private func end(_ outcomes: [String], held: String? = nil) -> RelayEnd {
        let results = outcomes.map { JSONValue.object(["id": "M", "outcome": .string($0)]) }
        var json: JSONObject = [
            "terminalId": "T", "epoch": 1, "results": .array(results), "acknowledgedThrough": 4,
            "missing": [],
        ]
        if let held { json["held"] = .string(held) }
        return RelayEnd(json: .object(json), problem: nil, status: 200)
    }

    private func end(_ code: ProblemCode, _ status: Int) -> RelayEnd {
        let problem = Problem(status: status, code: code, title: "t", detail: "d")
        return RelayEnd(json: problem.json, problem: problem, status: status)
    }

    @Test("A piece goes when each of its entries has a result, and no earlier")
    func results() {
        #expect(end(["applied", "duplicate", "rejected", "conflict"]) == .covered)
        #expect(end(["applied", "deferred"]) == .settled)
        #expect(end(["retry"]) == .settled)
        #expect(end([], held: "revoked") == .held)
        #expect(end([], held: "later") == .held, "a word of a later version")
    }

    @Test("Only what no hub will ever take is dropped")
    func problems() {
        #expect(end(.pieceInvalid, 400) == .worthless(reason: "d"))
        #expect(end(.pieceSignatureInvalid, 401) == .worthless(reason: "d"))
        #expect(end(.epochSuperseded, 409) == .held)
        for (code, status) in [
            (ProblemCode.terminalUnknown, 404), (.exportKeyUnknown, 409), (.quotaExceeded, 429),
        ] {
            #expect(end(code, status) == .settled)
        }
        // The relayer itself is unknown: nothing is known of the piece.
        #expect(end(.terminalUnknown, 401) == .notNow)
        #expect(RelayEnd(json: nil, problem: nil, status: nil) == .notNow)
        // Another till's piece may be taken all the same.
        for status in [400, 413, 422] {
            #expect(end(.malformedRequest, status) == .settled)
            #expect(RelayEnd(json: nil, problem: nil, status: status) == .settled)
        }
        for status in [500, 502, 503] {
            #expect(RelayEnd(json: nil, problem: nil, status: status) == .failed)
        }
    }
}
