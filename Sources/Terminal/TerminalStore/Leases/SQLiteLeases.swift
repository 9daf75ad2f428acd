internal import GRDB
public import HubProtocol
public import Retail

/// What the hub lent this terminal, in its database.
public struct SQLiteLeases: LeaseWallet {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One read by an index. Without the hub's clock the later one of the wall clock and the last known time
    /// of the hub counts, so that a clock that was set back lets nothing be spent longer.
    public func held(
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
    public func keep(_ leases: [LeaseRecord]) async throws(StorageError) {
        guard !leases.isEmpty else { return }
        let numbers = database.orderNumbers
        try await database.ledgerWrite { connection in
            for lease in leases {
                try LeaseTable(database: connection).keep(lease, spent: numbers.spent(of: lease.leaseId))
            }
        }
    }

    /// One read of the terminal's row.
    public func epoch() async throws(StorageError) -> Int64 {
        try await database.ledgerRead { try JournalHead.read($0).epoch }
    }

    /// One read of the terminal's row.
    public func storeId() async throws(StorageError) -> String? {
        try await database.ledgerRead { try JournalHead.read($0).storeId }
    }

    /// What all leases of this epoch leave now, by kind, with the moment at which the last of them ends: what
    /// this terminal costs at most if it never returns.
    public func exposure(
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
                        AND expires_at > ? GROUP BY kind ORDER BY kind
                    """, arguments: [(hubTime ?? max(wall, known ?? wall)) + LeaseTable.margin]
            ).map { ($0["kind"], $0["leases"], $0["left"], $0["until"]) }
        }
    }
}
