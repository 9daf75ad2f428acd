package import Base
package import HubProtocol

/// The terminal's identity, from the hub.
package struct Enrolment: Hashable, Sendable {
    /// The hub's id of this terminal; the token contains the same.
    package let terminalId: String
    /// The store's id; order numbers begin with it.
    package let storeId: String
    /// Unique within the store, from 1.
    package var terminalNumber: Int64
    /// The device token.
    @Secret package var token: String
    /// RFC 3339, from the hub's response.
    package var tokenExpiresAt: String

    package init(
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
package struct JournalEnd: Hashable, Sendable {
    /// Nil before the first enrolment.
    package let terminalId: String?
    /// The number of the journal's incarnation, from 1; raised after a restore or a clone.
    package let epoch: Int64
    /// The last sequence used; 0 before the first.
    package let sequence: Int64
    /// The hash of that entry in hex; zeros before the first.
    package let hash: String
    /// The last order's counter within its business day.
    package let orderCounter: Int64
    /// Where journal and epoch began; nil for an epoch that an earlier version opened.
    package let origin: JournalOrigin?
}
