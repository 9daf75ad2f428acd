internal import HubProtocol

/// Leave to upload one attachment of one terminal for a while, signed by the hub. Any process with the hub's
/// secret can read it.
struct UploadTicket: Equatable, Sendable {
    let terminalId: String
    let attachmentId: String
    /// Milliseconds since 1970.
    let expiresAt: Int64

    init(terminalId: String, attachmentId: String, expiresAt: Int64) {
        self.terminalId = terminalId
        self.attachmentId = attachmentId
        self.expiresAt = expiresAt
    }

    /// Reads a ticket that `keys` signed; nil for anything else. Its expiry is the caller's to judge.
    init?(_ text: String, keys: HubKeys) {
        guard let claims = keys.opened(text, for: .upload) else { return nil }
        let parts = claims.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let expiresAt = Int64(parts[2]) else { return nil }
        terminalId = parts[0]
        attachmentId = parts[1]
        self.expiresAt = expiresAt
    }

    func text(signedBy keys: HubKeys) throws(Problem) -> String {
        try keys.signed("\(terminalId).\(attachmentId).\(expiresAt)", for: .upload)
    }
}
