public import OfflineCore

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
    case failed(UploadResponse)
}
