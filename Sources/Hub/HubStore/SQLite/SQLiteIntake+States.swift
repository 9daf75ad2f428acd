internal import Credentials
internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol

/// What the hub has of the things that a mutation is about.
extension SQLiteIntake {
    func order(_ orderId: String) throws -> OrderState? {
        try statements["SELECT mutation_id, voided_by, store_id FROM orders WHERE order_id = ? LIMIT 1"]
            .first({
                $0.add(orderId)
            }) { row in
                OrderState(mutationId: row.text(0), voidedBy: row.optionalText(1), storeId: row.text(2))
            }
    }

    func refundable(_ orderId: String) throws -> RefundableOrder {
        let sale = try db.first(
            "SELECT o.mutation_id, o.voided_by, m.document, o.store_id FROM orders o "
                + "JOIN mutations m ON m.id = o.mutation_id WHERE o.order_id = ? LIMIT 1", [orderId])
        let refunds = try db.all(
            "SELECT refund_id, total, quantities FROM refunds WHERE order_id = ?", [orderId])
        return RefundableOrder(
            sale.map { OrderState(mutationId: $0[0], voidedBy: $0[1], storeId: $0[3]) },
            document: sale.map { SQLiteLedger.document($0[2]) } ?? .null,
            refunds: refunds.map { ($0[0], $0[1], SQLiteLedger.document($0[2])) })
    }

    func isAnswered(_ id: String) throws -> Bool {
        try statements[
            """
            SELECT 1 FROM mutations WHERE supersedes = ?1
            UNION ALL SELECT 1 FROM discards WHERE mutation_id = ?1 LIMIT 1
            """
        ].first({ $0.add(id) }) { _ in true } ?? false
    }

    func attachmentsMissing(among ids: [String], of terminalId: String) throws -> [String] {
        try ids.filter { id in
            try db.first(
                "SELECT 1 FROM attachments WHERE terminal_id = ? AND id = ? AND whole_at IS NOT NULL",
                [terminalId, id]) == nil
        }
    }

    func couponId(typed code: String) throws -> String? {
        // The code as it was imported first; then the only index that finds another spelling.
        try db.first(
            "SELECT entity_id FROM changes WHERE entity = 'coupon' AND entity_id = ? AND store_id = '' "
                + "AND value IS NOT NULL", [code])?[0]
            ?? db.first(
                "SELECT entity_id FROM changes WHERE lookup = ? AND entity = 'coupon' AND value IS NOT NULL "
                    + "ORDER BY entity_id LIMIT 1", [CouponCode.normalForm(of: code)])?[0]
    }

    func approvalFacts(in storeId: String) throws -> ApprovalFacts {
        let settings: String? = try db.first(
            "SELECT value FROM changes WHERE entity = 'storeConfig' AND entity_id = ?1 AND store_id = ?1",
            [storeId])?[0]
        // Values are canonical JSON, where a quotation mark within a text follows a backslash.
        let rows = try db.all(
            """
            SELECT entity_id, value LIKE '%"role":"manager"%' FROM changes
            WHERE entity = 'cashier' AND store_id IN ('', ?) AND value IS NOT NULL AND deleted_at IS NULL
            """, [storeId])
        return ApprovalFacts(
            settings: settings.map { StoreSettings(json: SQLiteLedger.document($0)) } ?? StoreSettings(),
            managers: Set(rows.filter { $0[1] }.map { $0[0] }), hasCashiers: !rows.isEmpty)
    }

    func entity(_ entity: String, _ id: String, in storeId: String) throws -> EntityState? {
        try db.first(
            "SELECT version, deleted_at, value FROM changes "
                + "WHERE entity = ? AND entity_id = ? AND store_id = ?", [entity, id, storeId]
        ).map { row in
            let value: String? = row[2]
            return EntityState(
                version: row[0], isDeleted: (row[1] as Int64?) != nil,
                value: value.map(SQLiteLedger.document))
        }
    }
}
