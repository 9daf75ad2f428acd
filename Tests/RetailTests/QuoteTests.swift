import HubProtocol
import OfflineCore
import Pricing
import Retail
import Testing

@Suite("A quote and what it says besides its total")
struct QuoteTests {
    private let ports = ScriptedPorts()

    private static let basket = SaleRequest(lines: [.init(barcode: "4006381333931")])

    private static func promotion(
        _ id: String, department: String, from start: Int64? = nil, to end: Int64? = nil,
        needsCoupon: Bool = false
    ) -> Promotion {
        Promotion(
            id: id, name: id, reduction: .amount(1), sku: nil, department: department,
            minimumQuantityMilli: 0, startsAt: start, endsAt: end, worksOffline: true,
            needsCoupon: needsCoupon)
    }

    private func messages(_ request: SaleRequest) async throws -> [Quote.Message] {
        try await ports.checkout().quote(request).messages
    }

    @Test("has nothing to say of a plain basket, and knows no moment at which it ends")
    func plain() async throws {
        let quote = try await ports.checkout().quote(Self.basket)
        #expect(quote.messages.isEmpty)
        #expect(quote.validUntil == nil)
    }

    @Test("says that the member is unknown, and that a coupon is checked later only")
    func unknown() async throws {
        var basket = Self.basket
        (basket.memberId, basket.coupons) = ("M9", ["SPRING"])
        ports.with { $0.mode = .offline }
        #expect(try await messages(basket) == [.memberUnknown, .couponUnchecked])
        ports.copy.with {
            $0.promotions = [Self.promotion("P", department: "dairy", needsCoupon: true)]
            $0.coupons = [
                Coupon(
                    code: "SPRING", promotionId: "P", memberId: nil, maximumUses: nil, uses: 0,
                    expiresAt: nil, worksOffline: true)
            ]
            $0.members = ["M9": ("Nine", "1")]
        }
        #expect(try await messages(basket).isEmpty)
    }

    @Test("says that the total is another one than was quoted before, which a sale refuses")
    func changed() async throws {
        var basket = Self.basket
        basket.quotedTotalMinor = 125
        #expect(try await messages(basket).isEmpty)
        basket.quotedTotalMinor = 124
        #expect(try await messages(basket) == [.priceChanged])
        await #expect(throws: SaleRefusal.priceChanged(quoted: "1.24 CNY", total: "1.25 CNY")) {
            try await ports.checkout().sell(basket)
        }
    }

    @Test("says that an approver is needed, to a cashier and not to a manager")
    func approval() async throws {
        var basket = Self.basket
        basket.lines[0].unitPriceMinor = 99
        #expect(try await messages(basket).isEmpty)
        ports.copy.with {
            $0.pins = ["c1": "1234", "m1": "5678"]; $0.managers = ["m1"]
        }
        #expect(try await messages(basket) == [.approvalRequired])
        let checkout = try ports.checkout()
        _ = try await checkout.authority.signIn("c1", pin: "1234")
        #expect(try await checkout.quote(basket).messages == [.approvalRequired])
        _ = try await checkout.authority.signIn("m1", pin: "5678")
        #expect(try await checkout.quote(basket).messages.isEmpty)
    }

    @Test("says that the clocks differ, until a person has confirmed it")
    func clock() async throws {
        ports.with { $0.hubAhead = Int64(ClockComparison.refusal) + 1 }
        #expect(try await messages(Self.basket) == [.clockDiffers])
        var confirmed = Self.basket
        confirmed.isClockConfirmed = true
        #expect(try await messages(confirmed).isEmpty)
    }

    @Test("is valid until the next begin or end of an offer that reaches its lines")
    func validity() async throws {
        ports.copy.with {
            $0.promotions = [
                Self.promotion("A", department: "fruit", to: 10),
                Self.promotion("B", department: "dairy", to: 40),
                Self.promotion("C", department: "dairy", from: 30),
                Self.promotion("D", department: "dairy", to: 20, needsCoupon: true),
                Self.promotion("E", department: "dairy", from: 0),
            ]
        }
        #expect(try await ports.checkout().quote(Self.basket).validUntil == 30)
    }
}
