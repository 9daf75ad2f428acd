internal import Dispatch
internal import Synchronization

/// One connection with the thread that waits for it. It is made when it is first needed, and made again when
/// it broke.
final class PostgresWorker: Sendable {
    private let url: String
    private let queue: DispatchQueue
    private let connection = Mutex<PostgresConnection?>(nil)

    init(url: String, number: Int) {
        self.url = url
        queue = DispatchQueue(label: "hub.store.postgres.\(number)")
    }

    /// Runs `work` on the lane's thread, behind what was given to it before.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// The connection, as good as can be told without asking. To be called on the lane's thread.
    func connected() throws(PostgresError) -> PostgresConnection {
        if let known = connection.withLock({ $0 }), !known.looksLost() { return known }
        connection.withLock { $0 = nil }
        let fresh = try PostgresConnection(url: url)
        connection.withLock { $0 = fresh }
        return fresh
    }

    /// Closes the connection once the running job has ended.
    func close() {
        queue.sync { connection.withLock { $0 = nil } }
    }
}
