package import HubCore
import HubProtocol

extension StoreSession {
    package func earnedDays(
        of storeId: String, and terminalIds: [String], since first: Int64, before today: Int64
    ) throws -> [EarnedDay] {
        func sum(_ column: String, where condition: String) -> String {
            "CAST(SUM(CASE WHEN \(condition) THEN \(column) ELSE 0 END) AS BIGINT)"
        }
        let earlier = "received_day < $3"
        return try run([
            StoreQuery(
                "SELECT day, \(sum("points", where: earlier)), \(sum("sales", where: earlier)), "
                    + "\(sum("total", where: earlier)), "
                    + "\(sum("points", where: "terminal_id \(dialect.isOne("$4"))")) "
                    + "FROM earned_points WHERE store_id = $1 AND received_day >= $2 GROUP BY day",
                [.text(storeId), .integer(first), .integer(today), .texts(terminalIds)])
        ]).map { row in
            try EarnedDay(day: row[0], points: row[1], sales: row[2], total: row[3], own: row[4])
        }
    }

    package func add(_ earned: [EarnedPoints], of device: DeviceIdentity) throws {
        guard !earned.isEmpty else { return }
        try run(
            earned.map { day in
                StoreQuery(
                    "INSERT INTO earned_points AS e (\(EarnedPoints.columns.joined(separator: ", "))) "
                        + "VALUES ($1, $2, $3, $4, $5, $6, $7) \(EarnedPoints.adding)",
                    of: [
                        device.storeId, day.receivedDay, day.day, device.terminalId, day.points, day.sales,
                        day.total,
                    ])
            })
    }
}

extension EarnedPoints {
    /// Of the table `earned_points`.
    package static let columns = [
        "store_id", "received_day", "day", "terminal_id", "points", "sales", "total",
    ]

    /// Behind an insertion into `earned_points AS e`.
    package static let adding =
        "ON CONFLICT (store_id, received_day, day, terminal_id) DO UPDATE SET "
        + ["points", "sales", "total"].map { column in
            "\(column) = CASE WHEN e.\(column) > \(most) - excluded.\(column) THEN \(most) "
                + "ELSE e.\(column) + excluded.\(column) END"
        }.joined(separator: ", ")
}
