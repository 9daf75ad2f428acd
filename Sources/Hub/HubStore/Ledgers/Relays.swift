package import HubCore
internal import HubProtocol

/// Pieces that other terminals handed in.
extension Ledger {
    /// Whether a person accepted a piece: then all of its entries have results.
    package func isAccepted(_ relay: RelayRecord) async throws(LedgerError) -> Bool {
        try await read { session in
            try session.first(
                "SELECT 1 FROM relays WHERE terminal_id = $1 AND digest = $2 AND accepted_at IS NOT NULL",
                [relay.terminalId, relay.digest]) != nil
        }
    }

    /// Keeps a piece whose entries do not count yet, with its alarm; the same one is passed over. One
    /// transaction.
    ///
    /// - Returns: false when the maker has ``RelayRecord/mostHeld`` pieces that wait: nothing is kept.
    package func hold(
        _ relay: RelayRecord, piece: [UInt8], alarm: Alarm
    ) async throws(LedgerError) -> Bool {
        try await write { session in
            let known = try session.first(
                "SELECT 1 FROM relays WHERE terminal_id = $1 AND digest = $2 AND held IS NOT NULL",
                [relay.terminalId, relay.digest])
            guard known == nil else { return .undo(true) }
            let waiting: Int64 =
                try session.first(
                    "SELECT COUNT(*) FROM relays WHERE terminal_id = $1 AND held IS NOT NULL",
                    [relay.terminalId])?[0] ?? 0
            guard waiting < RelayRecord.mostHeld else { return .undo(false) }
            try session.run([relay.holding(piece), alarm.raising])
            return .keep(true)
        }
    }

    /// The pieces of a terminal, those that wait for a person before others, the newest first, at most
    /// ``RelayRecord/listed``.
    package func relays(of terminalId: String) async throws(LedgerError) -> [RelayRecord] {
        try await read { session in
            try session.rows(
                "SELECT digest, epoch, first_sequence, last_sequence, relayed_by, relayed_at, held "
                    + "FROM relays WHERE terminal_id = $1 "
                    + "ORDER BY CASE WHEN held IS NULL THEN 1 ELSE 0 END, relayed_at DESC, epoch, "
                    + "first_sequence "
                    + "LIMIT \(RelayRecord.listed)", [terminalId]
            ).map { row in
                let held: String? = try row[6]
                return try RelayRecord(
                    terminalId: terminalId, digest: row[0], epoch: row[1], first: row[2], last: row[3],
                    by: row[4], at: row[5], held: held.flatMap(RelayHold.init(rawValue:)))
            }
        }
    }

    /// The bytes of a piece that is held; nil for any other.
    package func heldPiece(
        _ digest: String, of terminalId: String
    ) async throws(LedgerError) -> [UInt8]? {
        try await read { session in
            try session.first(
                "SELECT content FROM relays WHERE terminal_id = $1 AND digest = $2 AND held IS NOT NULL",
                [terminalId, digest])?[0]
        }
    }

    /// A person accepted a piece: it waits no longer, and its bytes go.
    package func accept(
        _ digest: String, of terminalId: String, reason: String, at now: Int64
    ) async throws(LedgerError) {
        try await change { session in
            try session.run(
                "UPDATE relays SET held = NULL, content = NULL, accepted_at = $3, reason = $4 "
                    + "WHERE terminal_id = $1 AND digest = $2", [terminalId, digest, now, reason])
        }
    }
}

extension RelayRecord {
    private static let insertion =
        "INSERT INTO relays (terminal_id, digest, epoch, first_sequence, last_sequence, relayed_by, "
        + "relayed_at, held, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
        + "ON CONFLICT (terminal_id, digest) DO "

    /// Its entries are taken.
    package var noting: StoreQuery {
        StoreQuery(
            Self.insertion + "NOTHING",
            of: [terminalId, digest, epoch, first, last, by, at, String?.none, [UInt8]?.none])
    }

    /// Its entries wait for a person. Some of them may have been taken when it came before.
    fileprivate func holding(_ piece: [UInt8]) -> StoreQuery {
        StoreQuery(
            Self.insertion + "UPDATE SET held = excluded.held, content = excluded.content",
            of: [terminalId, digest, epoch, first, last, by, at, held?.rawValue, piece])
    }

    /// All of its entries have results.
    package var releasing: StoreQuery {
        StoreQuery(
            "UPDATE relays SET held = NULL, content = NULL "
                + "WHERE terminal_id = $1 AND digest = $2 AND held IS NOT NULL", of: [terminalId, digest])
    }
}
