/// One command for the server; its text is prepared once a connection.
struct PostgresStatement: Hashable, Sendable {
    /// With `$1`, `$2`, … for the values.
    let sql: String
    let values: [PostgresValue]

    init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }

    static let begin = PostgresStatement("BEGIN")
    static let commit = PostgresStatement("COMMIT")
    static let rollback = PostgresStatement("ROLLBACK")
}
