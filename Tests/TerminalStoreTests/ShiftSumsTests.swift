import Base
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Testing

@testable import Retail
@testable import TerminalStore

/// X and Z against sums that are kept beside the journal, sale by sale, and know nothing of how a shift is
/// added up.
@Suite("X and Z against the day")
struct ShiftSumsTests {
    /// What the day came to, as somebody at the counter would write it down.
    private struct Ledger {
        var (sales, refunds, voids): ((Int64, Int64), (Int64, Int64), (Int64, Int64)) = (
            (0, 0), (0, 0), (0, 0)
        )
        var moved: [CashMove.Kind: Int64] = [:]
        var tenders: [String: (count: Int64, amount: Int64)] = [:]
        var taxes: [Int64: (paid: Int64, tax: Int64)] = [:]

        mutating func pay(_ payments: [SalePayment], change: Int64, sign: Int64) {
            for payment in payments {
                tenders[payment.method.name, default: (0, 0)].count += 1
                tenders[payment.method.name, default: (0, 0)].amount += sign * payment.amount
            }
            if change != 0 { tenders["cash", default: (0, 0)].amount -= sign * change }
        }

        mutating func tax(_ shares: [ReceiptTotals.TaxShare], sign: Int64) {
            for share in shares {
                taxes[share.basisPoints, default: (0, 0)].paid += sign * share.paid
                taxes[share.basisPoints, default: (0, 0)].tax += sign * share.tax
            }
        }

        func agrees(with sums: ShiftSums) -> Bool {
            let own: [Int64] = [sales.0, sales.1, refunds.0, refunds.1, voids.0, voids.1]
            let counted: [Int64] = [
                sums.sales.count, sums.sales.total, sums.refunds.count, sums.refunds.total, sums.voids.count,
                sums.voids.total,
            ]
            guard own == counted, CashMove.Kind.allCases.allSatisfy({ sums.cashMoves[$0] == moved[$0] ?? 0 }),
                sums.uncounted.count == 0,
                sums.tenders.map(\.method) == tenders.keys.sorted(),
                sums.taxes.map(\.taxBasisPoints) == taxes.keys.sorted()
            else { return false }
            for tender in sums.tenders {
                guard let known = tenders[tender.method], known == (tender.count, tender.amount) else {
                    return false
                }
            }
            for tax in sums.taxes {
                guard let known = taxes[tax.taxBasisPoints], known == (tax.paid, tax.tax) else {
                    return false
                }
            }
            return true
        }

        var cash: Int64 {
            (tenders["cash"]?.amount ?? 0) + (moved[.in] ?? 0) - (moved[.out] ?? 0) - (moved[.drop] ?? 0)
        }
    }

    /// A till with its day.
    private struct Day {
        let store: StoreFixture
        let currency: String
        var random: SplitMix64
        var ledger = Ledger()
        /// Sales that can still be voided, refunded or refused.
        var sales: [Sale] = []
        var number: UInt64 = 0
        let businessDay: BusinessDay

        init(_ store: StoreFixture, currency: String, seed: UInt64) throws {
            (self.store, self.currency) = (store, currency)
            random = SplitMix64(seed: seed)
            businessDay = try #require(BusinessDay(number: 20_261_121))
        }

        mutating func below(_ bound: Int) -> Int { Int(random.below(UInt64(bound))) }

        /// One or two lines at other rates, paid by voucher and cash in any shares, with change.
        mutating func sell(counts: Bool = true) async throws {
            number += 1
            var lines: [SaleLine] = []
            for place in 0...below(2) {
                let price = try PricedLine(
                    quantityMilli: Int64(1 + below(3)) * 1_000, unitPrice: Int64(1 + below(5_000)),
                    discount: 0,
                    taxBasisPoints: [0, 900, 1_300, 1_950][below(4)])
                lines.append(
                    SaleLine(
                        sku: "S\(place)", barcode: "\(place)", name: "A", price: price, discountReason: nil,
                        isCounted: false))
            }
            let totals = try ReceiptTotals(lines: lines.map(\.price))
            let voucher = below(3) == 0 ? Int64(below(Int(totals.total))) : 0
            let change = Int64(below(50))
            var payments = [SalePayment(method: .cash, amount: totals.total - voucher + change)]
            if voucher > 0 {
                payments.insert(SalePayment(method: Settlement.Method("voucher"), amount: voucher), at: 0)
            }
            let content = SaleContent(
                mode: .offline, madeAt: StoreFixture.noon, timeZone: "Asia/Shanghai", currency: currency,
                cashierId: number % 2 == 0 ? "c1" : "c2", memberId: nil, coupons: [], lines: lines,
                totals: totals, payments: payments, cashRounding: 0, change: change)
            let draft = SaleDraft(
                key: StoreFixture.key(number), orderId: nil, businessDay: businessDay, content: content)
            sales.append(try await store.ledger.commit(draft).sale)
            guard counts else { return }
            ledger.sales.0 += 1
            ledger.sales.1 += totals.total
            ledger.pay(payments, change: change, sign: 1)
            ledger.tax(totals.taxes, sign: 1)
        }

        mutating func void() async throws {
            guard !sales.isEmpty else { return }
            let sale = sales.remove(at: below(sales.count))
            let entry = VoidEntry(
                mode: .offline, madeAt: StoreFixture.noon, businessDay: businessDay, cashierId: nil,
                reason: nil)
            _ = try await SQLiteOrderArchive(store.database).void(orderId: sale.orderId, with: entry)
            ledger.voids.0 += 1
            ledger.voids.1 += sale.content.totals.total
            ledger.pay(sale.content.payments, change: sale.content.change, sign: -1)
            ledger.tax(sale.content.totals.taxes, sign: -1)
        }

        mutating func refund() async throws {
            guard !sales.isEmpty else { return }
            let sale = sales.remove(at: below(sales.count))
            number += 1
            let entry = RefundEntry(
                key: StoreFixture.key(number), items: [RefundEntry.Item(article: "S0", quantityMilli: 1_000)],
                mode: .offline, madeAt: StoreFixture.noon, businessDay: businessDay, cashierId: "c1",
                reason: "dented", smallestCoin: 1, timeZone: "Asia/Shanghai", attachments: [])
            let refund = try await SQLiteOrderArchive(store.database).refund(
                RefundDraft(of: .order(sale.orderId), with: entry)
            ).get()
            ledger.refunds.0 += 1
            ledger.refunds.1 += refund.content.total
            ledger.pay(refund.content.payments, change: 0, sign: -1)
            ledger.tax(refund.content.taxes, sign: -1)
        }

        mutating func move() async throws {
            let kind = CashMove.Kind.allCases[below(4)]
            let amount = kind == .noSale ? 0 : Int64(1 + below(900))
            _ = try await SQLiteShifts(store.database).move(
                CashMoveDraft(
                    key: nil, kind: kind, amount: amount, currency: currency, reason: "r",
                    person: Authorization(cashierId: "c1", approverId: nil), madeAt: StoreFixture.noon,
                    businessDay: businessDay, timeZone: "Asia/Shanghai")
            ).get()
            ledger.moved[kind, default: 0] += kind == .noSale ? 1 : amount
        }

        /// The hub refuses a sale. It is sent again as it was or with another tender, or given up; the money
        /// is in the drawer in each case.
        mutating func refuse() async throws {
            guard !sales.isEmpty else { return }
            let sale = sales.remove(at: below(sales.count))
            try await SQLiteOutbox(store.database).record(
                [
                    PushResult(
                        id: sale.mutationId, outcome: .rejected, document: #"{"problem":{"detail":"no"}}"#)
                ],
                acknowledgedThrough: nil)
            let refusals = Refusals(SQLiteRefusals(store.database))
            switch below(3) {
            case 0: _ = try await refusals.resend(sale.mutationId)
            case 1:
                _ = try await refusals.discard(
                    sale.mutationId, reason: "given up", by: nil, at: StoreFixture.noon)
            case _:
                let body = try await store.database.read { connection in
                    try Blob.fetchOne(
                        connection, sql: "SELECT body FROM journal WHERE id = ?", arguments: [sale.mutationId]
                    )
                }
                let old = try JSONParser.parse(try #require(body).bytes)["payload"]
                var payload = try #require(old?.object)
                payload["payments"] = [["method": "slip", "amount": .integer(sale.content.totals.total)]]
                payload["change"] = 0
                _ = try await refusals.resend(sale.mutationId, payload: .object(payload))
                ledger.pay(sale.content.payments, change: sale.content.change, sign: -1)
                for payment in sale.content.payments {
                    ledger.tenders[payment.method.name, default: (0, 0)].count -= 2
                    if ledger.tenders[payment.method.name]?.count == 0 {
                        ledger.tenders[payment.method.name] = nil
                    }
                }
                ledger.pay(
                    [SalePayment(method: Settlement.Method("slip"), amount: sale.content.totals.total)],
                    change: 0, sign: 1)
            }
        }
    }

    /// As people write it.
    private func text(_ amount: Int64, decimals: Int) -> String {
        guard decimals > 0 else { return "\(amount)" }
        let digits = String(amount.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (amount < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    @Test(
        "Random days with edits and discards come to what was written down, in any currency",
        arguments: 1...8 as ClosedRange<UInt64>, [("CNY", 2), ("JPY", 0), ("KWD", 3)])
    func days(seed: UInt64, money: (currency: String, decimals: Int)) async throws {
        let store = try await StoreFixture()
        var day = try Day(store, currency: money.currency, seed: seed)
        // What was sold before the shift can be voided and refunded in it.
        for _ in 0..<3 { try await day.sell(counts: false) }
        let shifts = SQLiteShifts(store.database)
        let opened = try await shifts.open(
            ShiftDraft(
                float: 7_000, currency: money.currency,
                person: Authorization(cashierId: "c1", approverId: nil), madeAt: StoreFixture.noon,
                businessDay: day.businessDay, timeZone: "Asia/Shanghai")
        ).get()
        let before = day.sales
        for _ in 0..<60 {
            switch day.below(8) {
            case 0: try await day.void()
            case 1: try await day.refund()
            case 2: try await day.move()
            case 3:
                // A refused sale of before the shift belongs to none.
                let kept = day.sales
                day.sales.removeAll { sale in before.contains { $0.orderId == sale.orderId } }
                let own = day.sales.count
                try await day.refuse()
                if day.sales.count == own { day.sales = kept }
            case _: try await day.sell()
            }
            if day.below(10) == 0 {
                let x = try await shifts.shift(opened.opening.shiftId).get()
                #expect(day.ledger.agrees(with: x.sums), "\(x.sums)\n\(day.ledger)")
            }
        }
        let expected = 7_000 + day.ledger.cash
        let z = try await shifts.close(
            ShiftCount(
                cash: 7_001, others: [], person: Authorization(cashierId: "c2", approverId: nil),
                madeAt: StoreFixture.noon + 9)
        ).get()
        #expect(day.ledger.agrees(with: z.sums), "\(z.sums)\n\(day.ledger)")
        #expect(z.closing?.cash == ShiftClosing.Cash(expected: expected, counted: 7_001))
        let calendar = try #require(BusinessCalendar(timeZone: "Asia/Shanghai"))
        let report = ShiftReport(
            shift: z, policy: CheckoutPolicy(calendar: calendar, receiptHeader: [])
        ).text
        let lines = report.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.contains(["Cash", "expected", text(expected, decimals: money.decimals)]), "\(report)")
        #expect(lines.contains(["Cash", "counted", text(7_001, decimals: money.decimals)]), "\(report)")
    }
}
