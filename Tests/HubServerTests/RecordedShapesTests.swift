import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("What terminals of every version sent")
struct RecordedShapesTests {
    @Test(
        "is accepted by today's hub as the hub of its version did", arguments: try RecordedPushes.all())
    func accepted(_ recording: RecordedPushes) async throws {
        let hub = try await HubInProcess()
        var tills: [String: TillOverHTTP] = [:]
        for request in recording.requests {
            var till = tills[request.terminal]
            if till == nil { till = try await hub.enrol() }
            let sender = try #require(till)
            tills[request.terminal] = sender
            for attachment in request.attachments { try await upload(attachment, of: sender, to: hub) }
            let response = try await hub.request(
                "POST", Routes.mutationBatch, headers: sender.headers.merging(request.headers) { $1 },
                body: request.body.canonicalText)
            try #require(response.status == 200, "\(response.text)")
            let results = try MutationBatchResponse(json: response.json()).results
            #expect(results.map(\.outcome.rawValue) == request.outcomes)
            let alarms: Set = ["hash_mismatch", "chain_broken"]
            for result in results {
                let flags = (result.json["flags"]?.array ?? []).compactMap(\.string)
                #expect(alarms.isDisjoint(with: flags), "\(result.json)")
            }
        }
        for terminal in try await hub.perform(.audit(terminal: nil))["terminals"]?.array ?? [] {
            #expect(terminal["chain"] == "intact")
            #expect(terminal["missing"] == [])
        }
    }

    private func upload(
        _ attachment: RecordedPushes.Attachment, of till: TillOverHTTP, to hub: HubInProcess
    ) async throws {
        let announced = try await hub.request(
            "POST", Routes.attachments, headers: till.headers, body: attachment.info.json.canonicalText)
        try #require(announced.status == 201, "\(announced.text)")
        let url = try UploadGrant(json: announced.json()).uploadURL
        let target = String(url[try #require(url.range(of: "/v1/")).lowerBound...])
        let size = attachment.info.size
        let sent = try await hub.request(
            "PUT", target, headers: ["Content-Range": "bytes 0-\(size - 1)/\(size)"], body: attachment.text)
        try #require(sent.status == 200, "\(sent.text)")
    }

    @Test("has the hash that it was recorded with", arguments: try RecordedPushes.all())
    func untouched(_ recording: RecordedPushes) throws {
        for mutation in recording.requests.flatMap(\.mutations) {
            let read = try Mutation(json: mutation)
            #expect(read.computedHash == read.hash)
        }
    }
}
