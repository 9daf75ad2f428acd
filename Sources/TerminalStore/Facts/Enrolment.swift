/// Who the hub says this terminal is.
public struct Enrolment: Hashable, Sendable {
    public let terminalId: String
    public let storeId: String
    /// Unique within the store, from 1.
    public var terminalNumber: Int64
    /// The device token.
    public var token: String
    /// RFC 3339, as the hub said.
    public var tokenExpiresAt: String

    public init(
        terminalId: String, storeId: String, terminalNumber: Int64, token: String, tokenExpiresAt: String
    ) {
        self.terminalId = terminalId
        self.storeId = storeId
        self.terminalNumber = terminalNumber
        self.token = token
        self.tokenExpiresAt = tokenExpiresAt
    }
}
