internal import GRDB
internal import OfflineMode
package import Retail

/// Who is signed in, in the terminal's database: one row or none.
package struct SQLiteSignIn: SignInStore {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// The stored row, also when it is over; the caller decides by ``SignIn/isOver(at:idle:)``.
    package func signIn() async throws(StorageError) -> SignIn? {
        try await database.ledgerRead { connection in
            let query = """
                SELECT cashier_id, name, role, verifier, signed_in_at, used_wall, used_boot, used_boot_id
                FROM sign_in
                """
            return try Row.fetchOne(connection, sql: query).map { row in
                SignIn(
                    cashier: Cashier(
                        id: row["cashier_id"], name: row["name"], role: CashierRole(row["role"]),
                        verifier: row["verifier"]),
                    signedInAt: row["signed_in_at"],
                    usedAt: MachineMoment(
                        wall: row["used_wall"], boot: row["used_boot"], bootId: row["used_boot_id"]))
            }
        }
    }

    /// Replaces the row of before, or deletes it.
    package func keep(_ signIn: SignIn?) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            guard let signIn else { return try connection.execute(sql: "DELETE FROM sign_in") }
            try connection.execute(
                sql: """
                    INSERT OR REPLACE INTO sign_in (id, cashier_id, name, role, verifier, signed_in_at,
                        used_wall, used_boot, used_boot_id)
                    VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    signIn.cashier.id, signIn.cashier.name, signIn.cashier.role.rawValue,
                    signIn.cashier.verifier, signIn.signedInAt, signIn.usedAt.wall, signIn.usedAt.boot,
                    signIn.usedAt.bootId,
                ])
        }
    }
}
