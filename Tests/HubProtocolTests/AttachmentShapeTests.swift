import HubProtocol
import Testing

@Suite("Shapes of attachments")
struct AttachmentShapeTests {
    private let digest = String(repeating: "0a", count: 32)

    private func info(_ changes: JSONObject) -> AttachmentInfo? {
        let members: JSONObject = [
            "id": "01J", "sha256": .string(digest), "size": 5, "contentType": "image/jpeg",
        ]
        return try? AttachmentInfo(json: .object(members.merging(changes) { $1 }))
    }

    @Test("An announcement is read within its limits and not one past them")
    func announcements() {
        #expect(info([:])?.isUrgent == false)
        #expect(info(["urgent": true])?.isUrgent == true)
        #expect(info(["urgent": .null])?.isUrgent == false)
        #expect(info(["urgent": 1]) == nil)
        #expect(info(["size": .integer(AttachmentInfo.maximumSize)]) != nil)
        for size in [0, -1, AttachmentInfo.maximumSize + 1] { #expect(info(["size": .integer(size)]) == nil) }
        #expect(info(["id": .string(String(repeating: "x", count: 64))]) != nil)
        for id in ["", "a b", "a/b", "é", String(repeating: "x", count: 65)] {
            #expect(info(["id": .string(id)]) == nil, "\(id)")
        }
        for sha in ["", digest.uppercased(), String(digest.dropLast()), digest + "0"] {
            #expect(info(["sha256": .string(sha)]) == nil, "\(sha)")
        }
        #expect(info(["contentType": "application/vnd.api+json"]) != nil)
        for type in ["", "image", "image/", "/png", "a/b/c", "image/p ng", "image/png; a=b", "a\r\n/b"] {
            #expect(info(["contentType": .string(type)]) == nil, "\(type)")
        }
        #expect(info([:]).map { try? AttachmentInfo(json: $0.json) } == info([:]))
    }

    @Test("Content-Range is read as RFC 9110 writes it, and nothing else is")
    func contentRanges() {
        #expect(ContentRange("bytes 0-4/5") == .part(0...4, total: 5))
        #expect(ContentRange("Bytes 3-3/5") == .part(3...3, total: 5))
        #expect(ContentRange("bytes */5") == .query(total: 5))
        for text in [
            "", "bytes", "bytes 0-5/5", "bytes 4-3/5", "bytes 0-4/*", "bytes */0", "bytes -1/5", "bytes 0-4",
            "bytes +0-4/5", "items 0-4/5", "bytes 0-4/99999999999999999999", "bytes 0-4/5/6", "bytes 0-1-2/5",
        ] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
        for range in [ContentRange.part(0...9, total: 10), .query(total: 7)] {
            #expect(ContentRange(range.text) == range)
        }
    }

    @Test("Range gives the number of bytes that are there; without it there are none")
    func receivedRanges() {
        #expect(ReceivedRange.text(received: 0) == nil)
        #expect(ReceivedRange.text(received: 1) == "bytes=0-0")
        #expect(ReceivedRange.received(nil) == 0)
        #expect(ReceivedRange.received("bytes=0-41") == 42)
        for text in ["", "bytes=1-2", "bytes=0-", "bytes=0--1", "bytes 0-1"] {
            #expect(ReceivedRange.received(text) == nil, "\(text)")
        }
    }

    @Test("A pre-signed URL has a usable chunk size, whatever the peer sends")
    func grants() throws {
        let grant = UploadGrant(uploadURL: "http://h/x", expiresAt: "2026")
        #expect(try UploadGrant(json: grant.json) == grant)
        for (said, used) in [(0, 1), (-5, 1), (1 << 40, 1 << 20), (7, 7)] as [(Int64, Int64)] {
            let json: JSONValue = ["uploadUrl": "u", "expiresAt": "e", "chunkSize": .integer(said)]
            #expect(try UploadGrant(json: json).chunkSize == used)
        }
        #expect(throws: ShapeError.self) { try UploadGrant(json: ["expiresAt": "e"]) }
    }

    @Test("The digest over chunks is the digest of all bytes")
    func runningDigest() {
        var digest = RunningDigest()
        for piece in [[1, 2], [], [3]] as [[UInt8]] { digest.add(piece) }
        #expect(digest.hex == Digest.sha256Hex([1, 2, 3]))
    }
}
