internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// One write transaction, of which there is one at a time.
    package func decide(
        _ wish: RefundWish, by device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> RefundOutcome {
        try await writer.write { db in
            .keep(try RefundProcedure.decide(wish, by: device, at: now, in: SQLiteIntake(db: db)))
        }
    }

    /// One write transaction.
    package func releaseRefund(
        _ refundId: String, of device: DeviceIdentity
    ) async throws(LedgerError) {
        try await writer.write { db in
            let intake = SQLiteIntake(db: db)
            return .keep(try intake.endGrant(of: refundId, by: intake.enrolments(of: device)))
        }
    }
}

extension SQLiteIntake: RefundTransaction {
    func enrolments(of device: DeviceIdentity) throws -> [String] { try known(device).terminalIds }

    func orderId(numbered number: String) throws -> String? {
        try db.first(
            "SELECT order_id FROM orders WHERE order_number = ? AND number_counts = 1 ORDER BY repeats "
                + "LIMIT 1", [number])?[0]
    }

    func grants(of terminalIds: [String]) throws -> [RefundGrant] {
        try terminalIds.flatMap { id in
            try db.all(RefundRows.grants(where: "g.terminal_id = ?"), [id]).map(RefundRows.Row.init)
        }.compactMap(\.grant)
    }

    func save(_ grant: RefundGrant) throws {
        try db.run(
            "INSERT OR REPLACE INTO refund_grants (terminal_id, refund_id, kind, order_id, total, "
                + "quantities, granted_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                grant.holder, grant.refundId, grant.kind.rawValue, grant.orderId, grant.facts.total,
                grant.facts.quantitiesJSON.canonicalText, grant.moment,
            ])
    }

    func endGrant(of refundId: String, by terminalIds: [String]) throws {
        for id in terminalIds {
            try db.run("DELETE FROM refund_grants WHERE terminal_id = ? AND refund_id = ?", [id, refundId])
        }
    }
}

extension RefundRows.Row {
    /// A row, by position.
    init(_ row: Row) {
        self.init(
            source: row[0], refundId: row[1], total: row[2], quantities: row[3], orderId: row[4],
            terminal: (row[5], row[6], row[7]), moment: row[8], document: row[9], head: (row[10], row[11]),
            journal: (row[12], row[13]), revokedAt: row[14])
    }
}
