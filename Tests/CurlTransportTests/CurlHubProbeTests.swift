import CurlHTTP
import CurlTransport
import FaultRelay
import OfflineCore
import OfflineMode
import TestKit
import Testing

@Suite("Curl hub probe", .timeLimit(.minutes(2)))
struct CurlHubProbeTests {
    private let server: ScriptedServer
    private let session: CurlSession

    init() throws {
        server = try ScriptedServer()
        session = try CurlSession()
    }

    @Test("the hub with the right nonce is good, each time over a connection of its own")
    func good() async throws {
        server.on("/healthz", .json(200, #"{"status":"ok","nonce":"n1"}"#))
        for _ in 0..<2 {
            guard case .good(let roundTrip) = try await probe() else {
                Issue.record("not good")
                return
            }
            #expect(roundTrip > .zero)
        }
        #expect(server.requests.map(\.path) == ["/healthz?nonce=n1", "/healthz?nonce=n1"])
        #expect(server.requests.map(\.connection) == [1, 2])
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
        #expect(await server.waitForConnections(atMost: 0))
    }

    @Test("nonces do not repeat")
    func nonces() {
        #expect(Set((0..<100).map { _ in CurlHubProbe.randomNonce() }).count == 100)
    }

    struct Row: Sendable {
        let response: ScriptedResponse
        let result: ProbeResult
    }

    @Test(
        "a response of another server is recognised",
        arguments: [
            Row(response: .loginPage, result: .portal(.foreignBody)),
            Row(
                response: .whole(302, type: nil, headers: ["Location": "/login"], body: ""),
                result: .portal(.redirect)),
            Row(response: .json(200, #"{"status":"ok","nonce":"n0"}"#), result: .portal(.foreignNonce)),
            Row(response: .json(200, #"{"status":"ok"}"#), result: .portal(.foreignBody)),
            Row(response: .json(200, "[1]"), result: .portal(.foreignBody)),
            Row(response: .whole(200, type: "text/plain", body: "success"), result: .portal(.foreignBody)),
            Row(response: .whole(404, type: "text/plain", body: "no"), result: .portal(.foreignBody)),
            Row(response: .whole(204, type: nil, body: ""), result: .portal(.foreignBody)),
            Row(response: .reset, result: .failed(.reset)), Row(response: .close, result: .failed(.reset)),
            Row(response: .stall, result: .failed(.silent)),
            Row(response: .cut(200, #"{"nonce":"n1"}"#, after: 80), result: .failed(.reset)),
        ])
    func foreign(row: Row) async throws {
        server.on("/healthz", row.response)
        #expect(try await probe() == row.result)
    }

    @Test("a hub that is not well still proves the network", arguments: [500, 503, 401, 429])
    func unwell(status: Int) async throws {
        server.on("/healthz", .problem(status, code: "store_unavailable"))
        guard case .respondedBadly(status, _) = try await probe() else {
            Issue.record("not the hub's response")
            return
        }
    }

    @Test("a silent blackhole ends at the probe's timeout")
    func blackhole() async throws {
        let relay = try FaultRelay(target: server.port)
        relay.setMode(.silentBlackhole)
        let probe = CurlHubProbe(session: session, hub: try ServerURL("http://127.0.0.1:\(relay.port)"))
        #expect(await probe.probe(.hub, timeout: .milliseconds(300)) == .failed(.silent))
    }

    @Test(
        "the internet address is good with 204 or a plain 200, over http",
        arguments: [
            (ScriptedResponse.whole(204, type: nil, body: ""), true),
            (.whole(200, type: "text/plain", body: "success\n"), true), (.loginPage, false),
            (.whole(302, type: nil, headers: ["Location": "/"], body: ""), false),
            (.whole(511, type: "text/plain", body: ""), false),
        ])
    func internet(response: ScriptedResponse, isGood: Bool) async throws {
        server.on("/generate_204", response)
        let probe = CurlHubProbe(
            session: session, hub: try ServerURL("http://127.0.0.1:1"),
            internetURL: server.url + "/generate_204")
        let result = await probe.probe(.internet, timeout: .seconds(5))
        switch result {
        case .good: #expect(isGood)
        case .portal: #expect(!isGood)
        case .failed, .respondedBadly: Issue.record("\(result)")
        }
    }

    private func probe() async throws -> ProbeResult {
        await CurlHubProbe(session: session, hub: try ServerURL(server.url), makeNonce: { "n1" })
            .probe(.hub, timeout: .milliseconds(500))
    }
}
