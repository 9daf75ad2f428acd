import Base
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@Suite("The receipt")
struct ReceiptTests {
    private func sale(mode: Mode = .offline, voidedAt: Int64? = nil) throws -> Sale {
        let lines = [
            SaleLine(
                sku: "1", barcode: "1", name: "有机苹果",
                price: try PricedLine(
                    quantityMilli: 1500, unitPrice: 333, discount: 50, taxBasisPoints: 1300),
                discountReason: "bru\u{1B}\nised", isCounted: false)
        ]
        return Sale(
            key: ULID(high: 1, low: 1), orderId: "o",
            orderNumber: OrderNumber(
                storeId: "s", terminalNumber: 1,
                businessDay: try #require(BusinessDay(number: 20_261_121)), counter: 7),
            mutationId: "m",
            content: SaleContent(
                mode: mode, madeAt: 1_795_234_567_000, timeZone: "Asia/Shanghai", currency: "CNY",
                cashierId: "c1", memberId: nil, coupons: [], lines: lines,
                totals: try ReceiptTotals(lines: lines.map(\.price)),
                payments: [SalePayment(method: .cash, amount: 500)], cashRounding: 5, change: 45),
            isAcknowledged: false, voidedAt: voidedAt)
    }

    @Test("of a refund promises a card's money when the hub has it, and not once the hub refused it")
    func backByHub() throws {
        func text(_ sync: SyncState, _ language: Language = .english) throws -> String {
            var policy = try ScriptedPorts.policy()
            policy.language = language
            let card = CardApproval(authorizationKey: "K", approvalCode: "126010")
            let content = RefundContent(
                mode: .online, madeAt: 1_795_234_567_000, timeZone: "Asia/Shanghai", currency: "CNY",
                cashierId: nil, reason: nil, lines: [], total: 3954, taxes: [], cashRounding: 0,
                payments: [SalePayment(method: .card, amount: 3954, card: card)])
            return RefundReceipt(
                refund: Refund(id: "R", orderId: "O", orderNumber: "N", content: content, sync: sync),
                policy: policy
            ).text
        }
        #expect(try text(.pending).contains("hub has this refund"))
        #expect(try !text(.acknowledged).contains("hub"))
        #expect(try text(.conflicted).contains("refused by the hub"))
        #expect(try text(.conflicted, .chinese).contains("总部拒绝"))
    }

    @Test("of a refund promises nothing to a card that was refused after its sale")
    func refusedCard() throws {
        let payments = ["K", "L"].map { key in
            SalePayment(
                method: .card, amount: 1977, card: CardApproval(authorizationKey: key, approvalCode: key))
        }
        let content = RefundContent(
            mode: .online, madeAt: 1_795_234_567_000, timeZone: "Asia/Shanghai", currency: "CNY",
            cashierId: nil, reason: nil, lines: [], total: 3954, taxes: [], cashRounding: 0,
            payments: payments)
        var refund = Refund(id: "R", orderId: "O", orderNumber: "N", content: content, sync: .pending)
        refund.refusedCards = ["L"]
        var policy = try ScriptedPorts.policy()
        let text = RefundReceipt(refund: refund, policy: policy).text
        #expect(text.contains("Back to Card K") && !text.contains("Back to Card L"))
        #expect(text.contains("Not paid by Card L") && text.contains("no money goes back to it"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 40 })
        policy.language = .chinese
        #expect(RefundReceipt(refund: refund, policy: policy).text.contains("无款可退"))
    }

    @Test("has one line for one coupon and one for points, with what they take off all lines together")
    func coupons() throws {
        let lines = try (1...3).map { number in
            let gift = Reductions.Part(promotionId: "P", name: "Gift", coupon: nil, amount: 10)
            let welcome = Reductions.Part(
                promotionId: "W", name: "Welcome", coupon: "WELCOME-KQ7", amount: 33)
            return SaleLine(
                sku: "\(number)", barcode: "\(number)", name: "Apple \(number)",
                price: try PricedLine(
                    quantityMilli: 1000, unitPrice: 500, discount: 63, taxBasisPoints: 700),
                offers: [gift, welcome], discountReason: nil, isCounted: false, pointsValue: 20)
        }
        let content = SaleContent(
            mode: .online, madeAt: 1_795_234_567_000, timeZone: "Asia/Shanghai", currency: "CNY",
            cashierId: nil, memberId: nil, coupons: ["WELCOME-KQ7"], lines: lines,
            totals: try ReceiptTotals(lines: lines.map(\.price)),
            payments: [SalePayment(method: .cash, amount: 1311)], cashRounding: 0, change: 0)
        let plain = try sale()
        let text = Receipt(
            sale: Sale(
                key: plain.key, orderId: "o", orderNumber: plain.orderNumber, mutationId: "m",
                content: content, isAcknowledged: true, voidedAt: nil),
            policy: try ScriptedPorts.policy()
        ).text
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(rows.filter { $0.contains("WELCOME-KQ7") } == ["Welcome (WELCOME-KQ7) -0.99"])
        #expect(rows.filter { $0.hasPrefix("Points") } == ["Points -0.60"])
        #expect(rows.filter { $0.hasPrefix("Gift") }.count == 3, "an offer of an article stays below it")
        #expect(
            try #require(rows.firstIndex(of: "Welcome (WELCOME-KQ7) -0.99")) > #require(
                rows.firstIndex(of: "Apple 3")))
    }

    @Test("has everything in 40 columns, the offline mark included")
    func whole() throws {
        let text = Receipt(sale: try sale(), policy: try ScriptedPorts.policy()).text
        #expect(
            text == """
                          角落商店 Corner Shop
                          *** OFFLINE 离线 ***
                No. s-1-20261121-0007
                2026-11-21 12:16:07
                Cashier c1
                ----------------------------------------
                有机苹果
                  1.5 x 3.33                        5.00
                  Discount (bru  ised)             -0.50
                ----------------------------------------
                TOTAL CNY                           4.50
                Cash rounding                       0.05
                Cash                                5.00
                Change                              0.45
                Tax 13 % of 4.50                    0.52
                ----------------------------------------
                   Recorded offline, delivered later

                """)
    }

    @Test("an online sale has no mark, a voided one has its mark")
    func marks() throws {
        let policy = try ScriptedPorts.policy()
        #expect(!Receipt(sale: try sale(mode: .online), policy: policy).text.contains("OFFLINE"))
        #expect(Receipt(sale: try sale(voidedAt: 1), policy: policy).text.contains("VOID 作废"))
    }
}
