internal import Base
internal import Dispatch
internal import GRDB
internal import HubCore
internal import HubStore
internal import Synchronization

/// Runs what waits for the one writing connection, as much of it as waits together in one transaction, so
/// that many small writes share one sync of the disk.
///
/// Each job has a savepoint of its own: one that is undone takes nothing else with it. When the store itself
/// refuses, all pending jobs fail at once, so no caller waits longer than one busy timeout.
final class GroupWriter: Sendable {
    private struct Job: Sendable {
        /// Mutations; 1 for anything else.
        let weight: Int
        var passedOver = 0
        /// Does the work within a savepoint; what it returns announces the result once that is durable.
        let work: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (LedgerError) -> Void
    }

    private struct Waiting {
        var jobs: [Job] = [] { didSet { isAwaited = jobs.contains { GroupSelection.isLight($0.weight) } } }
        /// Whether a light job waits.
        private(set) var isAwaited = false
        /// Whether the transaction that runs has light jobs, which are durable with it.
        var hasLight = false
        var isRunning = false
    }

    private let file: SQLiteFile
    private let waiting = Mutex(Waiting())
    private let orderingKey = DispatchQueue(label: "hub.store.writer")

    init(_ file: SQLiteFile) {
        self.file = file
    }

    /// Whether light jobs wait for the writer, those of the transaction that runs included.
    var isAwaited: Bool { waiting.withLock { $0.isAwaited || $0.hasLight } }

    /// Runs `body` in a transaction and returns when that is durable, or undone.
    ///
    /// - Parameters:
    ///   - weight: how many mutations it writes, see ``GroupSelection``.
    ///   - goesOn: whether it is the next part of a job that let others pass.
    func write<Value: Sendable>(
        weight: Int = 1, goesOn: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        let result: Result<Value, LedgerError> = await withCheckedContinuation { continuation in
            let job = Job(
                weight: max(1, weight), passedOver: goesOn ? GroupSelection.passedOverByPart : 0,
                work: { db in
                    let value = try Self.inSavepoint(db, body)
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            enqueue(job)
        }
        return try result.get()
    }

    private static func inSavepoint<Value>(
        _ db: Database, _ body: (Database) throws -> TransactionEnding<Value>
    ) throws -> Value {
        var ending: TransactionEnding<Value>?
        try db.inSavepoint {
            let reached = try body(db)
            ending = reached
            switch reached {
            case .keep: return .commit
            case .undo: return .rollback
            }
        }
        switch ending {
        case .keep(let value), .undo(let value): return value
        case nil: throw LedgerError.failed("a transaction ended without a result")
        }
    }

    private func enqueue(_ job: Job) {
        let mustStart = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isRunning = true }
            return !waiting.isRunning
        }
        if mustStart { orderingKey.async { self.drain() } }
    }

    private func drain() {
        while let group = nextGroup() {
            do {
                for announce in try run(group) { announce() }
            } catch {
                refuse(group, because: error)
            }
        }
    }

    private func nextGroup() -> [Job]? {
        waiting.withLock { waiting in
            guard !waiting.jobs.isEmpty else {
                (waiting.isRunning, waiting.hasLight) = (false, false)
                return nil
            }
            let chosen = GroupSelection.next(
                of: waiting.jobs.map { .init(weight: $0.weight, passedOver: $0.passedOver) })
            let group = chosen.map { waiting.jobs[$0] }
            let taken = Set(chosen)
            waiting.hasLight = group.contains { GroupSelection.isLight($0.weight) }
            waiting.jobs = waiting.jobs.enumerated().filter { !taken.contains($0.offset) }.map { _, job in
                var job = job
                job.passedOver += 1
                return job
            }
            return group
        }
    }

    /// Runs a group without those of its jobs that use up their budget: such a one may have undone the whole
    /// transaction, so the others begin again.
    private func run(_ group: [Job]) throws -> [@Sendable () -> Void] {
        var left = group
        var announcements: [@Sendable () -> Void] = []
        while !left.isEmpty {
            do {
                return announcements + (try attempt(left))
            } catch let spent as SpentJob {
                let job = left.remove(at: spent.index)
                announcements.append { job.fail(.tooCostly) }
            }
        }
        return announcements
    }

    private func attempt(_ group: [Job]) throws -> [@Sendable () -> Void] {
        var announcements: [@Sendable () -> Void] = []
        try file.pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                for (index, job) in group.enumerated() {
                    do {
                        announcements.append(try job.work(db))
                    } catch is BudgetSpent {
                        throw SpentJob(index: index)
                    }
                }
                let isLost = PlantedBug.acknowledgedBeforeCommit.isPlanted && Int.random(in: 0..<20) == 0
                return isLost ? .rollback : .commit
            }
        }
        return announcements
    }

    private struct SpentJob: Error {
        let index: Int
    }

    private func refuse(_ group: [Job], because error: any Error) {
        let others = waiting.withLock { waiting in
            defer { waiting.jobs = [] }
            return waiting.jobs
        }
        let reason = SQLiteFile.translated(error)
        if case .failed = reason { try? file.reopen() }
        for job in group + others { job.fail(reason) }
    }
}

/// Runs operations one after another, each to its end, in the order in which they arrived.
actor SerialGate {
    private var last: Task<Void, Never>?

    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let before = last
        let task = Task { () -> Result<Value, Failure> in
            await before?.value
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }
}
