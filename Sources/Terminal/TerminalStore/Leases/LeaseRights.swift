package import HubProtocol
package import Retail

internal import GRDB
internal import OfflineMode

/// The right to spend a part of a lease, as this till gave or has it: rows of `grants`, and of `leases` what
/// it spent. What was given counts as spent, so that no sale spends it, and the hub books it to its taker.
extension SQLiteRights {
    /// What became of a part that another till gave.
    package enum Adoption: Sendable {
        case adopted
        /// No key of the hub's signed the lease, or this till knows none.
        case refused
    }

    /// The lease of a grant as the hub signed it; nil: it is here no more.
    package func lease(of grant: GrantedRight) async throws(StorageError) -> JSONValue? {
        try await database.ledgerRead { try LeaseTable(database: $0).signed(grant.right) }
    }

    /// Makes a part of another till's lease this till's, in one transaction with the journal's entry; one
    /// that was adopted before changes nothing.
    ///
    /// - Parameters:
    ///   - document: the lease as the hub signed it.
    ///   - note: its giver's.
    ///   - now: Unix milliseconds.
    package func adopt(
        _ grant: GrantedRight, of document: JSONValue, by note: JSONValue, at now: Int64
    ) async throws(StorageError) -> Adoption {
        let database = database
        return try await database.ledgerWrite { connection in
            let (grants, leases) = (GrantTable(connection), LeaseTable(database: connection))
            guard try grants.row(grant.to, grant.claimId) == nil else { return .adopted }
            guard try leases.isSigned(document) == true, let lease = try? LeaseRecord(json: document),
                let giver = lease.terminalId
            else { return .refused }
            try grants.insert(GrantTable.Row(grant: grant, lines: []))
            try leases.insert(grant, of: lease, database.orderNumbers.leaseMarks)
            let moved = MovedLease(grant, from: giver, note: note)
            try Self.append(moved, MovedLease.taken, at: now, in: connection, of: database)
            return .adopted
        }
    }

    // MARK: Within one transaction

    /// The largest lease of what is claimed, or of that what it leaves. What a void gave back is not given:
    /// the taker's entry may be at the hub before the sale and its void, and would be more than was lent.
    static func reserveLease(
        _ claim: RightClaim, for taker: String, besides atHand: Set<String>, at now: Int64,
        in connection: Database, of database: TerminalDatabase
    ) throws -> Reservation {
        let (table, known) = (
            LeaseTable(database: connection), try SQLiteTerminalFacts.hubTime(in: connection)
        )
        let all = try table.givable(claim.right, at: database.clocks().hub ?? max(now, known ?? now))
        let most = database.orderNumbers.leaseMarks.mostSpent
        let parts = all.map { lease, spent in
            let peak = max(spent, most[lease.id] ?? 0)
            return (lease: lease, spent: spent, peak: peak, left: lease.left - (peak - spent))
        }.filter { $0.left > 0 }
        guard let (lease, spent, peak, left) = parts.first(where: { !atHand.contains($0.lease.id) }) else {
            return .refused(parts.isEmpty ? .notMine : .inUse)
        }
        let amount = min(claim.amount, left)
        let before = try GrantTable(connection).rows(of: lease.id, .lease)
        let grant = GrantedRight(
            RightClaim(claimId: claim.claimId, kind: .lease, right: lease.id, amount: amount), of: .lease,
            to: taker, given: before.reduce(amount) { $0 + $1.grant.amount }, madeAt: now,
            endsAt: lease.expiresAt)
        let after = [lease.id: spent + amount]
        // Ahead of the commit: a crash in between leaves a part idle, and never lets it be spent twice.
        try database.orderNumbers.note(
            LeaseMarks(spent: after, mostSpent: peak > spent ? [lease.id: peak + amount] : [:]))
        try table.write(spent: after)
        try GrantTable(connection).insert(GrantTable.Row(grant: grant, lines: [], state: .closed))
        return .granted(grant)
    }

    /// - Returns: what the lease has spent now, for the high-water file.
    static func giveBack(_ grant: GrantedRight, in connection: Database) throws -> [String: Int64] {
        let table = LeaseTable(database: connection)
        let use = LeaseUse(leaseId: grant.right, kind: .points, subject: "", amount: grant.amount)
        return try table.spent(of: table.giveBack([use]))
    }

    /// Counts what an earlier copy of this disk gave as spent, once more where the file has it already: that
    /// leaves a part idle.
    static func takeOff(
        _ grant: GrantedRight, in connection: Database, of database: TerminalDatabase
    ) throws {
        let table = LeaseTable(database: connection)
        guard let (amount, spent) = try table.amounts(of: grant.right) else { return }
        let after = [grant.right: max(spent, min(amount, spent + min(grant.amount, amount)))]
        try database.orderNumbers.note(LeaseMarks(spent: after))
        try table.write(spent: after)
    }

    /// - Parameter note: nil: of a right that the journal has no entry of.
    static func note(
        _ grant: GrantedRight, as note: JSONValue?, at now: Int64, in connection: Database,
        of database: TerminalDatabase
    ) throws {
        let table = GrantTable(connection)
        if grant.kind == .lease, let note, try table.row(grant.to, grant.claimId)?.isNoted == false {
            let moved = MovedLease(grant, from: nil, note: note)
            try append(moved, MovedLease.given, at: now, in: connection, of: database)
        }
        try table.note(grant)
    }

    private static func append(
        _ moved: MovedLease, _ type: String, at now: Int64, in connection: Database,
        of database: TerminalDatabase
    ) throws {
        var journal = try JournalWriter(connection, database.clocks())
        _ = try journal.append(
            JournalWriter.NewEntry(
                type: type, entity: LeaseRecord.entity, entityId: moved.leaseId, madeAt: now,
                payload: moved.json.canonicalBytes))
        try journal.finish()
    }
}
