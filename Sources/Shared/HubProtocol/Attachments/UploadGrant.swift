/// Leave to upload one attachment: the `201` of `POST /v1/attachments` (http.md section 5).
package struct UploadGrant: Hashable, Sendable {
    /// Where the bytes go; pre-signed, so that its user needs no token.
    package let uploadURL: String
    /// RFC 3339; after it the terminal requests a new one, and the upload continues where it was.
    package let expiresAt: String
    /// The most bytes of one `PUT`.
    package let chunkSize: Int64

    /// The chunk size of this hub, in bytes: 1 MiB.
    package static let chunkSize: Int64 = 1 << 20

    /// Makes a grant; `chunkSize` is 1 MiB by default, in bytes.
    package init(uploadURL: String, expiresAt: String, chunkSize: Int64 = UploadGrant.chunkSize) {
        self.uploadURL = uploadURL
        self.expiresAt = expiresAt
        self.chunkSize = chunkSize
    }

    /// A chunk size that is missing or out of range is clamped: it comes from a peer.
    package init(json: JSONValue) throws(ShapeError) {
        uploadURL = try json.requiredString("uploadUrl")
        expiresAt = try json.requiredString("expiresAt")
        chunkSize = min(max(1, json["chunkSize"]?.integer ?? Self.chunkSize), Self.chunkSize)
    }

    /// `{"uploadUrl","expiresAt","chunkSize"}`; the hub adds `received` (docs/reference/http.md, section 5).
    package var json: JSONValue {
        [
            "uploadUrl": .string(uploadURL), "expiresAt": .string(expiresAt),
            "chunkSize": .integer(chunkSize),
        ]
    }
}
