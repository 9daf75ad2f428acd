import CurlTransport
import HubProtocol
import OfflineCore
import OfflineMode
import TestKit
import Testing

@Suite("Curl mutation uplink", .timeLimit(.minutes(2)))
struct CurlMutationUplinkTests {
    private static let first = "01JAAAAAAAAAAAAAAAAAAAAAAA"
    private static let second = "01JBBBBBBBBBBBBBBBBBBBBBBB"

    struct Row: Sendable {
        let response: ScriptedResponse
        let outcome: PushResult.Outcome
    }

    @Test(
        "a single push takes exactly the contract's results",
        arguments: [
            Row(response: .json(201, result("applied")), outcome: .applied),
            Row(
                response: .json(200, result("duplicate", #""result":\#(result("applied"))"#)),
                outcome: .applied),
            Row(response: .json(200, result("duplicate")), outcome: .applied),
            Row(
                response: .json(200, result("duplicate", #""result":\#(result("rejected"))"#)),
                outcome: .rejected),
            Row(
                response: .problem(422, code: "invalid_mutation", members: named("rejected")),
                outcome: .rejected),
            Row(response: .problem(409, code: "conflict", members: named("conflict")), outcome: .conflict),
            Row(
                response: .problem(409, code: "dependency_missing", members: named("deferred")),
                outcome: .deferred),
            Row(
                response: .problem(409, code: "idempotency_in_progress", headers: ["Retry-After": "4"]),
                outcome: .retry(after: .seconds(4))),
        ])
    func results(row: Row) async throws {
        let outcome = try await push(single: row.response)
        guard case .results(let results, nil, []) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(results.map(\.id) == [Self.first])
        #expect(results.map(\.outcome) == [row.outcome])
    }

    @Test(
        "only an explicit result for this row is a result",
        arguments: [
            .loginPage, .json(200, "{}"), .json(201, "[]"), .json(201, "null"), .json(201, "true"),
            .json(201, result("applied", id: second)), .json(201, result("sold")),
            .json(201, result("rejected")), .json(201, result("conflict")),
            .json(201, #"{"id":"\#(first)","outcome":1}"#),
            .json(200, result("duplicate", #""result":\#(result("applied", id: second))"#)),
            .json(201, result("applied") + "x"),
            .cut(201, result("applied"), after: 70), .reset, .close, .stall,
            .whole(302, type: nil, headers: ["Location": "http://127.0.0.1:1/"], body: ""),
            .whole(200, type: "text/plain", body: result("applied")), .whole(204, type: nil, body: ""),
            .problem(500, code: "internal_error", members: named("rejected")),
            .problem(503, code: "store_unavailable", members: named("retry")),
            .problem(429, code: "rate_limited", members: named("retry")),
            ScriptedResponse([.send(Array("garbage".utf8)), .close]),
        ] as [ScriptedResponse])
    func noResult(response: ScriptedResponse) async throws {
        let outcome = try await push(single: response)
        guard case .hubTrouble = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test(
        "a 4xx that is no result keeps the row, with its code",
        arguments: [
            (400, "idempotency_key_missing", ""), (413, "body_too_large", ""),
            (422, "idempotency_key_reused", ""), (404, "not_found", ""),
            (422, "invalid_mutation", #""id":"\#(second)","outcome":"rejected""#),
            (422, "invalid_mutation", #""id":"\#(first)","outcome":"applied""#),
            (409, "conflict", #""id":"\#(second)","outcome":"conflict""#),
        ])
    func refused(status: Int, code: String, members: String) async throws {
        let outcome = try await push(single: .problem(status, code: code, members: members))
        guard case .refused(status, code, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("the terminal's states are distinguished: forked, superseded, too old, token refused, throttled")
    func states() async throws {
        let head = #""epoch":2,"head":{"sequence":41,"hash":"ab","orderNumber":"S-1-20260101-9"}"#
        #expect(
            try await push(single: .problem(409, code: "journal_forked", members: head))
                == .journalForked(
                    epoch: 2, headSequence: 41, headHash: "ab", headOrderNumber: "S-1-20260101-9"))
        #expect(
            try await push(single: .problem(409, code: "journal_forked"))
                == .hubTrouble(.service(.brokenBody), retryAfter: nil))
        #expect(
            try await push(single: .problem(409, code: "epoch_superseded"))
                == .epochSuperseded(SupersedingJournal()))
        #expect(try await push(single: .problem(426, code: "upgrade_required")) == .upgradeRequired)
        #expect(
            try await push(single: .problem(401, code: "terminal_revoked"))
                == .signInNeeded(code: "terminal_revoked"))
        #expect(
            try await push(single: .problem(429, code: "rate_limited", headers: ["Retry-After": "9"]))
                == .hubTrouble(.throttle(retryAfter: .seconds(9)), retryAfter: .seconds(9)))
        #expect(
            try await push(single: .problem(503, code: "store_unavailable", headers: ["Retry-After": "3"]))
                == .hubTrouble(.service(.status(503)), retryAfter: .seconds(3)))
    }

    @Test("a superseded copy learns how far the other one came; what cannot be read is left out")
    func superseded() async throws {
        let hash = String(repeating: "a", count: 64)
        let end = { (epoch: Int64, sequence: Int64) in
            SupersedingJournal.End(epoch: epoch, sequence: sequence, hash: hash)
        }
        let head =
            #""epoch":3,"head":{"epoch":3,"sequence":9,"hash":"\#(hash)","orderNumber":"S-1-20260101-9"}"#
        let ends = #""ends":[{"epoch":1,"sequence":7,"hash":"\#(hash)"},{"epoch":2,"sequence":8,"hash":"x"}]"#
        #expect(
            try await push(
                single: .problem(409, code: "epoch_superseded", members: "\(head),\(ends)"))
                == .epochSuperseded(
                    SupersedingJournal(ends: [end(1, 7), end(3, 9)], headOrderNumber: "S-1-20260101-9")))
    }

    @Test("both kinds of push name where the epoch began")
    func epochStart() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/mutations", .json(201, Self.result("applied")))
        bench.server.on("/v1/mutations/batch", .json(200, #"{"results":[],"acknowledgedThrough":0}"#))
        let uplink = CurlMutationUplink(client: bench.client)
        _ = await uplink.push([item(Self.first)], at: .waiting(from: 7, epoch: 3, start: 5))
        _ = await uplink.push([], at: .waiting(from: nil, epoch: 3, start: 5))
        #expect(bench.server.requests.first?.headers["pos-epoch-start"] == "5")
        let batch = try #require(bench.server.requests.last)
        #expect(try JSONParser.parse(batch.body)["epochStart"] == 5)
    }

    @Test("the response to a single push says how far the journal has come at the hub, and what is missing")
    func singleExtent() async throws {
        let head = #"{"epoch":1,"sequence":9,"hash":"\#(String(repeating: "a", count: 64))"}"#
        let more = #""acknowledgedThrough":6,"missing":[7,8],"missingHeads":[\#(head)]"#
        let bench = try HubBench()
        bench.server.on("/v1/mutations", .json(201, Self.result("applied", more)))
        let seen = Seen()
        let uplink = CurlMutationUplink(client: bench.client, extent: { await seen.note($0, isWhole: $1) })
        let outcome = await uplink.push([item(Self.first)], at: .waiting(from: 9))
        guard case .results(_, let acknowledged, let missing) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(acknowledged == 6)
        #expect(missing == [7, 8])
        #expect(await seen.extents.map(\.missing) == [[7, 8]])
        #expect(await seen.whole == [false])
        bench.server.on("/v1/mutations/batch", .json(200, #"{"results":[],\#(more)}"#))
        _ = await uplink.push([], at: .waiting(from: nil))
        #expect(await seen.extents.map(\.missingHeads.count) == [1, 1])
        #expect(await seen.whole == [false, true])
    }

    private actor Seen {
        private(set) var extents: [JournalExtent] = []
        private(set) var whole: [Bool] = []
        func note(_ extent: JournalExtent, isWhole: Bool) {
            extents.append(extent)
            whole.append(isWhole)
        }
    }

    @Test("a single push carries key, epoch and low sequence, and the row's bytes unchanged")
    func singleRequest() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/mutations", .json(201, Self.result("applied")))
        _ = await CurlMutationUplink(client: bench.client).push(
            [item(Self.first)], at: .waiting(from: 7, epoch: 3))
        let request = try #require(bench.server.requests.first)
        #expect(request.headers["idempotency-key"] == "\"\(Self.first)\"")
        #expect(request.headers["pos-epoch"] == "3")
        #expect(request.headers["pos-low-sequence"] == "7")
        #expect(request.body == item(Self.first).body)
        #expect(bench.log.finished.map(\.api) == [APIRoute(method: "POST", template: "/v1/mutations")])
    }

    @Test("a batch response has a result for each row in order, and the sequences that the hub misses")
    func batch() async throws {
        let results =
            Self.result("applied") + "," + Self.result("retry", #""retryAfterMs":1500"#, id: Self.second)
        let (outcome, bench) = try await push(
            batch: .json(200, #"{"results":[\#(results)],"acknowledgedThrough":12,"missing":[3,4]}"#))
        guard case .results(let rows, 12, [3, 4]) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(rows.map(\.outcome) == [.applied, .retry(after: .milliseconds(1500))])
        let body = try JSONParser.parse(try #require(bench.server.requests.first).body)
        #expect(body["epoch"] == 1)
        #expect(body["lowSequence"] == 5)
        #expect(body["telemetry"]?["appVersion"] == "1")
        #expect(body["mutations"]?.array?.map { $0["id"] } == [.string(Self.first), .string(Self.second)])
    }

    @Test("a duplicate has the outcome and the reason of the hub's first response, and is stored as received")
    func duplicates() async throws {
        let rejected = Self.result("rejected", #""problem":{"code":"invalid_mutation"}"#)
        let conflict = Self.result("conflict", #""policy":"last_writer""#, id: Self.second)
        let rows = [
            Self.result("duplicate", #""result":\#(rejected)"#),
            Self.result("duplicate", #""result":\#(conflict)"#, id: Self.second),
        ]
        let (outcome, _) = try await push(
            batch: .json(200, #"{"results":[\#(rows[0]),\#(rows[1])],"acknowledgedThrough":2}"#))
        guard case .results(let results, 2, []) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(results.map(\.outcome) == [.rejected, .conflict])
        #expect(results.map(\.reason) == ["invalid_mutation", "last_writer"])
        #expect(try results.map(\.document) == rows.map { try JSONParser.parse($0.utf8).canonicalText })
    }

    @Test("a single push's problem gives the reason, and a deferred row what it waits for")
    func singleReasons() async throws {
        let waits = Self.named("deferred") + #","waitsFor":["a","b"]"#
        let pushes: [(ScriptedResponse, String?, [String])] = [
            (
                .problem(422, code: "invalid_mutation", members: Self.named("rejected")), "invalid_mutation",
                []
            ),
            (.problem(409, code: "conflict", members: Self.named("conflict") + #","policy":"p""#), "p", []),
            (.problem(409, code: "dependency_missing", members: waits), nil, ["a", "b"]),
        ]
        for (response, reason, waitsFor) in pushes {
            guard case .results(let results, nil, []) = try await push(single: response) else {
                Issue.record("no result")
                continue
            }
            #expect(results.map(\.reason) == [reason])
            #expect(results.map(\.waitsFor) == [waitsFor])
        }
    }

    @Test("a batch response with a row too few, too many, swapped or malformed is refused")
    func brokenBatch() async throws {
        let (one, two) = (Self.result("applied"), Self.result("applied", id: Self.second))
        for rows in [one, "\(two),\(one)", "\(one),\(two),\(one)", "\(one),\(one)", "\(one),{}", "\(one),3"] {
            let (outcome, bench) = try await push(
                batch: .json(200, #"{"results":[\#(rows)],"acknowledgedThrough":1,"missing":[]}"#))
            #expect(outcome == .hubTrouble(.service(.brokenBody), retryAfter: nil), "\(rows)")
            #expect(bench.log.finished.map(\.outcome) == [.service(.brokenBody)], "\(rows)")
        }
        let (outcome, _) = try await push(batch: .json(200, #"{"results":[\#(one),\#(two)]}"#))
        #expect(outcome == .hubTrouble(.service(.brokenBody), retryAfter: nil))
    }

    @Test("a batch response that is cut at any length keeps every row")
    func everyCut() async throws {
        let bench = try HubBench()
        let response =
            #"{"results":[\#(Self.result("applied")),\#(Self.result("applied", id: Self.second))],"#
            + #""acknowledgedThrough":2,"missing":[]}"#
        let whole = ScriptedResponse.bytes(200, type: "application/json", headers: [:], body: response)
        let uplink = CurlMutationUplink(client: bench.client)
        for count in stride(from: 0, to: whole.count, by: 7) {
            bench.server.on("/v1/mutations/batch", .cut(200, response, after: count))
            let outcome = await uplink.push(
                [item(Self.first), item(Self.second)], at: .waiting(from: nil))
            guard case .hubTrouble = outcome else {
                Issue.record("cut after \(count): \(outcome)")
                continue
            }
        }
    }

    @Test("no rows are an empty batch")
    func empty() async throws {
        let bench = try HubBench()
        bench.server.on(
            "/v1/mutations/batch", .json(200, #"{"results":[],"acknowledgedThrough":8,"missing":[]}"#))
        let outcome = await CurlMutationUplink(client: bench.client).push([], at: .waiting(from: nil))
        #expect(outcome == .results([], acknowledgedThrough: 8, missing: []))
    }

    private func push(single response: ScriptedResponse) async throws -> PushOutcome {
        let bench = try HubBench(requestTimeout: .milliseconds(400))
        bench.server.on("/v1/mutations", response)
        let uplink = CurlMutationUplink(client: bench.client)
        return await uplink.push([item(Self.first)], at: .waiting(from: nil))
    }

    private func push(batch response: ScriptedResponse) async throws -> (PushOutcome, HubBench) {
        let bench = try HubBench()
        bench.server.on("/v1/mutations/batch", response)
        let uplink = CurlMutationUplink(client: bench.client, telemetry: { ["appVersion": "1"] })
        let outcome = await uplink.push(
            [item(Self.first), item(Self.second)], at: .waiting(from: 5))
        return (outcome, bench)
    }

    private func item(_ id: String) -> OutboxItem {
        OutboxItem(
            id: id, sequence: 1, orderingKey: id, type: "order.completed",
            body: Array(#"{"id":"\#(id)", "b":1}"#.utf8))
    }

    private static func result(_ outcome: String, _ more: String = "", id: String = first) -> String {
        #"{"id":"\#(id)","outcome":"\#(outcome)"\#(more.isEmpty ? "" : "," + more)}"#
    }

    private static func named(_ outcome: String) -> String {
        #""id":"\#(first)","outcome":"\#(outcome)""#
    }
}

extension OutboxDepth {
    /// An outbox with these places, which are sent with every push.
    static func waiting(from lowSequence: Int64?, epoch: Int64 = 1, start: Int64? = nil) -> OutboxDepth {
        OutboxDepth(
            pending: lowSequence == nil ? 0 : 1, oldestMadeAt: nil, rejected: 0, conflicted: 0,
            acknowledgedThrough: 0, lowSequence: lowSequence, epoch: epoch, epochStart: start)
    }
}
