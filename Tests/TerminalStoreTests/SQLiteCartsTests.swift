import Base
import GRDB
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Parked carts on disk")
struct SQLiteCartsTests {
    private func cart(_ number: UInt64, at parkedAt: Int64 = StoreFixture.noon) -> ParkedCart {
        ParkedCart(
            id: StoreFixture.key(number), name: "帽子 \"red\"", parkedAt: parkedAt,
            lines: [
                ParkedCart.Line(
                    entry: SaleRequest.Line(
                        barcode: "690:1", quantityMilli: 1500, unitPriceMinor: 80, discountMinor: 5,
                        discountReason: "dented"), sku: "S1", name: "Tea", total: 115),
                ParkedCart.Line(entry: SaleRequest.Line(barcode: "691"), sku: "S2", name: "Pot", total: 9),
                ParkedCart.Line(
                    entry: SaleRequest.Line(
                        barcode: "", unitPriceMinor: 7,
                        openItem: .init(department: "a/b", taxBasisPoints: 700)), sku: "a/b", name: "a/b",
                    total: 7),
            ], currency: "JPY", total: 124, memberId: "+86 138", coupons: ["A", ""])
    }

    @Test("are read as they were kept, the oldest first, also from a copy of the files after a crash")
    func kept() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        #expect(try await carts.carts() == [])
        try await carts.keep(cart(1, at: StoreFixture.noon + 1))
        try await carts.keep(cart(2))
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = try await StoreFixture(home: copy, enrolled: false)
        #expect(
            try await SQLiteCarts(again.database).carts() == [cart(2), cart(1, at: StoreFixture.noon + 1)])
    }

    @Test("are replaced by their id and deleted once")
    func replaced() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        try await carts.keep(cart(1))
        var resumed = cart(1)
        resumed.resumedAt = StoreFixture.noon + 5
        try await carts.keep(resumed)
        #expect(try await carts.carts() == [resumed])
        try await carts.delete(resumed.id)
        try await carts.delete(resumed.id)
        #expect(try await carts.carts() == [])
    }

    @Test("are not listed once their sale is recorded, although the row is still there")
    func sold() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        try await carts.keep(cart(1))
        try await carts.keep(cart(2))
        _ = try await store.ledger.commit(try StoreFixture.draft(1))
        #expect(try await carts.carts().map(\.id) == [StoreFixture.key(2)])
        #expect(try await store.number("SELECT count(*) FROM carts") == 2)
    }

    @Test("a repair carries them over, and leaves out one whose content is not whole")
    func repaired() async throws {
        let store = try await StoreFixture()
        try await store.sell(10...12)
        let carts = SQLiteCarts(store.database)
        var resumed = cart(2)
        resumed.resumedAt = StoreFixture.noon + 5
        for cart in [cart(1), resumed, cart(3)] { try await carts.keep(cart) }
        try await store.database.write { connection in
            try connection.execute(
                sql: "UPDATE carts SET content = substr(content, 3) WHERE cart_id = ?",
                arguments: [StoreFixture.key(3).description])
        }
        let home = try withExtendedLifetime(store) {
            try store.home.copy([
                "terminal.sqlite", "terminal.sqlite-wal", "high-water.json", "device.secret",
            ])
        }
        var bytes = try home.read("terminal.sqlite")
        if bytes.count < 100 { bytes += Array(repeating: 0, count: 100 - bytes.count) }
        for index in 0..<100 { bytes[index] = 7 }
        try home.write(bytes, to: "terminal.sqlite")
        _ = try DatabaseRepair(home: home.path).run(at: StoreFixture.noon)
        let again = try TerminalDatabase.open(home: home.path)
        #expect(try await SQLiteCarts(again).carts() == [cart(1), resumed])
    }
}
