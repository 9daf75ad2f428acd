package import GRDB

/// The statements of one transaction, each looked up once: finding one by its text costs as much as a small
/// row does.
package final class PreparedStatements {
    private let database: Database
    private var prepared: [(sql: UnsafePointer<UInt8>, statement: DirectStatement)] = []

    /// - Parameter database: the connection; the statements must not outlive its transaction.
    package init(_ database: Database) {
        self.database = database
    }

    /// - Parameter sql: a literal; one in two places of the code may be looked up twice.
    package subscript(_ sql: StaticString) -> DirectStatement {
        get throws {
            if let known = prepared.first(where: { $0.sql == sql.utf8Start }) { return known.statement }
            let statement = try DirectStatement("\(sql)", in: database)
            prepared.append((sql.utf8Start, statement))
            return statement
        }
    }
}
