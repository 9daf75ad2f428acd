import Base
package import HubProtocol

/// What a request brought as its terminal's head.
package enum HeadClaim: Hashable, Sendable {
    /// The terminal's device key signed it.
    case signed(SignedHead)
    /// It cannot be read, or another key signed it.
    case invalid

    /// The head, where the terminal signed it.
    var signed: SignedHead? {
        switch self {
        case .signed(let head): head
        case .invalid: nil
        }
    }

    /// What the terminal still holds by it: its entries behind `acknowledged`, through which all have a
    /// result. Nil for an invalid head: what a terminal only claims of its backlog is a report and no
    /// measurement.
    package func backlog(behind acknowledged: Int64) -> Int64? {
        guard case .signed(let head) = self else { return nil }
        return max(0, head.sequence - acknowledged)
    }
}

/// The comparison of a terminal's signed heads with its journal at the hub: part of its audit.
package struct HeadAudit: Hashable, Sendable {
    /// A head that the journal does not explain: what it named was taken out of the terminal's journal, or
    /// lies on a copy of it.
    package struct Unexplained: Hashable, Sendable {
        /// The epoch of the journal that the head was signed for.
        package let epoch: Int64
        /// What the terminal signed, and why it counts as unexplained.
        package let head: JournalWitness.OpenHead

        /// A head of `epoch` that is still open when the audit is made.
        package init(epoch: Int64, head: JournalWitness.OpenHead) {
            self.epoch = epoch
            self.head = head
        }
    }

    /// The last head of the terminal's last epoch; nil without one.
    package let last: SignedHead?
    /// When the hub saw it last, in milliseconds since 1970.
    package let lastSeenAt: Int64?
    /// Entries of the last epoch by the last head; nil without one, or before the first entry arrived.
    package let sold: Int64?
    /// How many of them have not arrived.
    package let gap: Int64?
    /// In order of epoch and sequence; empty when the journal explains every head.
    package let unexplained: [Unexplained]

    /// Nothing was ever signed.
    package static let none = HeadAudit(last: nil, lastSeenAt: nil, sold: nil, gap: nil, unexplained: [])

    init(last: SignedHead?, lastSeenAt: Int64?, sold: Int64?, gap: Int64?, unexplained: [Unexplained]) {
        self.last = last
        self.lastSeenAt = lastSeenAt
        self.sold = sold
        self.gap = gap
        self.unexplained = unexplained
    }

    /// - Parameters:
    ///   - witnesses: by epoch.
    ///   - epoch: the last one that has entries here.
    ///   - received: counts the entries of that epoch from its first sequence through one.
    ///   - holds: whether an entry of the terminal's device, of any epoch, has this sequence and hash.
    package init<Failure: Error>(
        witnesses: [Int64: JournalWitness], epoch: JournalEpoch?,
        received: (Int64) throws(Failure) -> Int64, holds: (Int64, String) throws(Failure) -> Bool
    ) throws(Failure) {
        let newest = max(epoch?.epoch ?? 1, witnesses.keys.max() ?? 1)
        let current = witnesses[newest]
        last = current?.last
        lastSeenAt = current?.lastSeenAt
        if let epoch, let current, epoch.epoch == newest {
            let sold = max(0, current.last.sequence - epoch.firstSequence + 1)
            self.sold = sold
            gap = max(0, sold - (try received(current.last.sequence)))
        } else {
            (sold, gap) = (nil, nil)
        }
        var unexplained: [Unexplained] = []
        for (number, witness) in witnesses.sorted(by: { $0.key < $1.key }) {
            for head in witness.open where head.isSuspect || number < newest {
                if try !holds(head.sequence, head.hash) {
                    unexplained.append(Unexplained(epoch: number, head: head))
                }
            }
            for end in witness.last.origin?.ends ?? [] {
                let named = Unexplained(
                    epoch: end.epoch,
                    head: JournalWitness.OpenHead(named: end, seenAt: witness.lastSeenAt))
                let isListed = unexplained.contains {
                    $0.epoch == end.epoch && $0.head.sequence == end.sequence && $0.head.hash == end.hash
                }
                if !isListed, try !holds(end.sequence, end.hash) { unexplained.append(named) }
            }
        }
        self.unexplained = unexplained
    }

    /// Whether a person has to look at it.
    package var hasTrouble: Bool { !unexplained.isEmpty || gap ?? 0 > 0 }

    /// The members of an audit that are about heads.
    package var members: JSONObject {
        [
            "head": last == nil ? "unsigned" : "signed", "sold": JSONValue(sold), "gap": JSONValue(gap),
            "headDate": JSONValue(last.map { Timestamp.text(milliseconds: $0.signedAt) }),
            "headSeenAt": JSONValue(lastSeenAt.map(Timestamp.text(milliseconds:))),
            "unexplained": .array(unexplained.map(\.json)),
        ]
    }
}

extension JournalWitness.OpenHead {
    fileprivate var isSuspect: Bool { endsAt != nil || isContradicted }
}

extension HeadAudit.Unexplained {
    fileprivate var json: JSONValue {
        let reason =
            head.isContradicted ? "contradicted" : head.endsAt == nil ? "not_received" : "regressed"
        return [
            "epoch": .integer(epoch), "sequence": .integer(head.sequence), "hash": .string(head.hash),
            "seenAt": .string(Timestamp.text(milliseconds: head.seenAt)), "reason": .string(reason),
            "journalEndedAt": JSONValue(head.endsAt),
        ]
    }
}
