import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import TestKit
import Testing

@Suite("Offers at the checkout")
struct OfferTests {
    private let ports = ScriptedPorts()

    private static func promotion(
        _ id: String, _ reduction: Promotion.Reduction, department: String? = nil, offline: Bool = true,
        needsCoupon: Bool = false
    ) -> Promotion {
        Promotion(
            id: id, name: "Offer \(id)", reduction: reduction, sku: nil, department: department,
            minimumQuantityMilli: 0, startsAt: nil, endsAt: nil, worksOffline: offline,
            needsCoupon: needsCoupon)
    }

    private static func coupon(_ code: String, _ promotionId: String, offline: Bool = true) -> Coupon {
        Coupon(
            code: code, promotionId: promotionId, memberId: nil, maximumUses: nil, uses: 0, expiresAt: nil,
            worksOffline: offline)
    }

    private static let dairy = promotion("P1", .percent(basisPoints: 1000), department: "dairy")
    private static let five = promotion("P2", .amount(5), needsCoupon: true)

    private func stock(_ counter: ScriptedCounter) {
        counter.with {
            $0.promotions = [Self.dairy, Self.five]
            $0.coupons = [Self.coupon("FIVE", "P2")]
        }
    }

    private let basket = SaleRequest(
        lines: [
            .init(barcode: "4006381333931", quantityMilli: 2000, discountMinor: 50, discountReason: "dented"),
            .init(barcode: "2000001", quantityMilli: 1000),
        ], payments: [.init(method: "cash", amountMinor: 1000)], memberId: "M1", coupons: ["FIVE"])

    private func refusal(_ request: SaleRequest) async throws -> SaleRefusal? {
        let checkout = try ports.checkout()
        do throws(SaleRefusal) {
            _ = try await checkout.sell(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("are not requested where there is none and no coupon")
    func none() async throws {
        let response = try await ports.checkout().sell(SaleRequest(lines: basket.lines))
        #expect(response.sale.content.totals.total == 533)
        #expect(ports.hub.log.isEmpty)
        #expect(ports.copy.log.isEmpty)
    }

    @Test(
        "take the same off at the hub and at the till, and payment and tax follow",
        arguments: [true, false])
    func taken(online: Bool) async throws {
        stock(ports.copy)
        if online { stock(ports.hub) } else { ports.with { $0.mode = .offline } }
        let response = try await ports.checkout().sell(basket)
        let content = response.sale.content
        // 200 − 10 % leaves 180; five off 180 and 333 are 2 and 3.
        #expect(content.lines.map(\.price.total) == [178, 330])
        #expect(content.lines.map(\.price.discount) == [72, 3])
        #expect(content.lines.map(\.ownDiscount) == [50, 0])
        #expect(content.lines.map { $0.offers.map(\.amount) } == [[20, 2], [3]])
        #expect(content.totals.total == 508)
        #expect(content.change == 492)
        #expect(content.totals.taxes.map(\.paid) == [178, 330])
        #expect(content.coupons == ["FIVE"])
        #expect((online ? ports.copy : ports.hub).log.filter { $0.hasPrefix("offers") } == [])
    }

    @Test("are printed on the receipt by name under their line, and a coupon's once behind all lines")
    func receipt() async throws {
        stock(ports.hub)
        stock(ports.copy)
        let receipt = try await ports.checkout().sell(basket).receipt
        #expect(
            receipt.contains(
                """
                Milk 1l
                  2 x 1.25                          2.50
                  Discount (dented)                -0.50
                  Offer P1                         -0.20
                苹果
                  1 x 3.33                          3.33
                  Offer P2 (FIVE)                  -0.05
                """), "\(receipt)")
    }

    @Test("whose coupon takes nothing off refuse the sale before any tender, with its name and the reason")
    func refused() async throws {
        stock(ports.hub)
        var request = basket
        request.coupons = ["FIVE", "NINE"]
        request.payments = [.init(method: "card")]
        let refusal = try #require(try await refusal(request))
        #expect(refusal == .couponRefused(code: "NINE", objection: .unknown))
        #expect(refusal.code == "coupon_refused")
        #expect(refusal.exit == .rule)
        #expect(refusal.message.contains("NINE"))
        #expect(ports.log.isEmpty)
        ports.with { $0.mode = .offline }
        ports.copy.with {
            $0.isOffline = true; $0.coupons = [Self.coupon("NINE", "P2", offline: false)]
            $0.promotions = [Self.five]
        }
        request.coupons = ["NINE"]
        #expect(try await self.refusal(request) == .couponRefused(code: "NINE", objection: .needsHub))
        let messages = CouponObjection.allCases.map {
            SaleRefusal.couponRefused(code: "X", objection: $0).message
        }
        #expect(Set(messages).count == CouponObjection.allCases.count)
    }

    @Test("of coupons that the till cannot read are passed on unread, and promotions are still applied")
    func unread() async throws {
        ports.with { $0.mode = .offline }
        let plain = try await ports.checkout().sell(basket)
        #expect(plain.sale.content.coupons == ["FIVE"])
        #expect(plain.sale.content.totals.total == 533)
        ports.copy.with { $0.promotions = [Self.dairy] }
        let response = try await ports.checkout().sell(basket)
        #expect(response.sale.content.coupons == ["FIVE"])
        #expect(response.sale.content.totals.total == 513)
    }

    @Test("for another sale, or of more than its amount, are refused")
    func misfits() async throws {
        stock(ports.copy)
        func part(_ amount: Int64) -> Reductions.Part {
            Reductions.Part(promotionId: "P", name: "n", coupon: nil, amount: amount)
        }
        let taken = [Reductions.CouponResponse(code: "FIVE", objection: nil)]
        let misfits = [
            OfferResponse(lines: [[]], coupons: taken), OfferResponse(lines: [[], []], coupons: []),
            OfferResponse(lines: [[part(201)], []], coupons: taken),
            OfferResponse(lines: [[part(-1)], []], coupons: taken),
            OfferResponse(lines: [[part(.max), part(.max)], []], coupons: taken),
        ]
        for misfit in misfits {
            ports.hub.with { $0.response = misfit }
            #expect(try await ports.checkout().sell(basket).sale.content.totals.total == 508)
        }
    }

    @Test("of a hub that does not respond cost one sale its budget, its push included, and the next nothing")
    func silence() async throws {
        stock(ports.copy)
        ports.copy.with { $0.members = ["M1": ("Li", "")] }
        ports.hub.with { $0.isSilent = true }
        ports.with { $0.waitBudget = .milliseconds(50) }
        let checkout = try ports.checkout()
        for _ in 0..<3 {
            let content = try await checkout.sell(basket).sale.content
            #expect(content.totals.total == 508)
            #expect(content.memberName == "Li")
        }
        // The first sale did not wait for its push any more; the others had their complete budget for it.
        #expect(ports.log.filter { $0.hasPrefix("wait") } == ["wait 50", "wait 50"])
        #expect(ports.saleWaits.current.slowServices == ["member"])
        // The requests of the others were sent all the same, and nobody waited for them.
        await eventually { ports.hub.log.filter { $0 == "offers FIVE" }.count == 3 }
        await eventually { ports.hub.log.filter { $0 == "member M1" }.count == 3 }
        ports.hub.with {
            $0.isSilent = false; $0.members = ["M1": ("Of the hub", "")]
        }
        stock(ports.hub)
        _ = try await checkout.sell(basket)
        await eventually { ports.saleWaits.current.waits(for: "member") }
        #expect(try await checkout.sell(basket).sale.content.memberName == "Of the hub")
    }

    @Test("that cannot be read from the disk sell nothing, as a catalogue that cannot be read")
    func unavailable() async throws {
        stock(ports.copy)
        ports.with { $0.mode = .offline }
        ports.copy.with { $0.error = .unavailable(detail: "disk I/O") }
        #expect(try await refusal(basket) == .notRecorded(detail: "disk I/O"))
    }
}
