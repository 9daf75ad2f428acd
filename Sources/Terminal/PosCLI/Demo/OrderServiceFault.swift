internal import GRDB

/// A real fault of the hub's order service: another process holds its database locked, so that no order can
/// be written while the rest of the hub goes on.
final class OrderServiceFault {
    private let queue: DatabaseQueue

    /// Takes the lock and keeps it until ``end()``.
    init(database path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
    }

    func end() throws {
        try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
    }
}
