import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub serves", .onStage, .serialized)
struct HubServingTests {
    private let hub: HubUnderTest

    init() throws {
        hub = try HubUnderTest()
    }

    @Test("Health echoes the nonce and is never cached; readiness reports the store")
    func health() throws {
        let client = try hub.client()
        let answer = try client.request("GET", "/healthz?nonce=a%20b")
        #expect(answer.status == 200)
        #expect(try answer.json() == ["status": "ok", "nonce": "a b"])
        #expect(answer.headers["cache-control"] == "no-store")
        let head = try client.request("HEAD", Routes.health)
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(try client.request("GET", Routes.ready).status == 200)
    }

    @Test("Unknown paths, wrong methods and missing tokens are problems of the contract")
    func problems() throws {
        let client = try hub.client()
        #expect(try client.request("GET", "/v2/nothing").problemCode == "not_found")
        let wrong = try client.request("DELETE", Routes.mutation)
        #expect(wrong.status == 405)
        #expect(wrong.headers["allow"] == "POST")
        #expect(wrong.problemCode == "method_not_allowed")
        #expect(try client.request("GET", Routes.changes).problemCode == "token_invalid")
        let forged = ["Authorization": "Bearer pos1.T.S.99999999999999.AAAA"]
        #expect(try client.request("GET", Routes.changes, headers: forged).problemCode == "token_invalid")
        #expect(try client.request("GET", Routes.qosServices).problemCode == "operator_required")
    }

    @Test("A port that another program listens on is one line with the remedy, before anything starts")
    func portInUse() throws {
        let folder = try TemporaryFolder()
        let address = hub.url.dropFirst("http://".count)
        let end = try ProgramUnderTest.run(
            "pos-hub",
            ["serve", "--listen", "\(address)", "--store", HubUnderTest.store(in: folder), "--json"])
        #expect(end.exitCode == 3)
        #expect(
            end.errors == [
                "pos-hub: cannot listen on \(address): Address already in use; end the program that listens "
                    + "there, or choose another port with --listen"
            ])
        #expect(!FileManager.default.fileExists(atPath: folder.path("hub.sqlite")))
    }

    @Test("A schema below the minimum is refused with the upgrade that it needs")
    func schemaGate() throws {
        let till = try hub.enrol()
        let headers = till.headers.merging([HeaderNames.schema: "0"]) { $1 }
        let answer = try hub.client().request("GET", Routes.changes, headers: headers)
        #expect(answer.status == 426)
        #expect(answer.problemCode == "upgrade_required")
    }

    @Test("What is no JSON, too deep, doubled, too large or too many is refused completely")
    func limits() throws {
        var till = try hub.enrol()
        let client = try hub.client()
        func refusal(_ body: String, on route: String = Routes.mutationBatch) throws -> String? {
            try client.request("POST", route, headers: till.headers, body: body).problemCode
        }
        #expect(try refusal("{") == "malformed_request")
        #expect(try refusal(#"{"mutations":[],"mutations":[]}"#) == "malformed_request")
        #expect(try refusal(String(repeating: "[", count: 65)) == "malformed_request")
        #expect(try refusal(#"{"mutations":[{"id":"x"}]}"#) == "malformed_request")
        #expect(try refusal(String(repeating: " ", count: 1 << 20) + "{}") == "body_too_large")
        let many = (0..<201).map { _ in till.sale() }
        #expect(try till.push(many, on: client).problemCode == "too_many_mutations")
        #expect(try till.push([], on: client).json()["acknowledgedThrough"] == 0)
    }

    @Test("A code enrols once, and a revoked till is refused")
    func enrolment() throws {
        let till = try hub.enrol()
        #expect(till.grant.terminalNumber == 1)
        let client = try hub.client()
        let again = EnrolmentRequest(
            enrolmentCode: "AAAAA-AAAAA", name: "till",
            publicKey: Data(repeating: 1, count: 32).base64EncodedString())
        #expect(
            try client.request("POST", Routes.terminals, body: again.json.canonicalText).problemCode
                == "enrolment_refused")
        #expect(try client.request("GET", Routes.changes, headers: till.headers).status == 200)
        #expect(try hub.run("terminals", "revoke", till.grant.terminalId).exitCode == 0)
        #expect(
            try client.request("GET", Routes.changes, headers: till.headers).problemCode == "terminal_revoked"
        )
    }

    @Test("SIGTERM ends it well, and its sockets go with it")
    func termination() throws {
        #expect(FileManager.default.fileExists(atPath: hub.folder.path("hub.sqlite.sock")))
        hub.program.terminate()
        #expect(hub.program.exitCode() == 0)
        #expect(!FileManager.default.fileExists(atPath: hub.folder.path("hub.sqlite.sock")))
    }

    @Test("A second hub on the same store is refused with a line and exit code 3")
    func secondHub() throws {
        let second = try ProgramUnderTest.run(
            "pos-hub",
            ["serve", "--listen", "127.0.0.1:0", "--store", HubUnderTest.store(in: hub.folder)])
        #expect(second.exitCode == 3)
        #expect(second.errors.count == 1)
    }

    @Test("The operators' page is shown to operators alone, on loopback too, and runs no script")
    func page() throws {
        _ = try hub.enrol()
        let foreign = try hub.client().request("GET", "/")
        #expect(foreign.status == 303)
        #expect(foreign.headers["location"] == "/login")
        #expect(try hub.client().request("GET", "/metrics").problemCode == "operator_required")
        let token = try #require(try hub.json("operator", "add", "kim")["token"]?.string)
        let headers = ["Authorization": "Bearer \(token)"]
        let answer = try hub.client().request("GET", "/", headers: headers)
        #expect(answer.status == 200)
        #expect(answer.text.contains("<td>order</td><td>healthy</td>"))
        #expect(!answer.text.contains("<script"))
        #expect(
            try hub.client().request("GET", "/metrics", headers: headers).text.contains(
                "hub_service_healthy{service=\"order\"} 1"))
    }
}
