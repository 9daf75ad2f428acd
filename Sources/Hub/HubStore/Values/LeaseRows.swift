package import HubCore
internal import HubProtocol
internal import Base

/// The columns of the table `leases`, as both stores read and write them.
package enum LeaseRows {
    package static let columns =
        "lease_id, kind, subject, terminal_id, store_id, epoch, brief, amount, used, expires_at, version, "
        + "issued_at, state, ended_at, ended_by, reason, recalled, recalled_until, returned_through"

    /// Which rows are recalled and not returned, beside `recalled_until`; as the index has it.
    package static let owed = "state = 'open' AND recalled > 0 AND returned_through IS NULL"

    /// Which rows of long leases a terminal can spend, beside terminal, epoch and end.
    package static let spendable =
        "state = 'open' AND brief = 0 AND used < amount AND returned_through IS NULL"

    /// A fresh id.
    package static func mint(at now: Int64) -> String {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: UInt64(clamping: max(0, now)), using: &generator).description
    }

    /// What a row of `epochs` has, with the head of the same epoch; a head that cannot be read counts as
    /// none.
    ///
    /// - Parameter seenAt: when the hub saw the head.
    package static func evidence(
        head: String?, seenAt: Int64?, acknowledgedThrough: Int64, highest: Int64
    ) -> JournalEvidence {
        let head = head.flatMap { try? SignedHead(json: JSONValue.stored($0)) }
        return JournalEvidence(
            head: head.map {
                JournalEvidence.Head(signedAt: $0.signedAt, seenAt: seenAt ?? 0, sequence: $0.sequence)
            }, acknowledgedThrough: acknowledgedThrough, highest: highest)
    }
}

extension Lease {
    /// A row; nil for a kind or state that this version does not have.
    package init?(
        texts: (id: String, kind: String, subject: String, terminalId: String, storeId: String),
        epoch: Int64, brief: Int64, amount: Int64, used: Int64, expiresAt: Int64, version: Int64,
        issuedAt: Int64, state: String, ended: (at: Int64?, by: String?, reason: String?),
        recalled: (amount: Int64?, until: Int64?), returnedThrough: Int64?
    ) {
        guard let kind = LeaseKind(rawValue: texts.kind), let state = State(rawValue: state) else {
            return nil
        }
        self.init(
            id: texts.id, kind: kind, subject: texts.subject, terminalId: texts.terminalId,
            storeId: texts.storeId, epoch: epoch, isBrief: brief == 1, amount: amount, used: used,
            expiresAt: expiresAt, version: version, issuedAt: issuedAt, state: state, endedAt: ended.at,
            endedBy: ended.by, reason: ended.reason,
            recall: recalled.amount.map { Recall(amount: $0, until: recalled.until ?? 0) },
            returnedThrough: returnedThrough)
    }
}
