import Foundation
import HubProtocol
import TestKit
import Testing

/// The routes of attachments as any client meets them.
@Suite("pos-hub: attachments", .onStage, .serialized)
struct HubAttachmentTests {
    /// One upload, announced or not.
    private struct Upload {
        let hub: HubUnderTest
        let till: TillOverHTTP
        let text: String
        let info: AttachmentInfo
        /// Path and query.
        private(set) var target = ""

        init(_ hub: HubUnderTest, _ till: TillOverHTTP, id: String = TillOverHTTP.ulid(), bytes: Int) throws {
            self.hub = hub
            self.till = till
            text = String(repeating: "x", count: bytes)
            info = AttachmentInfo(
                id: id, sha256: Digest.sha256Hex(Array(text.utf8)), size: Int64(bytes),
                contentType: "text/plain", isUrgent: false)
            let answer = try announce(info.json)
            try #require(answer.status == 201, "\(answer.text)")
            let url = try UploadGrant(json: answer.json()).uploadURL
            target = String(url[try #require(url.range(of: "/v1/")).lowerBound...])
        }

        func announce(_ json: JSONValue) throws -> LoopbackAnswer {
            try hub.client().request(
                "POST", Routes.attachments, headers: till.headers, body: json.canonicalText)
        }

        func put(
            _ range: String?, _ body: String, headers more: [String: String] = [:], to other: String? = nil
        ) throws -> LoopbackAnswer {
            var headers = more
            headers["Content-Range"] = range
            return try hub.client().request("PUT", other ?? target, headers: headers, body: body)
        }

        func finish() throws -> LoopbackAnswer {
            try put("bytes 0-\(info.size - 1)/\(info.size)", text)
        }
    }

    private func hub(urlLifetime: Int = 60) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try "{\"attachments\":{\"urlLifetimeSeconds\":\(urlLifetime)}}"
            .write(toFile: file, atomically: true, encoding: .utf8)
        return try HubUnderTest(["--config", file], in: folder)
    }

    @Test("A chunk of 1 MiB is taken and one of a byte more is not; so is an attachment of 16 MiB")
    func limits() throws {
        let hub = try hub()
        let upload = try Upload(hub, try hub.enrol(), bytes: 3 << 20)
        let mebibyte = 1 << 20
        #expect(
            try upload.put("bytes 0-\(mebibyte)/\(3 << 20)", String(upload.text.prefix(mebibyte + 1))).status
                == 413)
        let answer = try upload.put(
            "bytes 0-\(mebibyte - 1)/\(3 << 20)", String(upload.text.prefix(mebibyte)))
        #expect(answer.status == 308)
        #expect(answer.headers["range"] == "bytes=0-\(mebibyte - 1)")
        var members = upload.info.json.object ?? [:]
        members["id"] = "large"
        members["size"] = .integer(AttachmentInfo.maximumSize)
        #expect(try upload.announce(.object(members)).status == 201)
        members["id"] = "larger"
        members["size"] = .integer(AttachmentInfo.maximumSize + 1)
        let refused = try upload.announce(.object(members))
        #expect(refused.status == 413)
        #expect(refused.problemCode == "attachment_too_large")
    }

    @Test("What is no part of this upload changes nothing")
    func badParts() throws {
        let hub = try hub()
        let upload = try Upload(hub, try hub.enrol(), bytes: 10)
        for (range, body, status) in [
            (nil, "xxxxxxxxxx", 400), ("bytes 0-9/11", "xxxxxxxxxx", 400), ("bytes 0-9/10", "xxx", 400),
            ("bytes 0-8/10", "xxxxxxxxxx", 400), ("lines 0-9/10", "xxxxxxxxxx", 400),
            ("bytes 5-9/10", "xxxxx", 308), ("bytes */11", "", 400),
        ] as [(String?, String, Int)] {
            #expect(try upload.put(range, body).status == status, "\(range ?? "none")")
        }
        #expect(try upload.put("bytes */10", "").headers["range"] == nil)
        var other = upload.info.json.object ?? [:]
        other["contentType"] = "image/png"
        #expect(try upload.announce(.object(other)).problemCode == "attachment_differs")
        #expect(try upload.finish().status == 200)
        #expect(try upload.finish().status == 200)
        #expect(try upload.put("bytes */10", "").json()["sha256"] == .string(upload.info.sha256))
    }

    @Test("Another digest is reported, and the upload starts again")
    func digest() throws {
        let hub = try hub()
        let upload = try Upload(hub, try hub.enrol(), bytes: 10)
        let wrong = try upload.put("bytes 0-9/10", "yyyyyyyyyy")
        #expect(wrong.status == 422)
        #expect(wrong.problemCode == "digest_mismatch")
        #expect(try upload.put("bytes */10", "").headers["range"] == nil)
        #expect(try upload.finish().status == 200)
    }

    @Test("The URL is for one attachment of one terminal, until its end or a revocation")
    func signedURL() throws {
        let hub = try hub(urlLifetime: 2)
        let till = try hub.enrol()
        let upload = try Upload(hub, till, id: "same", bytes: 10)
        let other = try Upload(hub, try hub.enrol(), id: "same", bytes: 20)
        #expect(try upload.put("bytes */10", "").status == 308)
        #expect(try other.put("bytes */20", "").status == 308)
        let forged = upload.target.replacingOccurrences(of: "/same/", with: "/other/")
        #expect(try upload.put("bytes */10", "", to: forged).problemCode == "upload_url_invalid")
        #expect(
            try upload.put("bytes */10", "", to: upload.target + "x").problemCode == "upload_url_invalid")
        #expect(
            try upload.put("bytes */10", "", headers: other.till.headers).problemCode == "upload_url_invalid")
        Thread.sleep(forTimeInterval: 2.1)
        let expired = try upload.put("bytes 0-9/10", upload.text)
        #expect(expired.status == 410)
        #expect(expired.problemCode == "upload_url_expired")
        let again = try Upload(hub, till, id: "same", bytes: 10)
        _ = try hub.json("terminals", "revoke", till.grant.terminalId)
        #expect(try again.put("bytes */10", "").problemCode == "terminal_revoked")
    }

    @Test("The response to a single mutation names what it waits for; it is accepted once that is complete")
    func deferred() throws {
        let hub = try hub()
        let till = try hub.enrol()
        let upload = try Upload(hub, till, bytes: 10)
        let note = Mutation(
            id: TillOverHTTP.ulid(), sequence: 1, type: "note.upserted", entity: "note", entityId: "n",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash,
            attachments: [upload.info.id], payload: ["text": "x"])
        let early = try till.push(note, on: hub.client())
        #expect(early.status == 409)
        #expect(early.problemCode == "dependency_missing")
        #expect(try early.json()["outcome"] == "deferred")
        #expect(try early.json()["waitsFor"] == [.string(upload.info.id)])
        #expect(try upload.finish().status == 200)
        #expect(try till.push(note, on: hub.client()).status == 201)
    }
}
