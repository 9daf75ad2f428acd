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
}
