import OfflineCore
import Retail
import Testing

@Suite("Cashiers at the checkout")
struct CashierTests {
    private let ports = ScriptedPorts()

    init() {
        ports.copy.with { $0.pins = ["c1": "1234", "c2": "9876"] }
        ports.hub.with { $0.pins = ["c1": "1234", "c2": "9876"] }
    }

    private func sale(_ cashierId: String? = nil, _ pin: String? = nil) -> SaleRequest {
        SaleRequest(lines: [.init(barcode: "0")], cashierId: cashierId, pin: pin)
    }

    private func refusal(_ request: SaleRequest, at checkout: Checkout) async -> SaleRefusal? {
        do throws(SaleRefusal) {
            _ = try await checkout.sell(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("while the store has none, none is asked for and what is told passes")
    func none() async throws {
        ports.copy.with { $0.pins = [:] }
        let answer = try await ports.checkout().sell(sale("somebody", "0"))
        #expect(answer.sale.content.cashierId == "somebody")
        #expect(try await ports.checkout().sell(sale()).sale.content.cashierId == nil)
        #expect(ports.hub.log.isEmpty)
    }

    @Test("are needed with id and PIN, and told what to do without")
    func required() async throws {
        let checkout = try ports.checkout()
        for request in [sale(), sale("c1"), sale(nil, "1234"), sale("", "1234"), sale("c1", "")] {
            let refusal = await refusal(request, at: checkout)
            #expect(refusal == .cashierRequired)
            #expect(refusal?.exit == .rule)
        }
        #expect(ports.hub.log.isEmpty)
        #expect(ports.with { $0.sales.isEmpty })
    }

    @Test("are asked for at the hub once, and known from then on")
    func remembered() async throws {
        let checkout = try ports.checkout()
        for _ in 0..<3 { _ = try await checkout.sell(sale("c1", "1234")) }
        #expect(ports.hub.log == ["PIN of c1"])
        #expect(ports.copy.log.isEmpty)
        #expect(await refusal(sale("c1", "4321"), at: checkout) == .wrongPIN(cashierId: "c1"))
        ports.copy.with { $0.pins["c1"] = "5555" }
        ports.hub.with { $0.pins["c1"] = "5555" }
        #expect(await refusal(sale("c1", "1234"), at: checkout) == .wrongPIN(cashierId: "c1"))
        _ = try await checkout.sell(sale("c1", "5555"))
    }

    @Test(
        "are looked up in the till's own copy while the route is local, the answer is unclear or does not come"
    )
    func ownCopy() async throws {
        ports.with { $0.faultyServices = ["account"] }
        let local = try ports.checkout()
        _ = try await local.sell(sale("c1", "1234"))
        #expect(await refusal(sale("c2", "0000"), at: local) == .wrongPIN(cashierId: "c2"))
        #expect(await refusal(sale("nobody", "0000"), at: local) == .wrongPIN(cashierId: "nobody"))
        #expect(ports.hub.log.isEmpty)
        ports.with { $0.faultyServices = [] }
        ports.hub.with { $0.error = .unclear(detail: "503") }
        _ = try await ports.checkout().sell(sale("c1", "1234"))
        ports.hub.with {
            $0.error = nil; $0.isSilent = true
        }
        _ = try await ports.checkout().sell(sale("c1", "1234"))
        #expect(ports.hub.log == ["PIN of c1", "PIN of c1"])
    }

    @Test("that guess wait after five wrong ones, even for the right one, and no longer than a minute")
    func locked() async throws {
        let checkout = try ports.checkout()
        for _ in 0..<5 {
            #expect(await refusal(sale("c1", "0000"), at: checkout) == .wrongPIN(cashierId: "c1"))
        }
        #expect(await refusal(sale("c1", "1234"), at: checkout) == .pinLocked(cashierId: "c1", seconds: 60))
        #expect(ports.hub.log.count == 5)
        _ = try await checkout.sell(sale("c2", "9876"))
        ports.with { $0.wall += 60_000 }
        _ = try await checkout.sell(sale("c1", "1234"))
    }

    @Test("that ask many at once gain nothing by it")
    func lockedAtOnce() async throws {
        let checkout = try ports.checkout()
        let refusals = await withTaskGroup(of: SaleRefusal?.self) { group in
            for number in 0..<20 {
                group.addTask { await self.refusal(self.sale("c1", "00\(number)"), at: checkout) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.count { $0 == .wrongPIN(cashierId: "c1") } == 5)
        #expect(refusals.count { $0 == .pinLocked(cashierId: "c1", seconds: 60) } == 15)
    }

    @Test("that the hub locks are locked here too")
    func lockedByHub() async throws {
        ports.hub.with { $0.verdict = .locked(remaining: .milliseconds(1500)) }
        let refusal = await refusal(sale("c1", "1234"), at: try ports.checkout())
        #expect(refusal == .pinLocked(cashierId: "c1", seconds: 2))
        #expect(refusal?.code == "pin_locked")
    }

    @Test("do not matter to the second sale of a key")
    func replayed() async throws {
        let checkout = try ports.checkout()
        var request = sale("c1", "1234")
        request.key = ULID(high: 1, low: 1)
        let first = try await checkout.sell(request)
        request.pin = "0000"
        #expect(try await checkout.sell(request).sale.orderId == first.sale.orderId)
    }
}
