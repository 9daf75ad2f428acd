import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@Suite("Points at the checkout")
struct PointsTests {
    private let ports = ScriptedPorts()
    private let scheme = PointsScheme(earnEvery: 100, value: 5, minimumSpend: 10)

    private func content(of memberId: String?, _ scheme: PointsScheme) async throws -> SaleContent {
        let response = try await ports.checkout(points: scheme).sell(
            SaleRequest(
                lines: [.init(barcode: "4006381333931", quantityMilli: 2000), .init(barcode: "2000001")],
                memberId: memberId))
        return response.sale.content
    }

    @Test("A known member earns with and without the hub; nobody else does", arguments: [true, false])
    func earned(online: Bool) async throws {
        (online ? ports.hub : ports.copy).with { $0.members = ["M1": ("Li", "13800138000")] }
        if !online { ports.with { $0.mode = .offline } }
        let sold = try await content(of: "13800138000", scheme)
        #expect(sold.totals.total == 583)
        #expect(sold.points == SalePoints(earned: 5, spent: 0, value: 0))
        #expect(try await content(of: "unknown", scheme).points == nil)
        #expect(try await content(of: nil, scheme).points == nil)
        #expect(try await content(of: "M1", .none).points == nil)
        let quote = try await ports.checkout(points: scheme).quote(
            SaleRequest(lines: [.init(barcode: "4006381333931", quantityMilli: 2000)], memberId: "M1"))
        #expect(quote.points == SalePoints(earned: 2, spent: 0, value: 0))
    }

    @Test("The receipt has the points in both languages")
    func receipt() async throws {
        ports.hub.with { $0.members = ["M1": ("Li", "13800138000")] }
        let response = try await ports.checkout(points: scheme).sell(
            SaleRequest(lines: [.init(barcode: "4006381333931", quantityMilli: 2000)], memberId: "M1"))
        #expect(response.receipt.contains("Points earned: 2"))
    }
}
