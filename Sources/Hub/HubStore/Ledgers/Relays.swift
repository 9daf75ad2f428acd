internal import HubProtocol

/// Pieces that other terminals handed in.
extension Ledger {
    /// Notes a piece; the same one is passed over. Where its entries do not count yet, the piece is kept.
    ///
    /// - Parameter piece: the bytes of one that is held; nil: its entries are in the journal.
    /// - Returns: false when the maker has ``RelayRecord/mostHeld`` pieces that wait: nothing is kept.
    package func keep(_ relay: RelayRecord, piece: [UInt8]?) async throws(LedgerError) -> Bool {
        try await write { session in
            let known = try session.first(
                "SELECT 1 FROM relays WHERE terminal_id = $1 AND digest = $2",
                [relay.terminalId, relay.digest])
            guard known == nil else { return .undo(true) }
            if relay.held != nil {
                let waiting: Int64 =
                    try session.first(
                        "SELECT COUNT(*) FROM relays WHERE terminal_id = $1 AND held IS NOT NULL",
                        [relay.terminalId])?[0] ?? 0
                guard waiting < RelayRecord.mostHeld else { return .undo(false) }
            }
            try session.run(
                "INSERT INTO relays (terminal_id, digest, epoch, first_sequence, last_sequence, relayed_by, "
                    + "relayed_at, held, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
                    + "ON CONFLICT DO NOTHING",
                [
                    relay.terminalId, relay.digest, relay.epoch, relay.first, relay.last, relay.by, relay.at,
                    relay.held?.rawValue, piece,
                ])
            return .keep(true)
        }
    }

    /// The pieces of a terminal, the newest first, at most ``RelayRecord/listed``.
    package func relays(of terminalId: String) async throws(LedgerError) -> [RelayRecord] {
        try await read { session in
            try session.rows(
                "SELECT digest, epoch, first_sequence, last_sequence, relayed_by, relayed_at, held "
                    + "FROM relays WHERE terminal_id = $1 ORDER BY relayed_at DESC, epoch, first_sequence "
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
