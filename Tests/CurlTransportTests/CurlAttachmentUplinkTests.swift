import CurlTransport
import OfflineCore
import OfflineMode
import TestKit
import Testing

@Suite("Curl attachment uplink", .timeLimit(.minutes(2)))
struct CurlAttachmentUplinkTests {
    struct Row: Sendable {
        let response: ScriptedResponse
        let means: UploadResponse
    }

    private static let slip = OfflineMode.Attachment(
        id: "01J", sha256: String(repeating: "a", count: 64), size: 10, contentType: "image/png",
        name: "slip.png", isUrgent: true)

    private static let whole = #"{"id":"01J","sha256":"\#(slip.sha256)"}"#

    @Test(
        "a chunk accepts exactly the contract's responses; only the hub completes an upload",
        arguments: [
            Row(response: more(headers: ["Range": "bytes=0-4"]), means: .at(5)),
            Row(response: more(headers: [:]), means: .at(0)),
            Row(response: .json(200, whole), means: .whole),
            Row(response: .problem(422, code: "digest_mismatch"), means: .digestMismatch),
            Row(response: .problem(410, code: "upload_url_expired"), means: .grantRefused),
            Row(response: .problem(403, code: "upload_url_invalid"), means: .grantRefused),
            Row(response: .problem(404, code: "not_found"), means: .grantRefused),
            Row(
                response: .problem(429, code: "rate_limited", headers: ["Retry-After": "7"]),
                means: .hubTrouble(retryAfter: .seconds(7))),
            Row(response: .problem(503, code: "store_unavailable"), means: .hubTrouble(retryAfter: nil)),
            Row(response: .problem(401, code: "terminal_revoked"), means: .hubTrouble(retryAfter: nil)),
            Row(
                response: more(headers: ["Location": "http://127.0.0.1:1/login"]),
                means: .hubTrouble(retryAfter: nil)),
            Row(response: more(headers: ["Range": "bytes=3-4"]), means: .hubTrouble(retryAfter: nil)),
            Row(response: .loginPage, means: .hubTrouble(retryAfter: nil)),
            Row(response: .json(200, "{}"), means: .hubTrouble(retryAfter: nil)),
            Row(response: .json(200, #"{"id":"01J"}"#), means: .hubTrouble(retryAfter: nil)),
            Row(
                response: .json(200, whole.replacing("01J", with: "01K")), means: .hubTrouble(retryAfter: nil)
            ),
            Row(response: .reset, means: .hubTrouble(retryAfter: nil)),
        ])
    func responses(row: Row) async throws {
        let bench = try HubBench()
        bench.server.on("/v1/attachments/01J/content", row.response)
        let uplink = CurlAttachmentUplink(client: bench.client)
        let target = "/v1/attachments/01J/content?grant=x"
        let response = await uplink.send([1, 2, 3], from: 4, of: Self.slip, to: target)
        #expect(response == row.means)
        let request = try #require(bench.server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.path == target)
        #expect(request.headers["content-range"] == "bytes 4-6/10")
        #expect(request.headers["content-type"] == "application/octet-stream")
        #expect(request.headers["authorization"] == nil)
        #expect(request.body == [1, 2, 3])
        #expect(bench.outcomes.isEmpty, "an upload is evidence of nothing")
    }

    @Test("it is announced with the device's token, and of the URL the path alone is taken")
    func announced() async throws {
        let bench = try HubBench()
        bench.server.on(
            "/v1/attachments",
            .json(
                201,
                #"{"uploadUrl":"https://hub.inside:8443/v1/x?grant=y","expiresAt":"z","chunkSize":4096}"#))
        let uplink = CurlAttachmentUplink(client: bench.client)
        #expect(await uplink.announce(Self.slip) == .granted(url: "/v1/x?grant=y", chunkSize: 4096))
        let request = try #require(bench.server.requests.first)
        #expect(request.headers["authorization"] == "Bearer token-1")
        #expect(request.text.contains(#""urgent":true"#))
        for response in [
            ScriptedResponse.loginPage, .json(201, "{}"), .json(201, #"{"uploadUrl":"nowhere"}"#),
        ] {
            bench.server.on("/v1/attachments", response)
            #expect(await uplink.announce(Self.slip) == .failed(.hubTrouble(retryAfter: nil)))
        }
        bench.server.on("/v1/attachments", .problem(409, code: "attachment_differs"))
        #expect(await uplink.announce(Self.slip) == .failed(.refused("409 attachment_differs: ")))
    }

    @Test("the request for the progress has no body and names the size")
    func query() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/x", more(headers: ["Range": "bytes=0-8"]))
        #expect(
            await CurlAttachmentUplink(client: bench.client).progress(of: Self.slip, at: "/v1/x") == .at(9))
        #expect(bench.server.requests.first?.headers["content-range"] == "bytes */10")
        #expect(bench.server.requests.first?.body == [])
    }
}

/// The hub requests more.
private func more(headers: [String: String]) -> ScriptedResponse {
    .whole(308, type: nil, headers: headers, body: "")
}
