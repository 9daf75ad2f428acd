internal import Base
internal import HubCore
internal import HubProtocol

/// Which entries a shift that is not settled reaches to.
package struct ShiftReach: Hashable, Sendable {
    package let terminalId: String
    /// The epoch in which it was opened, or closed.
    package let epoch: Int64
    /// Its last sequence; nil: it is open.
    package let through: Int64?

    package init(terminalId: String, epoch: Int64, through: Int64?) {
        (self.terminalId, self.epoch, self.through) = (terminalId, epoch, through)
    }
}

/// What keeps a shift from being settled.
package struct ShiftLack: Hashable, Sendable {
    /// The sequences up to the shift's end that the hub does not have, the first ones of a longer list. Of an
    /// open shift those up to the furthest signed end of the journal that anybody showed.
    package let missing: [Int64]
    /// When the terminal showed itself last, in milliseconds since 1970; nil: it never did. What another till
    /// hands in of it is no sign of it.
    package let lastHeard: Int64?
}

extension Ledger {
    /// What each of the shifts lacks, in the same order.
    package func lacks(of shifts: [ShiftReach]) async throws(LedgerError) -> [ShiftLack] {
        guard !shifts.isEmpty else { return [] }
        return try await read { session in
            try shifts.map { try Self.lack(of: $0, in: session) }
        }
    }

    private static func lack(of shift: ShiftReach, in session: any StoreSession) throws -> ShiftLack {
        let row = try session.first(
            "SELECT e.acknowledged_through, e.highest, h.head, h.seen_at, (SELECT MAX(t.received_at) "
                + "FROM telemetry t WHERE t.terminal_id = e.terminal_id) FROM epochs e "
                + "LEFT JOIN heads h ON h.terminal_id = e.terminal_id AND h.epoch = e.epoch "
                + "WHERE e.terminal_id = $1 AND e.epoch = $2", [shift.terminalId, shift.epoch])
        guard let row else { return ShiftLack(missing: [], lastHeard: nil) }
        let (acknowledged, highest): (Int64, Int64) = try (row[0], row[1])
        let (text, seenAt, reportedAt): (String?, Int64?, Int64?) = try (row[2], row[3], row[4])
        let head = text.flatMap { try? SignedHead(json: JSONValue.stored($0)) }
        // A till's own clock may be ahead; it signed before anybody saw it.
        let signedAt = head.map { min($0.signedAt, seenAt ?? $0.signedAt) }
        let through = shift.through ?? max(highest, head?.sequence ?? 0)
        var gaps: [ClosedRange<Int64>] = []
        if acknowledged < min(through, highest) {
            gaps = try session.intake.gaps(
                above: acknowledged, below: highest,
                in: JournalPlace(terminalId: shift.terminalId, epoch: shift.epoch))
        }
        if through > highest { gaps.append((highest + 1)...through) }
        let within = gaps.filter { $0.lowerBound <= through }
            .map { $0.lowerBound...min($0.upperBound, through) }
        return ShiftLack(
            missing: JournalEpoch.listed(within),
            lastHeard: [signedAt, reportedAt].compactMap(\.self).max())
    }
}
