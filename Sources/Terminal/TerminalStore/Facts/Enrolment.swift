public import Base
public import HubProtocol

/// The terminal's identity, from the hub.
public struct Enrolment: Hashable, Sendable {
    /// The hub's id of this terminal; the token contains the same.
    public let terminalId: String
    /// The store's id; order numbers begin with it.
    public let storeId: String
    /// Unique within the store, from 1.
    public var terminalNumber: Int64
    /// The device token.
    @Secret public var token: String
    /// RFC 3339, from the hub's response.
    public var tokenExpiresAt: String

    /// Makes an enrolment from the hub's response; nothing is checked here.
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

/// Where the terminal's journal ends.
public struct JournalEnd: Hashable, Sendable {
    /// Nil before the first enrolment.
    public let terminalId: String?
    /// The number of the journal's incarnation, from 1; raised after a restore or a clone.
    public let epoch: Int64
    /// The last sequence used; 0 before the first.
    public let sequence: Int64
    /// The hash of that entry in hex; zeros before the first.
    public let hash: String
    /// The last order's counter within its business day.
    public let orderCounter: Int64
    /// Where journal and epoch began; nil for an epoch that an earlier version opened.
    public let origin: JournalOrigin?
}
