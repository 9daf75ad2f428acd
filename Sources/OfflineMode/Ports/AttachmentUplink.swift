public import OfflineCore

/// Sends attachments to the hub, one step at a time. Never throws: whatever went wrong is an answer.
public protocol AttachmentUplink: Sendable {
    /// Tells the hub of an attachment and gets leave to upload it.
    func announce(_ attachment: Attachment) async -> UploadGrantAnswer

    /// Asks how much of it the hub has.
    func ask(_ attachment: Attachment, at url: String) async -> UploadAnswer

    /// Sends the bytes that begin at `position`.
    func send(
        _ bytes: [UInt8], from position: Int64, of attachment: Attachment, to url: String
    ) async -> UploadAnswer
}

/// What came of announcing an attachment.
public enum UploadGrantAnswer: Hashable, Sendable {
    /// Where its bytes go, and how many at a time.
    case granted(url: String, chunkSize: Int64)
    case failed(UploadAnswer)
}
