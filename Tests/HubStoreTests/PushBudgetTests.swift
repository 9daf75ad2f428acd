import DirectSQLite
import Foundation
import GRDB
import HubCore
import HubProtocol
import HubStore
import Synchronization
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

/// A push that is made to be slow. Time is the number of looks at the clock, so that no machine is too slow
/// and none too fast for these tests.
@Suite("The time budget of a push")
struct PushBudgetTests {
    /// Each look at it is a millisecond later: of the processor for the thread that looks, by the wall for
    /// all.
    private final class CountingClock: Sendable {
        private let looks = Mutex<(byThread: [UInt: Int64], all: Int64)>(([:], 0))

        func now() -> PushBudget.Spent {
            looks.withLock { looks in
                let thread = UInt(pthread_self())
                looks.byThread[thread, default: 0] += 1
                looks.all += 1
                return PushBudget.Spent(
                    processor: .milliseconds(looks.byThread[thread] ?? 0), wall: .milliseconds(looks.all))
            }
        }
    }

    private final class Store: Sendable {
        let ledger: any Ledger
        private let folder: TemporaryFolder?
        private let close: @Sendable () -> Void

        init(_ kind: StoreKind, _ budget: PushBudget) throws {
            switch kind {
            case .sqlite:
                let folder = try TemporaryFolder()
                let ledger = try SQLiteLedger(path: folder.path("hub.sqlite"), budget: budget)
                self.folder = folder
                self.ledger = ledger
                close = { ledger.close() }
            case .postgresql:
                let ledger = try PostgresLedger(
                    url: try PostgresServer.shared.get().freshSchema(), budget: budget, longest: .seconds(60))
                folder = nil
                self.ledger = ledger
                close = { ledger.close() }
            }
        }

        deinit { close() }
    }

    /// 60 mutations are more looks than 50 ms.
    private func budget(penalty: Duration = .seconds(3_600)) -> PushBudget {
        let clock = CountingClock()
        var budget = PushBudget()
        budget.processor = .milliseconds(50)
        budget.wall = .seconds(1_000_000)
        budget.penalty = penalty
        budget.now = { clock.now() }
        return budget
    }

    private func costly(_ till: inout Till) throws -> IntakeRequest {
        var mutations: [Mutation] = []
        for _ in 0..<60 { mutations.append(till.minted()) }
        return try till.push(mutations)
    }

    @Test("A push past its budget is refused alone; those that wait with it pass", arguments: StoreKind.all)
    func alone(_ kind: StoreKind) async throws {
        let store = try Store(kind, budget())
        var hostile = Till("T0")
        let slow = try costly(&hostile)
        let honest = try (1...8).map { number in
            var till = Till("T\(number)")
            return try till.push([till.sale(number: "S1-\(number)-19700101-1")])
        }
        let responses = await withTaskGroup(of: (Int, Result<IntakeResponse, LedgerError>).self) { group in
            for (index, push) in ([slow] + honest).enumerated() {
                group.addTask {
                    do throws(LedgerError) {
                        return (index, .success(try await store.ledger.ingest(push)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(responses[0] == .failure(.tooCostly))
        for index in 1...8 {
            guard case .success(.results(let response))? = responses[index] else {
                Issue.record("push \(index): \(String(describing: responses[index]))")
                continue
            }
            #expect(response.results.map(\.outcome) == [.applied])
        }
    }

    @Test("Nothing of a refused push is kept, and its terminal waits for a while", arguments: StoreKind.all)
    func penalty(_ kind: StoreKind) async throws {
        let store = try Store(kind, budget())
        var till = Till()
        let slow = try costly(&till)
        await #expect(throws: LedgerError.tooCostly) { try await store.ledger.ingest(slow) }
        let one = IntakeRequest(
            device: slow.device, epoch: nil, lowSequence: nil, mutations: [slow.mutations[0]], receivedAt: 1)
        await #expect(throws: LedgerError.tooCostly) { try await store.ledger.ingest(one) }
        let patient = try Store(kind, budget(penalty: .milliseconds(1)))
        await #expect(throws: LedgerError.tooCostly) { try await patient.ledger.ingest(slow) }
        guard case .results(let response) = try await patient.ledger.ingest(one) else {
            Issue.record("the journal was refused")
            return
        }
        #expect(response.results.map(\.outcome) == [.applied])
        #expect(response.acknowledgedThrough == 1)
    }

    @Test("What a database takes for a round trip beyond its share is not charged to the push")
    func excused() {
        let wall = Mutex(Duration.zero)
        var budget = PushBudget()
        budget.now = { PushBudget.Spent(processor: .zero, wall: wall.withLock { $0 }) }
        func passes(_ time: Duration) { wall.withLock { $0 += time } }
        let timer = budget.start()
        timer.roundTrip { passes(.seconds(40)) }
        #expect(!timer.isSpent)
        for _ in 0..<48 { timer.roundTrip { passes(.milliseconds(150)) } }
        #expect(!timer.isSpent)
        timer.roundTrip { passes(.milliseconds(90)) }
        timer.roundTrip { passes(.milliseconds(90)) }
        #expect(timer.isSpent)
    }

    @Test("What a push waits counts a share for each look, what it works counts wholly")
    func waits() {
        let spent = Mutex(PushBudget.Spent(processor: .zero, wall: .zero))
        var budget = PushBudget()
        budget.processor = .seconds(60)
        budget.now = { spent.withLock { $0 } }
        func passes(_ wall: Duration, working processor: Duration) {
            spent.withLock { spent in
                spent.wall += wall
                spent.processor += processor
            }
        }
        let still = budget.start()
        for _ in 0..<600 {
            passes(.seconds(1), working: .milliseconds(1))
            #expect(!still.isSpent)
        }
        let busy = budget.start()
        passes(.seconds(4), working: .seconds(4))
        #expect(!busy.isSpent)
        passes(.seconds(40), working: .seconds(1))
        #expect(busy.isSpent)
        let searching = budget.start()
        let looks = (1...2_000).first { _ in
            passes(.milliseconds(6), working: .milliseconds(1))
            return searching.isSpent
        }
        #expect(looks == 834)
    }

    @Test("SQLite: a push that meets a disk that stands still is taken in, and its terminal not refused")
    func stillDisk() async throws {
        let wall = Mutex(Duration.zero)
        var budget = PushBudget()
        budget.now = {
            PushBudget.Spent(
                processor: .zero,
                wall: wall.withLock {
                    $0 += .seconds(2)
                    return $0
                })
        }
        let store = try Store(.sqlite, budget)
        var till = Till()
        for _ in 0..<2 {
            guard case .results(let response) = try await store.ledger.ingest(try costly(&till)) else {
                Issue.record("the journal was refused")
                return
            }
            #expect(Set(response.results.map(\.outcome)) == [.applied])
        }
    }

    @Test(
        "PostgreSQL: a push that meets a database that stands still goes on",
        .enabled(if: PostgresServer.isAvailable))
    func frozenDatabase() throws {
        var budget = PushBudget()
        budget.wall = .milliseconds(200)
        let connection = try PostgresConnection(url: PostgresServer.shared.get().freshSchema())
        let intake = PostgresIntake(on: connection, from: HybridLogicalClock())
        intake.timer = budget.start()
        _ = try intake.query("SELECT pg_sleep(0.5)", [])
        try intake.spendTime()
        #expect(throws: PostgresError.overBudget) {
            for _ in 0..<20 { _ = try intake.query("SELECT pg_sleep(0.02)", []) }
        }
    }

    @Test(
        "PostgreSQL: a statement that was ended at its limit is the push's, one that was ended later is not",
        .enabled(if: PostgresServer.isAvailable))
    func statementLimit() throws {
        let connection = try PostgresConnection(url: PostgresServer.shared.get().freshSchema())
        try connection.query("SET statement_timeout = 200")
        do {
            try connection.query("SELECT pg_sleep(30)")
            Issue.record("it was not ended")
        } catch {
            if case .timedOut(let elapsed) = error {
                #expect(elapsed >= .milliseconds(200))
            } else {
                Issue.record("\(error)")
            }
        }
        #expect(PostgresError.timedOut(elapsed: .milliseconds(3_010)).isOfPush)
        #expect(!PostgresError.timedOut(elapsed: .seconds(6)).isOfPush)
        #expect(PostgresError.timedOut(elapsed: .seconds(6)).ledgerError != .tooCostly)
    }

    @Test("SQLite: a statement that runs too long is interrupted, and what was written with it undone")
    func interrupted() async throws {
        let folder = try TemporaryFolder()
        let file = try SQLiteFile(path: folder.path("hub.sqlite"), schema: .ledger)
        defer { file.close() }
        let writer = GroupWriter(file)
        let endless = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            INSERT INTO meta SELECT 'x' || i, i FROM n
            """
        async let slow: Void = writer.write { db in
            let looks = Mutex(0)
            do {
                try db.interrupted(when: {
                    looks.withLock {
                        $0 += 1; return $0 > 20
                    }
                }) {
                    try db.execute(sql: endless)
                }
            } catch {
                throw BudgetSpent()
            }
            return .keep(())
        }
        async let good: Void = writer.write { db in
            try db.execute(sql: "INSERT INTO meta VALUES ('good', '1')")
            return .keep(())
        }
        try await good
        do {
            try await slow
            Issue.record("the endless statement ended")
        } catch {
            #expect(error as? LedgerError == .tooCostly)
        }
        let keys = try await file.read { db in
            try String.fetchAll(db, sql: "SELECT key FROM meta WHERE key LIKE 'x%' OR key = 'good'")
        }
        #expect(keys == ["good"])
    }
}
