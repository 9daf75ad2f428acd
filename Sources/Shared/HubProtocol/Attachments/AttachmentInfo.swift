/// The description of an attachment that a terminal sends before its bytes: the body of `POST
/// /v1/attachments` (http.md section 5).
///
/// A signed receipt or a photo of returned goods. A mutation names it by ``id``, and the hub takes the
/// mutation in only when the attachment is whole.
package struct AttachmentInfo: Hashable, Sendable {
    /// 1 to 64 letters, digits, hyphens or underscores; a ULID where a till mints it. Its terminal's own: two
    /// terminals may use the same.
    package let id: String
    /// SHA-256 of all bytes, 64 lower-case hexadecimal characters.
    package let sha256: String
    /// Bytes, 1 to ``maximumSize``.
    package let size: Int64
    /// A media type (RFC 6838), for example `image/jpeg`; returned unchanged, never interpreted.
    package let contentType: String
    /// Whether it goes over a path that costs by volume or is narrow.
    package let isUrgent: Bool

    /// The largest attachment, in bytes: 16 MiB.
    package static let maximumSize: Int64 = 16 << 20
    /// The most attachments that one mutation names.
    package static let maximumPerMutation = 20

    /// Makes a description without a check of the ranges; ``init(json:)`` checks them.
    package init(id: String, sha256: String, size: Int64, contentType: String, isUrgent: Bool) {
        self.id = id
        self.sha256 = sha256
        self.size = size
        self.contentType = contentType
        self.isUrgent = isUrgent
    }

    /// - Throws: ``ShapeError`` for anything out of the ranges above. `urgent` may be missing: it is false.
    package init(json: JSONValue) throws(ShapeError) {
        guard json.object != nil else { throw ShapeError(path: "attachment", expected: "an object") }
        id = try json.requiredString("id")
        guard Self.isIdentifier(id) else {
            throw ShapeError(path: "id", expected: "1 to 64 letters, digits, hyphens or underscores")
        }
        sha256 = try json.requiredString("sha256")
        guard sha256.utf8.count == 64, sha256.utf8.allSatisfy(Self.isHexDigit) else {
            throw ShapeError(path: "sha256", expected: "64 lower-case hexadecimal characters")
        }
        size = try json.requiredInteger("size", in: 1...Self.maximumSize)
        contentType = try json.requiredString("contentType")
        guard Self.isMediaType(contentType) else {
            throw ShapeError(path: "contentType", expected: "a media type such as image/jpeg")
        }
        switch json["urgent"] {
        case nil, .null?: isUrgent = false
        case .bool(let urgent)?: isUrgent = urgent
        case _?: throw ShapeError(path: "urgent", expected: "true or false")
        }
    }

    /// The body of the announcement: `{"id","sha256","size","contentType","urgent"}`.
    package var json: JSONValue {
        [
            "id": .string(id), "sha256": .string(sha256), "size": .integer(size),
            "contentType": .string(contentType), "urgent": .bool(isUrgent),
        ]
    }

    /// Whether `text` can name an attachment.
    package static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
    }

    /// `type/subtype`, each 1 to 127 of the characters of RFC 6838, section 4.2.
    package static func isMediaType(_ text: String) -> Bool {
        let names = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.count == 2
            && names.allSatisfy { name in
                (1...127).contains(name.count) && name.first.map(isAlphanumeric) == true
                    && name.allSatisfy { isAlphanumeric($0) || "!#$&-^_.+".utf8.contains($0) }
            }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
