import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Testing

@testable import Retail

@Suite("Vouchers at the till")
struct VoucherTests {
    private static func checkout(_ ports: ScriptedPorts) throws -> Checkout {
        try ports.checkout(
            tenders: TenderList(json: [
                ["method": "cash", "kind": "cash"], ["method": "gift", "kind": "voucher"],
            ]))
    }

    /// The refusal of a sale by vouchers of 1.00 with these numbers and cash for the rest; nil: it was sold.
    private static func refusal(
        _ numbers: [String], isConfirmed: Bool = false, at checkout: Checkout
    ) async -> SaleRefusal? {
        var request = SaleRequest(
            lines: [.init(barcode: "4006381333931")],
            payments: numbers.map { .init(method: "gift", amountMinor: 100, reference: $0) }
                + [.init(method: "cash")])
        request.isVoucherConfirmed = isConfirmed
        do throws(SaleRefusal) {
            _ = try await checkout.sell(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("a number that paid a sale of this till is refused with that sale, and taken once it is confirmed")
    func second() async throws {
        let ports = ScriptedPorts()
        let checkout = try Self.checkout(ports)
        #expect(await Self.refusal(["GV1"], at: checkout) == nil)
        let refusal = await Self.refusal(["GV1"], at: checkout)
        let first = try #require(ports.with { $0.sales.values.first })
        #expect(refusal == .voucherUsed(number: "GV1", order: first.orderNumber.description))
        #expect(refusal?.code == "voucher_used")
        #expect(await Self.refusal(["GV2"], at: checkout) == nil)
        #expect(await Self.refusal(["GV1"], isConfirmed: true, at: checkout) == nil)
    }

    @Test("a number twice in one sale is refused, whatever was confirmed")
    func twice() async throws {
        let checkout = try Self.checkout(ScriptedPorts())
        #expect(
            await Self.refusal(["GV1", "gv 1"], isConfirmed: true, at: checkout)
                == .voucherUsed(number: "gv 1", order: nil))
    }
}
