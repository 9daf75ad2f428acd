import HubCore
import HubProtocol
import Testing

@Suite("Tables of sales")
struct SalesTableTests {
    private func rows(_ count: Int, currency: (Int) -> String = { _ in "CNY" }) -> [SalesRow] {
        var report = SalesReport(by: .cashier)
        for number in 0..<count {
            report.add(
                ["c\(number)"], currency(number), orders: Int128(number), gross: 10, discounts: 1, refunds: 2,
                tax: 3)
        }
        return report.rows
    }

    @Test("A table keeps the keys with the most orders, and the others are one row with their sums")
    func others() throws {
        #expect(rows(200).ended(at: 200) == rows(200))
        let table = rows(1_000).ended(at: 200)
        #expect(table.count == 201)
        let last = try #require(table.last)
        #expect(last.isOthers && last.key == [nil] && last.json["others"] == true)
        #expect(last.gross == 8_000 && last.net == 5_600 && last.orders == Int128((0..<800).reduce(0, +)))
        #expect(table.dropLast().allSatisfy { $0.orders >= 800 && !$0.isOthers && $0.json["others"] == nil })
        #expect(table.reduce(Int128(0)) { $0 + $1.gross } == 10_000)
    }

    @Test("However many currencies terminals name, the others are some rows")
    func currencies() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let table = rows(3_000) { number in
            String([letters[number / 676 % 26], letters[number / 26 % 26], letters[number % 26]])
        }.ended(at: 200)
        #expect(table.count <= 222)
        #expect(table.reduce(Int128(0)) { $0 + $1.gross } == 30_000)
    }
}
