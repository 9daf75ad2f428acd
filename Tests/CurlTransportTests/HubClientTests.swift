import Base
import CurlTransport
import HubProtocol
import OfflineCore
import OfflineMode
import Synchronization
import TestKit
import Testing

@Suite("Hub client", .timeLimit(.minutes(2)))
struct HubClientTests {
    private static let product =
        #"{"sku":"S1","barcode":"a/b c","name":"Tea","department":"D","priceMinor":100,"currency":"CNY","#
        + #""taxBasisPoints":1300,"unit":"each","stockMilli":null}"#

    @Test("every call carries the standard headers and is reported")
    func headers() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/products/a%2Fb%20c", .json(200, Self.product))
        let product = try await bench.client.product(barcode: "a/b c")
        #expect(product.name == "Tea")
        let request = try #require(bench.server.requests.first)
        #expect(request.headers["authorization"] == "Bearer token-1")
        #expect(request.headers["user-agent"] == "pos/1.2.3 (Debian)")
        #expect(request.headers["pos-schema"] == "5")
        let outcome = try #require(bench.log.finished.first)
        #expect(outcome.api == APIRoute(method: "GET", template: "/v1/products/{barcode}"))
        #expect(outcome.outcome == .success)
        #expect(outcome.firstByteAt != nil)
    }

    @Test("an expired token is renewed once and the call sent again; the last response is reported")
    func renewal() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/products/1", .problem(401, code: "token_expired"), .json(200, Self.product))
        _ = try await bench.client.product(barcode: "1")
        #expect(
            bench.server.requests.map { $0.headers["authorization"] } == ["Bearer token-1", "Bearer token-2"])
        #expect(bench.outcomes == [.success])
    }

    @Test("a second 401, a refused renewal and any other 401 are the final response")
    func noRenewal() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/products/1", .problem(401, code: "token_expired"))
        await #expect(throws: HubCallError.self) { try await bench.client.product(barcode: "1") }
        #expect(bench.server.requests.count == 2)
        bench.tokens.refuseRenewal()
        await #expect(throws: HubCallError.self) { try await bench.client.product(barcode: "1") }
        #expect(bench.server.requests.count == 3)
        bench.server.on("/v1/products/1", .problem(401, code: "terminal_revoked"))
        await #expect(throws: HubCallError.self) { try await bench.client.product(barcode: "1") }
        #expect(bench.server.requests.count == 4)
        #expect(bench.outcomes == [.auth(status: 401), .auth(status: 401), .auth(status: 401)])
    }

    @Test("calls that find the token expired at the same time share one renewal")
    func sharedRenewal() async throws {
        let bench = try HubBench()
        for index in 0..<8 {
            // The later ones learn of it when the renewal is long done.
            let steps = ScriptedResponse.problem(401, code: "token_expired").steps
            let expired = ScriptedResponse([.pause(Double(index % 2) * 0.4 + 0.05)] + steps)
            bench.server.on("/v1/products/\(index)", expired, .json(200, Self.product))
        }
        let found = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<8 {
                group.addTask { (try? await bench.client.product(barcode: "\(index)")) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(found == 8)
        #expect(bench.tokens.renewals == 1)
    }

    @Test("a refusal, a malformed response and no response are distinguished")
    func errors() async throws {
        let bench = try HubBench(requestTimeout: .milliseconds(200))
        bench.server.on("/v1/products/none", .problem(404, code: "not_found"))
        bench.server.on("/v1/products/odd", .json(200, "{}"))
        bench.server.on("/v1/products/page", .loginPage)
        bench.server.on("/v1/products/stall", .stall)
        await #expect(throws: HubCallError.notContract(detail: "`sku` must be a string")) {
            try await bench.client.product(barcode: "odd")
        }
        await #expect(throws: HubCallError.noResponse(.portal(.foreignBody))) {
            try await bench.client.product(barcode: "page")
        }
        await #expect(throws: HubCallError.noResponse(.network(.silent))) {
            try await bench.client.product(barcode: "stall")
        }
        do throws(HubCallError) {
            _ = try await bench.client.product(barcode: "none")
            Issue.record("found")
        } catch {
            guard case .refused(let problem) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(problem.code == .notFound)
        }
    }

    @Test("a stall is reported while the call continues, and its end as well")
    func stall() async throws {
        let bench = try HubBench(stallAfter: .milliseconds(100))
        bench.server.on(
            "/v1/products/1", ScriptedResponse([.pause(0.4)] + ScriptedResponse.json(200, Self.product).steps)
        )
        _ = try await bench.client.product(barcode: "1")
        #expect(bench.log.stalled == [APIRoute(method: "GET", template: "/v1/products/{barcode}")])
        #expect(bench.outcomes == [.success])
    }

    @Test("a cancelled call is reported as cancelled")
    func cancelled() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/products/1", .stall)
        let task = Task { try? await bench.client.product(barcode: "1") }
        #expect(await bench.server.waitForRequests(1))
        task.cancel()
        #expect(await task.value == nil)
        #expect(bench.outcomes == [.cancelled])
    }

    @Test("the change feed is requested with cursor and limit, and an expired cursor is a refusal")
    func changes() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/changes", .json(200, #"{"changes":[],"cursor":"c2","hasMore":true}"#))
        let page = ChangeResponse.page(ChangePage(changes: [], cursor: "c2", hasMore: true))
        #expect(try await bench.client.changes(cursor: nil, limit: 5) == page)
        #expect(try await bench.client.changes(cursor: "a b&c", limit: 1000) == page)
        #expect(
            bench.server.requests.map(\.path)
                == ["/v1/changes?limit=5", "/v1/changes?limit=1000&cursor=a%20b%26c"])
        bench.server.on("/v1/changes", .problem(410, code: "cursor_expired"))
        await #expect(throws: HubCallError.self) { try await bench.client.changes(cursor: "x", limit: 1) }
        #expect(bench.outcomes.last == .business(status: 410))
    }

    @Test("enrolment goes without a token, signed, and signed again with the hub's time, however far it is")
    func enrolment() async throws {
        let bench = try HubBench()
        bench.server.on(
            "/v1/terminals",
            .problem(401, code: "clock_skew", members: #""hubTime":"2036-09-22T03:04:05.000Z""#),
            .json(
                201,
                #"{"terminalId":"T","storeId":"S","terminalNumber":3,"token":"t","tokenExpiresAt":"x","#
                    + #""epoch":1,"hubTime":"y"}"#))
        let signed = Mutex<[String]>([])
        let grant = try await bench.client.enrol(
            EnrolmentRequest(enrolmentCode: "ABC", name: "till", publicKey: "k")
        ) { bytes in
            signed.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            return "c2ln"
        }
        #expect(grant.terminalNumber == 3)
        let requests = bench.server.requests
        #expect(requests.count == 2 && requests.last?.headers["pos-date"] == "2036-09-22T03:04:05.000Z")
        let request = try #require(requests.first)
        #expect(request.headers["authorization"] == nil)
        #expect(request.headers["pos-host"] == "127.0.0.1" && request.headers["pos-signature"] == "c2ln")
        let digest = Digest.sha256Hex(request.body)
        let last = signed.withLock { $0.last }
        #expect(last == "POST\n/v1/terminals\n2036-09-22T03:04:05.000Z\n\(digest)\n127.0.0.1")
        #expect(try JSONParser.parse(request.body)["enrolmentCode"] == "ABC")
    }

    @Test("a renewal is signed, and signed again with the hub's time when the clock is off")
    func tokenRenewal() async throws {
        let bench = try HubBench()
        bench.server.on(
            "/v1/terminals/self/token",
            .problem(401, code: "clock_skew", members: #""hubTime":"2026-09-22T03:04:05.000Z""#),
            .json(200, #"{"token":"new","tokenExpiresAt":"later"}"#))
        let signed = Mutex<[String]>([])
        let grant = try await bench.client.renewToken(terminalId: "T-1") { bytes in
            signed.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            return "c2ln"
        }
        #expect(grant.token == "new")
        let requests = bench.server.requests
        #expect(requests.map { $0.headers["pos-date"] }.last == "2026-09-22T03:04:05.000Z")
        #expect(requests.allSatisfy { $0.headers["pos-signature"] == "c2ln" })
        #expect(
            requests.allSatisfy { $0.headers["pos-terminal"] == "T-1" && $0.headers["authorization"] == nil })
        let last = try #require(signed.withLock { $0.last })
        #expect(last.hasPrefix("POST\n/v1/terminals/self/token\n2026-09-22T"))
        #expect(last.hasSuffix("\n127.0.0.1\nT-1"))
        #expect(requests.allSatisfy { $0.headers["pos-host"] == "127.0.0.1" })
    }

    @Test("a call that a hub without a record of the terminal refused is not sent again under the new token")
    func unknownTerminal() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/products/1", .problem(401, code: "terminal_unknown"))
        await #expect(throws: HubCallError.noResponse(.cancelled)) {
            try await bench.client.product(barcode: "1")
        }
        #expect(bench.tokens.renewals == 1)
        #expect(bench.server.requests.count == 1)
        bench.tokens.refuseRenewal()
        await #expect(throws: HubCallError.self) { try await bench.client.product(barcode: "1") }
        #expect(bench.outcomes.last == .auth(status: 401))
    }

    @Test(
        "no response gets a signature for more than a day ahead; for a day, and for any past moment, it does")
    func boundedLead() async throws {
        let here = FixedWall().wallMilliseconds()
        let day = SignedRequest.maximumLeadMilliseconds
        for (offer, isSigned) in [(here + day, true), (here + day + 1, false), (0, true)] {
            let bench = try HubBench()
            let text = Timestamp.text(milliseconds: offer)
            bench.server.on(
                "/v1/terminals/self/token",
                .problem(401, code: "clock_skew", members: #""hubTime":"\#(text)""#),
                .json(200, #"{"token":"new","tokenExpiresAt":"later"}"#))
            let signed = Mutex<[String]>([])
            let grant = try? await bench.client.renewToken(terminalId: "T-1") { bytes in
                signed.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                return "c2ln"
            }
            #expect((grant != nil) == isSigned, "\(text)")
            #expect(signed.withLock { $0.contains { $0.contains(text) } } == isSigned, "\(text)")
        }
    }

    @Test("a renewal always signs host and terminal, and shows a restored hub the token and the key")
    func otherForms() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/terminals/self/token", .json(200, #"{"token":"n","tokenExpiresAt":"l"}"#))
        let signed = Mutex<[String]>([])
        let sign: @Sendable ([UInt8]) async -> String? = { bytes in
            signed.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            return "c2ln"
        }
        _ = try await bench.client.renewToken(terminalId: "T-1", sign: sign)
        #expect(signed.withLock { $0.last }?.hasSuffix("\n127.0.0.1\nT-1") == true)
        #expect(bench.server.requests.last?.headers["pos-host"] == "127.0.0.1")
        let readmission = ReadmissionRequest(token: "t", publicKey: "k", name: "n")
        _ = try await bench.client.renewToken(terminalId: "T-1", readmission: readmission, sign: sign)
        let body = try #require(bench.server.requests.last).body
        #expect(try ReadmissionRequest(json: JSONParser.parse(body)) == readmission)
        #expect(signed.withLock { $0.last }?.contains(Digest.sha256Hex(Array(body))) == true)
    }

    @Test("a payment is authorised under its key, requested, captured and voided")
    func payments() async throws {
        let bench = try HubBench()
        func response(_ key: String, _ state: String) -> ScriptedResponse {
            .json(
                201,
                #"{"key":"\#(key)","orderId":"O","state":"\#(state)","#
                    + #""amount":{"amount":5,"currency":"CNY"},"approvalCode":null,"declineReason":null}"#)
        }
        bench.server.on("/v1/payments/authorizations", response("K1", "authorized"))
        bench.server.on("/v1/payments/authorizations/K1", response("K1", "authorized"))
        bench.server.on("/v1/payments/authorizations/K3", response("K2", "voided"))
        let made = try await bench.client.authorize(key: "K1", orderId: "O", amount: 5, currency: "CNY")
        #expect(made.state == .authorized)
        #expect(bench.server.requests.first?.headers["idempotency-key"] == "\"K1\"")
        #expect(try await bench.client.authorization(key: "K1").state == .authorized)
        await #expect(throws: HubCallError.notContract(detail: "the response is about another payment")) {
            try await bench.client.authorization(key: "K3")
        }
    }
}
