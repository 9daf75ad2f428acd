import Base

internal import DirectSQLite
internal import GRDB
internal import OfflineCore

/// The terminal's one row: who it is, where its journal ends, and how full its outbox is.
struct JournalHead: Sendable {
    let terminalId: String?
    let storeId: String?
    let terminalNumber: Int64?
    let epoch: Int64
    /// The last sequence used; 0 before the first.
    var sequence: Int64
    /// The hash of that entry; 64 zeros before the first.
    var hash: String
    /// The last identifier minted here.
    var lastId: ULID
    var orderMark: OrderMark
    let acknowledgedThrough: Int64
    var pending: Int64
    let rejected: Int64
    let conflicted: Int64
    /// The shift that is open; nil: none is.
    var openShift: String?

    static func read(_ database: Database) throws -> JournalHead {
        let statement = try DirectStatement(
            """
            SELECT terminal_id, store_id, terminal_number, epoch, sequence, hash, last_id, business_day,
                order_counter, acknowledged_through, pending, rejected, conflicted, open_shift FROM terminal
            """, in: database)
        let head = try statement.first { row -> JournalHead? in
            guard let lastId = ULID(row.text(6)) else { return nil }
            return JournalHead(
                terminalId: row.optionalText(0), storeId: row.optionalText(1),
                terminalNumber: row.optionalInteger(2), epoch: row.integer(3), sequence: row.integer(4),
                hash: row.text(5), lastId: lastId,
                orderMark: OrderMark(day: row.integer(7), counter: row.integer(8)),
                acknowledgedThrough: row.integer(9), pending: row.integer(10), rejected: row.integer(11),
                conflicted: row.integer(12), openShift: row.optionalText(13))
        }
        guard let head, let head else {
            throw JournalChain.Broken(detail: "the terminal's own row is missing or corrupt")
        }
        return head
    }

    /// Writes what a new entry changes.
    func writeEnd(_ database: Database) throws {
        let statement = try DirectStatement(
            """
            UPDATE terminal SET sequence = ?, hash = ?, last_id = ?, business_day = ?, order_counter = ?,
                pending = ?
            """, in: database)
        try statement.run { row in
            row.add(sequence)
            row.add(hash)
            row.add(lastId.description)
            row.add(orderMark.day)
            row.add(orderMark.counter)
            row.add(pending)
        }
    }
}
