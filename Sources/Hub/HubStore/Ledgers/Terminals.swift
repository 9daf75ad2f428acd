package import HubCore

/// Keeps the tills.
extension Ledger {
    /// A read by primary key; nil for an unknown id.
    package func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await read { session in try session.terminal(id) }
    }

    /// Every terminal in order of enrolment. A read; terminals that enrolled in the same millisecond are in
    /// order of their ids.
    package func terminals() async throws(LedgerError) -> [TerminalRecord] {
        try await read { session in
            try session.rows("SELECT \(TerminalRecord.columns) FROM terminals ORDER BY enrolled_at, id")
                .map(TerminalRecord.init(row:))
        }
    }

    /// Revokes a terminal; nil when there is none of that id. Repeating it changes nothing. Keeps the first
    /// date of a revocation; `now` is in milliseconds since 1970.
    package func revoke(_ id: String, at now: Int64) async throws(LedgerError) -> TerminalRecord? {
        try await changed("revoked_at = COALESCE(revoked_at, $1) WHERE id = $2", [.integer(now), .text(id)])
    }

    /// Ends an unconfirmed terminal's waiting; nil when there is none of that id. Confirming a confirmed
    /// terminal changes nothing; a revoked one stays revoked.
    package func confirm(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await changed("unconfirmed_since = NULL WHERE id = $1", [.text(id)])
    }

    /// Makes a terminal, with all that are one device with it, one device with an earlier one of its store
    /// (``TerminalRecord/objection(toLinkTo:)``).
    package func link(_ id: String, to earlier: String) async throws(LedgerError) {
        try await change { session in
            try session.run(
                StoredRows.link("CAST($2 AS TEXT)", to: "CAST($1 AS TEXT)"), [earlier, id])
        }
    }

    /// Notes until when a terminal's new token holds, and the date that it signed for it. One conditional
    /// update: of two renewals with one date a single one gets true. False for an unknown id too.
    ///
    /// - Returns: false when a renewal of that date or a later one was granted before; nothing is noted then.
    package func renew(_ id: String, tokenExpiresAt: Int64, date: Int64) async throws(LedgerError) -> Bool {
        try await changed(
            "token_expires_at = $1, renewal_date = $2 "
                + "WHERE id = $3 AND (renewal_date IS NULL OR renewal_date < $2)",
            [.integer(tokenExpiresAt), .integer(date), .text(id)]) != nil
    }

    /// Changes one terminal; nil when the condition holds for none.
    private func changed(
        _ setting: String, _ values: [StoreValue]
    ) async throws(LedgerError) -> TerminalRecord? {
        let update = StoreQuery("UPDATE terminals SET \(setting) RETURNING \(TerminalRecord.columns)", values)
        return try await change { session in try session.run([update]).first.map(TerminalRecord.init(row:)) }
    }

    /// Uses a code up and enrols a terminal with it; nil when the code is unknown, used or expired, or the
    /// key is that of an unrevoked terminal of another store: a device is in one store. Code, number and
    /// terminal in one transaction; of two that show one code, the second gets nil.
    package func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64
    ) async throws(LedgerError) -> TerminalRecord? {
        try await write { session in
            guard let (digest, storeId) = try session.openCode(applicant.codeDigests, at: now) else {
                return .undo(nil)
            }
            try session.lock(.enrolments)
            let other = try session.first(
                StoredRows.terminalElsewhere(key: "$1", store: "$2"), [applicant.publicKey, storeId])
            guard other == nil else { return .undo(nil) }
            var numbers = try session.numbers(of: storeId)
            let record = TerminalRecord(
                id: applicant.terminalId, storeId: storeId, number: numbers.next(), name: applicant.name,
                publicKey: applicant.publicKey, enrolledAt: now, revokedAt: nil,
                tokenExpiresAt: applicant.tokenExpiresAt)
            try session.keep(record, numbers)
            try session.run(
                "UPDATE enrolment_codes SET terminal_id = $1 WHERE digest = $2", [record.id, digest])
            return .keep(record)
        }
    }

    /// Takes back a terminal that this store does not know, with the number of its token unless that is
    /// another's by now. Numbers given from then on are higher. Behind the lock of the store's number; a
    /// terminal that another hub took back first is returned as it is.
    ///
    /// - Returns: the terminal as it is kept, also when it was known after all.
    package func readmit(_ terminal: TerminalRecord) async throws(LedgerError) -> TerminalRecord {
        try await write { session in
            var numbers = try session.numbers(of: terminal.storeId)
            if let known = try session.terminal(terminal.id) { return .undo(known) }
            let taken = try session.first(
                "SELECT 1 FROM terminals WHERE store_id = $1 AND number = $2",
                [terminal.storeId, terminal.number])
            let record = terminal.numbered(numbers.readmitted(terminal.number, isTaken: taken != nil))
            try session.keep(record, numbers)
            return .keep(record)
        }
    }
}

/// Enrolment codes.
extension Ledger {
    /// Keeps enrolment codes of a store by their digests, all or none. Times are milliseconds since 1970. One
    /// transaction; fails for a digest that is known: codes are random.
    package func keepEnrolmentCodes(
        _ digests: [String], storeId: String, expiresAt: Int64
    ) async throws(LedgerError) {
        try await change { session in
            _ = try session.run(
                digests.map { digest in
                    StoreQuery(
                        "INSERT INTO enrolment_codes (digest, store_id, expires_at) VALUES ($1, $2, $3)",
                        of: [digest, storeId, expiresAt])
                })
        }
    }

    /// Whether one of the digests is that of a code that is neither used, revoked nor expired. A read: it
    /// waits for no writer. A read by primary key for each digest, in order.
    package func isEnrolmentCodeOpen(_ digests: [String], at now: Int64) async throws(LedgerError) -> Bool {
        try await read { session in try session.openCode(digests, at: now, isUsed: false) != nil }
    }

    /// The codes that are not expired for longer than 31 days, the longest validity of one; the next to
    /// expire first. A read; codes are known by the first 12 characters of their digests.
    package func enrolmentCodes(at now: Int64) async throws(LedgerError) -> [EnrolmentCodeRecord] {
        try await read { session in
            try session.rows(
                "SELECT \(EnrolmentCodeRecord.columns) FROM enrolment_codes WHERE expires_at > $1 "
                    + "ORDER BY expires_at, digest", [now - EnrolmentCodeRecord.shownMilliseconds]
            ).map(EnrolmentCodeRecord.init(row:))
        }
    }

    /// Takes a code back that was not used; nil when none of that id can be. One conditional update; a used
    /// or revoked code stays as it is and gives nil.
    package func revokeEnrolmentCode(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> EnrolmentCodeRecord? {
        try await change { session in
            try session.first(
                "UPDATE enrolment_codes SET revoked_at = $1 "
                    + "WHERE substr(digest, 1, \(EnrolmentCodeRecord.idLength)) = $2 AND terminal_id IS NULL "
                    + "AND revoked_at IS NULL RETURNING \(EnrolmentCodeRecord.columns)", [now, id]
            ).map(EnrolmentCodeRecord.init(row:))
        }
    }
}

extension StoreSession {
    fileprivate func terminal(_ id: String) throws -> TerminalRecord? {
        try first("SELECT \(TerminalRecord.columns) FROM terminals WHERE id = $1", [id])
            .map(TerminalRecord.init(row:))
    }

    /// - Parameter isUsed: the row is locked then: of two that show the same code, the second finds it used.
    fileprivate func openCode(
        _ digests: [String], at now: Int64, isUsed: Bool = true
    ) throws -> (digest: String, storeId: String)? {
        for digest in digests {
            let code = try first(
                "SELECT store_id FROM enrolment_codes WHERE digest = $1 AND terminal_id IS NULL "
                    + "AND revoked_at IS NULL AND expires_at > $2" + (isUsed ? dialect.forUpdate : ""),
                [digest, now])
            if let code { return (digest, try code[0]) }
        }
        return nil
    }

    /// The store's count, locked to the end of the transaction: two that are let in at once get two numbers.
    fileprivate func numbers(of storeId: String) throws -> TerminalNumbers {
        let row = try run([
            StoreQuery(
                "INSERT INTO terminal_numbers (store_id, highest) VALUES ($1, 0) ON CONFLICT DO NOTHING",
                of: [storeId]),
            StoreQuery(
                "SELECT highest FROM terminal_numbers WHERE store_id = $1" + dialect.forUpdate, of: [storeId]),
        ]).first
        return TerminalNumbers(highest: try row?[0] ?? 0)
    }

    fileprivate func keep(_ record: TerminalRecord, _ numbers: TerminalNumbers) throws {
        try run([
            StoreQuery(
                "INSERT INTO terminals (\(TerminalRecord.columns), device) "
                    + "VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, $8, $9, "
                    + "\(StoredRows.device(ofKey: "CAST($5 AS TEXT)", in: "CAST($2 AS TEXT)")))",
                of: [
                    record.id, record.storeId, record.number, record.name, record.publicKey,
                    record.enrolledAt, record.tokenExpiresAt, record.unconfirmedSince, record.renewalDate,
                ]),
            StoreQuery(
                "UPDATE terminal_numbers SET highest = $1 WHERE store_id = $2",
                of: [numbers.highest, record.storeId]),
        ])
    }
}

extension TerminalRecord {
    fileprivate static let columns =
        "id, store_id, number, name, public_key, enrolled_at, revoked_at, token_expires_at, "
        + "unconfirmed_since, renewal_date"

    fileprivate init(row: StoreRow) throws {
        try self.init(
            id: row[0], storeId: row[1], number: row[2], name: row[3], publicKey: row[4], enrolledAt: row[5],
            revokedAt: row[6], tokenExpiresAt: row[7], unconfirmedSince: row[8], renewalDate: row[9])
    }
}

extension EnrolmentCodeRecord {
    fileprivate static let columns = "digest, store_id, expires_at, terminal_id, revoked_at"

    fileprivate init(row: StoreRow) throws {
        try self.init(
            digest: row[0], storeId: row[1], expiresAt: row[2], terminalId: row[3], revokedAt: row[4])
    }
}
