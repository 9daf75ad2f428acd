package import HubCore
package import HubProtocol

/// Decides about refunds and voids before money moves.
extension Ledger {
    /// Decides, and reserves what is granted; durable when it returns. One transaction; the order's row is
    /// locked, as by the intake of a refund or void.
    ///
    /// - Parameter now: the hub's wall clock, in milliseconds since 1970.
    package func decide(
        _ inquiry: RefundInquiry, by device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> RefundOutcome {
        try await intake(for: .refunds(of: device.terminalId), at: now) { intake in
            try RefundProcedure.decide(inquiry, by: device, at: now, in: intake)
        }
    }

    /// Gives back what is reserved for a terminal under a refund's id; nothing happens where nothing is. One
    /// transaction.
    package func releaseRefund(_ refundId: String, of device: DeviceIdentity) async throws(LedgerError) {
        try await intake(for: .refunds(of: device.terminalId), at: 0) { intake in
            try intake.endGrant(of: refundId, by: intake.enrolments(of: device))
        }
    }
}

extension RefundTransaction where Self: StoreSession {
    package func enrolments(of device: DeviceIdentity) throws -> [String] {
        let others: [String] = try rows(
            "SELECT same.id FROM terminals own JOIN terminals same ON same.store_id = own.store_id "
                + "AND same.device = own.device WHERE own.id = $1 AND own.store_id = $2",
            [device.terminalId, device.storeId]
        ).map { try $0[0] }
        return [device.terminalId] + others.filter { $0 != device.terminalId }
    }

    package func orderId(numbered number: String) throws -> String? {
        try first(
            "SELECT order_id FROM orders WHERE order_number = $1 AND number_counts = 1 ORDER BY repeats "
                + "LIMIT 1", [number])?[0]
    }

    package func grants(of terminalIds: [String]) throws -> [RefundGrant] {
        try rows(
            RefundRows.grants(where: "g.terminal_id \(dialect.isOne("$1"))"), [StoreValue.texts(terminalIds)]
        ).compactMap { try RefundRows.Row($0).grant }
    }

    package func save(_ grant: RefundGrant) throws {
        try run(
            "INSERT INTO refund_grants (terminal_id, refund_id, kind, order_id, total, quantities, "
                + "granted_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (terminal_id, refund_id) "
                + "DO UPDATE SET kind = $3, order_id = $4, total = $5, quantities = $6, granted_at = $7",
            [
                grant.holder, grant.refundId, grant.kind.rawValue, grant.orderId, grant.facts.total,
                grant.facts.quantitiesJSON.canonicalText, grant.moment,
            ])
    }

    package func endGrant(of refundId: String, by terminalIds: [String]) throws {
        try run(
            "DELETE FROM refund_grants WHERE terminal_id \(dialect.isOne("$1")) AND refund_id = $2",
            [StoreValue.texts(terminalIds), refundId])
    }
}
