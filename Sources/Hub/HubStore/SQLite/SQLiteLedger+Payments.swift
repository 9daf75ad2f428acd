internal import GRDB
public import HubProtocol

extension SQLiteLedger {
    public func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64
    ) async throws(LedgerError) -> PaymentOutcome {
        try await writer.write { db in .keep(try Self.decide(wanted, by: terminalId, at: now, in: db)) }
    }

    private static func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64, in db: Database
    ) throws -> PaymentOutcome {
        let row = try db.first("SELECT * FROM payments WHERE key = ?", [wanted.key])
        guard let row else {
            try db.keep(wanted, of: terminalId, at: now)
            return .decided(wanted)
        }
        guard row["terminal_id"] == terminalId else { return .keyReused }
        let known = db.payment(from: row)
        if known.orderId.isEmpty {
            let voided = PaymentAuthorization(
                key: wanted.key, orderId: wanted.orderId, state: .voided, amount: wanted.amount,
                currency: wanted.currency, approvalCode: nil, declineReason: nil)
            try db.keep(voided, of: terminalId, at: now)
            return .decided(voided)
        }
        let isSame =
            known.orderId == wanted.orderId && known.amount == wanted.amount
            && known.currency == wanted.currency
        return isSame ? .known(known) : .keyReused
    }

    public func payment(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await file.read { db in try db.payment(key: key, of: terminalId) }
    }

    public func capture(
        key: String, of terminalId: String
    ) async throws(LedgerError) -> PaymentAuthorization? {
        try await writer.write { db in
            try db.capturePayment(key: key, of: terminalId)
            return .keep(try db.payment(key: key, of: terminalId))
        }
    }

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
    func keep(_ payment: PaymentAuthorization, of terminalId: String, at now: Int64) throws {
        try run(
            "INSERT OR REPLACE INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                payment.key, terminalId, payment.orderId, payment.state.rawValue, payment.amount,
                payment.currency, payment.approvalCode, payment.declineReason, now,
            ])
    }

    /// What is kept under `key` for this terminal.
    func payment(key: String, of terminalId: String) throws -> PaymentAuthorization? {
        try first("SELECT * FROM payments WHERE key = ? AND terminal_id = ?", [key, terminalId])
            .map(payment(from:))
    }

    func payment(from row: Row) -> PaymentAuthorization {
        let state: String = row["state"]
        return PaymentAuthorization(
            key: row["key"], orderId: row["order_id"] ?? "", state: .init(rawValue: state) ?? .voided,
            amount: row["amount"], currency: row["currency"], approvalCode: row["approval_code"],
            declineReason: row["decline_reason"])
    }

    func capturePayment(key: String, of terminalId: String) throws {
        try run(
            "UPDATE payments SET state = 'captured' WHERE key = ? AND terminal_id = ? "
                + "AND state = 'authorized'", [key, terminalId])
    }

    /// Voids the authorisation, or the key ahead of it.
    func voidPayment(key: String, of terminalId: String, at now: Int64) throws {
        try run(
            "INSERT INTO payments VALUES (?, ?, '', 'voided', 0, '\(NoCurrency.code)', NULL, NULL, ?) "
                + "ON CONFLICT (key) DO UPDATE SET state = 'voided', approval_code = NULL "
                + "WHERE terminal_id = excluded.terminal_id AND state IN ('authorized', 'captured')",
            [key, terminalId, now])
    }
}
