package import HubCore
import HubProtocol
internal import Synchronization

extension StoreIntake {
    package func earnedDays(
        of storeId: String, since first: Int64, before today: Int64
    ) throws -> [EarnedDay] {
        try memory.earned.days(of: storeId, before: today) {
            func sum(_ column: String) -> String { "CAST(SUM(\(column)) AS BIGINT)" }
            return try rows(
                "SELECT day, \(sum("points")), \(sum("sales")), \(sum("total")) FROM earned_points "
                    + "WHERE store_id = $1 AND received_day >= $2 AND received_day < $3 GROUP BY day",
                [storeId, first, today]
            ).map { row in try EarnedDay(day: row[0], points: row[1], sales: row[2], total: row[3]) }
        }
    }

    package func earnedPoints(
        of terminalIds: [String], in storeId: String, since first: Int64
    ) throws -> [Int64: Int64] {
        let rows = try run([
            StoreQuery(
                EarnedPoints.own(in: dialect), [.text(storeId), .texts(terminalIds), .integer(first)])
        ])
        return try Dictionary(rows.map { (try $0[0], try $0[1]) }) { first, _ in first }
    }
}

/// What the sales of each store earned by business day, kept until the hub's day changes: through its
/// yesterday nothing is added any more, and a store of 500 tills has 15,000 rows of a month, which each push
/// with a member would read in the transaction that all pushes wait for.
///
/// A store's figures are some 30 days of 32 bytes, so that 10,000 stores are 10 MB.
package final class KnownEarned: Sendable {
    private struct Known {
        var today: Int64?
        var stores: [String: [EarnedDay]] = [:]
    }

    private let known = Mutex(Known())

    /// Knows nothing.
    package init() {}

    /// What is known, or what `read` gives.
    package func days(
        of storeId: String, before today: Int64, read: () throws -> [EarnedDay]
    ) throws -> [EarnedDay] {
        let kept = known.withLock { known in known.today == today ? known.stores[storeId] : nil }
        if let kept { return kept }
        let days = try read()
        known.withLock { known in
            if known.today != today { known = Known(today: today) }
            known.stores[storeId] = days
        }
        return days
    }
}

extension StoreSession {
    package func add(_ earned: [EarnedPoints], of device: DeviceIdentity) throws {
        guard !earned.isEmpty else { return }
        try run(
            earned.map { day in
                StoreQuery(
                    EarnedPoints.insertion(of: "VALUES ($1, $2, $3, $4, $5, $6, $7)"),
                    of: [
                        device.storeId, day.receivedDay, day.day, device.terminalId, day.points, day.sales,
                        day.total,
                    ])
            })
    }
}

extension EarnedPoints {
    /// Of a terminal's own rows: store, ids, the first day of the hub.
    package static func own(in dialect: Dialect) -> String {
        "SELECT day, CAST(SUM(points) AS BIGINT) FROM earned_points WHERE store_id = $1 "
            + "AND terminal_id \(dialect.isOne("$2")) AND received_day >= $3 GROUP BY day"
    }

    /// Of the table `earned_points`.
    package static let columns = "store_id, received_day, day, terminal_id, points, sales, total"

    /// Adds to the rows that are there; no row comes twice in one statement.
    ///
    /// - Parameter rows: `VALUES` or `SELECT` of ``columns``.
    package static func insertion(of rows: String) -> String {
        "INSERT INTO earned_points AS e (\(columns)) \(rows) \(adding)"
    }

    private static let adding =
        "ON CONFLICT (store_id, received_day, day, terminal_id) DO UPDATE SET "
        + ["points", "sales", "total"].map { column in
            "\(column) = CASE WHEN e.\(column) > \(most) - excluded.\(column) THEN \(most) "
                + "ELSE e.\(column) + excluded.\(column) END"
        }.joined(separator: ", ")
}
