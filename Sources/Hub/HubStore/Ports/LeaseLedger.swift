public import HubCore
public import HubProtocol
internal import Base

/// What is lent to terminals.
public protocol LeaseLedger: Sendable {
    /// Lends what a terminal is about to spend, as far as nobody else has it.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the terminal's open leases of the subject, those with something left.
    func lend(
        _ wish: LeaseWish, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) -> [Lease]

    /// Lends a terminal its shares in advance, some at a time, in a chain of at most
    /// ``LeaseTerms/mostTerminals`` active terminals.
    func lendAhead(
        to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError)

    /// Gives up a lease that is open; nil when there is none of that id.
    func release(
        _ id: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Lease?

    /// The leases, the next to expire first.
    ///
    /// - Parameter all: also those that ended or were released.
    func leases(all: Bool) async throws(LedgerError) -> [Lease]
}

/// The columns of the table `leases`, as both stores read and write them.
package enum LeaseRows {
    package static let columns =
        "lease_id, kind, subject, terminal_id, store_id, epoch, brief, amount, used, expires_at, version, "
        + "issued_at, state, ended_at, ended_by, reason"

    /// A fresh id.
    package static func mint(at now: Int64) -> String {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: UInt64(clamping: max(0, now)), using: &generator).description
    }

    /// The head that a row of `heads` holds, with what is here of its epoch; nil when it cannot be read.
    package static func evidence(
        head: String, seenAt: Int64, acknowledgedThrough: Int64
    ) -> HeadEvidence? {
        guard let head = try? SignedHead(json: JSONValue.stored(head)) else { return nil }
        return HeadEvidence(
            signedAt: head.signedAt, seenAt: seenAt, sequence: head.sequence,
            acknowledgedThrough: acknowledgedThrough)
    }
}

extension Lease {
    /// A row; nil for a kind or state that this version does not have.
    package init?(
        texts: (id: String, kind: String, subject: String, terminalId: String, storeId: String),
        epoch: Int64, brief: Int64, amount: Int64, used: Int64, expiresAt: Int64, version: Int64,
        issuedAt: Int64, state: String, ended: (at: Int64?, by: String?, reason: String?)
    ) {
        guard let kind = LeaseKind(rawValue: texts.kind), let state = State(rawValue: state) else {
            return nil
        }
        self.init(
            id: texts.id, kind: kind, subject: texts.subject, terminalId: texts.terminalId,
            storeId: texts.storeId, epoch: epoch, isBrief: brief == 1, amount: amount, used: used,
            expiresAt: expiresAt, version: version, issuedAt: issuedAt, state: state, endedAt: ended.at,
            endedBy: ended.by, reason: ended.reason)
    }
}
