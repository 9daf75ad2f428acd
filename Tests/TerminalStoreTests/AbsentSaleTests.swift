import Base
import Crypto
import Foundation
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

/// Refunds of sales that the terminal does not hold, on its disk.
@Suite("Refunds of absent sales on disk")
struct AbsentSaleTests {
    private static let key = Curve25519.Signing.PrivateKey()

    /// Three pieces of tea for 1000 and a pot for 500, sold at another till.
    private static func code(_ number: String = "north-7-1-20261121-0001") throws -> ReceiptCode {
        try #require(
            ReceiptCode(
                terminalId: "t-1", orderNumber: number, soldAt: 1, currency: "CNY", total: 1500,
                lines: [
                    .init(barcode: "111", quantityMilli: 3000, amount: 1000),
                    .init(barcode: "222", quantityMilli: 1000, amount: 500),
                ]
            ) { try? key.signature(for: $0).base64EncodedString() })
    }

    private static func sale(
        _ code: ReceiptCode?, limits: RefundLimits? = RefundLimits.none, orderId: String? = nil,
        returned: Int64 = 0, included: Set<String> = []
    ) -> AbsentSale {
        func line(_ sku: String, _ barcode: String, _ milli: Int64, _ total: Int64) -> RefundableLine {
            RefundableLine(
                sku: sku, barcode: barcode, name: sku, quantityMilli: milli, total: total,
                taxBasisPoints: 1300, isCounted: sku == "tea")
        }
        var tea = line("tea", "111", 3000, 1000)
        tea.returnedMilli = returned
        return AbsentSale(
            receipt: code, orderId: orderId, currency: "CNY", lines: [tea, line("pot", "222", 1000, 500)],
            returned: included.map { .init(refundId: $0, total: 0, quantities: [:]) }, limits: limits)
    }

    private static func entry(
        _ number: UInt64, _ items: [RefundEntry.Item] = [], day: Int64 = 20_261_121
    ) throws -> RefundEntry {
        RefundEntry(
            key: ULID(high: 9, low: number), items: items, mode: .offline, madeAt: StoreFixture.noon,
            businessDay: try #require(BusinessDay(number: day)), cashierId: "c2", approverId: "m1",
            reason: "dented", smallestCoin: 1, timeZone: "Asia/Shanghai", attachments: [])
    }

    private func code(of result: Result<Refund, OrderRefusal>) -> String {
        switch result {
        case .success(let refund): String(refund.content.total)
        case .failure(let refusal): refusal.code
        }
    }

    @Test("It names the sale by the receipt's code and depends on nothing; the stock comes back")
    func recorded() async throws {
        let store = try await StoreFixture()
        let archive = SQLiteOrderArchive(store.database)
        let code = try Self.code()
        let refund = try await archive.refund(
            RefundDraft(
                of: .absent(Self.sale(code)),
                with: try Self.entry(1, [.init(article: "111", quantityMilli: 1000)]))
        ).get()
        #expect(refund.orderId == nil && refund.orderNumber == code.orderNumber)
        #expect(refund.content.total == 333 && refund.content.approverId == "m1")
        let pending = try #require(try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).first)
        let mutation = try Mutation(json: JSONParser.parse(pending.body))
        #expect(mutation.dependsOn.isEmpty)
        let payload = mutation.payload
        #expect(payload["receiptCode"]?.string == code.text)
        #expect(payload["orderNumber"]?.string == code.orderNumber && payload["orderId"] == nil)
        #expect(payload["lines"]?.array?.count == 1 && payload["total"] == 333)
    }

    @Test("All refunds of one code together are at most what it carries, and a key refunds once")
    func capped() async throws {
        let store = try await StoreFixture()
        let archive = SQLiteOrderArchive(store.database)
        let code = try Self.code()
        func refund(_ number: UInt64, _ items: [RefundEntry.Item] = []) async throws -> String {
            self.code(
                of: try await archive.refund(
                    RefundDraft(of: .absent(Self.sale(code)), with: try Self.entry(number, items))))
        }
        let two = [RefundEntry.Item(article: "tea", quantityMilli: 2000)]
        #expect(try await refund(1, two) == "667")
        #expect(try await refund(1, two) == "667")
        #expect(try await refund(2, two) == "more_than_left")
        #expect(try await refund(3) == "833")
        #expect(try await refund(4) == "nothing_left")
        // Another receipt has its own count.
        let other = try await archive.refund(
            RefundDraft(
                of: .absent(Self.sale(try Self.code("north-7-1-20261121-0002"))), with: try Self.entry(5)))
        #expect(self.code(of: other) == "1500")
    }

    @Test("What the hub reported as returned is not counted a second time")
    func reported() async throws {
        let store = try await StoreFixture()
        let archive = SQLiteOrderArchive(store.database)
        let code = try Self.code()
        let one = [RefundEntry.Item(article: "111", quantityMilli: 1000)]
        let first = try await archive.refund(
            RefundDraft(of: .absent(Self.sale(code)), with: try Self.entry(1, one))
        ).get()
        // The hub has the first one and another terminal's of one piece.
        let seen = Self.sale(code, limits: nil, orderId: "O1", returned: 2000, included: [first.id])
        #expect(
            self.code(
                of: try await archive.refund(RefundDraft(of: .absent(seen), with: try Self.entry(2, one))))
                == "333")
        let more = Self.sale(code, limits: nil, orderId: "O1", returned: 2000)
        #expect(
            self.code(
                of: try await archive.refund(RefundDraft(of: .absent(more), with: try Self.entry(3, one))))
                == "more_than_left")
    }

    @Test("The limits without the order hold for one refund and for the day, over receipts and none")
    func limited() async throws {
        let store = try await StoreFixture()
        let archive = SQLiteOrderArchive(store.database)
        let limits = RefundLimits(perRefund: 1000, perDay: 1800)
        func refund(
            _ number: UInt64, _ sale: AbsentSale, _ items: [RefundEntry.Item] = [], day: Int64 = 20_261_121
        ) async throws -> String {
            self.code(
                of: try await archive.refund(
                    RefundDraft(of: .absent(sale), with: try Self.entry(number, items, day: day))))
        }
        let tea = [RefundEntry.Item(article: "tea")]
        let pot = [RefundEntry.Item(article: "pot")]
        let first = Self.sale(try Self.code(), limits: limits)
        #expect(try await refund(1, first) == "refund_limit")
        #expect(try await refund(2, first, tea) == "1000")
        #expect(try await refund(3, Self.sale(nil, limits: limits), pot) == "500")
        let second = Self.sale(try Self.code("north-7-1-20261121-0002"), limits: limits)
        #expect(try await refund(4, second, pot) == "refund_limit")
        // With the hub's word for the sale nothing is limited, and nothing of it counts.
        let confirmed = Self.sale(try Self.code("north-7-1-20261121-0003"), limits: nil, orderId: "O3")
        #expect(try await refund(5, confirmed) == "1500")
        #expect(try await refund(6, second, pot, day: 20_261_122) == "500")
    }

    @Test("Without a receipt nothing names a sale")
    func withoutReceipt() async throws {
        let store = try await StoreFixture()
        let refund = try await SQLiteOrderArchive(store.database).refund(
            RefundDraft(of: .absent(Self.sale(nil)), with: try Self.entry(1, [.init(article: "pot")]))
        ).get()
        #expect(refund.orderId == nil && refund.orderNumber == nil)
        let pending = try #require(try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).first)
        let payload = try Mutation(json: JSONParser.parse(pending.body)).payload
        #expect(payload["receiptCode"] == nil && payload["orderNumber"] == nil && payload["orderId"] == nil)
    }
}
