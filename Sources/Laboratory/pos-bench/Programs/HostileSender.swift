internal import Foundation

/// Sends requests to the hub without a pause, on a connection and a thread of its own.
///
/// Hostile terminals are other machines, so their own work here has the lowest priority: otherwise a figure
/// would be that of busy threads on the hub's cores.
final class HostileSender: @unchecked Sendable {
    // `isStopped` is guarded by `lock`; `request` belongs to the running thread alone, or has a lock itself.
    private let lock = NSLock()
    private let address: String
    private let first: Int
    private let request: (Int) -> [UInt8]
    private var isStopped = false
    private let done = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - address: the hub's.
    ///   - first: the number before the first request's.
    ///   - request: the bytes of a request, by its number.
    init(to address: String, first: Int, _ request: @escaping (Int) -> [UInt8]) {
        self.address = address
        self.first = first
        self.request = request
    }

    func start() {
        lock.withLock { isStopped = false }
        Thread.detachNewThread { [self] in
            // Of this thread alone, as Linux has it.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
            var (connection, index): (HubConnection?, Int) = (nil, first)
            while !lock.withLock({ isStopped }) {
                index += 1
                if connection == nil { connection = try? HubConnection(address) }
                // A hub may close after a refusal: then the next request opens a new connection.
                if (try? connection?.query(request(index))) == nil { connection = nil }
            }
            done.signal()
        }
    }

    /// Returns when the thread has ended.
    func stop() {
        lock.withLock { isStopped = true }
        done.wait()
    }
}
