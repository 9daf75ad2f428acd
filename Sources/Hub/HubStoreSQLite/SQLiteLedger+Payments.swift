internal import GRDB
public import HubCore
public import HubProtocol
public import HubStore

extension SQLiteLedger {
    /// Look-up, decision and row are one write transaction.
    public func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentOutcome {
        try await writer.write { db in
            let known = try db.payment(key: wanted.key)
            let outcome = PaymentRules.decide(wanted, by: terminalId, over: known)
            if case .decided(let payment) = outcome { try db.keep(payment, of: terminalId, at: now) }
            return .keep(outcome)
        }
    }

    /// A read; nil too for a key of another terminal.
    public func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await file.read { db in try db.payment(key: key, of: terminalId) }
    }

    /// Nil for an unknown key and for a key of another terminal, which stays as it is.
    public func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await writer.write { db in
            try db.capturePayment(key: key, of: terminalId)
            return .keep(try db.payment(key: key, of: terminalId))
        }
    }

    /// Inserts a voided row for an unknown key; nil for a key of another terminal, which stays as it is.
    public func void(
        key: String, of terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await writer.write { db in
            try db.voidPayment(key: key, of: terminalId, at: now)
            return .keep(try db.payment(key: key, of: terminalId))
        }
    }
}

extension Database {
    fileprivate func keep(_ payment: PaymentAuthorization, of terminalId: String, at now: Int64) throws {
        try run(
            "INSERT OR REPLACE INTO payments (\(PaymentRows.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Self.values(of: payment, terminalId, now))
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
        try first("SELECT \(PaymentRows.columns) FROM payments WHERE key = ?", [key]).map {
            row -> (payment: PaymentAuthorization, terminalId: String) in
            let payment = PaymentRows.payment(
                key: row["key"], orderId: row["order_id"], state: row["state"], amount: row["amount"],
                currency: row["currency"], approvalCode: row["approval_code"],
                declineReason: row["decline_reason"])
            return (payment, row["terminal_id"])
        }
    }

    /// What is kept under `key` for this terminal.
    fileprivate func payment(key: String, of terminalId: String) throws -> PaymentAuthorization? {
        let known = try self.payment(key: key)
        return known?.terminalId == terminalId ? known?.payment : nil
    }

    func capturePayment(key: String, of terminalId: String) throws {
        try run(
            "UPDATE payments SET state = 'captured' WHERE key = ? AND terminal_id = ? "
                + "AND state IN (\(PaymentRows.capturable))", [key, terminalId])
    }

    /// Voids the authorisation, or the key ahead of it.
    func voidPayment(key: String, of terminalId: String, at now: Int64) throws {
        try run(
            "INSERT INTO payments (\(PaymentRows.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                + "ON CONFLICT (key) DO UPDATE SET state = 'voided', approval_code = NULL "
                + "WHERE terminal_id = excluded.terminal_id "
                + "AND state IN (\(PaymentRows.voidable))",
            Self.values(of: PaymentRules.voidedAhead(key: key), terminalId, now))
    }
}
