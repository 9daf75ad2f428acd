package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// The second request under a key waits for the first and gets what that one kept.
    package func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentOutcome {
        try await database.write { connection throws(PostgresError) in
            let new = PostgresPayments.keepNew(wanted, of: terminalId, at: now)
            for _ in 0..<PostgresPayments.mostTries {
                if let key = try connection.query([new]).first?.first?.text(0) {
                    let hasRoom = try PostgresUsage.count(
                        .payment, of: terminalId, at: now, within: limits, on: connection)
                    return hasRoom ? .keep(.decided(wanted.kept(under: key))) : .undo(.pastQuota)
                }
                guard
                    let kept = try Self.payment(
                        key: wanted.key, of: terminalId, locked: true, on: connection)
                else { continue }
                let outcome = PaymentRules.decide(wanted, over: kept)
                if case .decided(let payment) = outcome {
                    try connection.query([PostgresPayments.replace(payment, at: now)])
                }
                return .keep(outcome)
            }
            throw .collided(state: "-----")
        }
    }

    /// One transaction.
    package func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> Bool {
        try await database.write { connection throws(PostgresError) in
            .keep(
                try PostgresUsage.count(more, of: terminalId, at: now, within: limits, on: connection))
        }
    }

    /// A read without a lock.
    package func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.perform { connection throws(PostgresError) in
            try Self.payment(key: key, of: terminalId, on: connection)
        }
    }

    /// One transaction.
    package func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.write { connection throws(PostgresError) in
            try connection.query([PostgresPayments.capture([(key, terminalId)])])
            return .keep(try Self.payment(key: key, of: terminalId, on: connection))
        }
    }

    /// Inserts a voided row for an unknown key.
    package func void(
        key: String, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentVoiding {
        try await database.write { connection throws(PostgresError) in
            let known = try Self.payment(key: key, of: terminalId, on: connection)
            if known == nil,
                try !PostgresUsage.count(.payment, of: terminalId, at: now, within: limits, on: connection)
            {
                return .undo(.pastQuota)
            }
            let pays = "SELECT 1 FROM payments WHERE key = $1 AND \(PaymentRows.paysAcceptedSale)"
            if try connection.query(pays, [.text(known?.key)]).first == nil {
                try connection.query(PostgresPayments.void(key: key, of: terminalId, at: now))
            }
            guard let kept = try Self.payment(key: key, of: terminalId, on: connection) else {
                throw .collided(state: "-----")
            }
            return .keep(.kept(kept))
        }
    }

    /// The row is locked between look-up and change.
    package func settle(
        key: String, by decision: PaymentDecision, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await database.write { connection throws(PostgresError) in
            guard let (known, terminalId) = try Self.locked(key, on: connection) else {
                return .keep(nil)
            }
            guard let settled = PaymentRules.settled(known, by: decision) else {
                if known.state == .voided, case .authorized = decision {
                    try connection.query([PostgresPayments.queueLateVoid(of: key)])
                }
                return .keep(known)
            }
            try connection.query([PostgresPayments.settle(settled, at: now)])
            if settled.state == .captured { try connection.query([PostgresPayments.queueCapture(of: key)]) }
            // What was never charged is not given back.
            if settled.state == .forwardDeclined {
                let alarm = PaymentRows.debtAlarm(of: terminalId, at: now)
                try connection.query(
                    [PostgresPayments.dropRefunds(of: key), PostgresAlarms.raising([alarm])].compactMap(
                        \.self))
            }
            return .keep(settled)
        }
    }

    /// Two reads.
    package func undecidedPayments(limit: Int) async throws(LedgerError) -> [UndecidedPayment] {
        try await database.perform { connection throws(PostgresError) in
            var found: [UndecidedPayment] = []
            for query in [PaymentRows.unknown, PaymentRows.storedOffline] {
                for row in try connection.query(query + "$1", [.integer(Int64(limit))]).rows {
                    found.append(
                        UndecidedPayment(
                            payment: try PostgresPayments.payment(row),
                            terminalId: try row.text("terminal_id"),
                            sealed: PaymentRows.sealed(
                                keyId: try row.optionalText("token_key"),
                                token: try row.optionalText("token")),
                            storedAt: try row.optionalInteger("stored_at")))
                }
            }
            return found
        }
    }

    package func paymentCalls(limit: Int) async throws(LedgerError) -> [PaymentCall] {
        try await database.perform { connection throws(PostgresError) in
            let rows = try connection.query(PaymentRows.calls + " LIMIT $1", [.integer(Int64(limit))]).rows
            return try rows.map { row throws(PostgresError) in
                PaymentRows.call(
                    id: try row.integer("id"), key: try row.text("key"),
                    terminalId: try row.text("terminal_id"), kind: try row.text("kind"),
                    callKey: try row.text("call_key"), amount: try row.integer("amount"),
                    currency: try row.text("currency"))
            }.compactMap(\.self)
        }
    }

    /// Deletes the call's row and keeps what a refusal leaves, in one transaction.
    package func finish(
        _ call: PaymentCall, isRefused: Bool, at now: Int64
    ) async throws(LedgerError) {
        try await database.write { connection throws(PostgresError) in
            let deleted = try connection.query(
                "DELETE FROM payment_calls WHERE id = $1 RETURNING id", [.integer(call.id)])
            guard isRefused, deleted.first != nil,
                let terminalId = try Self.locked(call.key, on: connection)?.terminalId
            else { return .keep(()) }
            if call.kind == .capture {
                // What was never taken is not given back.
                try connection.query([
                    PostgresPayments.refuseCapture(of: call.key, at: now),
                    PostgresPayments.dropRefunds(of: call.key),
                ])
            }
            let alarm = PaymentRows.alarm(of: call, terminalId: terminalId, at: now)
            if let raising = PostgresAlarms.raising([alarm]) { try connection.query([raising]) }
            return .keep(())
        }
    }

    package func paymentDebts(of terminalId: String?) async throws(LedgerError) -> [PaymentDebt] {
        try await database.perform { connection throws(PostgresError) in
            let rows = try connection.query(
                "SELECT \(PaymentRows.debts) FROM payments WHERE \(PaymentRows.isOpenDebt()) "
                    + "AND settled_at IS NULL AND ($1::text IS NULL OR terminal_id = $1) ORDER BY decided_at, key",
                [.text(terminalId)]
            ).rows
            return try rows.map { row throws(PostgresError) in
                PaymentDebt(
                    payment: try PostgresPayments.payment(row), terminalId: try row.text("terminal_id"),
                    refusedAt: try row.integer("decided_at"))
            }
        }
    }

    /// What this terminal's device has under `key`, with the key of its row.
    ///
    /// - Parameter locked: whether nobody else changes it before the transaction ends.
    private static func payment(
        key: String, of terminalId: String, locked: Bool = false, on connection: PostgresConnection
    ) throws(PostgresError) -> PaymentAuthorization? {
        let row = try connection.query(
            "SELECT \(PaymentRows.columns), \(PaymentRows.settledAt) FROM payments "
                + "WHERE key = (\(PostgresPayments.key))\(locked ? " FOR UPDATE" : "")",
            [.text(key), .text(terminalId)]
        ).first
        guard let row else { return nil }
        var payment = try PostgresPayments.payment(row)
        payment.settledAt = try row.optionalInteger(PaymentRows.settledAt)
        return payment
    }

    /// What is kept under `key`, and for which terminal; nobody else changes it before the transaction ends.
    private static func locked(
        _ key: String, on connection: PostgresConnection
    ) throws(PostgresError) -> (payment: PaymentAuthorization, terminalId: String)? {
        let row = try connection.query(
            "SELECT \(PaymentRows.columns) FROM payments WHERE key = $1 FOR UPDATE", [.text(key)]
        ).first
        guard let row else { return nil }
        return (try PostgresPayments.payment(row), try row.text("terminal_id"))
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

    static func payment(_ row: PostgresRow) throws(PostgresError) -> PaymentAuthorization {
        PaymentRows.payment(
            key: try row.text("key"), orderId: try row.optionalText("order_id"), state: try row.text("state"),
            amount: try row.integer("amount"), currency: try row.text("currency"),
            approvalCode: try row.optionalText("approval_code"),
            declineReason: try row.optionalText("decline_reason"))
    }

    /// The key of the row that terminal $2 has, or gets, under the key $1 that it names.
    static let key = PaymentRows.key(of: "$1::text", by: "$2::text")
    /// A key can be taken between the look and the row by one other device for each try; a second try finds
    /// it. Halved, that one is an error to a cashier; doubled, nothing changes.
    static let mostTries = 2

    /// The rows of keys that terminals name, as `paid` with the row's key and the terminal, behind which a
    /// statement goes on. Parameters: keys, terminals.
    private static let paid =
        "WITH paid AS MATERIALIZED (SELECT \(PaymentRows.key(of: "wanted.name", by: "wanted.terminal")) AS key, "
        + "wanted.name, wanted.terminal FROM unnest($1::text[], $2::text[]) AS wanted (name, terminal))"

    /// What terminals have under keys, with `named_by` and `named`: the terminal and its own key.
    static func named(_ keys: [(key: String, terminalId: String)]) -> PostgresStatement {
        PostgresStatement(
            "\(paid) SELECT paid.terminal AS named_by, paid.name AS named, payments.* FROM paid "
                + "JOIN payments ON payments.key = paid.key",
            [.texts(of: keys, \.key), .texts(of: keys, \.terminalId)])
    }

    /// A sale was sold by what is unknown here.
    static func authorize(key: String, approvalCode: String?) -> PostgresStatement {
        PostgresStatement(
            "UPDATE payments SET state = 'authorized', approval_code = $2 WHERE key = $1 AND state = 'unknown'",
            [.text(key), .text(approvalCode)])
    }

    /// Keeps a payment unless the terminal's device has one under its key; its row's key is returned then.
    static func keepNew(
        _ payment: PaymentAuthorization, of terminalId: String, at now: Int64
    ) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO payments (\(PaymentRows.columns)) VALUES ((\(key)), $2, $3, $4, $5, $6, $7, $8, $9) "
                + "ON CONFLICT (key) DO NOTHING RETURNING key", values(of: payment, terminalId, now))
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
            "\(paid), taken AS (UPDATE payments SET state = 'captured' FROM paid "
                + "WHERE payments.key = paid.key AND state IN (\(PaymentRows.capturable)) "
                + "RETURNING payments.key, payments.amount, payments.currency) "
                + insertion + "SELECT key, 'capture', key || ':capture', amount, currency FROM taken "
                + "ON CONFLICT (call_key) DO NOTHING",
            [.texts(of: keys, \.key), .texts(of: keys, \.terminalId)])
    }

    private static let insertion = "INSERT INTO payment_calls (key, kind, call_key, amount, currency) "

    static func queueCapture(of key: String) -> PostgresStatement {
        PostgresStatement(
            insertion + "SELECT key, 'capture', key || ':capture', amount, currency FROM payments "
                + "WHERE key = $1 ON CONFLICT (call_key) DO NOTHING", [.text(key)])
    }

    /// The service may have got the void before what it then reserved: it gets another one, by a key of its
    /// own, since the first one's response is kept there.
    static func queueLateVoid(of key: String) -> PostgresStatement {
        PostgresStatement(
            insertion + "SELECT key, 'void', key || ':void:late', amount, currency FROM payments "
                + "WHERE key = $1 ON CONFLICT (call_key) DO NOTHING", [.text(key)])
    }

    /// A capture that was refused for good leaves a debt.
    static func refuseCapture(of key: String, at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "UPDATE payments SET state = 'forwardDeclined', decline_reason = $2, decided_at = $3 "
                + "WHERE key = $1 AND state IN ('captured', 'refunded')",
            [.text(key), .text(PaymentRows.captureRefused), .integer(now)])
    }

    static func dropRefunds(of key: String) -> PostgresStatement {
        PostgresStatement("DELETE FROM payment_calls WHERE key = $1 AND kind = 'refund'", [.text(key)])
    }

    /// Gives back so much of what is left of an order's money, and returns a row, or does nothing.
    /// Parameters: key, terminal, amount, refund, order.
    static let refunding =
        "WITH back AS (UPDATE payments SET refunded = refunded + $3::bigint, "
        + "state = \(PaymentRows.state(refunding: "$3")) WHERE key = (\(key)) AND order_id = $5::text "
        + "AND amount - refunded >= $3 AND state IN (\(PaymentRows.refundable)) RETURNING key, currency, state), "
        + "called AS (\(insertion)SELECT key, 'refund', key || ':refund:' || $4::text, $3::bigint, currency FROM back WHERE state <> 'forwardDeclined' "
        + "ON CONFLICT (call_key) DO NOTHING) SELECT key FROM back"

    /// Keeps a token, and returns a row; a key that the device has named stays as it is.
    static func store(_ payment: StoredPayment, of terminalId: String, at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO payments (\(PaymentRows.columns), token, token_key, stored_at, shift_id) "
                + "VALUES ((\(key)), $2, $3, 'storedOffline', $4, $5, NULL, NULL, $6, $7, $8, $9, $10) "
                + "ON CONFLICT (key) DO NOTHING RETURNING key",
            [
                .text(payment.key), .text(terminalId), .text(payment.orderId), .integer(payment.amount),
                .text(payment.currency), .integer(now), .text(payment.sealed.token),
                .text(payment.sealed.keyId), .integer(payment.storedAt), .text(payment.shiftId),
            ])
    }

    /// What the service decided; the token has done its work.
    static func settle(_ payment: PaymentAuthorization, at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "UPDATE payments SET state = \(PaymentRows.state(after: "$2::text")), approval_code = $3, "
                + "decline_reason = $4, decided_at = $5, token = NULL WHERE key = $1",
            [
                .text(payment.key), .text(payment.state.rawValue), .text(payment.approvalCode),
                .text(payment.declineReason), .integer(now),
            ])
    }

    /// Voids the authorisation, or the key ahead of it; by ``PaymentRules/voidable``. The first statement
    /// waits for an authorisation that is kept at the same time, so that the second one finds it. The last
    /// one is for a key that another device took between.
    static func void(key: String, of terminalId: String, at now: Int64) -> [PostgresStatement] {
        let isOwn = "key = (\(Self.key)) AND refunded = 0"
        let call = PostgresStatement(
            insertion + "SELECT key, 'void', key || ':void', amount, currency FROM payments "
                + "WHERE \(isOwn) AND state IN (\(PaymentRows.voidedAtService)) "
                + "ON CONFLICT (call_key) DO NOTHING", [.text(key), .text(terminalId)])
        let row = PostgresStatement(
            "UPDATE payments SET state = 'voided', approval_code = NULL, token = NULL "
                + "WHERE \(isOwn) AND state IN (\(PaymentRows.voidable))", [.text(key), .text(terminalId)])
        let ahead = keepNew(PaymentRules.voidedAhead(key: key), of: terminalId, at: now)
        return [ahead, call, row, ahead]
    }
}
