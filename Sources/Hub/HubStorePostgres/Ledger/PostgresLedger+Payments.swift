public import HubCore
public import HubProtocol
public import HubStore

extension PostgresLedger {
    /// The second request under a key waits for the first and gets what that one kept.
    public func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentOutcome {
        try await database.write { connection throws(PostgresError) in
            let inserted = try connection.query(
                "INSERT INTO payments (\(PaymentRows.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
                    + "ON CONFLICT (key) DO NOTHING RETURNING key",
                PostgresPayments.values(of: wanted, terminalId, now))
            if inserted.first != nil { return .keep(.decided(wanted)) }
            let known = try Self.known(wanted.key, on: connection, isLocked: true)
            let outcome = PaymentRules.decide(wanted, by: terminalId, over: known)
            if case .decided(let payment) = outcome {
                try connection.query([PostgresPayments.replace(payment, at: now)])
            }
            return .keep(outcome)
        }
    }

    /// A read without a lock; nil too for a key of another terminal.
    public func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.perform { connection throws(PostgresError) in
            try Self.payment(key: key, of: terminalId, on: connection)
        }
    }

    /// Nil for an unknown key and for a key of another terminal, which stays as it is.
    public func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.write { connection throws(PostgresError) in
            try connection.query([PostgresPayments.capture([(key, terminalId)])])
            return .keep(try Self.payment(key: key, of: terminalId, on: connection))
        }
    }

    /// Inserts a voided row for an unknown key; nil for a key of another terminal, which stays as it is.
    public func void(
        key: String, of terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.write { connection throws(PostgresError) in
            try connection.query([PostgresPayments.void(key: key, of: terminalId, at: now)])
            return .keep(try Self.payment(key: key, of: terminalId, on: connection))
        }
    }

    /// What is kept under `key` for this terminal.
    private static func payment(
        key: String, of terminalId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> PaymentAuthorization? {
        let known = try Self.known(key, on: connection)
        return known?.terminalId == terminalId ? known?.payment : nil
    }

    /// What is kept under `key`, and for which terminal.
    private static func known(
        _ key: String, on connection: PostgresConnection, isLocked: Bool = false
    ) throws(PostgresError) -> (payment: PaymentAuthorization, terminalId: String)? {
        let row = try connection.query(
            "SELECT \(PaymentRows.columns) FROM payments WHERE key = $1" + (isLocked ? " FOR UPDATE" : ""),
            [.text(key)]
        ).first
        guard let row else { return nil }
        let payment = PaymentRows.payment(
            key: try row.text("key"), orderId: try row.optionalText("order_id"), state: try row.text("state"),
            amount: try row.integer("amount"), currency: try row.text("currency"),
            approvalCode: try row.optionalText("approval_code"),
            declineReason: try row.optionalText("decline_reason"))
        return (payment, try row.text("terminal_id"))
    }
}

/// What a call and a mutation do to payments alike.
enum PostgresPayments {
    /// A row's values, in the order of ``PaymentRows/columns``.
    static func values(
        of payment: PaymentAuthorization, _ terminalId: String, _ now: Int64
    ) -> [PostgresValue] {
        [
            .text(payment.key), .text(terminalId), .text(payment.orderId), .text(payment.state.rawValue),
            .integer(payment.amount), .text(payment.currency), .text(payment.approvalCode),
            .text(payment.declineReason), .integer(now),
        ]
    }

    /// Replaces what is kept under the payment's key.
    static func replace(_ payment: PaymentAuthorization, at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "UPDATE payments SET order_id = $2, state = $3, amount = $4, currency = $5, approval_code = $6, "
                + "decline_reason = $7, decided_at = $8 WHERE key = $1",
            [
                .text(payment.key), .text(payment.orderId), .text(payment.state.rawValue),
                .integer(payment.amount), .text(payment.currency), .text(payment.approvalCode),
                .text(payment.declineReason), .integer(now),
            ])
    }

    /// By ``PaymentRules/capturable``.
    static func capture(_ keys: [(key: String, terminalId: String)]) -> PostgresStatement {
        PostgresStatement(
            "UPDATE payments SET state = 'captured' FROM unnest($1::text[], $2::text[]) AS paid (key, terminal) "
                + "WHERE payments.key = paid.key AND terminal_id = paid.terminal "
                + "AND state IN (\(PaymentRows.capturable))",
            [.texts(of: keys, \.key), .texts(of: keys, \.terminalId)])
    }

    /// Voids the authorisation, or the key ahead of it; by ``PaymentRules/voidable``.
    static func void(key: String, of terminalId: String, at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO payments (\(PaymentRows.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
                + "ON CONFLICT (key) DO UPDATE SET state = 'voided', approval_code = NULL "
                + "WHERE payments.terminal_id = excluded.terminal_id "
                + "AND payments.state IN (\(PaymentRows.voidable))",
            values(of: PaymentRules.voidedAhead(key: key), terminalId, now))
    }
}
