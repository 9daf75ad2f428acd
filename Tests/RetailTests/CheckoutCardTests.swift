import OfflineCore
import Base
import HubProtocol
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
        ports.with { $0.outcomes = [.done(.granted("A1"))] }
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

    @Test("a card that the hub did not begin settles the intent, and the sale does not wait for it")
    func notBegun() async throws {
        ports.with { $0.outcomes = [.notSent(.busy)] }
        await #expect(throws: SaleRefusal.cardOffline(.busy)) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "declined key-1"])
    }

    @Test("a till whose version the hub refuses takes no card, whether it has seen that before or not")
    func tooOld() async throws {
        ports.with { $0.outcomes = [.notSent(.refused)] }
        await #expect(throws: SaleRefusal.cardOffline(.unavailable)) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "declined key-1"])
        ports.with { $0.cardObstacle = .tooOld }
        await #expect(throws: SaleRefusal.cardOffline(.unavailable)) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log.count == 3)
    }

    @Test("of a sale that waits nothing is known by a request that the hub did not begin")
    func notBegunAgain() async throws {
        let checkout = try await waiting()
        ports.with { $0.outcomes = [.notSent(.busy)] }
        await #expect(throws: waitsAsCart) { try await checkout.sell(milkByCard) }
        #expect(ports.log == ["authorize key-1 60000", "query key-1", "suspend key-1"])
    }

    @Test("after a lost response the outcome is requested, and a granted authorisation is used")
    func foundByQuery() async throws {
        ports.with {
            $0.outcomes = [.lost(detail: "timeout")]
            $0.queries = [.done(.granted("A2"))]
        }
        let response = try await ports.checkout().sell(milkByCard)
        #expect(response.sale.content.payments.first?.card?.approvalCode == "A2")
        #expect(
            ports.log.prefix(4) == ["intent key-1 125", "authorize key-1 60000", "query key-1", "commit"])
    }

    private let waitsAsCart = SaleRefusal.cardOutcomeUnknown(
        detail: "no answer", cart: ULID(high: 7, low: 7).description)

    /// A checkout whose sale of milk waits for the outcome of `key-1`.
    private func waiting() async throws -> Checkout {
        ports.with { $0.outcomes = [.lost(detail: "timeout")] }
        let checkout = try ports.checkout()
        await #expect(throws: waitsAsCart) { try await checkout.sell(milkByCard) }
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "query key-1", "suspend key-1"])
        #expect(ports.with { $0.waitingCarts }.map(\.id) == [ULID(high: 7, low: 7)])
        ports.with { $0.log = [] }
        return checkout
    }

    @Test("an unknown outcome lets the sale wait, which goes on by the same key")
    func unknown() async throws {
        let checkout = try await waiting()
        ports.with { $0.outcomes = [.done(.granted("A7"))] }
        let sale = try await checkout.sell(milkByCard).sale
        #expect(ports.log == ["authorize key-1 60000", "commit", "nudge", "wait 1500"])
        #expect(sale.content.payments.first?.card?.authorizationKey == "key-1")
    }

    @Test("an outcome that became known by itself is not requested again")
    func becameKnown() async throws {
        let checkout = try await waiting()
        ports.with { $0.queries = [.done(.granted("A8"))] }
        await checkout.inquireSuspended()
        let sale = try await checkout.sell(milkByCard).sale
        #expect(ports.log.prefix(3) == ["query key-1", "grant key-1", "commit"])
        #expect(sale.content.payments.first?.card?.approvalCode == "A8")
    }

    @Test("a waiting sale that is paid otherwise, or dropped, voids its card first")
    func paidOtherwise() async throws {
        let checkout = try await waiting()
        var inCash = milkByCard
        inCash.payments = []
        _ = try await checkout.sell(inCash)
        #expect(ports.log.prefix(3) == ["void key-1", "nudge", "commit"])
        ports.with { state in
            state.sales = [:]
            state.log = []
        }
        let second = try await waiting2(checkout)
        try await second.dropSuspended(ULID(high: 7, low: 7))
        #expect(ports.log.suffix(2) == ["void key-1", "nudge"])
    }

    private func waiting2(_ checkout: Checkout) async throws -> Checkout {
        ports.with { $0.outcomes = [.lost(detail: "timeout")] }
        await #expect(throws: waitsAsCart) { try await checkout.sell(milkByCard) }
        return checkout
    }

    @Test("of two cards the first is voided when the second is declined, before the sale is refused")
    func secondDeclined() async throws {
        ports.with { $0.outcomes = [.done(.granted("A1")), .declined(reason: "no funds")] }
        var sale = milkByCard
        sale.payments = [.init(method: "card", amountMinor: 100), .init(method: "card")]
        await #expect(throws: SaleRefusal.cardDeclined(reason: "no funds")) {
            try await ports.checkout().sell(sale)
        }
        #expect(
            ports.log == [
                "intent key-1 100", "authorize key-1 60000", "intent key-2 25", "authorize key-2 60000",
                "declined key-2", "void key-1", "nudge",
            ])
    }

    @Test("two cards, a voucher and cash pay one sale, cards first and cash last")
    func severalTenders() async throws {
        ports.with { $0.outcomes = [.done(.granted("A1")), .done(.granted("A2"))] }
        var sale = milkByCard
        sale.payments = [
            .init(method: "cash"), .init(method: "card", amountMinor: 50),
            .init(method: "gift", amountMinor: 25, reference: "V-77"), .init(method: "card", amountMinor: 10),
        ]
        let tenders = TenderList(json: [
            ["method": "cash", "kind": "cash"], ["method": "card", "kind": "card"],
            ["method": "gift", "kind": "voucher"],
        ])
        let sold = try await ports.checkout(tenders: tenders).sell(sale).sale
        #expect(sold.content.payments.map(\.method.name) == ["card", "gift", "card", "cash"])
        #expect(sold.content.payments.map(\.amount) == [50, 25, 10, 40])
        #expect(sold.content.payments.map(\.card?.approvalCode) == ["A1", nil, "A2", nil])
        #expect(sold.content.payments[1].details.kind == .voucher)
        #expect(sold.content.payments[1].details.reference == "V-77")
        #expect(sold.orderId == "card-order-1")
        sale.key = ULID(high: 7, low: 8)
        sale.payments = [.init(method: "card", amountMinor: 1), .init(method: "card", amountMinor: 1)]
        sale.payments.append(.init(method: "card"))
        await #expect(throws: SaleRefusal.severalCards) { try await ports.checkout().sell(sale) }
        sale.payments = [.init(method: "gift")]
        await #expect(throws: SaleRefusal.unknownPaymentMethod("gift", known: ["cash", "card"])) {
            try await ports.checkout().sell(sale)
        }
    }

    @Test("a granted card whose sale cannot be recorded is voided")
    func commitFails() async throws {
        ports.with {
            $0.outcomes = [.done(.granted("A1"))]
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
        await #expect(throws: SaleRefusal.cardOffline(.unavailable)) {
            try await ports.checkout().sell(milkByCard)
        }
        ports.with {
            $0.mode = .offline; $0.causes = [.manual, .network]
        }
        await #expect(throws: SaleRefusal.cardOffline(.offline([.manual, .network]))) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("a terminal that the hub does not accept takes no card and sends no request")
    func notAccepted() async throws {
        ports.with { $0.connectivity = .authBlocked }
        await #expect(
            throws: SaleRefusal.cardOffline(.notEnrolled)
        ) {
            try await ports.checkout().sell(milkByCard)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("without a payment service at the hub no authorisation is requested")
    func noService() async throws {
        await #expect(
            throws: SaleRefusal.cardOffline(.notConfigured)
        ) {
            try await ports.checkout(takesCards: false).sell(milkByCard)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("the route of payment decides, not the mode")
    func routeDecides() async throws {
        ports.with {
            $0.mode = .offline
            $0.outcomes = [.done(.granted("A1"))]
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
            $0.outcomes = [.done(.granted("A1")), .done(.granted("second"))]
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
            $0.outcomes = [.done(.granted("A1")), .done(.granted("A2"))]
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
            $0.gate = gate; $0.outcomes = [.done(.granted("A1"))]
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

    @Test(
        "a till that goes offline stops waiting for the card, sends no further request and lets the sale wait"
    )
    func routeLost() async throws {
        let (gate, release) = AsyncStream<Void>.makeStream()
        let (changes, change) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.gate = gate; $0.changes = changes; $0.outcomes = [.done(.granted("A1"))]
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
        await #expect(
            throws: SaleRefusal.cardOutcomeUnknown(
                detail: "the terminal is offline (network)", cart: ULID(high: 7, low: 7).description)
        ) {
            try await caller.value
        }
        release.finish()
        #expect(ports.log == ["intent key-1 125", "authorize key-1 60000", "suspend key-1"])
    }

    @Test("intents that nothing settled are voided at start-up, those under way are not")
    func startUp() async throws {
        let left = CardIntent(
            key: "old", orderId: "o", saleKey: ULID(high: 1, low: 1), amount: 5, currency: "CNY", openedAt: 0)
        let (gate, release) = AsyncStream<Void>.makeStream()
        ports.with {
            $0.openIntents = [left]
            $0.gate = gate
            $0.outcomes = [.done(.granted("A1"))]
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
