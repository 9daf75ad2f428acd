import Foundation
import HubCore
import HubProtocol
import HubStore
import Synchronization
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

/// What a batch costs a small push of another terminal that comes while the batch is written.
@Suite("Turns of pushes at the writer")
struct PushTurnTests {
    /// Is looked at between the mutations of a batch, and holds the thread that looks until it may go on.
    private final class Gate: Sendable {
        private struct State {
            var threads: Set<UInt> = []
            var looks: Int64 = 0
            var isPassed = false
        }

        private let state = Mutex(State())
        /// Whether a thread may go on.
        let isOpen = Mutex<@Sendable () -> Bool>({ true })

        var threads: Int { state.withLock { $0.threads.count } }

        /// Holds the first `held` threads that come here, until it is open once; each look is a millisecond
        /// of work.
        func now(holding held: Int) -> PushBudget.Spent {
            let thread = UInt(pthread_self())
            let (isHeld, looks) = state.withLock { state in
                if state.threads.count < held { state.threads.insert(thread) }
                state.looks += 1
                return (!state.isPassed && state.threads.contains(thread), state.looks)
            }
            let deadline = ContinuousClock.now + .seconds(60)
            while isHeld, !isOpen.withLock({ $0 })(), ContinuousClock.now < deadline { sched_yield() }
            if isHeld { state.withLock { $0.isPassed = true } }
            return PushBudget.Spent(processor: .milliseconds(looks), wall: .zero)
        }
    }

    private func batch(of count: Int, from till: inout Till, limits: IntakeLimits = .adjusting) throws
        -> IntakeRequest
    {
        var mutations: [Mutation] = []
        for _ in 0..<count { mutations.append(till.minted()) }
        return try till.push(mutations, limits: limits)
    }

    private func results(_ response: IntakeResponse) throws -> [MutationResult] {
        guard case .results(let taken) = response else {
            Issue.record("the journal was refused")
            return []
        }
        return taken.results
    }

    private func stamp(_ result: MutationResult?) throws -> String {
        try #require(result?.json["hlc"]?.string)
    }

    /// A ledger of SQLite in which a batch is held at its second look until another push waits.
    private func sqlite(
        _ gate: Gate, in folder: TemporaryFolder
    ) throws -> SQLiteLedger {
        var budget = PushBudget()
        budget.processor = .seconds(60)
        budget.now = { gate.now(holding: 1) }
        return try SQLiteLedger(path: folder.path("hub.sqlite"), budget: budget)
    }

    @Test("SQLite: a sale that waits behind a batch is written before the batch's end")
    func saleGoesBetween() async throws {
        let (gate, folder) = (Gate(), try TemporaryFolder())
        let ledger = try sqlite(gate, in: folder)
        defer { ledger.close() }
        gate.isOpen.withLock { $0 = { ledger.writer.isAwaited } }
        var (busy, honest) = (Till("T1"), Till("T2"))
        let batch = try batch(of: 60, from: &busy)
        async let taken = ledger.ingest(batch)
        while gate.threads == 0 { await Task.yield() }
        let sale = try await ledger.ingest(try honest.push([honest.sale()]))
        let (results, sold) = (try self.results(try await taken), try self.results(sale))
        #expect(results.map(\.id) == batch.mutations.map(\.id))
        #expect(Set(results.map(\.outcome)) == [.applied])
        #expect(try stamp(results.first) < stamp(sold.first))
        #expect(try stamp(sold.first) < stamp(results.last))
    }

    @Test("SQLite: a batch whose later part is refused leaves its first part, which is a duplicate then")
    func refusedLater() async throws {
        let (gate, folder) = (Gate(), try TemporaryFolder())
        let ledger = try sqlite(gate, in: folder)
        defer { ledger.close() }
        gate.isOpen.withLock { $0 = { ledger.writer.isAwaited } }
        var (busy, honest) = (Till("T1"), Till("T2"))
        var limits = IntakeLimits()
        limits.mutationsPerDay = 59
        let batch = try batch(of: 60, from: &busy, limits: limits)
        async let taken = ledger.ingest(batch)
        while gate.threads == 0 { await Task.yield() }
        _ = try await ledger.ingest(try honest.push([honest.sale()]))
        guard case .refused(.quotaExceeded) = try await taken else {
            Issue.record("the quota has room")
            return
        }
        let again = try results(try await ledger.ingest(IntakeRequest(batch, limits: IntakeLimits())))
        #expect(again.first?.outcome == .duplicate)
        #expect(again.last?.outcome == .applied)
        #expect(again.count == 60)
    }

    @Test(
        "PostgreSQL: a sale passes two batches that hold both transactions",
        .enabled(if: PostgresServer.isAvailable))
    func saleHasItsOwnConnection() async throws {
        let gate = Gate()
        let isSold = Mutex(false)
        gate.isOpen.withLock { $0 = { isSold.withLock { $0 } } }
        var budget = PushBudget()
        budget.processor = .seconds(60)
        budget.now = { gate.now(holding: 2) }
        let ledger = try PostgresLedger(
            url: try PostgresServer.shared.get().freshSchema(), budget: budget, longest: .seconds(120))
        defer { ledger.close() }
        var tills = [Till("T1"), Till("T2"), Till("T3")]
        let first = try batch(of: 150, from: &tills[0])
        let second = try batch(of: 150, from: &tills[1])
        async let one = ledger.ingest(first)
        async let two = ledger.ingest(second)
        while gate.threads < 2 { await Task.yield() }
        let sale = try results(try await ledger.ingest(try tills[2].push([tills[2].sale()])))
        let wasHeld = !isSold.withLock { $0 } && gate.threads == 2
        isSold.withLock { $0 = true }
        #expect(wasHeld)
        #expect(sale.map(\.outcome) == [.applied])
        #expect(try results(try await one).count == 150)
        #expect(try results(try await two).count == 150)
    }
}

extension IntakeRequest {
    /// The same push under other limits.
    fileprivate init(_ other: IntakeRequest, limits: IntakeLimits) {
        self.init(
            device: other.device, epoch: other.epoch, epochStart: other.epochStart,
            lowSequence: other.lowSequence, mutations: other.mutations, receivedAt: other.receivedAt,
            head: other.head, limits: limits, way: other.way)
    }
}
