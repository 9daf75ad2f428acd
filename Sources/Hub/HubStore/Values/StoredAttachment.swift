import Base
package import HubProtocol

/// An attachment as the hub has it.
package struct StoredAttachment: Hashable, Sendable {
    /// The terminal that announced it; another terminal's id never finds it.
    package let terminalId: String
    /// As it was announced: id, digest, size in bytes and content type.
    package let info: AttachmentInfo
    /// Bytes, from the first one on.
    package let received: Int64
    /// Milliseconds since 1970.
    package let openedAt: Int64
    /// When its digest was found right, in milliseconds since 1970; nil while it is not complete.
    package let completedAt: Int64?

    /// Makes it from a row of the store; nil in `completedAt` while bytes are missing or not checked.
    package init(
        terminalId: String, info: AttachmentInfo, received: Int64, openedAt: Int64, completedAt: Int64?
    ) {
        self.terminalId = terminalId
        self.info = info
        self.received = received
        self.openedAt = openedAt
        self.completedAt = completedAt
    }

    /// Whether all bytes are there and their digest was found right.
    package var isComplete: Bool { completedAt != nil }

    /// Whether so many bytes can be the next ones.
    package func takes(_ count: Int, at firstByte: Int64) -> Bool {
        !isComplete && firstByte == received && count > 0 && Int64(count) <= info.size - received
    }

    /// For the commands.
    package var json: JSONValue {
        var members = info.json.object ?? [:]
        members["terminalId"] = .string(terminalId)
        members["received"] = .integer(received)
        members["openedAt"] = .string(Timestamp.text(milliseconds: openedAt))
        members["completeAt"] = JSONValue(completedAt.map(Timestamp.text(milliseconds:)))
        return .object(members)
    }
}

/// What came of announcing an attachment.
package enum AttachmentOpening: Hashable, Sendable {
    /// It is there, with what was received of it before.
    case open(StoredAttachment)
    /// Another content was announced under this id; that one stays.
    case differs
    /// The terminal has begun as many as it may; nothing was kept.
    case tooMany
    /// The terminal's quota of the day is used up; nothing was kept.
    case pastQuota
}

/// What a terminal may leave at the hub that no mutation names.
package enum UnfinishedUploads {
    /// Incomplete attachments of one terminal.
    package static let maximum: Int64 = 100
    /// One that nobody went on with is forgotten after 30 days, when its terminal announces the next one.
    /// Half of it forgets what a till in a long outage sent first.
    package static let lifetimeMilliseconds: Int64 = 30 * 86_400_000
}

extension AttachmentInfo {
    /// Whether both describe the same bytes; how urgent they are may differ.
    package func hasContent(of other: AttachmentInfo) -> Bool {
        id == other.id && sha256 == other.sha256 && size == other.size && contentType == other.contentType
    }
}
