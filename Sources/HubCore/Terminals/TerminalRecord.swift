/// A till as the hub knows it.
public struct TerminalRecord: Hashable, Sendable {
    /// A ULID, minted by the hub at enrolment.
    public let id: String
    public let storeId: String
    /// Unique within the store, from 1.
    public let number: Int64
    public let name: String
    /// The device's Ed25519 public key: 32 bytes in base64.
    public let publicKey: String
    /// Milliseconds since 1970.
    public let enrolledAt: Int64
    /// Milliseconds since 1970; nil while the terminal is welcome.
    public let revokedAt: Int64?
    /// Until when the last token it was given holds, in milliseconds since 1970.
    public let tokenExpiresAt: Int64

    /// For how long after its expiry a token that was not revoked can be renewed: 400 days, in milliseconds.
    public static let renewalGraceMilliseconds: Int64 = 400 * 86_400_000

    public init(
        id: String, storeId: String, number: Int64, name: String, publicKey: String, enrolledAt: Int64,
        revokedAt: Int64?, tokenExpiresAt: Int64
    ) {
        self.id = id
        self.storeId = storeId
        self.number = number
        self.name = name
        self.publicKey = publicKey
        self.enrolledAt = enrolledAt
        self.revokedAt = revokedAt
        self.tokenExpiresAt = tokenExpiresAt
    }
}

/// Who speaks, as the device's token says; never read from a body.
public struct DeviceIdentity: Hashable, Sendable {
    public let terminalId: String
    public let storeId: String

    public init(terminalId: String, storeId: String) {
        self.terminalId = terminalId
        self.storeId = storeId
    }
}
