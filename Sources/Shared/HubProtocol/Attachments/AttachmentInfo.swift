/// The description of an attachment that a terminal sends before its bytes: the body of `POST
/// /v1/attachments` (http.md section 5).
///
/// A signed receipt or a photo of returned goods. A mutation names it by ``id``, and the hub takes the
/// mutation in only when the attachment is whole.
package struct AttachmentInfo: Fact {
    /// 1 to 64 letters, digits, hyphens or underscores; a ULID where a till mints it. Its terminal's own: two
    /// terminals may use the same.
    package private(set) var id = ""
    /// SHA-256 of all bytes, 64 lower-case hexadecimal characters.
    package private(set) var sha256 = ""
    /// Bytes, 1 to ``maximumSize``.
    package private(set) var size: Int64 = 0
    /// A media type (RFC 6838), for example `image/jpeg`; returned unchanged, never interpreted.
    package private(set) var contentType = ""
    /// Whether it goes over a path that costs by volume or is narrow.
    package private(set) var isUrgent = false

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

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var urgent: Bool? = isUrgent
        try m.text("contentType", &contentType)
        try m.check(
            Self.isMediaType(contentType), "contentType", "a media type such as image/jpeg")
        try m.text("id", &id)
        try m.check(Self.isIdentifier(id), "id", "1 to 64 letters, digits, hyphens or underscores")
        try m.text("sha256", &sha256)
        try m.check(Digest.isSHA256Hex(sha256), "sha256", "64 lower-case hexadecimal characters")
        try m.number("size", &size, in: 1...Self.maximumSize)
        try m.flag("urgent", &urgent, .valid)
        isUrgent = urgent ?? false
    }
}
