import GRDB
import HubProtocol
import Pricing
import Retail
import Testing

@testable import TerminalStore

@Suite("Vouchers on the disk")
struct VouchersOnDiskTests {
    private static let gift = Settlement.Method("gift")

    private static func draft(_ number: UInt64, by voucher: String) throws -> SaleDraft {
        let cash = try StoreFixture.draft(number)
        let content = cash.content
        let payment = SalePayment(
            method: gift, amount: content.totals.total,
            details: PaymentDetails(kind: .voucher, reference: voucher))
        return SaleDraft(
            key: cash.key, orderId: nil, businessDay: cash.businessDay,
            content: SaleContent(
                mode: content.mode, madeAt: content.madeAt, timeZone: content.timeZone,
                currency: content.currency, cashierId: nil, memberId: nil, coupons: [],
                lines: content.lines, totals: content.totals, payments: [payment], cashRounding: 0, change: 0)
        )
    }

    @Test("a number is found with the sale that it paid, in every spelling, until the sale is voided")
    func found() async throws {
        let store = try await StoreFixture()
        let sale = try await store.ledger.commit(Self.draft(1, by: "GV 100")).sale
        let number = sale.orderNumber.description
        #expect(try await store.ledger.order(paidBy: "gift", "gv100") == number)
        #expect(try await store.ledger.order(paidBy: "mall", "GV100") == nil)
        #expect(try await store.ledger.order(paidBy: "gift", "GV101") == nil)
        try await store.database.write { database in
            try database.execute(sql: "UPDATE orders SET voided_at = 1")
        }
        #expect(try await store.ledger.order(paidBy: "gift", "GV100") == nil)
    }

    @Test("money that goes back to a voucher makes its number good again once all of it is back")
    func returned() async throws {
        let store = try await StoreFixture()
        let sale = try await store.ledger.commit(Self.draft(1, by: "GV")).sale
        let (payment, id) = (try #require(sale.content.payments.first), sale.orderId)
        let part = SalePayment(method: payment.method, amount: 1, details: payment.details)
        let rest = SalePayment(
            method: payment.method, amount: payment.amount - 1, details: payment.details)
        try await store.database.write { try VoucherTable(database: $0).giveBack([part], of: id) }
        #expect(try await store.ledger.order(paidBy: "gift", "GV") != nil)
        try await store.database.write { try VoucherTable(database: $0).giveBack([rest], of: id) }
        #expect(try await store.ledger.order(paidBy: "gift", "GV") == nil)
    }

    @Test("a repair finds the numbers in the journal's sales and refunds")
    func repaired() async throws {
        let store = try await StoreFixture()
        let sale = try await store.ledger.commit(Self.draft(1, by: "GV1")).sale
        _ = try await store.ledger.commit(Self.draft(2, by: "GV2"))
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
        let again = SQLiteSaleLedger(try TerminalDatabase.open(home: home.path))
        #expect(try await again.order(paidBy: "gift", "gv1") == sale.orderNumber.description)
        #expect(try await again.order(paidBy: "gift", "GV2") != nil)
        #expect(try await again.order(paidBy: "gift", "GV3") == nil)
    }
}
