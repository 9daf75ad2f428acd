/// A file that a mutation carries: a signature slip, a photo of returned goods.
public struct Attachment: Hashable, Sendable {
    /// A ULID; under this name the bytes lie in the home and at the hub.
    public let id: String
    /// SHA-256 of the bytes, 64 lower-case hexadecimal characters.
    public let sha256: String
    /// Bytes.
    public let size: Int64
    /// A media type, guessed from the bytes.
    public let contentType: String
    /// The file's own name, for people.
    public let name: String
    /// Whether it goes over a path that costs by volume or is narrow.
    public let isUrgent: Bool

    public init(id: String, sha256: String, size: Int64, contentType: String, name: String, isUrgent: Bool) {
        self.id = id
        self.sha256 = sha256
        self.size = size
        self.contentType = contentType
        self.name = name
        self.isUrgent = isUrgent
    }
}

/// The attachments on this terminal's disk. Every call that changes something is durable when it returns.
public protocol AttachmentStorage: Sendable {
    /// What the hub does not have whole, oldest first.
    func unfinished() async throws(OutboxStorageError) -> [Attachment]

    /// Some bytes of an attachment.
    ///
    /// - Throws: the reason, in words for a person.
    func read(_ attachment: Attachment, from: Int64, count: Int64) async throws(AttachmentFault) -> [UInt8]

    /// The hub has it whole: mutations that waited for it may go.
    func finish(_ id: String) async throws(OutboxStorageError)

    /// Keeps why it does not come on.
    func note(problem: String, of id: String) async throws(OutboxStorageError)
}

/// Why an attachment's bytes cannot be had; in words.
public struct AttachmentFault: Error, Hashable, Sendable {
    public let words: String

    public init(_ words: String) {
        self.words = words
    }
}
