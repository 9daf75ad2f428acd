internal import Dispatch
internal import Synchronization

/// A few connections that all callers share, so that no thread of the server waits for a database.
///
/// When the database cannot be reached, all pending calls fail at once.
final class PostgresPool: Sendable {
    private struct Job: Sendable {
        let work: @Sendable (PostgresConnection) -> Void
        let fail: @Sendable (PostgresError) -> Void
    }

    private struct Waiting {
        var jobs: [Job] = []
        var idle: [PostgresWorker]
    }

    /// More would only wait, and time out at the other end.
    private static let maximumWaiting = 2_000

    private let workers: [PostgresWorker]
    private let waiting: Mutex<Waiting>
    private let deadlines: PostgresDeadlines

    init(url: String, size: Int, longest: Duration) {
        deadlines = PostgresDeadlines(longest: longest)
        let workers = (1...size).map { PostgresWorker(url: url, number: $0) }
        self.workers = workers
        waiting = Mutex(Waiting(idle: workers))
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    ///
    /// - Parameter isLong: whether it may take longer than ``PostgresDeadlines/longest``, as no caller on the
    ///   network waits for it.
    func perform<Value: Sendable>(
        isLong: Bool = false,
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        let result: Result<Value, PostgresError> = await withCheckedContinuation { continuation in
            let response = PostgresResponse(continuation)
            if !isLong { deadlines.add { response.give(.failure(.tooLate)) } }
            enqueue(
                Job(
                    work: { connection in
                        // No caller waits for it any more.
                        guard response.isAwaited else { return }
                        response.give(Result { () throws(PostgresError) in try body(connection) })
                    },
                    fail: { response.give(.failure($0)) }))
        }
        return try result.get()
    }

    func close() {
        for worker in workers { worker.close() }
    }

    private func enqueue(_ job: Job) {
        let (worker, isRefused) = waiting.withLock { waiting -> (PostgresWorker?, Bool) in
            guard waiting.jobs.count < Self.maximumWaiting else { return (nil, true) }
            waiting.jobs.append(job)
            return (waiting.idle.popLast(), false)
        }
        if isRefused { job.fail(.locked(state: "-----")) }
        if let worker { worker.run { self.drain(on: worker) } }
    }

    private func drain(on worker: PostgresWorker) {
        while let job = nextJob(orRest: worker) {
            do throws(PostgresError) {
                job.work(try worker.connected())
            } catch {
                for job in [job] + allWaiting() { job.fail(error) }
            }
        }
    }

    private func nextJob(orRest worker: PostgresWorker) -> Job? {
        waiting.withLock { waiting in
            guard !waiting.jobs.isEmpty else {
                waiting.idle.append(worker)
                return nil
            }
            return waiting.jobs.removeFirst()
        }
    }

    private func allWaiting() -> [Job] {
        waiting.withLock { waiting in
            defer { waiting.jobs = [] }
            return waiting.jobs
        }
    }
}

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
