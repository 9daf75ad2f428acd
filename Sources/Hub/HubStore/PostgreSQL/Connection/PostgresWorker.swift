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

    /// Runs `work` on the worker's thread, after the work that was added before.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// The connection, or a new one when the local state of the socket shows that it was lost; no query is
    /// sent to find out. Called on the worker's thread only.
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
