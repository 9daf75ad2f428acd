package import HubCore
package import HubProtocol

/// Finds the sales of receipts.
extension Ledger {
    /// The last epoch of a terminal that has entries here; nil before the first. A read by primary key; it
    /// waits for no writer.
    package func lastEpoch(of terminalId: String) async throws(LedgerError) -> Int64? {
        try await read { session in
            try session.first("SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1", [terminalId])?[0]
        }
    }

    /// Notes for good that a file was ingested. One row for terminal and millisecond; a repetition is passed
    /// over.
    package func keep(_ ingest: IngestRecord) async throws(LedgerError) {
        try await change { session in
            try session.run(
                "INSERT INTO ingests (terminal_id, ingested_at, entries, signed, reason) "
                    + "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                [ingest.terminalId, ingest.ingestedAt, ingest.entries, ingest.isSigned, ingest.reason])
        }
    }

    /// The sale that a receipt's code names, with what came back of it, and whether the code is signed. It
    /// waits for no push. A read by the index of order numbers; it waits for no writer.
    package func receipt(_ code: ReceiptCode) async throws(LedgerError) -> ReceiptRefund {
        try await read { session in
            let order = try session.refundable(.number(code.orderNumber), isLocked: false)
            return ReceiptRefund(
                code, signer: try session.signer(code.terminalId),
                seller: try order.terminalId.flatMap { try session.signer($0) }, order: order)
        }
    }

    /// The entries of sales with this order number, oldest first; at most ten. A read by the index of order
    /// numbers.
    package func receipts(orderNumber: String) async throws(LedgerError) -> [ReceiptEntry] {
        try await read { session in
            try session.rows(
                "SELECT o.terminal_id, o.mutation_id, m.hash, o.total, o.currency, m.received_at "
                    + "FROM orders o JOIN mutations m ON m.id = o.mutation_id WHERE o.order_number = $1 "
                    + "ORDER BY m.received_at, m.id LIMIT 10", [orderNumber]
            ).map { row in
                try ReceiptEntry(
                    terminalId: row[0], mutationId: row[1], hash: row[2], total: row[3], currency: row[4],
                    receivedAt: row[5])
            }
        }
    }
}

extension StoreSession {
    /// The terminal of that id, a revoked one too; nil when the hub has none.
    package func signer(_ terminalId: String) throws -> ReceiptSigner? {
        try first("SELECT store_id, number, public_key FROM terminals WHERE id = $1", [terminalId])
            .map { try ReceiptSigner(storeId: $0[0], number: $0[1], publicKey: $0[2]) }
    }

    /// ``MovedPoints`` of the mutation `m`.
    private static var movedPoints: String {
        func has(_ flag: IntakeFlag) -> String {
            "EXISTS (SELECT 1 FROM flags f WHERE f.mutation_id = m.id AND f.flag = '\(flag.rawValue)')"
        }
        return "CASE WHEN \(has(.pointsLimit)) THEN \(MovedPoints.none.rawValue) "
            + "WHEN \(has(.pointsHeld)) THEN \(MovedPoints.spentAlone.rawValue) "
            + "ELSE \(MovedPoints.all.rawValue) END"
    }

    /// A sale with what came back of it.
    ///
    /// - Parameter isLocked: whether another hub's refund or void of the sale waits for this transaction.
    package func refundable(_ key: RefundableOrder.Key, isLocked: Bool) throws -> RefundableOrder {
        let condition: String
        var (orderId, number): (String?, String?)
        switch key {
        case .id(let id): (condition, orderId) = ("o.order_id = $1", id)
        case .number(let text): (condition, number) = ("o.order_number = $1 AND o.number_counts = 1", text)
        }
        let sale = try first(
            "SELECT o.mutation_id, o.voided_by, m.document, o.store_id, o.order_id, o.order_number, "
                + "o.number_counts, o.terminal_id, \(Self.movedPoints), m.archive "
                + "FROM orders o JOIN mutations m ON m.id = o.mutation_id "
                + "WHERE \(condition) ORDER BY o.repeats LIMIT 1"
                + (isLocked ? dialect.forUpdate(of: "o") : ""), [orderId ?? number])
        if let sale {
            orderId = try sale[4]
            number = try sale[6] ? sale[5] : nil
        }
        let parts = try rows(RefundRows.parts(of: "$1", number: "$2"), [orderId, number])
            .map(RefundRows.Row.init)
        let voidedBy: String? = try sale?[1]
        return RefundableOrder(
            sale == nil ? nil : orderId, of: try sale?[7],
            try sale.map { row in
                try OrderState(
                    key: row[4], terminalId: row[7], mutationId: row[0], voidedBy: row[1], storeId: row[3])
            },
            document: JSONValue.stored(try sale?[2]),
            moved: try sale.flatMap { MovedPoints(rawValue: try $0[8]) } ?? .all,
            returned: parts.compactMap(\.part), grants: parts.compactMap(\.grant),
            voidedBy: try voidedBy.flatMap { try first(RefundRows.voiding(by: "$1"), [$0]) }.map { row in
                try ReturnedPart.Origin(
                    terminalId: row[0], storeId: row[1], terminalNumber: row[2],
                    document: JSONValue.stored(row[4]), receivedAt: row[3])
            },
            isArchived: try sale.map { (try $0[9] as Int64?) != nil } ?? false)
    }
}
