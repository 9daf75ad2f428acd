import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Testing

@testable import Retail

@Suite("What is given back without the hub's word")
struct RefundLimitTests {
    @Test(
        "Nobody set a limit: it is by the currency's decimals; the store's own figure holds, a file lowers it"
    )
    func limits() {
        let standard = RefundLimitSettings()
        #expect(standard.limits(in: "EUR") == RefundLimits(perRefund: 20_000, perDay: 50_000))
        #expect(standard.limits(in: "KWD") == RefundLimits(perRefund: 200_000, perDay: 500_000))
        #expect(standard.limits(in: "JPY") == RefundLimits(perRefund: 20_000, perDay: 50_000))
        let store = RefundLimitSettings(
            perRefund: .init(own: nil, store: 1_000_000_000_000), perDay: .init(own: 700, store: 900))
        #expect(store.limits(in: "EUR") == RefundLimits(perRefund: 1_000_000_000_000, perDay: 700))
        // A file raises neither what the store set nor the default.
        let file = RefundLimitSettings(
            perRefund: .init(own: 1_000_000_000_000, store: nil), perDay: .init(own: 1_000, store: 900))
        #expect(file.limits(in: "EUR") == RefundLimits(perRefund: 20_000, perDay: 900))
    }

    @Test("A refusal of the hub names what came back, where and when, in both languages")
    func refused() throws {
        let midnight = try #require(BusinessDayBegin("00:00"))
        let calendar = try #require(BusinessCalendar(timeZone: "Europe/Berlin", begin: midnight))
        func refusal(_ decision: RefundDecision) -> OrderRefusal {
            .refusedByHub(
                HubRefusedRefund(
                    decision, orderNumber: "S1-1-20261125-0004", currency: "EUR", calendar: calendar))
        }
        let place = ReceiptSale.Refund.Place(
            storeId: "S1", terminalNumber: 2, at: "2026-11-25T19:07:00.000Z")
        let back = ReceiptSale.Refund(refundId: "R", total: 178, quantities: [:], place: place)
        let made = refusal(
            RefundDecision(
                .refused, reason: .exceedsSale, left: .init(amount: 0, lines: []), returned: [back]))
        #expect(made.code == "refund_exceeds_sale" && made.exit == .rule)
        #expect(
            made.message
                == "The hub refuses it: of S1-1-20261125-0004 1.78 EUR came back at till 2 of store S1 on "
                + "2026-11-25 20:07:00; 0.00 EUR of it is left. Nothing was given back.")
        #expect(
            made.text(in: .chinese)
                == "总部不同意退款：S1-1-20261125-0004 S1 店 2 号机于 2026-11-25 20:07:00 已退 1.78 EUR，只剩 0.00 EUR。未退款。")
        #expect(made.details.returned == [back])
        let reserved = ReceiptSale.Refund(
            refundId: "R", total: 178, quantities: [:], place: place, isReserved: true)
        #expect(
            refusal(RefundDecision(.refused, reason: .refunded, returned: [reserved])).message.contains(
                "1.78 EUR is being given back at till 2"))
        #expect(refusal(RefundDecision(.refused, reason: .foreignStore)).code == "order_foreign_store")
    }
}
