public import HubProtocol

extension PostgresLedger {
    private static let columns =
        "key, order_id, state, amount, currency, approval_code, decline_reason, terminal_id"

    public func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentOutcome {
        try await database.write { connection throws(PostgresError) in
            .keep(try Self.decide(wanted, by: terminalId, at: now, on: connection))
        }
    }

    /// Whoever comes second under a key waits for the first and finds what it kept.
    private static func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64,
        on connection: PostgresConnection
    ) throws(PostgresError) -> PaymentOutcome {
        let isKept =
            try connection.ask(
                "INSERT INTO payments VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key) DO NOTHING "
                    + "RETURNING key", values(of: wanted, terminalId, now)
            ).first != nil
        if isKept { return .decided(wanted) }
        let row = try connection.ask(
            "SELECT \(columns) FROM payments WHERE key = $1 FOR UPDATE", [.text(wanted.key)]
        ).first
        guard let row, row.optionalText(7) == terminalId else { return .keyReused }
        let known = try payment(from: row)
        guard known.orderId.isEmpty else {
            let isSame =
                known.orderId == wanted.orderId && known.amount == wanted.amount
                && known.currency == wanted.currency
            return isSame ? .known(known) : .keyReused
        }
        let voided = PaymentAuthorization(
            key: wanted.key, orderId: wanted.orderId, state: .voided, amount: wanted.amount,
            currency: wanted.currency, approvalCode: nil, declineReason: nil)
        try connection.ask(
            "UPDATE payments SET order_id = $2, amount = $3, currency = $4, decided_at = $5 WHERE key = $1",
            [
                .text(wanted.key), .text(wanted.orderId), .integer(wanted.amount), .text(wanted.currency),
                .integer(now),
            ])
        return .decided(voided)
    }

    private static func values(
        of payment: PaymentAuthorization, _ terminalId: String, _ now: Int64
    ) -> [PostgresValue] {
        [
            .text(payment.key), .text(terminalId), .text(payment.orderId), .text(payment.state.rawValue),
            .integer(payment.amount), .text(payment.currency), .text(payment.approvalCode),
            .text(payment.declineReason), .integer(now),
        ]
    }

    public func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.ask { connection throws(PostgresError) in
            try Self.payment(key: key, of: terminalId, on: connection)
        }
    }

    public func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.write { connection throws(PostgresError) in
            try connection.ask([PostgresPayments.capture([(key, terminalId)])])
            return .keep(try Self.payment(key: key, of: terminalId, on: connection))
        }
    }

    public func void(
        key: String, of terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.write { connection throws(PostgresError) in
            try connection.ask([PostgresPayments.void(key: key, of: terminalId, at: now)])
            return .keep(try Self.payment(key: key, of: terminalId, on: connection))
        }
    }

    private static func payment(
        key: String, of terminalId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> PaymentAuthorization? {
        try connection.ask(
            "SELECT \(columns) FROM payments WHERE key = $1 AND terminal_id = $2",
            [.text(key), .text(terminalId)]
        ).first.map(payment)
    }

    private static func payment(from row: PostgresRow) throws(PostgresError) -> PaymentAuthorization {
        PaymentAuthorization(
            key: try row.text(0), orderId: row.optionalText(1) ?? "",
            state: .init(rawValue: try row.text(2)) ?? .voided, amount: try row.integer(3),
            currency: try row.text(4), approvalCode: row.optionalText(5), declineReason: row.optionalText(6))
    }
}

/// What a call and a mutation do to payments alike.
enum PostgresPayments {
    /// Captures what is authorised; anything else stays.
    static func capture(_ keys: [(key: String, terminalId: String)]) -> PostgresStatement {
        PostgresStatement(
            "UPDATE payments SET state = 'captured' FROM unnest($1::text[], $2::text[]) AS paid (key, terminal) "
                + "WHERE payments.key = paid.key AND terminal_id = paid.terminal AND state = 'authorized'",
            [.texts(of: keys, \.key), .texts(of: keys, \.terminalId)])
    }

    /// Voids the authorisation, or the key ahead of it: an empty order marks one that has not come yet.
    static func void(key: String, of terminalId: String, at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO payments VALUES ($1, $2, '', 'voided', 0, '\(NoCurrency.code)', NULL, NULL, $3) "
                + "ON CONFLICT (key) DO UPDATE SET state = 'voided', approval_code = NULL "
                + "WHERE payments.terminal_id = excluded.terminal_id "
                + "AND payments.state IN ('authorized', 'captured')",
            [.text(key), .text(terminalId), .integer(now)])
    }
}
