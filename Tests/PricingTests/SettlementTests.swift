import Pricing
import Testing

@Suite("A settlement")
struct SettlementTests {
    private func settle(
        _ total: Int64, _ tenders: [(Settlement.Method, Int64?)], coin: Int64 = 1
    ) throws(PricingError) -> Settlement {
        try Settlement(
            total: total, tenders: tenders.map { .init(method: $0.0, amount: $0.1) }, smallestCoin: coin)
    }

    @Test("no tender is exact cash, and nothing is paid by nothing")
    func exactCash() throws {
        let exact = try settle(1250, [])
        #expect(exact.payments.map(\.amount) == [1250])
        #expect(exact.change == 0)
        #expect(try settle(0, []).payments.isEmpty)
        #expect(try settle(0, [(.cash, 0)]).payments.isEmpty)
    }

    @Test("cash above the total gives change, cash below it is short")
    func change() throws {
        let settled = try settle(1250, [(.cash, 2000)])
        #expect(settled.payments.map(\.amount) == [2000])
        #expect(settled.change == 750)
        #expect(throws: PricingError.tenderShort(due: 1250, tendered: 1249)) {
            try settle(1250, [(.cash, 1249)])
        }
    }

    @Test(
        "cash is rounded to the smallest coin, half away from zero",
        arguments: [
            (1001, 1000, -1), (1002, 1000, -2), (1003, 1005, 2), (1005, 1005, 0), (2, 0, -2), (3, 5, 2),
        ] as [(Int64, Int64, Int64)])
    func rounding(total: Int64, due: Int64, rounding: Int64) throws {
        let settled = try settle(total, [(.cash, 10_000)], coin: 5)
        #expect(settled.cashRounding == rounding)
        #expect(settled.change == 10_000 - due)
        #expect(try settle(total, [], coin: 5).payments.map(\.amount) == (due == 0 ? [] : [due]))
    }

    @Test("an even coin rounds its half up")
    func evenCoin() throws {
        #expect(try settle(1005, [], coin: 10).cashRounding == 5)
        #expect(try settle(1004, [], coin: 10).cashRounding == -4)
    }

    @Test("a card pays to the unit, only the rest in cash is rounded")
    func mixed() throws {
        let settled = try settle(1003, [(.card, 500), (.cash, 1000)], coin: 5)
        #expect(settled.cashRounding == 2)
        #expect(settled.change == 495)
        let cardOnly = try settle(1003, [(.card, nil)], coin: 5)
        #expect(cardOnly.cashRounding == 0)
        #expect(cardOnly.payments == [.init(method: .card, amount: 1003)])
        let cardTakesRest = try settle(1003, [(.cash, 501), (.card, nil)], coin: 5)
        #expect(cardTakesRest.payments.map(\.amount) == [501, 502])
        #expect(cardTakesRest.cashRounding == 0)
    }

    @Test("an open card takes nothing when the cash covers all, and cash gives the change")
    func openCardCovered() throws {
        let settled = try settle(500, [(.cash, 700), (.card, nil)])
        #expect(settled.payments == [.init(method: .cash, amount: 700)])
        let openVoucher = try settle(500, [(.cash, nil), (.init("voucher"), 200)])
        #expect(
            openVoucher.payments == [
                .init(method: .cash, amount: 300), .init(method: .init("voucher"), amount: 200, place: 1),
            ])
        #expect(settled.change == 200)
    }

    @Test("a card never pays more than the total and never half of it alone")
    func cardLimits() {
        #expect(throws: PricingError.cardAboveTotal(total: 500, card: 501)) {
            try settle(500, [(.card, 501)])
        }
        #expect(throws: PricingError.tenderShort(due: 500, tendered: 499)) {
            try settle(500, [(.card, 499)])
        }
    }

    @Test("two open tenders, negative tenders and absurd ones are refused")
    func refused() {
        #expect(throws: PricingError.severalOpenTenders) { try settle(5, [(.cash, nil), (.card, nil)]) }
        #expect(throws: PricingError.negativeAmount(-1)) { try settle(5, [(.cash, -1)]) }
        #expect(throws: PricingError.overflow) {
            try settle(5, [(.cash, MoneyRange.maximum), (.cash, 1)])
        }
        #expect(throws: PricingError.overflow) { try settle(5, [(.cash, .max)]) }
    }

    @Test("what was tendered less the change is the total and its rounding, whatever the mixture")
    func balances() throws {
        for total in stride(from: Int64(0), through: 60, by: 1) {
            for cash in stride(from: Int64(0), through: 80, by: 7) {
                for coin in [1, 5, 10] as [Int64] {
                    for tenders in [
                        [(.cash, cash), (.card, nil)], [(.card, min(cash, total)), (.cash, nil)],
                    ]
                        as [[(Settlement.Method, Int64?)]]
                    {
                        let settled = try settle(total, tenders, coin: coin)
                        let paid = settled.payments.reduce(0) { $0 + $1.amount }
                        #expect(paid - settled.change == total + settled.cashRounding)
                        #expect(abs(settled.cashRounding) * 2 <= coin)
                    }
                }
            }
        }
    }
}
