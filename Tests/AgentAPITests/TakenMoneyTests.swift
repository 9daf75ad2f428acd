import Base
import HubProtocol
import Testing

@testable import AgentAPI

@Suite("What was taken for a cart")
struct TakenMoneyTests {
    private static let cash = TakenTender(method: "cash", amount: MoneyAmount(5000, "EUR"), isInHand: true)
    private static let card = TakenTender(method: "card", amount: MoneyAmount(3900, "EUR"), isInHand: false)
    private static let voucher = TakenTender(
        method: "voucher", amount: MoneyAmount(2000, "EUR"), isInHand: true, reference: "V-7")
    private static let all = TakenMoney([cash, card, voucher])

    @Test(
        "goes back by tender when the cart is emptied, and a card was never charged; else it stays with the cart"
    )
    func ends() {
        for end in CartEnd.allCases {
            let back = Self.all.handBack(at: end)
            switch end {
            case .emptied:
                #expect(back == HandBack(inHand: [Self.cash, Self.voucher], notCharged: [Self.card]))
            case .sold, .parked, .left: #expect(back.isNothing)
            }
        }
        let lines = Self.all.handBack(at: .emptied).lines(in: .english) { $0 }
        #expect(
            lines == [
                "Hand back 50.00 EUR, cash", "Hand back 20.00 EUR, voucher (V-7)",
                "card 39.00 EUR: nothing was charged",
            ])
        let chinese = Self.all.handBack(at: .emptied).lines(in: .chinese) { _ in "刷卡" }
        #expect(chinese.last == "刷卡 39.00 EUR：未扣款")
    }

    @Test("loses a card once the total needs it no more, and never what was handed over")
    func fitting() {
        #expect(Self.all.fitting(10_900) == Self.all)
        #expect(Self.all.fitting(10_899) == TakenMoney([Self.cash, Self.voucher]))
        #expect(TakenMoney([Self.cash]).fitting(-5) == TakenMoney([Self.cash]))
        #expect(Self.all.inHand == 7000 && Self.all.sum == 10_900)
    }

    @Test("is in the documents of carts, and pays its part of the sale")
    func documents() throws {
        let summary = try checkDocument(
            CartSummary.self,
            """
            {"cartId":"01J000000000000000000000K1","frontEnd":"01J000000000000000000000F1;till","state":"left",\
            "lines":3,"total":{"amount":8900,"currency":"EUR"},"taken":[{"method":"cash","amount":5000,\
            "currency":"EUR","inHand":true}],"cashierId":null,"memberId":"M1","coupons":["A"],\
            "since":"2026-11-25T09:00:00.000Z","name":null}
            """)
        #expect(summary.money == TakenMoney([Self.cash]))
        #expect(summary.money.tenders == [SellCall.Tender(method: "cash", amountMinor: 5000)])
    }

    @Test("A kept cart arrives as it was sent; it needs a key, and none is none")
    func keeping() throws {
        var cart = SellCall(
            key: "01J000000000000000000000K1", lines: [EnteredLine(barcode: "690")],
            payments: [SellCall.Tender(method: "cash", amountMinor: 5000)], memberId: "M1")
        cart.points = 7
        let read = try KeepCartCall(body: try received(KeepCartCall(cart, revision: 3)))
        #expect(read == KeepCartCall(cart, revision: 3))
        #expect(try KeepCartCall(body: ["cart": nil, "revision": 1]).cart == nil)
        #expect(throws: RequestRefusal.self) { try KeepCartCall(body: ["revision": -1]) }
        #expect(throws: RequestRefusal.self) { try KeepCartCall(body: ["cart": nil]) }
        #expect(throws: RequestRefusal.self) {
            try KeepCartCall(body: ["cart": ["lines": []], "revision": 1])
        }
    }
}
