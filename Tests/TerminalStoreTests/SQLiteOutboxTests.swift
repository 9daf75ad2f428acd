import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("The outbox on disk")
struct SQLiteOutboxTests {
    private func result(_ id: String, _ outcome: PushResult.Outcome, _ document: String = "{}") -> PushResult
    {
        PushResult(id: id, outcome: outcome, document: document)
    }

    @Test("rows come oldest first, after a sequence, up to a limit")
    func pending() async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...5)
        let outbox = SQLiteOutbox(store.database)
        #expect(try await outbox.pending(after: 0, limit: 2).map(\.sequence) == [1, 2])
        #expect(try await outbox.pending(after: 3, limit: 10).map(\.id) == sales[3...].map(\.mutationId))
        #expect(try await outbox.pending(after: 5, limit: 10) == [])
    }

    @Test("only a final result takes a row out, and the depth has all counts")
    func results() async throws {
        let store = try await StoreFixture()
        let ids = try await store.sell(1...6).map(\.mutationId)
        let outbox = SQLiteOutbox(store.database)
        try await outbox.record(
            [
                result(ids[0], .applied), result(ids[1], .deferred),
                result(ids[2], .retry(after: .seconds(1))),
                result(ids[3], .rejected, "{\"why\":1}"), result(ids[4], .conflict),
            ], acknowledgedThrough: 1)
        #expect(try await outbox.pending(after: 0, limit: 10).map(\.sequence) == [2, 3, 6])
        #expect(
            try await outbox.depth()
                == OutboxDepth(
                    pending: 3, oldestMadeAt: StoreFixture.noon, rejected: 1, conflicted: 1,
                    acknowledgedThrough: 1, lowSequence: 2, epoch: 1, epochStart: 1))
        let entries = try await outbox.entries()
        #expect(entries.map(\.sequence) == [2, 3, 6, 4, 5])
        #expect(entries.map(\.state) == [.pending, .pending, .pending, .rejected, .conflicted])
        #expect(entries.map(\.attempts) == [1, 1, 0, 0, 0])
        #expect(entries[3].problem == "{\"why\":1}")
        #expect(try await store.ledger.sale(key: StoreFixture.key(1))?.isAcknowledged == true)
        #expect(try await store.ledger.sale(key: StoreFixture.key(2))?.isAcknowledged == false)
    }

    @Test("results survive a restart, and a repeated or unknown one changes nothing")
    func durable() async throws {
        let store = try await StoreFixture()
        let ids = try await store.sell(1...2).map(\.mutationId)
        let outbox = SQLiteOutbox(store.database)
        try await outbox.record([result(ids[0], .applied)], acknowledgedThrough: nil)
        try await outbox.record(
            [result(ids[0], .rejected), result("nobody", .applied)], acknowledgedThrough: nil)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        let depth = try await SQLiteOutbox(again.database).depth()
        #expect(depth.pending == 1)
        #expect(depth.rejected == 0)
        #expect(depth.lowSequence == 2)
        #expect(await again.database.verify() == [])
    }

    @Test("the columns have the texts that every version reads, and the response as received")
    func columns() async throws {
        let store = try await StoreFixture()
        let ids = try await store.sell(1...5).map(\.mutationId)
        let received = #"{"id":"x","outcome":"duplicate","result":{"outcome":"rejected"}}"#
        try await SQLiteOutbox(store.database).record(
            [
                result(ids[0], .applied), result(ids[1], .rejected, received), result(ids[2], .conflict),
                result(ids[3], .deferred, "[]"),
            ], acknowledgedThrough: nil)
        let rows = try await store.database.read { connection in
            try Row.fetchAll(connection, sql: "SELECT verdict, result FROM journal ORDER BY sequence")
                .map { [$0["verdict"] as String?, $0["result"] as String?] }
        }
        #expect(
            rows == [
                ["applied", "{}"], ["rejected", received], ["conflicted", "{}"], [nil, "[]"], [nil, nil],
            ])
    }

    @Test("what the hub lost is sent again under the same id and with the same bytes")
    func reopen() async throws {
        let store = try await StoreFixture()
        let ids = try await store.sell(1...3).map(\.mutationId)
        let outbox = SQLiteOutbox(store.database)
        let before = try await outbox.pending(after: 0, limit: 10)
        try await outbox.record(
            [result(ids[0], .applied), result(ids[1], .rejected)], acknowledgedThrough: 2)
        try await outbox.reopen(sequences: [1, 2, 3, 99])
        #expect(try await outbox.pending(after: 0, limit: 10) == before)
        let depth = try await outbox.depth()
        #expect(depth.pending == 3)
        #expect(depth.rejected == 0)
    }

    @Test(
        "the hub's last sequence is limited to the sequences of the journal",
        arguments: [(Int64.max, Int64(2)), (Int64.min, Int64(0))])
    func absurdAcknowledgement(said: Int64, kept: Int64) async throws {
        let store = try await StoreFixture()
        let ids = try await store.sell(1...2).map(\.mutationId)
        let outbox = SQLiteOutbox(store.database)
        try await outbox.record([result(ids[0], .applied)], acknowledgedThrough: said)
        #expect(try await outbox.depth().acknowledgedThrough == kept)
        try await outbox.record([result(ids[1], .applied)], acknowledgedThrough: 2)
        #expect(try await outbox.depth().pending == 0)
    }

    @Test("a problem that is no result is shown with its row and keeps it")
    func note() async throws {
        let store = try await StoreFixture()
        let id = try await store.sell(1...1)[0].mutationId
        let outbox = SQLiteOutbox(store.database)
        try await outbox.note(problem: "413 body_too_large", of: id)
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.problem == "413 body_too_large")
        #expect(entry.state == .pending)
    }

    @Test("a fork moves to the new epoch and lifts the order counter, ids and sequences stay")
    func adopt() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        let outbox = SQLiteOutbox(store.database)
        let before = try await outbox.pending(after: 0, limit: 10)
        try await outbox.adopt(
            epoch: 2, headSequence: 40, headHash: "", headOrderNumber: "north-7-3-20261121-0500")
        #expect(try await outbox.pending(after: 0, limit: 10) == before)
        #expect(try await outbox.depth().epoch == 2)
        #expect(try await outbox.depth().epochStart == 1)
        let third = try await store.sell(3...3)[0].orderNumber.counter
        // The copy that used the number may go on with the next ones.
        #expect(third > 500 + OrderMark.leap)
        try await outbox.adopt(
            epoch: 3, headSequence: 41, headHash: "", headOrderNumber: "north-7-3-20261121-0007")
        #expect(try await store.sell(4...4)[0].orderNumber.counter == third + 1)
        try await outbox.adopt(epoch: 4, headSequence: 41, headHash: "", headOrderNumber: nil)
        #expect(try await outbox.depth().epoch == 4)
    }

    @Test("what the hub has of the copy that continues goes with the head, through a fork and an enrolment")
    func superseding() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        let outbox = SQLiteOutbox(store.database)
        let facts = SQLiteTerminalFacts(store.database)
        let hashes = ["a", "b", "c"].map { String(repeating: $0, count: 64) }
        func end(_ epoch: Int64, _ sequence: Int64, _ hash: Int) -> SupersedingJournal.End {
            SupersedingJournal.End(epoch: epoch, sequence: sequence, hash: hashes[hash])
        }
        func sequences() async throws -> [Int64] {
            try await facts.journalEnd().origin?.ends.map(\.sequence) ?? []
        }
        let own = try await facts.journalEnd()
        let here = SupersedingJournal.End(epoch: 1, sequence: own.sequence, hash: own.hash)
        try await outbox.keep(
            SupersedingJournal(ends: [here, end(2, 40, 0)], headOrderNumber: "north-7-3-20261121-0500"))
        #expect(try await sequences() == [40], "what is on this disk is no evidence")
        #expect(try await outbox.depth().epoch == 1)
        #expect(try await store.sell(3...3)[0].orderNumber.counter > 500 + OrderMark.leap)
        // The other copy sells on: one end for its epoch, however often the hub says so.
        try await outbox.keep(SupersedingJournal(ends: [end(2, 44, 1)]))
        #expect(try await sequences() == [44])
        // A hub that was restored names less: what it named before stays.
        try await outbox.keep(SupersedingJournal(ends: [end(2, 42, 2)]))
        #expect(try await sequences() == [44, 42])
        try await outbox.adopt(epoch: 3, headSequence: 9, headHash: hashes[0], headOrderNumber: nil)
        #expect(try await sequences() == [44, 42, 9])
    }
}
