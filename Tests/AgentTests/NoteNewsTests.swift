import Base
import Foundation
import HubProtocol
import Neighbours
import OfflineMode
import Retail
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// What a till's list of notes says next, by its disk.
@Suite("News for the list of notes")
struct NoteNewsTests {
    private let enrolled: EnrolledHome

    init() throws { enrolled = try EnrolledHome() }

    private func cart(_ number: UInt64, _ change: (inout KeptCart) -> Void) -> KeptCart {
        var cart = KeptCart(
            id: ULID(high: 1, low: number), name: nil, since: 1, lines: [], currency: "EUR", total: 5,
            memberId: nil, coupons: [])
        cart.journey = CartJourney()
        change(&cart)
        return cart
    }

    private func keep(_ cart: KeptCart, in database: TerminalDatabase) async throws {
        _ = try await SQLiteCarts(database).change(cart.id, on: nil, isDeletion: false) { _ in
            .success(cart)
        }.get()
    }

    @Test("A copy is named on whatever screen it is, once; what an earlier copy of the disk gave is not")
    func copies() async throws {
        let database = try await enrolled.database()
        defer { database.close() }
        let news = NoteNews(
            carts: SQLiteCarts(database), rights: SQLiteRights(database), outbox: SQLiteOutbox(database),
            now: { 7 })
        let screen = try #require(FrontEnd("01J0000000000000000000000A;counter"))
        let copy = cart(1) {
            $0.state = .open(screen)
            $0.journey?.copiedFrom = "01FIRST"
        }
        try await keep(copy, in: database)
        try await keep(cart(2) { $0.journey?.elsewhere = "t-4" }, in: database)
        let requests = await news.requests(beside: NoteState())
        #expect(requests.map(\.kind) == ["cartParked"])
        let note = try ParkedCart(json: try #require(requests.first).body)
        #expect(note.id == copy.id.description && note.copiedFrom == "01FIRST")
        var known = CartMaker("t-3")
        try known.note(.cartParked, note.json)
        #expect(await news.requests(beside: known.state).isEmpty)
    }

    @Test("No end is said of a cart whose sale cannot be read")
    func unread() async throws {
        let (database, other) = (
            try await enrolled.database(), try TerminalStores.open(home: enrolled.home, creating: false)
        )
        defer { database.close() }
        other.close()
        var known = CartMaker("t-3")
        try known.park(ULID(high: 1, low: 1))
        func kinds(_ carts: TerminalDatabase) async -> [String] {
            let news = NoteNews(
                carts: SQLiteCarts(carts), rights: SQLiteRights(database), outbox: SQLiteOutbox(database),
                now: { 7 })
            return await news.requests(beside: known.state).map(\.kind)
        }
        #expect(await kinds(other) == [])
        #expect(await kinds(database) == ["cartEnded"])
    }
}
