internal import HubCore

/// What a terminal shows at every call: who it is and until when, signed by the hub.
struct DeviceToken: Equatable, Sendable {
    let device: DeviceIdentity
    /// Milliseconds since 1970.
    let expiresAt: Int64

    /// Ahead of every token, so that another layout can be told from this one.
    private static let mark = "pos1"

    init(device: DeviceIdentity, expiresAt: Int64) {
        self.device = device
        self.expiresAt = expiresAt
    }

    /// Reads a token that `key` signed; nil for anything else. Its expiry is the caller's to judge.
    init?(_ text: String, key: HubKey) {
        guard let claims = key.opened(text, for: .deviceToken) else { return nil }
        let parts = claims.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == Self.mark, let expiresAt = Int64(parts[3]) else { return nil }
        device = DeviceIdentity(terminalId: parts[1], storeId: parts[2])
        self.expiresAt = expiresAt
    }

    func text(signedBy key: HubKey) -> String {
        key.signed(
            "\(Self.mark).\(device.terminalId).\(device.storeId).\(expiresAt)", for: .deviceToken)
    }
}
