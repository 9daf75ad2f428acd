internal import CurlHTTP
internal import HubProtocol
package import OfflineCore
package import OfflineMode

/// Uploads attachments through libcurl (http.md section 5).
///
/// The outcome of a long upload is weak evidence about the hub, so it is not reported: a chunk that a slow
/// connection does not carry in time must not take the terminal offline.
package struct CurlAttachmentUplink: AttachmentUplink {
    private let client: HubClient

    /// For one chunk: the first one, 256 KiB, then needs 35 kbit/s, and the smallest, 16 KiB, 2.2 kbit/s. A
    /// smaller chunk follows one that was not sent in time. Half needs twice the rate; double finds a dead
    /// connection later.
    private static let chunkTimeout: Duration = .seconds(60)

    /// Uploads use the session and the hub address of `client`.
    package init(client: HubClient) {
        self.client = client
    }

    /// `POST /v1/attachments`. A response that breaks the contract counts as trouble of the hub.
    package func announce(_ attachment: Attachment) async -> UploadGrantResponse {
        let info = AttachmentInfo(
            id: attachment.id, sha256: attachment.sha256, size: attachment.size,
            contentType: attachment.contentType, isUrgent: attachment.isUrgent)
        let reply = await client.callUnreported(
            HubCall(.post, template: Routes.attachments, body: info.json.canonicalBytes))
        guard case .success = reply.outcome else { return .failed(UploadReply.trouble(reply)) }
        guard let json = reply.json, let grant = try? UploadGrant(json: json),
            let path = Self.path(of: grant.uploadURL)
        else { return .failed(.hubTrouble(retryAfter: nil)) }
        return .granted(url: path, chunkSize: grant.chunkSize)
    }

    /// `PUT` without a body and with `Content-Range: bytes */total`; only the path of `url` is used.
    package func progress(of attachment: Attachment, at url: String) async -> UploadResponse {
        await put([], .query(total: attachment.size), of: attachment, to: url)
    }

    /// `PUT` of one chunk within 60 s. Without bytes, or beyond the attachment's size, it returns
    /// `fileTrouble` and sends nothing.
    package func send(
        _ bytes: [UInt8], from position: Int64, of attachment: Attachment, to url: String
    ) async -> UploadResponse {
        let last = position + Int64(bytes.count) - 1
        guard !bytes.isEmpty, last < attachment.size else {
            return .fileTrouble("the file has no more bytes")
        }
        return await put(bytes, .part(position...last, total: attachment.size), of: attachment, to: url)
    }

    private func put(
        _ bytes: [UInt8], _ range: ContentRange, of attachment: Attachment, to path: String
    ) async -> UploadResponse {
        var call = HubCall(
            .put, template: Routes.attachmentContent, path: path,
            headers: [HTTPHeader("Content-Range", range.text)], body: bytes, isAuthorized: false,
            timeout: Self.chunkTimeout)
        call.contentType = "application/octet-stream"
        return UploadReply.response(await client.callUnreported(call), about: attachment)
    }

    /// The path and query of an upload's URL. The terminal uses the hub's address from its own configuration:
    /// behind a proxy the hub may have another name for itself.
    static func path(of url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return url.hasPrefix("/") ? url : nil }
        let rest = url[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) }
    }
}
