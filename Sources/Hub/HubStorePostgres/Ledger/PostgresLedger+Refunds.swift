package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// One transaction. The decisions of one terminal come one after another, since they count what it has
    /// open; then the order's row is locked, as by the intake of a refund or void.
    package func decide(
        _ wish: RefundWish, by device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> RefundOutcome {
        try await reserving(of: device) { intake in
            try RefundProcedure.decide(wish, by: device, at: now, in: intake)
        }
    }

    /// One transaction.
    package func releaseRefund(
        _ refundId: String, of device: DeviceIdentity
    ) async throws(LedgerError) {
        try await reserving(of: device) { intake in
            try intake.endGrant(of: refundId, by: intake.enrolments(of: device))
        }
    }

    private func reserving<Value: Sendable>(
        of device: DeviceIdentity, _ body: @escaping @Sendable (PostgresIntake) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await database.write { connection throws(PostgresError) in
            try connection.query([PostgresLock.refunds(of: device.terminalId)])
            do {
                return .keep(try body(PostgresIntake(on: connection, from: HybridLogicalClock())))
            } catch let error as PostgresError {
                throw error
            } catch {
                throw .refused(state: "-----", message: "\(error)")
            }
        }
    }
}

extension PostgresIntake: RefundTransaction {
    func enrolments(of device: DeviceIdentity) throws -> [String] {
        let others = try query(
            "SELECT same.id FROM terminals own JOIN terminals same ON same.store_id = own.store_id "
                + "AND same.device = own.device WHERE own.id = $1 AND own.store_id = $2",
            [.text(device.terminalId), .text(device.storeId)]
        ).rows.compactMap { $0.optionalText(0) }
        return [device.terminalId] + others.filter { $0 != device.terminalId }
    }

    func orderId(numbered number: String) throws -> String? {
        try query(
            "SELECT order_id FROM orders WHERE order_number = $1 AND number_counts = 1 ORDER BY repeats "
                + "LIMIT 1", [.text(number)]
        ).first?.optionalText(0)
    }

    func grants(of terminalIds: [String]) throws -> [RefundGrant] {
        try query(RefundRows.grants(where: "g.terminal_id = ANY($1::text[])"), [.texts(terminalIds)])
            .rows.compactMap { try RefundRows.Row($0).grant }
    }

    func save(_ grant: RefundGrant) throws {
        _ = try query(
            "INSERT INTO refund_grants (terminal_id, refund_id, kind, order_id, total, quantities, "
                + "granted_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (terminal_id, refund_id) "
                + "DO UPDATE SET kind = $3, order_id = $4, total = $5, quantities = $6, granted_at = $7",
            [
                .text(grant.holder), .text(grant.refundId), .text(grant.kind.rawValue),
                .text(grant.orderId), .integer(grant.facts.total),
                .text(grant.facts.quantitiesJSON.canonicalText), .integer(grant.moment),
            ])
    }

    func endGrant(of refundId: String, by terminalIds: [String]) throws {
        _ = try query(
            "DELETE FROM refund_grants WHERE terminal_id = ANY($1::text[]) AND refund_id = $2",
            [.texts(terminalIds), .text(refundId)])
    }
}

extension RefundRows.Row {
    /// A row, by position.
    init(_ row: PostgresRow) throws(PostgresError) {
        self.init(
            source: try row.text(0), refundId: try row.text(1), total: try row.integer(2),
            quantities: row.optionalText(3), orderId: row.optionalText(4),
            terminal: (row.optionalText(5), row.optionalText(6), row.optionalInteger(7)),
            moment: row.optionalInteger(8), document: row.optionalText(9),
            head: (row.optionalText(10), row.optionalInteger(11)),
            journal: (row.optionalInteger(12), row.optionalInteger(13)), revokedAt: row.optionalInteger(14))
    }
}
