internal import GRDB
internal import OfflineMode
package import Retail

/// The counters of wrong PINs in the terminal's database.
package struct SQLiteFailedPINs: FailedPINStore {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// All rows by cashier id, unknown ids included.
    package func failedPINs() async throws(StorageError) -> [String: FailedPINs] {
        try await database.ledgerRead { connection in
            var rows: [String: FailedPINs] = [:]
            for row in try Row.fetchAll(
                connection, sql: "SELECT cashier_id, count, wall, boot, boot_id FROM failed_pins")
            {
                rows[row["cashier_id"]] = FailedPINs(
                    count: row["count"],
                    last: MachineMoment(wall: row["wall"], boot: row["boot"], bootId: row["boot_id"]))
            }
            return rows
        }
    }

    /// One transaction for `cashierId` and `others`.
    package func keep(
        _ failed: FailedPINs?, of cashierId: String, forgetting others: [String]
    ) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            for id in others + (failed == nil ? [cashierId] : []) {
                try connection.execute(sql: "DELETE FROM failed_pins WHERE cashier_id = ?", arguments: [id])
            }
            guard let failed else { return }
            try connection.execute(
                sql: """
                    INSERT OR REPLACE INTO failed_pins (cashier_id, count, wall, boot, boot_id)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [cashierId, failed.count, failed.last.wall, failed.last.boot, failed.last.bootId])
        }
    }
}
