import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Synchronization
import Testing

@Suite("Coupons for a limited number of sales")
struct CouponLeaseTests {
    private let ports = ScriptedPorts()

    /// Coupons `ONE` for one sale, `ANY` for any number, and `HUB` for one sale with the hub alone.
    private func scripted(online: Bool) {
        for side in [ports.hub, ports.copy] {
            side.with { state in
                state.promotions = [
                    Promotion(
                        id: "P", name: "Offer", reduction: .amount(10), sku: nil, department: nil,
                        minimumQuantityMilli: 0, startsAt: nil, endsAt: nil, worksOffline: true,
                        needsCoupon: true)
                ]
                state.coupons = [("ONE", 1, true), ("ANY", nil, true), ("HUB", 1, false)].map {
                    Coupon(
                        code: $0.0, promotionId: "P", memberId: nil, maximumUses: $0.1, uses: 0,
                        expiresAt: nil, worksOffline: $0.2)
                }
            }
        }
        ports.copy.with { $0.isOffline = true }
        if !online { ports.with { $0.mode = .offline } }
    }

    private func sell(_ coupons: [String], _ leases: ScriptedLeases) async throws -> Result<
        SaleContent, SaleRefusal
    > {
        let checkout = try ports.checkout(leases: leases)
        do throws(SaleRefusal) {
            return .success(
                try await checkout.sell(
                    SaleRequest(lines: [.init(barcode: "2000001", quantityMilli: 1000)], coupons: coupons)
                ).sale.content)
        } catch {
            return .failure(error)
        }
    }

    @Test("A sale uses one of the terminal's leases, with and without the hub", arguments: [true, false])
    func used(online: Bool) async throws {
        scripted(online: online)
        let leases = ScriptedLeases(held: [("a", 2)])
        let content = try await sell(["ANY", "ONE"], leases).get()
        #expect(
            content.leases == [
                LeaseUse(leaseId: "a", kind: .coupon, subject: "digest of ONE", amount: 1)
            ])
        #expect(content.coupons == ["ANY", "ONE"] && leases.wanted == [])
    }

    @Test("Online the hub lends by the code as it was typed; what it has not is refused")
    func lent() async throws {
        scripted(online: true)
        let leases = ScriptedLeases(held: [], lending: 1)
        #expect(try await sell(["ONE"], leases).get().leases.map(\.leaseId) == ["lent"])
        #expect(leases.subjects == ["ONE"] && leases.wanted == [1])
        let none = ScriptedLeases(held: [], lending: 0)
        #expect(try await sell(["ONE"], none) == .failure(.couponRefused(code: "ONE", objection: .lent)))
        // The hub alone counts what is valid with it alone.
        #expect(try await sell(["HUB"], none).get().leases == [])
    }

    @Test("A coupon that the hub alone has yet is sold under a lease, since the hub's evaluation says so")
    func newAtTheHub() async throws {
        scripted(online: true)
        ports.copy.with { $0.coupons = [] }
        let leases = ScriptedLeases(held: [], lending: 1)
        let content = try await sell(["ANY", "ONE"], leases).get()
        #expect(content.leases.map(\.subject) == ["digest of ONE"] && leases.subjects == ["ONE"])
        let none = ScriptedLeases(held: [])
        #expect(try await sell(["ONE"], none) == .failure(.couponRefused(code: "ONE", objection: .lent)))
    }

    @Test("What the hub recalled is returned while the terminal is online, again until the hub responds")
    func returned() async throws {
        scripted(online: true)
        let leases = ScriptedLeases(held: [("a", 1)])
        let checkout = try ports.checkout(leases: leases)
        await checkout.returnRecalledLeases()
        #expect(leases.with { $0.returns } == [])
        leases.with { ($0.recalled, $0.isSilent) = (["a"], true) }
        // Without the hub the terminal keeps what it has.
        ports.with { $0.mode = .offline }
        await checkout.returnRecalledLeases()
        #expect(leases.with { $0.returns } == [])
        ports.with { $0.mode = .online }
        for _ in 0..<2 { await checkout.returnRecalledLeases() }
        leases.with { $0.isSilent = false }
        for _ in 0..<2 { await checkout.returnRecalledLeases() }
        #expect(leases.with { $0.returns } == [["a"], ["a"], ["a"]])
        #expect(
            try await sell(["ONE"], leases) == .failure(.couponRefused(code: "ONE", objection: .lent)))
    }

    @Test("What a customer was quoted is kept for two minutes, and not longer than until it is sold")
    func needed() async throws {
        scripted(online: true)
        let leases = ScriptedLeases(held: [("a", 9)])
        let checkout = try ports.checkout(leases: leases)
        let request = SaleRequest(lines: [.init(barcode: "2000001", quantityMilli: 1000)], coupons: ["ONE"])
        _ = try await checkout.quote(request)
        leases.with { $0.recalled = ["a"] }
        ports.with { $0.wall += 119_999 }
        await checkout.returnRecalledLeases()
        #expect(leases.with { $0.returns } == [])
        ports.with { $0.wall += 1 }
        await checkout.returnRecalledLeases()
        #expect(leases.with { $0.returns } == [["a"]])
        leases.with { ($0.held, $0.recalled) = ([(id: "b", left: 9, until: 1 << 50)], ["b"]) }
        _ = try await checkout.sell(request)
        await checkout.returnRecalledLeases()
        #expect(leases.with { $0.returns } == [["a"], ["b"]])
    }

    @Test("A sale waits for the store's other tills once, whatever it lacks of them")
    func waits() async throws {
        scripted(online: false)
        for side in [ports.hub, ports.copy] {
            side.with { state in
                state.coupons = ["ONE", "TWO"].map {
                    Coupon(
                        code: $0, promotionId: "P", memberId: nil, maximumUses: 1, uses: 0, expiresAt: nil,
                        worksOffline: true)
                }
            }
        }
        let leases = ScriptedLeases(held: [])
        let tills = SlowTills(ports, leases)
        let checkout = try ports.checkout(leases: leases, tills: tills)
        let line = EnteredLine(barcode: "2000001", quantityMilli: 1000)
        _ = try await checkout.sell(SaleRequest(lines: [line], coupons: ["ONE", "TWO"]))
        #expect(tills.waited.withLock { $0 } == [.zero, .milliseconds(200)])
        _ = try await checkout.sell(SaleRequest(lines: [line], coupons: ["ONE"]))
        #expect(tills.waited.withLock { $0.last } == .zero, "the next sale has its own wait")
    }

    @Test("Without the hub and without a lease the coupon is refused, and nothing is sold")
    func refused() async throws {
        scripted(online: false)
        let none = ScriptedLeases(held: [], lending: 1)
        #expect(
            try await sell(["ONE"], none) == .failure(.couponRefused(code: "ONE", objection: .needsHub)))
        #expect(none.wanted == [])
        #expect(ports.log.isEmpty)
        #expect(try await sell(["ANY"], none).get().leases == [])
    }
}

/// Tills that give one use after 200 ms.
private final class SlowTills: LeaseSharing {
    private let ports: ScriptedPorts
    private let leases: ScriptedLeases
    let waited = Mutex<[Duration]>([])

    init(_ ports: ScriptedPorts, _ leases: ScriptedLeases) { (self.ports, self.leases) = (ports, leases) }

    var canTake: Bool { true }

    func take(_ amount: Int64, of subject: String, after waited: Duration) async {
        self.waited.withLock { $0.append(waited) }
        ports.with { $0.wall += 200 }
        leases.with { ($0.held, $0.subject) = ([(id: subject, left: 1, until: 1 << 50)], subject) }
    }
}
