internal import GRDB
package import HubProtocol
package import Retail

/// What the hub lent this terminal, in its database.
package struct SQLiteLeases: LeaseWallet {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One read by an index. Without the hub's clock the later one of the wall clock and the last known time
    /// of the hub counts, so that a clock that was set back lets nothing be spent longer.
    package func held(
        _ kind: LeaseKind, of subject: String, at hubTime: Int64?
    ) async throws(StorageError) -> [HeldLease] {
        let wall = database.wallMilliseconds()
        return try await database.ledgerRead { connection in
            let known = try SQLiteTerminalFacts.hubTime(in: connection)
            return try LeaseTable(database: connection).held(
                kind, of: subject, at: hubTime ?? max(wall, known ?? wall))
        }
    }

    /// One transaction.
    package func keep(_ lent: LentLeases) async throws(StorageError) {
        guard !lent.documents.isEmpty else { return }
        let numbers = database.orderNumbers
        try await database.ledgerWrite { connection in
            for (lease, document) in zip(lent.leases, lent.documents) {
                try LeaseTable(database: connection).keep(lease, as: document, numbers.leaseMarks)
            }
        }
    }

    /// The file first, then one transaction: a crash in between costs what the leases leave, and the next
    /// start goes on with their return.
    package func giveUp(except needed: Set<String>) async throws(StorageError) -> LeaseReturn? {
        let numbers = database.orderNumbers
        guard try await !database.ledgerRead({ try LeaseTable(database: $0).toReturn() }).isEmpty else {
            return nil
        }
        return try await database.ledgerWrite { connection in
            let table = LeaseTable(database: connection)
            let found = try table.toReturn()
                .filter { $0.stage == .givenUp || !needed.contains($0.id) }.prefix(LeaseReturn.most)
            let fresh = found.filter { $0.stage == .recalled }.map(\.id)
            if !fresh.isEmpty {
                try numbers.note(LeaseMarks(givenUp: Set(fresh)))
                try table.giveUp(fresh)
            }
            guard !found.isEmpty else { return nil }
            let (head, marks) = (try JournalHead.read(connection), numbers.leaseMarks)
            return LeaseReturn(
                epoch: head.epoch, sequence: head.sequence,
                // Sales that are void by now may arrive before their voids.
                leases: found.map {
                    LeaseReturn.Part(
                        leaseId: $0.id,
                        spent: max($0.spent, marks.spent[$0.id] ?? 0, marks.mostSpent[$0.id] ?? 0))
                })
        }
    }

    /// A lease as a key of the hub's signed it; nil: there is none, or it has no such signature. One read.
    package func signed(_ leaseId: String) async throws(StorageError) -> JSONValue? {
        try await database.ledgerRead { try LeaseTable(database: $0).signed(leaseId) }
    }

    /// One transaction. The leases stay known, so that nothing brings them back.
    package func noteReturned(_ leaseIds: [String]) async throws(StorageError) {
        try await database.ledgerWrite { try LeaseTable(database: $0).end(leaseIds) }
    }

    /// One read of the terminal's row.
    package func epoch() async throws(StorageError) -> Int64 {
        try await database.ledgerRead { try JournalHead.read($0).epoch }
    }

    /// One read of the terminal's row.
    package func storeId() async throws(StorageError) -> String? {
        try await database.ledgerRead { try JournalHead.read($0).storeId }
    }

    /// What all leases of this epoch leave now, by kind, with the moment at which the last of them ends: what
    /// this terminal costs at most if it never returns.
    package func exposure(
        at hubTime: Int64?
    ) async throws(StorageError) -> [(kind: String, leases: Int, left: Int64, until: Int64)] {
        let wall = database.wallMilliseconds()
        return try await database.ledgerRead { connection in
            let known = try SQLiteTerminalFacts.hubTime(in: connection)
            return try Row.fetchAll(
                connection,
                sql: """
                    SELECT kind, count(*) AS leases, sum(amount - spent) AS left, max(expires_at) AS until
                    FROM leases WHERE epoch = (SELECT epoch FROM terminal) AND spent < amount
                        AND stage < 2 AND expires_at > ? GROUP BY kind ORDER BY kind
                    """, arguments: [(hubTime ?? max(wall, known ?? wall)) + LeaseTable.margin]
            ).map { ($0["kind"], $0["leases"], $0["left"], $0["until"]) }
        }
    }
}
