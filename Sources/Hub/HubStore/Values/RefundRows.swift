internal import HubCore
internal import HubProtocol

/// What came back of a sale and what is reserved of it, as both stores read them: one query, since each round
/// trip to a database is waited for.
enum RefundRows {
    /// A row of ``parts(of:number:)`` or ``grants(where:)``, in the order of its columns.
    struct Row {
        private let source: String
        private let refundId: String
        private let total: Int64
        private let quantities: String?
        private let orderId: String?
        private let terminalId: String?
        private let storeId: String?
        private let terminalNumber: Int64?
        private let moment: Int64?
        private let document: String?
        private let head: String?
        private let seenAt: Int64?
        private let acknowledgedThrough: Int64?
        private let highest: Int64?
        private let revokedAt: Int64?

        init(_ row: StoreRow) throws {
            source = try row[0]
            refundId = try row[1]
            total = try row[2]
            quantities = try row[3]
            orderId = try row[4]
            terminalId = try row[5]
            storeId = try row[6]
            terminalNumber = try row[7]
            moment = try row[8]
            document = try row[9]
            head = try row[10]
            seenAt = try row[11]
            acknowledgedThrough = try row[12]
            highest = try row[13]
            revokedAt = try row[14]
        }

        /// Something that came back; nil for a grant.
        var part: ReturnedPart? { source == RefundRows.made ? returned : nil }

        /// Something that is reserved; nil for what came back.
        var grant: RefundGrant? {
            guard source != RefundRows.made else { return nil }
            let evidence = acknowledgedThrough.map {
                LeaseRows.evidence(
                    head: head, seenAt: seenAt, acknowledgedThrough: $0, highest: highest ?? 0)
            }
            return RefundGrant(
                kind: source, orderId: orderId ?? "", part: returned, evidence: evidence,
                isRevoked: revokedAt != nil)
        }

        private var returned: ReturnedPart {
            let facts = RefundFacts(total: total, quantitiesJSON: quantities.map(JSONValue.stored) ?? .null)
            let origin = terminalId.map {
                ReturnedPart.Origin(
                    terminalId: $0, storeId: storeId, terminalNumber: terminalNumber,
                    document: document.map(JSONValue.stored), receivedAt: moment ?? 0)
            }
            return ReturnedPart(refundId: refundId, facts: facts, origin: origin)
        }
    }

    /// The source of what came back; of a grant the source is its kind.
    private static let made = "made"

    /// Both, of the order whose id or number the parameters have.
    static func parts(of orderId: String, number: String) -> String {
        """
        SELECT '\(made)' AS source, r.refund_id, r.total, r.quantities, r.order_id, m.terminal_id, t.store_id,
            t.number, m.received_at AS moment, m.document, CAST(NULL AS TEXT) AS head,
            CAST(NULL AS BIGINT) AS seen_at, CAST(NULL AS BIGINT) AS acknowledged_through,
            CAST(NULL AS BIGINT) AS highest, CAST(NULL AS BIGINT) AS revoked_at
        FROM refunds r LEFT JOIN mutations m ON m.id = r.mutation_id
        LEFT JOIN terminals t ON t.id = m.terminal_id
        WHERE r.order_id = \(orderId) OR r.order_number = \(number)
        UNION ALL \(grants(where: "g.order_id = \(orderId)")) ORDER BY moment, refund_id
        """
    }

    /// Grants alone, with how far the journals of their terminals have come.
    static func grants(where condition: String) -> String {
        """
        SELECT g.kind AS source, g.refund_id, g.total, g.quantities, g.order_id, g.terminal_id, t.store_id,
            t.number, g.granted_at AS moment, CAST(NULL AS TEXT), h.head, h.seen_at,
            e.acknowledged_through, e.highest, t.revoked_at
        FROM refund_grants g LEFT JOIN terminals t ON t.id = g.terminal_id
        LEFT JOIN epochs e ON e.terminal_id = g.terminal_id
            AND e.epoch = (SELECT MAX(x.epoch) FROM epochs x WHERE x.terminal_id = g.terminal_id)
        LEFT JOIN heads h ON h.terminal_id = e.terminal_id AND h.epoch = e.epoch
        WHERE \(condition)
        """
    }

    /// Who voided an order and when, of the mutation that the parameter has.
    static func voiding(by mutationId: String) -> String {
        """
        SELECT m.terminal_id, t.store_id, t.number, m.received_at, m.document FROM mutations m
        LEFT JOIN terminals t ON t.id = m.terminal_id WHERE m.id = \(mutationId)
        """
    }
}
