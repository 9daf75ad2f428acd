internal import Foundation
internal import GRDB
import Base
package import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail

/// Writes what was read into a fresh database of the present schema.
extension SalvagedJournal {
    /// Writes all of it in one transaction.
    ///
    /// Entries keep their ids, sequences and bytes: the hub reports those that it has already as duplicates.
    /// They are sent under the next epoch, since entries after the last readable one may have been sent, and
    /// their sequences are used again.
    ///
    /// - Parameter epoch: nil: the previous one, for an export.
    func write(into connection: Database, report: SalvageReport, epoch: Int64?, at now: Int64) throws {
        try connection.inOneTransaction {
            for entry in entries { try Self.insert(entry, in: connection) }
            for table in SalvagedTable.allCases where !Self.isWrittenApart(table) {
                try Self.insert(rows(of: table), of: table, in: connection)
            }
            try connection.execute(
                sql: """
                    INSERT OR IGNORE INTO product_barcodes (generation, barcode, sku)
                    SELECT generation, further.value, sku FROM products, json_each(further_barcodes) AS further
                    WHERE json_valid(further_barcodes)
                    """)
            try writeOrders(in: connection)
            // Pages of before a sale may still have its cart.
            try connection.execute(
                sql: "DELETE FROM carts WHERE cart_id IN (SELECT sale_key FROM orders)")
            try writeLostCardReturns(in: connection)
            try writeVoucherUses(in: connection)
            try writeCarriedAttachments(in: connection)
            try writeFeed(in: connection)
            try writeHead(epoch: epoch, in: connection)
            // The next opening reads the mark of the high-water file again; it is ahead of what was lost
            // here.
            try connection.execute(
                sql: "DELETE FROM facts WHERE name = ?", arguments: [JournalLoss.seenName])
            try connection.execute(
                sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
                arguments: [DatabaseRepair.factName, report.json(at: now).canonicalText])
        }
    }

    /// For an export: the repaired content, under the previous epoch.
    func inMemory(at now: Int64) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.inDatabase { connection in
            try Schema.migrate(connection)
            try write(into: connection, report: report, epoch: nil, at: now)
        }
        return queue
    }

    /// What the repair computes instead of copying it.
    private static func isWrittenApart(_ table: SalvagedTable) -> Bool {
        switch table {
        case .terminal, .orders, .feed: true
        case .facts, .attachments, .products, .feedEntities, .noteChanges, .offlinePeriods,
            .failedPINs, .carts, .storedCards, .cardReturns, .deviceRequests, .grants, .cartClaims:
            false
        }
    }

    private static func insert(_ entry: SalvagedEntry, in connection: Database) throws {
        try connection.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO journal (sequence, id, type, ordering_key, made_at, hash, body, verdict, result,
                    attempts, settled_by, stock_moves) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.sequence, entry.mutation.id, entry.mutation.type, entry.orderingKey, entry.madeAt,
            entry.mutation.hash, Data(entry.body), entry.state.column, entry.result, entry.attempts,
            entry.settledBy,
            entry.stockMoves,
        ])
    }

    private static func insert(
        _ rows: [[SalvagedValue]], of table: SalvagedTable, in connection: Database
    ) throws {
        let columns = table.columns
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let sql =
            "INSERT OR IGNORE INTO \(table.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(places))"
        for row in rows {
            try connection.cachedStatement(sql: sql).execute(
                arguments: StatementArguments(row.prefix(columns.count).map(\.databaseValue)))
        }
    }

    /// A sale is found by its row in the table of orders. A sale without that row gets a new one; only the
    /// key from the front end is then unknown.
    private func writeOrders(in connection: Database) throws {
        let readable = Set(entries.map(\.sequence))
        var rows = rows(of: .orders).filter { $0[0].integer.map(readable.contains) ?? false }
        for place in rows.indices {
            for column in [6, 7] where !(rows[place][column].integer.map(readable.contains) ?? true) {
                rows[place][column] = .null
            }
        }
        try Self.insert(rows, of: .orders, in: connection)
        var known = Set(rows.compactMap { $0[1].text })
        for entry in entries where entry.mutation.type == "order.completed" {
            let order = CompletedOrder(shown: entry.mutation.payload)
            guard known.insert(entry.mutation.entityId).inserted, !order.orderNumber.isEmpty
            else { continue }
            let edit = entries.last {
                $0.mutation.type == "order.completed" && $0.mutation.entityId == entry.mutation.entityId
            }
            let void = entries.last {
                $0.mutation.type == "order.voided" && $0.mutation.entityId == entry.mutation.entityId
                    && $0.state != .discarded && $0.state != .superseded
            }
            let revision = edit.flatMap { $0.sequence == entry.sequence ? nil : $0.sequence }
            try connection.execute(
                sql: """
                    INSERT OR IGNORE INTO orders (sequence, order_id, sale_key, order_number, mode, voided_at,
                        void_sequence, revision)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    entry.sequence, entry.mutation.entityId, entry.mutation.id, order.orderNumber,
                    order.mode ?? "offline", void?.madeAt, void?.sequence, revision,
                ])
        }
    }

    /// What the card machine has to give back stands in the journal too. A row that cannot be read waits
    /// again: the machine repeats its response, unless it was paid in cash.
    private func writeLostCardReturns(in connection: Database) throws {
        let table = CardReturnTable(database: connection)
        var paid: Set<String> = []
        for entry in entries where entry.mutation.type == CashMove.type {
            paid.insert(entry.mutation.entityId)
        }
        for entry in entries where ["refund.completed", "order.voided"].contains(entry.mutation.type) {
            let id = entry.mutation.entityId
            guard entry.state != .superseded, !paid.contains(id),
                let back = try? EntryPayments(entry.mutation.payload, .received), let orderId = back.orderId
            else { continue }
            try table.insert(
                SalePayment.readable(in: back.payments), refundId: id, orderId: orderId,
                orderNumber: back.orderNumber ?? "", currency: back.currency ?? "", at: entry.madeAt)
        }
    }

    private func writeVoucherUses(in connection: Database) throws {
        let table = VoucherTable(database: connection)
        for entry in entries where entry.state != .superseded && entry.state != .discarded {
            guard ["order.completed", "refund.completed"].contains(entry.mutation.type),
                let moved = try? EntryPayments(entry.mutation.payload, .received),
                let orderId = moved.orderId
            else { continue }
            let payments = SalePayment.readable(in: moved.payments)
            if entry.mutation.type == "order.completed" {
                try table.insert(payments, of: orderId)
            } else {
                try table.giveBack(payments, of: orderId)
            }
        }
    }

    private func writeCarriedAttachments(in connection: Database) throws {
        for entry in entries {
            for id in entry.mutation.attachments {
                try connection.execute(
                    sql: """
                        INSERT OR IGNORE INTO mutation_attachments (mutation_id, attachment_id)
                        SELECT ?, id FROM attachments WHERE id = ?
                        """, arguments: [entry.mutation.id, id])
            }
        }
    }

    /// The copy of the catalogue may have holes: it is used until the next pull, which begins without a
    /// cursor, has replaced it.
    private func writeFeed(in connection: Database) throws {
        let newest = try Int64.fetchOne(
            connection,
            sql: "SELECT generation FROM products GROUP BY generation ORDER BY count(*) DESC LIMIT 1")
        let generation = rows(of: .feed).first?[1].integer ?? newest ?? 0
        try connection.execute(
            sql: """
                UPDATE feed SET generation = ?, cursor = NULL, next_generation = NULL, next_cursor = NULL
                """, arguments: [generation])
    }

    private func writeHead(epoch: Int64?, in connection: Database) throws {
        let last = entries.last
        let old = terminal ?? [:]
        let ids = entries.map(\.mutation.id) + [old["last_id"]?.text].compactMap(\.self)
        let mark = orderMark
        let number: Int64? = old["terminal_number"]?.integer
        let before: Int64 = old["epoch"]?.integer ?? 1
        let life: Int64 = epoch ?? before
        try connection.execute(
            sql: """
                UPDATE terminal SET terminal_id = ?, store_id = ?, terminal_number = ?, epoch = ?,
                    sequence = ?, hash = ?, last_id = ?, business_day = ?, order_counter = ?,
                    pending = (SELECT count(*) FROM journal WHERE verdict IS NULL),
                    rejected = (SELECT count(*) FROM journal WHERE verdict = 'rejected'),
                    conflicted = (SELECT count(*) FROM journal WHERE verdict = 'conflicted'),
                    acknowledged_through = COALESCE(
                        (SELECT min(sequence) - 1 FROM journal WHERE verdict IS NULL), ?),
                    open_shift = ?
                """,
            arguments: [
                old["terminal_id"]?.text, old["store_id"]?.text, number, life, last?.sequence ?? 0,
                last?.mutation.hash ?? Mutation.genesisHash,
                ids.max() ?? String(repeating: "0", count: 26), mark.day, mark.counter, last?.sequence ?? 0,
                try ShiftReader(connection).openShiftId(),
            ])
        if life != before { try writeOrigin(of: life, after: before, in: connection) }
    }

    /// The terminal's row names the last entry also where that entry cannot be read: the hub has it, or can
    /// report that it is lost.
    private func writeOrigin(of epoch: Int64, after before: Int64, in connection: Database) throws {
        let old = try JournalOriginFact.read(epoch: before, in: connection)
        var ends = old?.ends ?? []
        if let sequence = terminal?["sequence"]?.integer, sequence > entries.last?.sequence ?? 0,
            let hash = terminal?["hash"]?.text, Digest.isSHA256Hex(hash)
        {
            ends.append(JournalMark(epoch: before, sequence: sequence, hash: hash))
        }
        try JournalOriginFact.keep(
            JournalOrigin(
                epochStart: try JournalOriginFact.start(in: connection),
                journalStart: old?.journalStart ?? 1, ends: ends), epoch: epoch, in: connection)
    }
}

extension SalvagedValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null, .real: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}

extension SalvageReport {
    /// The most entries that a report lists by themselves; it counts them all.
    private static let listed = 1_000

    /// As `pos repair` prints it and the fresh database keeps it.
    package func json(at now: Int64) -> JSONValue {
        [
            "at": .string(Timestamp.text(milliseconds: now)), "entries": .integer(Int64(entries)),
            "pending": .integer(Int64(pending)), "refused": .integer(Int64(refused)),
            "lost": .array(lost.prefix(Self.listed).map(\.json)), "lostCount": .integer(Int64(lost.count)),
            "lostPending": JSONValue(unreadablePending), "isEndKnown": .bool(isEndKnown),
            "identity": .string(terminalId == nil ? "lost" : "kept"),
        ]
    }
}

extension SalvageReport.Lost {
    fileprivate var json: JSONValue {
        [
            "sequence": .integer(sequence), "id": JSONValue(id), "orderNumber": JSONValue(orderNumber),
            "state": .string(isAtHub ? "acknowledged" : "unknown"),
            "reason": .string(wasChanged ? "changed" : "unreadable"),
        ]
    }
}
