import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("Renewal of device tokens", .onStage)
struct RenewalTests {
    private func hub(_ kind: HubStoreKind, _ arguments: [String] = []) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        return try HubUnderTest(arguments, in: folder, store: try kind.place(in: folder))
    }

    private func ask(_ client: LoopbackClient, _ headers: [String: String]) throws -> LoopbackAnswer {
        try client.request("POST", Routes.tokenRenewal, headers: headers, body: "")
    }

    @Test("The same request renews once; the hub offers a time that does", arguments: HubStoreKind.all)
    func replay(_ kind: HubStoreKind) throws {
        let hub = try hub(kind)
        let till = try SigningTill(on: hub)
        let client = try hub.client()
        // Ahead of the hub's clock, within the five minutes.
        let date = SigningTill.now(plus: 200_000)
        for request in [try till.renewal(at: date), try till.boundRenewal(at: date)] {
            _ = try ask(client, request)
            let again = try ask(client, request)
            #expect(again.status == 401)
            #expect(again.problemCode == "clock_skew")
            let offered = try #require(try again.json()["hubTime"]?.string)
            #expect(offered == Timestamp.text(milliseconds: Timestamp.milliseconds(of: date)! + 1))
        }
        let earlier = try ask(client, till.boundRenewal(at: SigningTill.now()))
        #expect(earlier.problemCode == "clock_skew")
        let offered = try #require(try earlier.json()["hubTime"]?.string)
        #expect(try ask(client, till.boundRenewal(at: offered)).status == 200)
        // A restart forgets none of it.
        try hub.killAndRestart()
        #expect(try ask(try hub.client(), till.boundRenewal(at: offered)).problemCode == "clock_skew")
    }

    @Test("A signature for another host, terminal or date does not renew", arguments: HubStoreKind.all)
    func bound(_ kind: HubStoreKind) throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"renewal":{"hosts":["hub.example","127.0.0.1"]}}"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder, store: try kind.place(in: folder))
        let till = try SigningTill(on: hub)
        let other = try SigningTill(on: hub)
        let client = try hub.client()
        let foreign = try ask(client, till.boundRenewal(at: SigningTill.now(), host: "evil.example"))
        #expect(foreign.status == 401)
        #expect(foreign.problemCode == "host_mismatch")
        var moved = try till.boundRenewal(at: SigningTill.now(), host: "evil.example")
        moved[HeaderNames.host] = "hub.example"
        #expect(try ask(client, moved).problemCode == "token_invalid")
        var stripped = try till.boundRenewal(at: SigningTill.now())
        stripped[HeaderNames.host] = nil
        #expect(try ask(client, stripped).problemCode == "token_invalid")
        var borrowed = try till.boundRenewal(at: SigningTill.now())
        borrowed[HeaderNames.terminal] = other.grant.terminalId
        #expect(try ask(client, borrowed).problemCode == "token_invalid")
        var later = try till.boundRenewal(at: SigningTill.now())
        later[HeaderNames.date] = SigningTill.now(plus: 1_000)
        #expect(try ask(client, later).problemCode == "token_invalid")
        let good = try till.boundRenewal(at: SigningTill.now(), host: "hub.example")
        #expect(try ask(client, good).status == 200)
    }

    @Test("A terminal of the version before renews as it always did", arguments: HubStoreKind.all)
    func versionBefore(_ kind: HubStoreKind) throws {
        let hub = try hub(kind)
        var till = try SigningTill(on: hub)
        let client = try hub.client()
        for _ in 0..<3 { #expect(try till.renew(on: client).status == 200) }
        #expect(try till.status(on: client) == 200)
    }

    @Test(
        "A code's digest is keyed, codes are listed by id, and a revoked one enrols no terminal",
        arguments: HubStoreKind.all)
    func codes(_ kind: HubStoreKind) throws {
        let hub = try hub(kind)
        let made = try hub.json("enrol-code", "--store-id", "S1")
        let code = try #require(made["code"]?.string)
        let id = try #require(made["id"]?.string)
        let listed = try hub.json("enrol-code", "list")["codes"]?.array ?? []
        #expect(listed.map { $0["id"]?.string } == [id])
        #expect(listed.first?["state"] == "open")
        #expect(!Digest.sha256Hex(Array(code.filter { $0 != "-" }.utf8)).hasPrefix(id))
        #expect(try hub.json("enrol-code", "revoke", id)["state"] == "revoked")
        #expect(try hub.run("enrol-code", "revoke", id).exitCode == 4)
        let request = EnrolmentRequest(
            enrolmentCode: code, name: "till", publicKey: Data(repeating: 7, count: 32).base64EncodedString())
        let answer = try hub.client().request("POST", Routes.terminals, body: request.json.canonicalText)
        #expect(answer.problemCode == "enrolment_refused")
        // A code lives over a rotation of what its digest is keyed with.
        let other = try #require(try hub.json("enrol-code", "--store-id", "S1")["code"]?.string)
        _ = try hub.json("key", "rotate", "--kind", "secret")
        let second = EnrolmentRequest(
            enrolmentCode: other, name: "till", publicKey: Data(repeating: 7, count: 32).base64EncodedString()
        )
        #expect(
            try hub.client().request("POST", Routes.terminals, body: second.json.canonicalText).status == 201)
    }
}
