internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Look-up, decision and row are one write transaction.
    package func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentOutcome {
        try await writer.write { db in
            let key = try db.paymentKey(wanted.key, by: terminalId)
            let known = try db.payment(key: key)?.payment
            if known == nil,
                try !SQLiteSession(db: db).count(.payment, of: terminalId, at: now, within: limits)
            {
                return .undo(.pastQuota)
            }
            let outcome = PaymentRules.decide(wanted.kept(under: key), over: known)
            if case .decided(let payment) = outcome { try db.keep(payment, of: terminalId, at: now) }
            return .keep(outcome)
        }
    }

    /// One write transaction.
    package func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> Bool {
        try await writer.write { db in
            .keep(try SQLiteSession(db: db).count(more, of: terminalId, at: now, within: limits))
        }
    }

    package func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await file.read { db in try db.payment(key: key, of: terminalId) }
    }

    /// One write transaction.
    package func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await writer.write { db in
            try db.capturePayment(key: key, of: terminalId)
            return .keep(try db.payment(key: key, of: terminalId))
        }
    }

    /// Inserts a voided row for an unknown key.
    package func void(
        key: String, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentVoiding {
        try await writer.write { db in
            let own = try db.paymentKey(key, by: terminalId)
            if try db.payment(key: own) == nil,
                try !SQLiteSession(db: db).count(.payment, of: terminalId, at: now, within: limits)
            {
                return .undo(.pastQuota)
            }
            let pays = "SELECT 1 FROM payments WHERE key = ? AND \(PaymentRows.paysAcceptedSale)"
            if try db.first(pays, [own]) == nil { try db.voidPayment(key: key, of: terminalId, at: now) }
            guard let kept = try db.payment(key: key, of: terminalId) else {
                throw LedgerError.failed("a voided payment has no row")
            }
            return .keep(.kept(kept))
        }
    }

    /// Look-up and row are one write transaction.
    package func settle(
        key: String, by decision: PaymentDecision, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await writer.write { db in
            guard let (known, terminalId) = try db.payment(key: key) else { return .keep(nil) }
            guard let settled = PaymentRules.settled(known, by: decision) else {
                if known.state == .voided, case .authorized = decision { try db.queueLateVoid(of: key) }
                return .keep(known)
            }
            try db.run(
                "UPDATE payments SET state = \(PaymentRows.state(after: "?1")), approval_code = ?2, "
                    + "decline_reason = ?3, decided_at = ?4, token = NULL WHERE key = ?5",
                [
                    settled.state.rawValue, settled.approvalCode, settled.declineReason, now, key,
                ])
            if settled.state == .captured { try db.queue(.capture, of: key) }
            // What was never charged is not given back.
            if settled.state == .forwardDeclined {
                try db.run("DELETE FROM payment_calls WHERE key = ? AND kind = 'refund'", [key])
                try db.raise(PaymentRows.debtAlarm(of: terminalId, at: now))
            }
            return .keep(settled)
        }
    }

    /// Two reads.
    package func undecidedPayments(limit: Int) async throws(LedgerError) -> [UndecidedPayment] {
        try await file.read { db in
            try [PaymentRows.unknown, PaymentRows.storedOffline].flatMap { query in
                try Row.fetchAll(db, sql: query + "?", arguments: [limit])
            }.map { row in
                UndecidedPayment(
                    payment: Database.payment(row), terminalId: row["terminal_id"],
                    sealed: PaymentRows.sealed(keyId: row["token_key"], token: row["token"]),
                    storedAt: row["stored_at"])
            }
        }
    }

    package func paymentCalls(limit: Int) async throws(LedgerError) -> [PaymentCall] {
        try await file.read { db in
            try Row.fetchAll(
                db, sql: PaymentRows.calls + " LIMIT ?", arguments: [limit]
            ).compactMap { row in
                PaymentRows.call(
                    id: row["id"], key: row["key"], terminalId: row["terminal_id"], kind: row["kind"],
                    callKey: row["call_key"], amount: row["amount"], currency: row["currency"])
            }
        }
    }

    /// Deletes the call's row and keeps what a refusal leaves, in one transaction.
    package func finish(
        _ call: PaymentCall, isRefused: Bool, at now: Int64
    ) async throws(LedgerError) {
        try await writer.write { db in
            try db.run("DELETE FROM payment_calls WHERE id = ?", [call.id])
            guard isRefused, db.changesCount == 1, let terminalId = try db.payment(key: call.key)?.terminalId
            else { return .keep(()) }
            if call.kind == .capture {
                try db.run(
                    "UPDATE payments SET state = 'forwardDeclined', decline_reason = ?, decided_at = ? "
                        + "WHERE key = ? AND state IN ('captured', 'refunded')",
                    [PaymentRows.captureRefused, now, call.key])
                // What was never taken is not given back.
                try db.run("DELETE FROM payment_calls WHERE key = ? AND kind = 'refund'", [call.key])
            }
            try db.raise(PaymentRows.alarm(of: call, terminalId: terminalId, at: now))
            return .keep(())
        }
    }

    package func paymentDebts(of terminalId: String?) async throws(LedgerError) -> [PaymentDebt] {
        try await file.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(PaymentRows.debts) FROM payments
                    WHERE \(PaymentRows.isOpenDebt())
                        AND (?1 IS NULL OR terminal_id = ?1)
                    ORDER BY decided_at, key
                    """, arguments: [terminalId]
            ).map { row in
                PaymentDebt(
                    payment: Database.payment(row), terminalId: row["terminal_id"],
                    refusedAt: row["decided_at"])
            }
        }
    }
}

extension Database {
    fileprivate func keep(_ payment: PaymentAuthorization, of terminalId: String, at now: Int64) throws {
        try run(
            "INSERT OR REPLACE INTO payments (\(PaymentRows.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Self.values(of: payment, terminalId, now))
    }

    /// The key of the row that a terminal's device has, or gets, under a key that it names.
    func paymentKey(_ name: String, by terminalId: String) throws -> String {
        try first("SELECT \(PaymentRows.key(of: "?1", by: "?2"))", [name, terminalId]).map { $0[0] } ?? name
    }

    /// - Returns: whether the device had nothing under its key.
    func keepNew(_ payment: PaymentAuthorization, of terminalId: String, at now: Int64) throws -> Bool {
        let payment = payment.kept(under: try paymentKey(payment.key, by: terminalId))
        try run(
            "INSERT INTO payments (\(PaymentRows.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                + "ON CONFLICT (key) DO NOTHING", Self.values(of: payment, terminalId, now))
        return changesCount == 1
    }

    private static func values(
        of payment: PaymentAuthorization, _ terminalId: String, _ now: Int64
    ) -> StatementArguments {
        [
            payment.key, terminalId, payment.orderId, payment.state.rawValue, payment.amount,
            payment.currency, payment.approvalCode, payment.declineReason, now,
        ]
    }

    /// What is kept under `key`, and for which terminal.
    fileprivate func payment(
        key: String
    ) throws -> (payment: PaymentAuthorization, terminalId: String)? {
        try first("SELECT \(PaymentRows.columns) FROM payments WHERE key = ?", [key]).map { row in
            (Self.payment(row), row["terminal_id"])
        }
    }

    fileprivate static func payment(_ row: Row) -> PaymentAuthorization {
        PaymentRows.payment(
            key: row["key"], orderId: row["order_id"], state: row["state"], amount: row["amount"],
            currency: row["currency"], approvalCode: row["approval_code"],
            declineReason: row["decline_reason"])
    }

    /// Notes that the service has to get a call about all that is left of a payment; at most once.
    fileprivate func queue(_ kind: PaymentCall.Kind, of key: String) throws {
        try run(
            "INSERT OR IGNORE INTO payment_calls (key, kind, call_key, amount, currency) "
                + "SELECT key, ?1, key || ':' || ?1, amount, currency FROM payments WHERE key = ?2",
            [kind.rawValue, key])
    }

    /// The service may have got the void before what it then reserved: it gets another one, by a key of its
    /// own, since the first one's response is kept there.
    fileprivate func queueLateVoid(of key: String) throws {
        try run(
            "INSERT OR IGNORE INTO payment_calls (key, kind, call_key, amount, currency) "
                + "SELECT key, 'void', key || ':void:late', amount, currency FROM payments WHERE key = ?",
            [key])
    }

    /// A sale was sold by what is unknown here.
    func authorizePayment(key: String, approvalCode: String?) throws {
        try run(
            "UPDATE payments SET state = 'authorized', approval_code = ? WHERE key = ? AND state = 'unknown'",
            [approvalCode, key])
    }

    /// Gives back what is left, up to `amount`, and no part of more than that.
    func refundPayment(
        key: String, of terminalId: String, orderId: String, amount: Int64, refundId: String
    ) throws -> Bool {
        let key = try paymentKey(key, by: terminalId)
        try run(
            "UPDATE payments SET refunded = refunded + ?1, "
                + "state = \(PaymentRows.state(refunding: "?1")) WHERE key = ?2 AND order_id = ?3 "
                + "AND amount - refunded >= ?1 AND state IN (\(PaymentRows.refundable))",
            [amount, key, orderId])
        guard changesCount == 1 else { return false }
        try run(
            "INSERT OR IGNORE INTO payment_calls (key, kind, call_key, amount, currency) "
                + "SELECT key, 'refund', key || ':refund:' || ?1, ?2, currency FROM payments WHERE key = ?3 "
                + "AND state <> 'forwardDeclined'", [refundId, amount, key])
        return true
    }

    /// Keeps a token; a key that the device has named stays as it is.
    func storePayment(_ payment: StoredPayment, of terminalId: String, at now: Int64) throws -> Bool {
        try run(
            "INSERT INTO payments (\(PaymentRows.columns), token, token_key, stored_at, shift_id) "
                + "VALUES (?, ?, ?, 'storedOffline', ?, ?, NULL, NULL, ?, ?, ?, ?, ?) "
                + "ON CONFLICT (key) DO NOTHING",
            [
                try paymentKey(payment.key, by: terminalId), terminalId, payment.orderId, payment.amount,
                payment.currency, now,
                payment.sealed.token, payment.sealed.keyId, payment.storedAt, payment.shiftId,
            ])
        return changesCount == 1
    }

    /// What this terminal's device has under `key`, with the key of its row.
    func payment(key: String, of terminalId: String) throws -> PaymentAuthorization? {
        try first(
            "SELECT \(PaymentRows.columns), \(PaymentRows.settledAt) FROM payments WHERE key = ?",
            [try paymentKey(key, by: terminalId)]
        ).map { row in
            var payment = Self.payment(row)
            payment.settledAt = row["settled_at"]
            return payment
        }
    }

    func capturePayment(key: String, of terminalId: String) throws {
        let key = try paymentKey(key, by: terminalId)
        try run(
            "UPDATE payments SET state = 'captured' WHERE key = ? AND state IN (\(PaymentRows.capturable))",
            [key])
        if changesCount == 1 { try queue(.capture, of: key) }
    }

    /// Voids the authorisation, or the key ahead of it.
    func voidPayment(key: String, of terminalId: String, at now: Int64) throws {
        if try keepNew(PaymentRules.voidedAhead(key: key), of: terminalId, at: now) { return }
        let key = try paymentKey(key, by: terminalId)
        try run(
            "INSERT OR IGNORE INTO payment_calls (key, kind, call_key, amount, currency) "
                + "SELECT key, 'void', key || ':void', amount, currency FROM payments "
                + "WHERE key = ? AND refunded = 0 AND state IN (\(PaymentRows.voidedAtService))", [key])
        try run(
            "UPDATE payments SET state = 'voided', approval_code = NULL, token = NULL "
                + "WHERE key = ? AND refunded = 0 AND state IN (\(PaymentRows.voidable))", [key])
    }
}
