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

    static func read(_ database: Database) throws -> JournalHead {
        let statement = try database.cachedStatement(
            sql: """
                SELECT terminal_id, store_id, terminal_number, epoch, sequence, hash, last_id, business_day,
                    order_counter, acknowledged_through, pending, rejected, conflicted FROM terminal
                """)
        guard let row = try Row.fetchOne(statement), let lastId = ULID(row[6] as String) else {
            throw JournalChain.Broken(detail: "the terminal's own row is missing or spoilt")
        }
        return JournalHead(
            terminalId: row[0], storeId: row[1], terminalNumber: row[2], epoch: row[3], sequence: row[4],
            hash: row[5], lastId: lastId, orderMark: OrderMark(day: row[7], counter: row[8]),
            acknowledgedThrough: row[9], pending: row[10], rejected: row[11], conflicted: row[12])
    }

    /// Writes what a new entry changes.
    func writeEnd(_ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE terminal SET sequence = ?, hash = ?, last_id = ?, business_day = ?, order_counter = ?,
                    pending = ?
                """)
        try statement.execute(arguments: [
            sequence, hash, lastId.description, orderMark.day, orderMark.counter, pending,
        ])
    }
}
