import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("The routes of attachments")
struct AttachmentRoutesTests {
    /// One upload, announced or not.
    private struct Upload {
        let hub: HubInProcess
        let till: TillOverHTTP
        let text: String
        let info: AttachmentInfo
        /// Path and query.
        private(set) var target = ""

        init(
            _ hub: HubInProcess, _ till: TillOverHTTP, id: String = TillOverHTTP.ulid(), bytes: Int
        ) async throws {
            self.hub = hub
            self.till = till
            text = String(repeating: "x", count: bytes)
            info = AttachmentInfo(
                id: id, sha256: Digest.sha256Hex(Array(text.utf8)), size: Int64(bytes),
                contentType: "text/plain", isUrgent: false)
            let response = try await announce(info.json)
            try #require(response.status == 201, "\(response.text)")
            let url = try UploadGrant(json: response.json()).uploadURL
            target = String(url[try #require(url.range(of: "/v1/")).lowerBound...])
        }

        func announce(_ json: JSONValue) async throws -> LoopbackResponse {
            try await hub.request(
                "POST", Routes.attachments, headers: till.headers, body: json.canonicalText)
        }

        func put(
            _ range: String?, _ body: String, headers more: [String: String] = [:], to other: String? = nil
        ) async throws -> LoopbackResponse {
            var headers = more
            headers["Content-Range"] = range
            return try await hub.request("PUT", other ?? target, headers: headers, body: body)
        }

        func finish() async throws -> LoopbackResponse {
            try await put("bytes 0-\(info.size - 1)/\(info.size)", text)
        }
    }

    @Test("A chunk of 1 MiB is taken and one of a byte more is not; so is an attachment of 16 MiB")
    func limits() async throws {
        let hub = try await HubInProcess()
        let upload = try await Upload(hub, try await hub.enrol(), bytes: 3 << 20)
        let mebibyte = 1 << 20
        #expect(
            try await upload.put("bytes 0-\(mebibyte)/\(3 << 20)", String(upload.text.prefix(mebibyte + 1)))
                .status
                == 413)
        let response = try await upload.put(
            "bytes 0-\(mebibyte - 1)/\(3 << 20)", String(upload.text.prefix(mebibyte)))
        #expect(response.status == 308)
        #expect(response.headers["range"] == "bytes=0-\(mebibyte - 1)")
        var members = upload.info.json.object ?? [:]
        members["id"] = "large"
        members["size"] = .integer(AttachmentInfo.maximumSize)
        #expect(try await upload.announce(.object(members)).status == 201)
        members["id"] = "larger"
        members["size"] = .integer(AttachmentInfo.maximumSize + 1)
        let refused = try await upload.announce(.object(members))
        #expect(refused.status == 413)
        #expect(refused.problemCode == "attachment_too_large")
    }

    @Test("What is no part of this upload changes nothing")
    func badParts() async throws {
        let hub = try await HubInProcess()
        let upload = try await Upload(hub, try await hub.enrol(), bytes: 10)
        for (range, body, status) in [
            (nil, "xxxxxxxxxx", 400), ("bytes 0-9/11", "xxxxxxxxxx", 400), ("bytes 0-9/10", "xxx", 400),
            ("bytes 0-8/10", "xxxxxxxxxx", 400), ("lines 0-9/10", "xxxxxxxxxx", 400),
            ("bytes 5-9/10", "xxxxx", 308), ("bytes */11", "", 400),
        ] as [(String?, String, Int)] {
            #expect(try await upload.put(range, body).status == status, "\(range ?? "none")")
        }
        #expect(try await upload.put("bytes */10", "").headers["range"] == nil)
        var other = upload.info.json.object ?? [:]
        other["contentType"] = "image/png"
        #expect(try await upload.announce(.object(other)).problemCode == "attachment_differs")
        #expect(try await upload.finish().status == 200)
        #expect(try await upload.finish().status == 200)
        #expect(try await upload.put("bytes */10", "").json()["sha256"] == .string(upload.info.sha256))
    }

    @Test("Another digest is reported, and the upload starts again")
    func digest() async throws {
        let hub = try await HubInProcess()
        let upload = try await Upload(hub, try await hub.enrol(), bytes: 10)
        let wrong = try await upload.put("bytes 0-9/10", "yyyyyyyyyy")
        #expect(wrong.status == 422)
        #expect(wrong.problemCode == "digest_mismatch")
        #expect(try await upload.put("bytes */10", "").headers["range"] == nil)
        #expect(try await upload.finish().status == 200)
    }

    @Test("The URL is for one attachment of one terminal, until its end or a revocation")
    func signedURL() async throws {
        let hub = try await HubInProcess { $0.uploadLifetime = .seconds(60) }
        let till = try await hub.enrol()
        let upload = try await Upload(hub, till, id: "same", bytes: 10)
        let other = try await Upload(hub, try await hub.enrol(), id: "same", bytes: 20)
        #expect(try await upload.put("bytes */10", "").status == 308)
        #expect(try await other.put("bytes */20", "").status == 308)
        let forged = upload.target.replacingOccurrences(of: "/same/", with: "/other/")
        #expect(try await upload.put("bytes */10", "", to: forged).problemCode == "upload_url_invalid")
        #expect(
            try await upload.put("bytes */10", "", to: upload.target + "x").problemCode
                == "upload_url_invalid")
        #expect(
            try await upload.put("bytes */10", "", headers: other.till.headers).problemCode
                == "upload_url_invalid")
        hub.clock.advance(by: .milliseconds(59_999))
        #expect(try await upload.put("bytes */10", "").status == 308)
        hub.clock.advance(by: .milliseconds(1))
        let expired = try await upload.put("bytes 0-9/10", upload.text)
        #expect(expired.status == 410)
        #expect(expired.problemCode == "upload_url_expired")
        let again = try await Upload(hub, till, id: "same", bytes: 10)
        try await hub.perform(.revokeTerminal(id: till.grant.terminalId))
        #expect(try await again.put("bytes */10", "").problemCode == "terminal_revoked")
    }

    @Test("The response to a single mutation names what it waits for; it is accepted once that is complete")
    func deferred() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        let upload = try await Upload(hub, till, bytes: 10)
        let note = Mutation(
            id: TillOverHTTP.ulid(), sequence: 1, type: "note.upserted", entity: "note", entityId: "n",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash,
            attachments: [upload.info.id], payload: ["text": "x"])
        let early = try await till.push(note, on: hub)
        #expect(early.status == 409)
        #expect(early.problemCode == "dependency_missing")
        #expect(try early.json()["outcome"] == "deferred")
        #expect(try early.json()["waitsFor"] == [.string(upload.info.id)])
        #expect(try await upload.finish().status == 200)
        #expect(try await till.push(note, on: hub).status == 201)
    }
}
