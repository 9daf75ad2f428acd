import OfflineCore
import Base
import OfflineMode
import Pricing
import Retail
import TestKit
import Testing

@Suite("A card at checkout")
struct CheckoutCardTests {
    private let ports = ScriptedPorts()
    private let milkByCard = SaleRequest(
        key: ULID(high: 7, low: 7), lines: [.init(barcode: "4006381333931")],
        payments: [.init(method: "card")])

    @Test("the intent is durable before the request, and the sale settles it")
    func authorized() async throws {
        ports.with { $0.outcomes = [.authorized(approvalCode: "A1")] }
        let response = try await ports.checkout().sell(milkByCard)
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "commit", "nudge", "wait 1500"])
        #expect(response.sale.orderId == "card-order-1")
        #expect(
            response.sale.content.payments == [
                SalePayment(
                    method: .card, amount: 125,
                    card: CardApproval(authorizationKey: "key-1", approvalCode: "A1"))
            ])
        #expect(response.receipt.contains("Card A1"))
    }

    @Test("a decline settles the intent and sells nothing")
    func declined() async throws {
        ports.with { $0.outcomes = [.declined(reason: "insufficient funds")] }
        await #expect(throws: SaleRefusal.cardDeclined(reason: "insufficient funds")) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "declined key-1"])
    }

    @Test("after a lost response the outcome is requested, and a granted authorisation is used")
    func foundByQuery() async throws {
        ports.with {
            $0.outcomes = [.unknown(detail: "timeout")]
            $0.queries = [.authorized(approvalCode: "A2")]
        }
        let response = try await ports.checkout().sell(milkByCard)
        #expect(response.sale.content.payments.first?.card?.approvalCode == "A2")
        #expect(
            ports.log.prefix(4) == ["intent key-1 125", "authorize key-1 60000", "query key-1", "commit"])
    }

    @Test("an unknown outcome is voided, never authorised again, and nothing is sold")
    func unknown() async throws {
        ports.with { $0.outcomes = [.unknown(detail: "timeout"), .authorized(approvalCode: "never")] }
        await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: "no answer")) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(
            ports.log == ["intent key-1 125", "authorize key-1 60000", "query key-1", "void key-1", "nudge"])
    }

    @Test("a granted card whose sale cannot be recorded is voided")
    func commitFails() async throws {
        ports.with {
            $0.outcomes = [.authorized(approvalCode: "A1")]
            $0.commitError = .diskFull(path: "/home")
        }
        await #expect(throws: SaleRefusal.diskFull(path: "/home")) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "void key-1", "nudge"])
    }

    @Test("without the payment service no card is accepted, and the refusal has the reason")
    func refusedLocally() async throws {
        ports.with { $0.paymentRoute = .local }
        await #expect(throws: SaleRefusal.cardOffline(reason: "the payment service is not available")) {
            try await ports.checkout().sell(milkByCard)
        }
        ports.with {
            $0.mode = .offline; $0.causes = [.manual, .network]
        }
        await #expect(throws: SaleRefusal.cardOffline(reason: "the terminal is offline (manual, network)")) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("a terminal that the hub does not accept takes no card and sends no request")
    func notAccepted() async throws {
        ports.with { $0.connectivity = .authBlocked }
        await #expect(
            throws: SaleRefusal.cardOffline(
                reason: "the hub does not accept this terminal until it is enrolled again")
        ) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("without a payment service at the hub no authorisation is requested")
    func noService() async throws {
        await #expect(
            throws: SaleRefusal.cardOffline(reason: "no payment service is configured at the hub")
        ) {
            try await ports.checkout(takesCards: false).sell(milkByCard)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("the route of payment decides, not the mode")
    func routeDecides() async throws {
        ports.with {
            $0.mode = .offline
            $0.outcomes = [.authorized(approvalCode: "A1")]
        }
        let response = try await ports.checkout().sell(milkByCard)
        #expect(response.sale.content.mode == .offline)
        #expect(ports.log.last == "nudge")
    }

    @Test("a card that has nothing to pay is not authorised")
    func nothingToPay() async throws {
        _ = try await ports.checkout().sell(
            SaleRequest(lines: [.init(barcode: "0")], payments: [.init(method: "card")]))
        #expect(ports.log.first == "commit")
    }

    @Test("the same key twice at once is one charge and one sale")
    func concurrentKey() async throws {
        let (gate, release) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.gate = gate
            $0.outcomes = [.authorized(approvalCode: "A1"), .authorized(approvalCode: "second")]
        }
        let checkout = try ports.checkout()
        async let first = checkout.sell(milkByCard)
        async let second = checkout.sell(milkByCard)
        await eventually { ports.log.contains("authorize key-1 60000") }
        for _ in 0..<100 { await Task.yield() }
        release.yield()
        release.finish()
        let responses = try await [first, second]
        #expect(responses[0].sale == responses[1].sale)
        #expect(ports.log.count(where: { $0.hasPrefix("authorize") }) == 1)
        #expect(ports.log.count(where: { $0 == "commit" }) == 1)
    }

    @Test("cancelling the caller during the authorisation cancels the sale, and the authorisation is voided")
    func cancelled() async throws {
        let (gate, release) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.gate = gate
            $0.outcomes = [.authorized(approvalCode: "A1"), .authorized(approvalCode: "A2")]
        }
        let checkout = try ports.checkout()
        let caller = Task { try await checkout.sell(milkByCard) }
        await eventually { ports.log.contains("authorize key-1 60000") }
        caller.cancel()
        await #expect(throws: SaleRefusal.cardGivenUp) { try await caller.value }
        release.finish()
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "void key-1", "nudge"])
        ports.with { $0.gate = nil }
        _ = try await checkout.sell(milkByCard)
        #expect(ports.log.contains("authorize key-2 60000"))
    }

    @Test("one of two callers who goes takes nothing along")
    func oneCancelled() async throws {
        let (gate, release) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.gate = gate; $0.outcomes = [.authorized(approvalCode: "A1")]
        }
        let checkout = try ports.checkout()
        let first = Task { try await checkout.sell(milkByCard) }
        await eventually { ports.log.contains("authorize key-1 60000") }
        let second = Task { try await checkout.sell(milkByCard) }
        for _ in 0..<100 { await Task.yield() }
        second.cancel()
        for _ in 0..<100 { await Task.yield() }
        release.yield()
        release.finish()
        #expect(try await first.value.sale.orderId == "card-order-1")
    }

    @Test("a cash sale whose caller is cancelled is still made")
    func cashCancelled() async throws {
        let checkout = try ports.checkout()
        let caller = Task { try await checkout.sell(SaleRequest(lines: [.init(barcode: "4006381333931")])) }
        caller.cancel()
        _ = try await caller.value
        #expect(ports.log.contains("commit"))
    }

    @Test("a till that goes offline stops waiting for the card, sends no further request and voids it")
    func routeLost() async throws {
        let (gate, release) = AsyncStream<Void>.makeStream()
        let (changes, change) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.gate = gate; $0.changes = changes; $0.outcomes = [.authorized(approvalCode: "A1")]
        }
        let checkout = try ports.checkout()
        let caller = Task { try await checkout.sell(milkByCard) }
        await eventually { ports.log.contains("authorize key-1 60000") }
        change.yield()
        for _ in 0..<100 { await Task.yield() }
        ports.with {
            $0.paymentRoute = .local; $0.mode = .offline; $0.causes = [.network]
        }
        change.yield()
        await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: "the terminal is offline (network)")) {
            try await caller.value
        }
        release.finish()
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "void key-1", "nudge"])
    }

    @Test("intents that nothing settled are voided at start-up, those under way are not")
    func startUp() async throws {
        let left = CardIntent(
            key: "old", orderId: "o", saleKey: ULID(high: 1, low: 1), amount: 5, currency: "CNY", openedAt: 0)
        let (gate, release) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.openIntents = [left]
            $0.gate = gate
            $0.outcomes = [.authorized(approvalCode: "A1")]
        }
        let checkout = try ports.checkout()
        async let selling = checkout.sell(milkByCard)
        await eventually { ports.log.contains("authorize key-1 60000") }
        #expect(try await checkout.voidUnsettledCards() == 1)
        release.yield()
        release.finish()
        _ = try await selling
        #expect(ports.log.filter { $0.hasPrefix("void") } == ["void old"])
        #expect(try await checkout.voidUnsettledCards() == 0)
    }
}
