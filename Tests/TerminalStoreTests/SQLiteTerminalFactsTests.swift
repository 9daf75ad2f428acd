import GRDB
import HubProtocol
import OfflineCore
import Retail
import Testing

@testable import TerminalStore

@Suite("What a terminal remembers of itself")
struct SQLiteTerminalFactsTests {
    @Test("its enrolment, renewed tokens and facts survive a restart")
    func facts() async throws {
        let store = try await StoreFixture(enrolled: false)
        let facts = SQLiteTerminalFacts(store.database)
        #expect(try await facts.enrolment() == nil)
        let enrolment = Enrolment(
            terminalId: "t", storeId: "s", terminalNumber: 1, token: "a", tokenExpiresAt: "x")
        try await facts.enrol(enrolment, epoch: 4)
        try await facts.renewToken("b", expiresAt: "y")
        try await facts.keep("1", as: "lastPullAt")
        try await facts.keep("2", as: "gone")
        try await facts.keep(nil, as: "gone")
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        let kept = SQLiteTerminalFacts(again.database)
        #expect(try await kept.enrolment()?.token == "b")
        #expect(try await kept.enrolment()?.tokenExpiresAt == "y")
        #expect(try await kept.fact("lastPullAt") == "1")
        #expect(try await kept.fact("gone") == nil)
        #expect(try await again.number("SELECT epoch FROM terminal") == 4)
    }

    @Test("enrolling again keeps journal, outbox and order counter under the new identity")
    func enrolAgain() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        try await SQLiteTerminalFacts(store.database).enrol(
            Enrolment(terminalId: "n", storeId: "new", terminalNumber: 9, token: "a", tokenExpiresAt: "x"),
            epoch: 1)
        let sale = try await store.sell(3...3)[0]
        #expect(sale.orderNumber.description == "new-9-20261121-0003")
        #expect(try await store.number("SELECT pending FROM terminal") == 3)
        #expect(await store.database.verify() == [])
    }

    @Test("what a hub lost with the terminal goes out once more, from this identity's beginning on")
    func comesBack() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        let facts = SQLiteTerminalFacts(store.database)
        try await store.settleAll()
        try await facts.enrol(
            Enrolment(terminalId: "n", storeId: "new", terminalNumber: 9, token: "a", tokenExpiresAt: "x"),
            epoch: 1)
        try await store.sell(3...4)
        try await store.settleAll()
        #expect(try await store.number("SELECT pending FROM terminal") == 0)
        try await facts.prepareReturn()
        #expect(try await facts.isComingBack())
        #expect(try await store.number("SELECT pending FROM terminal") == 2)
        try await facts.renewToken("b", expiresAt: "y", terminalNumber: 12)
        #expect(try await !facts.isComingBack())
        #expect(try await store.number("SELECT min(sequence) FROM journal WHERE verdict IS NULL") == 3)
        #expect(try await store.number("SELECT acknowledged_through FROM terminal") == 2)
        #expect(try await facts.enrolment()?.terminalNumber == 12)
        let sale = try await store.sell(5...5)[0]
        #expect(sale.orderNumber.description.hasPrefix("new-12-"))
        #expect(await store.database.verify() == [])
    }

    @Test("the hub's keys are pinned with an enrolment, replaced by the next one, and survive a restart")
    func pinned() async throws {
        let store = try await StoreFixture()
        let facts = SQLiteTerminalFacts(store.database)
        #expect(try await facts.hubKeys() == nil)
        let key = HubPublicKey(id: "signing-1", publicKey: "k", notAfter: "2031-01-01T00:00:00.000Z")
        let keys = HubKeyList(signing: [key], sealing: [])
        let enrolment = Enrolment(
            terminalId: "n", storeId: "new", terminalNumber: 9, token: "a", tokenExpiresAt: "x")
        try await facts.enrol(enrolment, epoch: 1, hubKeys: keys)
        #expect(try await facts.hubKeys() == keys)
        try await facts.pin(HubKeyList(signing: [key], sealing: [key]))
        store.database.close()
        let again = SQLiteTerminalFacts(try await StoreFixture(home: store.home, enrolled: false).database)
        #expect(try await again.hubKeys()?.sealing == [key])
        try await again.enrol(enrolment, epoch: 1)
        #expect(try await again.hubKeys() == nil)
    }
}

extension StoreFixture {
    /// Has the hub take in all that waits.
    fileprivate func settleAll() async throws {
        let outbox = SQLiteOutbox(database)
        let last = try await number("SELECT sequence FROM terminal")
        let ids = try await database.read {
            try String.fetchAll($0, sql: "SELECT id FROM journal WHERE verdict IS NULL ORDER BY sequence")
        }
        _ = try await outbox.record(
            ids.map { PushResult(id: $0, outcome: .applied, document: "{}") }, acknowledgedThrough: last)
    }

    @Test("what the hub lacks follows every response; what it lacks of earlier epochs ends with a whole one")
    func absence() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...2)
        let facts = SQLiteTerminalFacts(store.database)
        let head = JournalMark(epoch: 1, sequence: 40, hash: String(repeating: "a", count: 64))
        let other = JournalMark(epoch: 2, sequence: 41, hash: head.hash)
        let absences = HubAbsences(store.database)
        func note(_ missing: [Int64], _ heads: [JournalMark], isWhole: Bool) async throws -> HubAbsence? {
            await absences.note(
                JournalExtent(acknowledgedThrough: 0, missing: missing, missingHeads: heads), isWhole: isWhole
            )
            return try await facts.absentAtHub()
        }
        #expect(try await note([], [], isWhole: false) == nil)
        // The first two are on the disk and are sent again.
        #expect(try await note([1, 2, 9], [], isWhole: false) == HubAbsence(missing: [9], heads: []))
        #expect(try await note([], [], isWhole: false) == nil)
        #expect(try await note([9], [head], isWhole: true) == HubAbsence(missing: [9], heads: [head]))
        #expect(try await note([], [], isWhole: false) == HubAbsence(missing: [], heads: [head]))
        #expect(
            try await note([], [head, other], isWhole: false)
                == HubAbsence(missing: [], heads: [head, other]))
        // After a start, too.
        await HubAbsences(store.database).note(JournalExtent(acknowledgedThrough: 2), isWhole: false)
        #expect(try await facts.absentAtHub() == HubAbsence(missing: [], heads: [head, other]))
        #expect(try await note([], [], isWhole: true) == nil)
    }
}
