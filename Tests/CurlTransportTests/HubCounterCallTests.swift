import CurlTransport
import HubProtocol
import OfflineCore
import TestKit
import Testing

@Suite("Requests to the hub about people and offers", .timeLimit(.minutes(2)))
struct HubCounterCallTests {
    private let bench: HubBench

    init() throws { bench = try HubBench() }

    private func body() throws -> JSONValue {
        try JSONParser.parse(try #require(bench.server.requests.last).body)
    }

    private func sessionError() async -> HubCallError? {
        do throws(HubCallError) {
            try await bench.client.openSession(cashierId: "c 1", pin: "12\"34")
            return nil
        } catch {
            return error
        }
    }

    @Test("a session is opened for a right PIN, with any role of a newer hub, and for no other cashier")
    func session() async throws {
        bench.server.on("/v1/sessions", .json(201, #"{"cashierId":"c 1","name":"Li","role":"auditor"}"#))
        #expect(await sessionError() == nil)
        #expect(try body() == ["cashierId": "c 1", "pin": "12\"34"])
        #expect(bench.log.finished.map(\.api) == [APIRoute(method: "POST", template: "/v1/sessions")])
        bench.server.on("/v1/sessions", .json(201, #"{"cashierId":"c2","name":"Li","role":"cashier"}"#))
        guard case .notContract? = await sessionError() else { throw ExpectationLost() }
    }

    @Test("a wrong PIN is the hub's refusal and evidence of nothing, and a gateway's page is no refusal")
    func refusedSession() async throws {
        bench.server.on("/v1/sessions", .problem(422, code: "pin_refused"))
        guard case .refused(let problem)? = await sessionError() else { throw ExpectationLost() }
        #expect(problem.code == .pinRefused)
        #expect(bench.outcomes == [.business(status: 422)])
        bench.server.on("/v1/sessions", .problem(503, code: "store_unavailable"))
        #expect(await sessionError() == .noResponse(.service(.status(503))))
    }

    @Test("a member is requested by an id of any characters, and an unknown member is no error")
    func member() async throws {
        bench.server.on("/v1/members/M%2F1%20%3F", .json(200, #"{"id":"M/1 ?","name":"Li","points":3}"#))
        let member = try await bench.client.member(id: "M/1 ?")
        #expect(member?.name == "Li")
        bench.server.on("/v1/members/M2", .problem(404, code: "not_found"))
        #expect(try await bench.client.member(id: "M2") == nil)
        bench.server.on("/v1/members/M3", .json(200, "[]"))
        await #expect(throws: HubCallError.self) { try await bench.client.member(id: "M3") }
        #expect(Set(bench.log.finished.map(\.api.template)) == ["/v1/members/{id}"])
    }

    @Test("members are requested by telephone number, and one malformed member makes the response malformed")
    func phone() async throws {
        bench.server.on("/v1/members", .json(200, #"{"members":[{"id":"M1"},{"id":"M2","points":1}]}"#))
        #expect(try await bench.client.members(phone: "+86 1").map(\.id) == ["M1", "M2"])
        #expect(try #require(bench.server.requests.last).path == "/v1/members?phone=%2B86%201")
        bench.server.on("/v1/members", .json(200, #"{"members":[{"name":"Li"}]}"#))
        await #expect(throws: HubCallError.self) { try await bench.client.members(phone: "1") }
        #expect(bench.log.finished.map(\.api.template) == ["/v1/members", "/v1/members"])
    }

    @Test(
        "offers are requested with the complete basket, and an unreadable response is a fault of the service")
    func offers() async throws {
        let basket = BasketShape(
            memberId: "M1", coupons: ["A"],
            lines: [.init(sku: "S1", department: "d", quantityMilli: 1500, unitPrice: 200, discount: 5)])
        let response = """
            {"discount":7,"lines":[{"discount":7,"offers":[{"promotionId":"P","name":"n","coupon":"A","amount":7}]}],
            "coupons":[{"code":"A","outcome":"taken","reason":null}]}
            """
        bench.server.on("/v1/promotions/evaluate", .json(200, response))
        let shape = try await bench.client.reductions(for: basket)
        #expect(shape.json == (try JSONParser.parse(response.utf8)))
        #expect(try body() == basket.json)
        bench.server.on("/v1/promotions/evaluate", .json(200, #"{"lines":7}"#))
        await #expect(throws: HubCallError.self) { try await bench.client.reductions(for: basket) }
        #expect(bench.outcomes == [.success, .service(.brokenBody)])
    }

    @Test("leases are returned, and news in any response but a pull's own makes the terminal pull")
    func leases() async throws {
        let news = [HeaderNames.feed: HeaderNames.feedMoved]
        bench.server.on("/v1/leases/returns", .json(200, #"{"leases":[]}"#, headers: news))
        let order = LeaseReturn(
            epoch: 1, sequence: 7, leases: [LeaseReturn.Part(leaseId: "a", spent: 3)])
        #expect(try await bench.client.giveBack(order) == LentLeases(leases: []))
        #expect(try LeaseReturn(json: body()) == order)
        #expect(bench.feedMoves == 1)
        bench.server.on(
            "/v1/changes", .json(200, #"{"changes":[],"cursor":"c","hasMore":false}"#, headers: news))
        _ = try await bench.client.changes(cursor: nil, limit: 5)
        #expect(bench.feedMoves == 1)
        bench.server.on("/v1/leases", .json(200, #"{"leases":[],"recalled":true}"#))
        let wanted = LeaseRequest(kind: .coupon, subject: "A", amount: 1, epoch: 1)
        #expect(try await bench.client.lend(wanted) == LentLeases(leases: [], isRecalled: true))
        #expect(bench.feedMoves == 1)
        // A hub of before.
        bench.server.on("/v1/leases/returns", .problem(404, code: "not_found"))
        await #expect(throws: HubCallError.self) { try await bench.client.giveBack(order) }
    }

    private struct ExpectationLost: Error {}
}
