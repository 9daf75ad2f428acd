package import HubCore
package import HubProtocol

/// The payments of terminals and what the payment service has to get of them.
extension Ledger {
    /// Keeps `wanted` unless its key is known. A new row counts in the terminal's quota of the day. One
    /// transaction. The second request under a key waits for the first and gets what that one kept.
    ///
    /// - Returns: what is kept under the key. A key that was voided ahead takes order and amount and stays
    ///   voided.
    package func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentOutcome {
        try await write { session in
            if let key = try session.keepNew(wanted, of: terminalId, at: now) {
                let hasRoom = try session.count(.payment, of: terminalId, at: now, within: limits)
                return hasRoom ? .keep(.decided(wanted.kept(under: key))) : .undo(.pastQuota)
            }
            // Without a row another device took the key between the look and the row.
            guard let kept = try session.payment(key: wanted.key, of: terminalId, isLocked: true)
            else { throw TransactionCollision() }
            let outcome = PaymentRules.decide(wanted.kept(under: kept.key), over: kept)
            if case .decided(let payment) = outcome { try session.replace(payment, at: now) }
            return .keep(outcome)
        }
    }

    /// Counts `more` of a terminal in its quota of the day. One transaction.
    ///
    /// - Returns: whether it had room; otherwise nothing is counted.
    package func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> Bool {
        try await write { session in
            .keep(try session.count(more, of: terminalId, at: now, within: limits))
        }
    }

    /// A read that waits for no writer.
    package func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await read { session in try session.payment(key: key, of: terminalId) }
    }

    /// Captures what is authorised; anything else stays. Nil for an unknown key. One transaction.
    package func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await write { session in
            try session.capture(key: key, of: terminalId)
            return .keep(try session.payment(key: key, of: terminalId))
        }
    }

    /// Voids what is kept under `key`, or the key itself, so that a late authorisation under it is voided.
    /// What an accepted sale that is not voided was paid by stays as it is. An unknown key counts in the
    /// terminal's quota of the day; money that is reserved is given up whatever the quota. Inserts a voided
    /// row for an unknown key; what pays an accepted sale stays.
    package func void(
        key: String, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentVoiding {
        try await write { session in
            let known = try session.payment(key: key, of: terminalId)
            if known == nil, try !session.count(.payment, of: terminalId, at: now, within: limits) {
                return .undo(.pastQuota)
            }
            let pays = "SELECT 1 FROM payments WHERE key = $1 AND \(PaymentRows.paysAcceptedSale)"
            if try session.first(pays, [known?.key]) == nil,
                let debt = try session.void(key, of: terminalId, at: now)
            {
                try session.appendSettlement(of: debt.key, debt.amount, by: .void, reason: nil, at: now)
            }
            guard let kept = try session.payment(key: key, of: terminalId) else {
                throw TransactionCollision()
            }
            return .keep(.kept(kept))
        }
    }

    /// Keeps what the service decided, by ``PaymentRules/settled(_:by:)``, with an alarm about a debt. A
    /// payment that was decided or voided meanwhile stays as it is; what was reserved for a voided one is
    /// voided at the service once more, which may have got the void before it. The row does not change
    /// between look-up and decision.
    ///
    /// - Returns: what is kept under the key then; nil for an unknown one.
    package func settle(
        key: String, by decision: PaymentDecision, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await write { session in
            guard let (known, terminalId) = try session.locked(payment: key) else { return .keep(nil) }
            guard let settled = PaymentRules.settled(known, by: decision) else {
                // The service may have got the void before what it then reserved: it gets another one, by a
                // key of its own, since the first one's response is kept there.
                if known.state == .voided, case .authorized = decision {
                    try session.queue(.void, of: key, as: ":void:late")
                }
                return .keep(known)
            }
            // The token has done its work.
            try session.run(
                "UPDATE payments SET state = \(PaymentRows.state(after: "CAST($2 AS TEXT)")), "
                    + "approval_code = $3, decline_reason = $4, decided_at = $5, token = NULL, "
                    + "debt = CASE WHEN CAST($2 AS TEXT) = 'forwardDeclined' THEN \(PaymentRows.owed()) END "
                    + "WHERE key = $1",
                [key, settled.state.rawValue, settled.approvalCode, settled.declineReason, now])
            if settled.state == .captured { try session.queue(.capture, of: key, as: ":capture") }
            if settled.state == .forwardDeclined {
                try session.dropRefunds(of: key)
                try session.appendDebt(key, at: now)
                try session.run([PaymentRows.debtAlarm(of: terminalId, at: now).raising])
            }
            return .keep(settled)
        }
    }

    /// Payments that the service has not decided: unknown ones, the newest first, since somebody waits for
    /// it, and stored ones, of each terminal in the order in which they arrived, the first ones of all
    /// terminals before the second ones. Two reads.
    ///
    /// - Parameter limit: of each of both, from 1 on.
    package func undecidedPayments(limit: Int) async throws(LedgerError) -> [UndecidedPayment] {
        try await read { session in
            try [PaymentRows.unknown, PaymentRows.storedOffline].flatMap { query in
                try session.rows(query + "$1", [limit])
            }.map { row in
                UndecidedPayment(
                    payment: try PaymentRows.payment(row), terminalId: try row["terminal_id"],
                    sealed: PaymentRows.sealed(keyId: row.text("token_key"), token: row.text("token")),
                    storedAt: row.integer("stored_at"))
            }
        }
    }

    /// The first call of each payment that the service has to get, the terminals in turns and the oldest
    /// first, without what is about undecided payments.
    ///
    /// - Parameter limit: from 1 on.
    package func paymentCalls(limit: Int) async throws(LedgerError) -> [PaymentCall] {
        try await read { session in
            try session.rows(PaymentRows.calls + " LIMIT $1", [limit]).compactMap(PaymentRows.call)
        }
    }

    /// The service has got it, or refused it for good: then a capture leaves a debt, and a refund an alarm.
    /// Deletes the call's row and keeps what a refusal leaves, in one transaction.
    package func finish(
        _ call: PaymentCall, isRefused: Bool, at now: Int64
    ) async throws(LedgerError) {
        try await write { session in
            let deleted = try session.first(
                "DELETE FROM payment_calls WHERE id = $1 RETURNING id", [call.id])
            guard isRefused, deleted != nil, let (_, terminalId) = try session.locked(payment: call.key)
            else { return .keep(()) }
            if call.kind == .capture {
                try session.run(
                    "UPDATE payments SET state = 'forwardDeclined', decline_reason = $1, decided_at = $2, "
                        + "debt = \(PaymentRows.owed()) WHERE key = $3 AND state IN ('captured', 'refunded')",
                    [PaymentRows.captureRefused, now, call.key])
                try session.dropRefunds(of: call.key)
                try session.appendDebt(call.key, at: now)
            }
            try session.run([PaymentRows.alarm(of: call, terminalId: terminalId, at: now).raising])
            return .keep(())
        }
    }

    /// Notes that a debt was paid or written off. The amount is what is owed when it is settled.
    ///
    /// - Returns: false where no debt of that key is open.
    package func settleDebt(
        _ key: String, _ way: DebtSettledDocument.Way, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Bool {
        try await write { session in
            let changes = BackOfficeQuery.debtSettlement(of: key, by: name, reason: reason, at: now)
            guard let amount = try session.run([changes.debt]).first?.integer(0) else { return .undo(false) }
            try session.run([changes.alarms])
            try session.appendSettlement(of: key, amount, by: way, reason: reason, at: now)
            return .keep(true)
        }
    }

    /// The debts, oldest first, of one terminal or of all.
    package func paymentDebts(of terminalId: String?) async throws(LedgerError) -> [PaymentDebt] {
        try await read { session in
            try session.rows(
                "SELECT \(PaymentRows.debts) FROM payments WHERE \(PaymentRows.isOpenDebt()) "
                    + "AND (CAST($1 AS TEXT) IS NULL OR terminal_id = $1) ORDER BY decided_at, key",
                [terminalId]
            ).map { row in
                PaymentDebt(
                    payment: try PaymentRows.payment(row), terminalId: try row["terminal_id"],
                    refusedAt: try row["decided_at"])
            }
        }
    }
}

/// What a call and a mutation do to payments alike.
extension StoreSession {
    /// Keeps a payment unless the terminal's device has one under its key.
    ///
    /// - Returns: the key of its row; nil where it was not kept.
    package func keepNew(
        _ payment: PaymentAuthorization, of terminalId: String, at now: Int64
    ) throws -> String? {
        try run([PaymentRows.keepNew(payment, of: terminalId, at: now)]).first?.text(0)
    }

    /// What this terminal's device has under `key`, with the key of its row.
    ///
    /// - Parameter isLocked: whether nobody else changes it before the transaction ends.
    package func payment(
        key: String, of terminalId: String, isLocked: Bool = false
    ) throws -> PaymentAuthorization? {
        try first(
            "SELECT \(PaymentRows.columns), settled_at FROM payments WHERE key = (\(PaymentRows.ownKey))"
                + (isLocked ? dialect.forUpdate : ""), [key, terminalId]
        ).map { row in
            var payment = try PaymentRows.payment(row)
            payment.settledAt = row.integer("settled_at")
            return payment
        }
    }

    /// What is kept under `key`, and for which terminal; nobody else changes it before the transaction ends.
    fileprivate func locked(
        payment key: String
    ) throws -> (payment: PaymentAuthorization, terminalId: String)? {
        try first(
            "SELECT \(PaymentRows.columns) FROM payments WHERE key = $1" + dialect.forUpdate, [key]
        ).map { row in (try PaymentRows.payment(row), try row["terminal_id"]) }
    }

    /// Replaces what is kept under the payment's key.
    fileprivate func replace(_ payment: PaymentAuthorization, at now: Int64) throws {
        try run(
            "UPDATE payments SET order_id = $2, state = $3, amount = $4, currency = $5, approval_code = $6, "
                + "decline_reason = $7, decided_at = $8 WHERE key = $1",
            [
                payment.key, payment.orderId, payment.state.rawValue, payment.amount, payment.currency,
                payment.approvalCode, payment.declineReason, now,
            ])
    }

    /// By ``PaymentRules/capturable``.
    fileprivate func capture(key: String, of terminalId: String) throws {
        let captured = try first(
            "UPDATE payments SET state = 'captured' WHERE key = (\(PaymentRows.ownKey)) "
                + "AND state IN (\(PaymentRows.capturable)) RETURNING key", [key, terminalId])
        if let key = captured?.text(0) { try queue(.capture, of: key, as: ":capture") }
    }

    /// Notes that the service has to get a call about all that is left of a payment; at most once.
    ///
    /// - Parameter suffix: of the call's key, behind the payment's.
    fileprivate func queue(_ kind: PaymentCall.Kind, of key: String, as suffix: String) throws {
        try run(
            PaymentRows.insertion + "SELECT key, $2, key || $3, amount, currency FROM payments "
                + "WHERE key = $1 ON CONFLICT (call_key) DO NOTHING", [key, kind.rawValue, suffix])
    }

    /// The document of a payment that is a debt now, and of which something is owed.
    fileprivate func appendDebt(_ key: String, at now: Int64) throws {
        guard let row = try run([BackOfficeQuery.debt(key)]).first, let amount = row.integer("amount") else {
            return
        }
        var common = JournalCommons(.debt, ofDebt: row, key, at: now)
        common.businessDay = try businessDay(of: common.storeId, at: now)
        try append([JournalDocument(common, DebtDocument(amount, reason: row.text("decline_reason")))])
    }

    /// The document of what a debt got less by, and not by an entry of a journal.
    fileprivate func appendSettlement(
        of key: String, _ amount: Int64, by way: DebtSettledDocument.Way, reason: String?, at now: Int64
    ) throws {
        guard let row = try run([BackOfficeQuery.payment(key)]).first else { return }
        var common = JournalCommons(.debtSettled, ofDebt: row, "\(key).\(way.rawValue)", at: now)
        common.businessDay = try businessDay(of: common.storeId, at: now)
        try append([
            JournalDocument(common, DebtSettledDocument(key, amount, by: way, reason: reason))
        ])
    }

    /// Voids the authorisation of a key, or the key ahead of it.
    ///
    /// - Returns: the debt that ended with it.
    package func void(_ key: String, of terminalId: String, at now: Int64) throws -> EndedDebt? {
        let debt = try first(
            "SELECT key, \(PaymentRows.owed()) FROM payments WHERE key = (\(PaymentRows.ownKey)) "
                + "AND refunded = 0 AND \(PaymentRows.isOpenDebt())" + dialect.forUpdate, [key, terminalId])
        try run(PaymentRows.voiding(key: key, of: terminalId, at: now))
        return try debt.map { try EndedDebt(key: $0[0], amount: $0[1]) }
    }

    /// What was never charged is not given back.
    fileprivate func dropRefunds(of key: String) throws {
        try run("DELETE FROM payment_calls WHERE key = $1 AND kind = 'refund'", [key])
    }
}

/// For an intake that writes each row at once.
extension StoreIntake {
    package func keepPayment(
        _ payment: PaymentAuthorization, of terminalId: String, at now: Int64
    ) throws -> Bool {
        try keepNew(payment, of: terminalId, at: now) != nil
    }

    package func storePayment(
        _ payment: StoredPayment, of terminalId: String, at now: Int64
    ) throws -> Bool {
        try !run([PaymentRows.store(payment, of: terminalId, at: now)]).isEmpty
    }

    package func payment(key: String, namedBy terminalId: String) throws -> PaymentAuthorization? {
        try payment(key: key, of: terminalId)
    }

    package func capturePayment(key: String, of terminalId: String) throws {
        try capture(key: key, of: terminalId)
    }

    package func voidPayment(key: String, of terminalId: String, at now: Int64) throws -> EndedDebt? {
        try void(key, of: terminalId, at: now)
    }

    package func authorizePayment(key: String, approvalCode: String?) throws {
        try run(
            "UPDATE payments SET state = 'authorized', approval_code = $2 WHERE key = $1 "
                + "AND state = 'unknown'", [key, approvalCode])
    }

    package func refundPayment(
        key: String, of terminalId: String, orderId: String, amount: Int64, refundId: String
    ) throws -> RefundedCard? {
        let refunded = try first(
            "UPDATE payments SET refunded = refunded + CAST($3 AS BIGINT), "
                + "state = \(PaymentRows.state(refunding: "$3")) WHERE key = (\(PaymentRows.ownKey)) "
                + "AND order_id = $4 AND amount - refunded >= $3 AND state IN (\(PaymentRows.refundable)) "
                // Compared here: SQLite 3.40 finds no condition true behind RETURNING.
                + "RETURNING key, state, settled_at",
            [key, terminalId, amount, orderId])
        guard let refunded else { return nil }
        let row: String = try refunded[0]
        try run(
            PaymentRows.insertion + "SELECT key, 'refund', key || ':refund:' || CAST($2 AS TEXT), "
                + "CAST($3 AS BIGINT), currency FROM payments WHERE key = $1 AND state <> 'forwardDeclined' "
                + "ON CONFLICT (call_key) DO NOTHING", [row, refundId, amount])
        let isOpenDebt = refunded.text(1) == "forwardDeclined" && refunded.integer(2) == nil
        return isOpenDebt ? .owed(EndedDebt(key: row, amount: amount)) : .paid
    }
}

extension JournalCommons {
    /// - Parameter row: of ``BackOfficeQuery/payment(_:)``.
    fileprivate init(_ kind: JournalDocument.Kind, ofDebt row: StoreRow, _ id: String, at now: Int64) {
        self.init(kind, id, of: row.text("terminal_id"), in: row.text("store_id"), at: now)
        orderId = row.text("order_id")
        orderNumber = row.text("order_number")
        shiftId = row.text("shift_id")
        currency = row.text("currency")
    }
}

extension PaymentRows {
    /// The key of the row that terminal $2 has, or gets, under the key $1 that it names.
    fileprivate static let ownKey = key(of: "CAST($1 AS TEXT)", by: "CAST($2 AS TEXT)")

    package static let insertion = "INSERT INTO payment_calls (key, kind, call_key, amount, currency) "

    /// Keeps a payment unless the terminal's device has one under its key; its row's key is returned then.
    package static func keepNew(
        _ payment: PaymentAuthorization, of terminalId: String, at now: Int64
    ) -> StoreQuery {
        StoreQuery(
            "INSERT INTO payments (\(columns)) VALUES ((\(ownKey)), $2, $3, $4, $5, $6, $7, $8, $9) "
                + "ON CONFLICT (key) DO NOTHING RETURNING key",
            of: [
                payment.key, terminalId, payment.orderId, payment.state.rawValue, payment.amount,
                payment.currency, payment.approvalCode, payment.declineReason, now,
            ])
    }

    /// Keeps a token, and returns a row; a key that the device has named stays as it is.
    package static func store(
        _ payment: StoredPayment, of terminalId: String, at now: Int64
    ) -> StoreQuery {
        StoreQuery(
            "INSERT INTO payments (\(columns), token, token_key, stored_at, shift_id) "
                + "VALUES ((\(ownKey)), $2, $3, 'storedOffline', $4, $5, NULL, NULL, $6, $7, $8, $9, $10) "
                + "ON CONFLICT (key) DO NOTHING RETURNING key",
            of: [
                payment.key, terminalId, payment.orderId, payment.amount, payment.currency, now,
                payment.sealed.token, payment.sealed.keyId, payment.storedAt, payment.shiftId,
            ])
    }

    /// Voids the authorisation, or the key ahead of it; by ``PaymentRules/voidable``. The first statement
    /// waits for an authorisation that is kept at the same time, so that the second one finds it. The last
    /// one is for a key that another device took between.
    package static func voiding(key: String, of terminalId: String, at now: Int64) -> [StoreQuery] {
        let isOwn = "key = (\(ownKey)) AND refunded = 0"
        let call = StoreQuery(
            insertion + "SELECT key, 'void', key || ':void', amount, currency FROM payments "
                + "WHERE \(isOwn) AND state IN (\(voidedAtService)) ON CONFLICT (call_key) DO NOTHING",
            of: [key, terminalId])
        let row = StoreQuery(
            "UPDATE payments SET state = 'voided', approval_code = NULL, token = NULL "
                + "WHERE \(isOwn) AND state IN (\(voidable))", of: [key, terminalId])
        let ahead = keepNew(PaymentRules.voidedAhead(key: key), of: terminalId, at: now)
        return [ahead, call, row, ahead]
    }

    /// Nil for a row of another version's kind.
    fileprivate static func call(_ row: StoreRow) throws -> PaymentCall? {
        try PaymentCall.Kind(rawValue: row["kind"]).map { kind in
            try PaymentCall(
                id: row["id"], key: row["key"], terminalId: row["terminal_id"], kind: kind,
                callKey: row["call_key"], amount: row["amount"], currency: row["currency"])
        }
    }

    /// A payment out of its row. A state that this version does not have reads as voided, so that nothing is
    /// captured by it.
    package static func payment(_ row: StoreRow) throws -> PaymentAuthorization {
        try PaymentAuthorization(
            key: row["key"], orderId: row["order_id"] ?? "",
            state: .init(rawValue: row["state"]) ?? .voided, amount: row["amount"],
            currency: row["currency"], approvalCode: row["approval_code"],
            declineReason: row["decline_reason"])
    }
}
