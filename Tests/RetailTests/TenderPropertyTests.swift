import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@Suite("Tenders of random sales")
struct TenderPropertyTests {
    private static let tenders = TenderList(json: [
        ["method": "cash", "kind": "cash"], ["method": "card", "kind": "card"],
        ["method": "wallet", "kind": "wallet"], ["method": "gift", "kind": "voucher"],
    ])

    private func cart(_ random: inout SplitMix64, _ number: UInt64) -> SaleRequest {
        let lines = (0...random.below(4)).map { _ in
            var line =
                random.below(2) == 0
                ? EnteredLine(
                    barcode: "4006381333931", quantityMilli: 1000 * Int64(2 + random.below(9)))
                : EnteredLine(barcode: "2000001", quantityMilli: 1000 + Int64(random.below(9_000)))
            line.discountMinor = Int64(random.below(60))
            return line
        }
        var request = SaleRequest(key: ULID(high: 1, low: number), lines: lines, memberId: "M1")
        if random.below(2) == 0 { request.points = Int64(10 + random.below(10)) }
        return request
    }

    /// Two cards and a voucher for random parts of `total`, and cash for the rest or for more than that.
    private func payments(
        of total: Int64, coin: Int64, _ random: inout SplitMix64
    ) -> [SaleRequest.Payment] {
        var rest = total
        var payments: [SaleRequest.Payment] = []
        for method in ["card", "gift", "wallet"] {
            let part = Int64(random.below(UInt64(rest) + 1))
            rest -= part
            // A number pays once.
            let voucher = method == "gift" ? "V\(random.next())" : nil
            payments.append(.init(method: method, amountMinor: part, reference: voucher))
        }
        let cash =
            random.below(2) == 0 ? nil : (rest + Int64(random.below(5_000))) / coin * coin + coin
        payments.insert(.init(method: "cash", amountMinor: cash), at: Int(random.below(4)))
        return payments
    }

    @Test(
        "the sum of the tenders is the total, the rounding of its cash and the change", arguments: 0..<6,
        [1, 5, 10] as [Int64])
    func sums(seed: UInt64, coin: Int64) async throws {
        var random = SplitMix64(seed: seed)
        let ports = ScriptedPorts()
        ports.hub.with { $0.members = ["M1": ("Li", "13800138000")] }
        let checkout = try ports.checkout(
            smallestCoin: coin, tenders: Self.tenders,
            points: PointsScheme(earnEvery: 100, value: 5, minimumSpend: 10),
            leases: ScriptedLeases(held: [("a", 1_000_000)]))
        for number in 0..<40 as Range<UInt64> {
            ports.with {
                $0.outcomes = [.done(.granted("A1")), .done(.granted("A2"))]
            }
            var request = cart(&random, number)
            let total = try await checkout.quote(request).totals.total
            request.payments = payments(of: total, coin: coin, &random)
            let content = try await checkout.sell(request).sale.content
            let paid = content.payments.reduce(0) { $0 + $1.amount }
            #expect(paid == content.totals.total + content.cashRounding + content.change)
            #expect(content.totals.total == total)
            #expect(total == content.lines.reduce(0) { $0 + $1.price.total })
            #expect(content.cashRounding.magnitude * 2 <= UInt64(coin) && content.change >= 0)
            #expect(content.payments.allSatisfy { $0.amount > 0 })
            let cash = content.payments.filter { $0.kind == .cash }.reduce(0) { $0 + $1.amount }
            #expect((cash - content.change) % coin == 0)
            #expect(cash >= content.change)
            let points = request.points ?? 0
            #expect(content.points?.spent == points && content.points?.value == 5 * points)
            #expect(content.lines.reduce(0) { $0 + $1.pointsValue } == 5 * points)
        }
    }
}
