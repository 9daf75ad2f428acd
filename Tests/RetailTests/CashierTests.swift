import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import TestKit
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

    @Test("while the store has none, none is required and a named one is accepted")
    func none() async throws {
        ports.copy.with { $0.pins = [:] }
        let response = try await ports.checkout().sell(sale("somebody", "0"))
        #expect(response.sale.content.cashierId == "somebody")
        #expect(try await ports.checkout().sell(sale()).sale.content.cashierId == nil)
        #expect(ports.hub.log.isEmpty)
    }

    @Test("are required with id and PIN, and a refusal contains what to do")
    func required() async throws {
        let checkout = try ports.checkout()
        for request in [sale(), sale("c1"), sale(nil, "1234"), sale("", "1234"), sale("c1", "")] {
            let refusal = await refusal(request, at: checkout)
            #expect(refusal == .authority(.signInRequired))
            #expect(refusal?.exit == .rule)
        }
        #expect(ports.hub.log.isEmpty)
        #expect(ports.with { $0.sales.isEmpty })
    }

    @Test("are checked with the till's own copy once, and kept from then on; the hub gets no request")
    func remembered() async throws {
        let checkout = try ports.checkout()
        for _ in 0..<3 { _ = try await checkout.sell(sale("c1", "1234")) }
        #expect(ports.copy.log == ["PIN of c1"])
        #expect(ports.hub.log.isEmpty)
        #expect(await refusal(sale("c1", "4321"), at: checkout) == wrong("c1"))
        ports.copy.with { $0.pins["c1"] = "5555" }
        #expect(await refusal(sale("c1", "1234"), at: checkout) == wrong("c1"))
        _ = try await checkout.sell(sale("c1", "5555"))
        #expect(ports.hub.log.isEmpty)
    }

    @Test("without a verifier at the till are checked at the hub, while it responds")
    func atTheHub() async throws {
        ports.copy.with { $0.unverified = ["c1"] }
        let checkout = try ports.checkout()
        for _ in 0..<2 { _ = try await checkout.sell(sale("c1", "1234")) }
        #expect(ports.hub.log == ["PIN of c1"])
        ports.hub.with { $0.pins["new"] = "7777" }
        _ = try await checkout.sell(sale("new", "7777"))
        #expect(await refusal(sale("new", "0000"), at: checkout) == wrong("new"))
        ports.hub.with { $0.error = .unclear(detail: "503") }
        let unchecked = await refusal(sale("c1", "1234"), at: try ports.checkout())
        #expect(unchecked == .authority(.pinNotChecked(cashierId: "c1")))
        #expect(unchecked?.exit == .tryAgain)
        #expect(ports.with { $0.failedPINs["c1"] } == nil)
        ports.hub.with { $0.isSilent = true }
        ports.with { $0.waitBudget = .milliseconds(50) }
        let slow = try ports.checkout()
        for _ in 0..<2 {
            let silent = await refusal(sale("new", "7777"), at: slow)
            #expect(silent == .authority(.pinNotChecked(cashierId: "new")))
        }
        #expect(ports.saleWaits.current.slowServices == ["account"])
        // A response that nobody waits for any more spares the next sale its own.
        ports.hub.with {
            $0.isSilent = false; $0.error = nil
        }
        _ = await refusal(sale("new", "7777"), at: slow)
        await eventually { ports.saleWaits.current.waits(for: "account") }
        ports.hub.with { $0.error = .unclear(detail: "503") }
        _ = try await slow.sell(sale("new", "7777"))
        ports.with { $0.faultyServices = ["account"] }
        let queried = ports.hub.log.count
        #expect(await refusal(sale("new", "7777"), at: try ports.checkout()) == wrong("new"))
        #expect(ports.hub.log.count == queried)
    }

    @Test("that guess wait after five wrong ones, even for the right one, and no longer than a minute")
    func locked() async throws {
        let checkout = try ports.checkout()
        for _ in 0..<5 { #expect(await refusal(sale("c1", "0000"), at: checkout) == wrong("c1")) }
        #expect(await refusal(sale("c1", "1234"), at: checkout) == locked("c1", 60_000))
        #expect(ports.copy.log.count == 5)
        _ = try await checkout.sell(sale("c2", "9876"))
        ports.with { $0.wall += 59_999 }
        #expect(await refusal(sale("c1", "1234"), at: checkout) == locked("c1", 1))
        ports.with { $0.wall += 1 }
        _ = try await checkout.sell(sale("c1", "1234"))
        #expect(ports.with { $0.failedPINs.isEmpty })
    }

    @Test("wait over a restart of the program, a restart of the machine and a clock set forward")
    func lockedForGood() async throws {
        for number in 0..<5 {
            // Each try is a program of its own.
            #expect(await refusal(sale("c1", "000\(number)"), at: try ports.checkout()) == wrong("c1"))
        }
        ports.with {
            $0.wallShift = 86_400_000
            $0.wall += 10_000
        }
        #expect(await refusal(sale("c1", "1234"), at: try ports.checkout()) == locked("c1", 50_000))
        ports.with {
            $0.bootId = "boot-2"; $0.bootAt = $0.wall
        }
        #expect(await refusal(sale("c1", "1234"), at: try ports.checkout()) == locked("c1", 60_000))
        ports.with { $0.wall += 60_000 }
        _ = try await ports.checkout().sell(sale("c1", "1234"))
    }

    @Test("are counted before a PIN is checked, and a right PIN in memory starts the count again")
    func countedFirst() async throws {
        let checkout = try ports.checkout()
        _ = try await checkout.sell(sale("c1", "1234"))
        for _ in 0..<4 { #expect(await refusal(sale("c1", "0000"), at: checkout) == wrong("c1")) }
        _ = try await checkout.sell(sale("c1", "1234"))
        for _ in 0..<4 { #expect(await refusal(sale("c1", "0000"), at: checkout) == wrong("c1")) }
        #expect(ports.with { $0.failedPINs["c1"]?.count } == 4)
        ports.with { $0.peopleError = .diskFull(path: "/till") }
        let checks = ports.copy.log.count
        let refusal = await refusal(sale("c1", "9999"), at: checkout)
        #expect(refusal == .authority(.diskFull(path: "/till")))
        #expect(refusal?.exit == .notRecorded)
        #expect(ports.copy.log.count == checks)
    }

    @Test("that try many at once gain nothing")
    func lockedAtOnce() async throws {
        let checkout = try ports.checkout()
        let refusals = await withTaskGroup(of: SaleRefusal?.self) { group in
            for number in 0..<20 {
                group.addTask { await self.refusal(self.sale("c1", "00\(number)"), at: checkout) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.count { $0 == wrong("c1") } == 5)
        #expect(refusals.count { $0 == locked("c1", 60_000) } == 15)
    }

    @Test("that the hub locks are locked here too, and counted by the hub alone")
    func lockedByHub() async throws {
        ports.copy.with { $0.unverified = ["c1"] }
        ports.hub.with { $0.pinResult = .locked(remaining: .milliseconds(1500)) }
        let refusal = await refusal(sale("c1", "1234"), at: try ports.checkout())
        #expect(refusal == locked("c1", 1500))
        #expect(refusal?.code == "pin_locked")
        #expect(refusal?.details.waitMilliseconds == 1500)
        #expect(ports.with { $0.failedPINs.isEmpty })
    }

    private func wrong(_ id: String) -> SaleRefusal { .authority(.wrongPIN(cashierId: id)) }

    private func locked(_ id: String, _ milliseconds: Int64) -> SaleRefusal {
        .authority(.pinLocked(cashierId: id, milliseconds: milliseconds))
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
