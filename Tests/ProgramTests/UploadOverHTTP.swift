import Foundation
import HubProtocol
import TestKit
import Testing

extension TillOverHTTP {
    /// Announces an attachment and sends it in one piece.
    func upload(_ text: String, as info: AttachmentInfo, on client: LoopbackClient) throws {
        let opened = try client.request(
            "POST", Routes.attachments, headers: headers, body: info.json.canonicalText)
        try #require(opened.status == 201, "\(opened.text)")
        let url = try UploadGrant(json: opened.json()).uploadURL
        let target = String(url[try #require(url.range(of: "/v1/")).lowerBound...])
        let range = ["Content-Range": "bytes 0-\(info.size - 1)/\(info.size)"]
        let sent = try client.request("PUT", target, headers: range, body: text)
        try #require(sent.status == 200, "\(sent.text)")
    }
}
