public import OfflineCore

/// A file that a mutation carries: a signed receipt, a photo of returned goods.
public struct Attachment: Hashable, Sendable {
    /// A ULID; the name of the bytes in the data folder and at the hub.
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

    /// Makes an attachment; nothing is checked here.
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
    /// The attachments that the hub does not have completely, oldest first.
    func unfinished() async throws(OutboxStorageError) -> [Attachment]

    /// Some bytes of an attachment.
    ///
    /// - Throws: the reason, as a text for a person.
    func read(_ attachment: Attachment, from: Int64, count: Int64) async throws(AttachmentFault) -> [UInt8]

    /// The hub has it completely: mutations that waited for it may be sent.
    func finish(_ id: String) async throws(OutboxStorageError)

    /// Keeps why it does not come on.
    func note(problem: String, of id: String) async throws(OutboxStorageError)
}

/// Why an attachment's bytes cannot be read, as a text for a person.
public struct AttachmentFault: Error, Hashable, Sendable {
    /// One sentence without a full stop; shown as the attachment's problem.
    public let words: String

    /// `words` is shown to a person as it is.
    public init(_ words: String) {
        self.words = words
    }
}

/// Sends attachments to the hub, one step at a time. Never throws: every failure is a case of the result.
public protocol AttachmentUplink: Sendable {
    /// Announces an attachment to the hub and gets a pre-signed URL for its upload.
    func announce(_ attachment: Attachment) async -> UploadGrantResponse

    /// Requests how many bytes of it the hub has.
    func progress(of attachment: Attachment, at url: String) async -> UploadResponse

    /// Sends the bytes that begin at `position`.
    func send(
        _ bytes: [UInt8], from position: Int64, of attachment: Attachment, to url: String
    ) async -> UploadResponse
}

/// The result of announcing an attachment.
public enum UploadGrantResponse: Hashable, Sendable {
    /// Where its bytes go, and how many at a time.
    case granted(url: String, chunkSize: Int64)
    /// The hub granted nothing; the response decides whether it is tried again.
    case failed(UploadResponse)
}
