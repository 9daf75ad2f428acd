import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Synchronization
import TestKit
import Testing

@Suite("The card machine at checkout")
struct CheckoutMachineTests {
    /// A machine that responds as a test sets it.
    private final class Machine: CardMachine {
        struct State {
            var charges: [DeviceResponse] = []
            var isConfirming = true
            /// Suspends the charge, or the void, of a key until it is released.
            var gates: [String: AsyncStream<Void>] = [:]
            var log: [String] = []
        }

        let state = Mutex(State())
        private let ports: ScriptedPorts
        static let charged = DeviceResponse.done(DeviceProof(reference: "R1"))

        init(_ ports: ScriptedPorts) { self.ports = ports }

        var log: [String] { state.withLock { $0.log } }

        func charge(_ known: DeviceRequest) async -> DeviceRequest {
            await note("charge \(known.key)")
            let response = state.withLock {
                $0.charges.isEmpty ? .lost(detail: "away") : $0.charges.removeFirst()
            }
            var request = known
            let origin = DeviceRequest.Origin(kind: .zvt, address: "tcp:m:1", machineId: "52000017")
            _ = request.handle(.opened(origin), at: ports.now())
            _ = request.handle(.ended(response), at: ports.now())
            ports.note(request)
            return request
        }

        func giveBack(key: String) async -> Bool {
            await note("void \(key)")
            let isConfirming = state.withLock { $0.isConfirming }
            if isConfirming { ports.settle(key) }
            return isConfirming
        }

        func refund(
            key: String, refundId: String, amount: Int64, currency: String, isAttended: Bool
        ) async -> MachineRefund { .unknown(detail: "away") }

        private func note(_ entry: String) async {
            let gate = state.withLock { state in
                state.log.append(entry)
                return state.gates[entry]
            }
            if let gate { for await _ in gate { break } }
        }

        func close(_ entry: String) -> AsyncStream<Void>.Continuation {
            let (gate, release) = AsyncStream<Void>.makeStream()
            state.withLock { $0.gates[entry] = gate }
            return release
        }
    }

    private let ports: ScriptedPorts
    private let machine: Machine
    private let key = ULID(high: 7, low: 7)

    init() {
        ports = ScriptedPorts()
        machine = Machine(ports)
        ports.with { $0.paymentRoute = .local }
    }

    private var milkByCard: SaleRequest {
        SaleRequest(
            key: key, lines: [.init(barcode: "4006381333931")], payments: [.init(method: "card")])
    }

    private var milkInCash: SaleRequest {
        SaleRequest(key: key, lines: [.init(barcode: "4006381333931")])
    }

    private func checkout() throws -> Checkout { try ports.checkout(machine: machine) }

    private let openVoid = "the card machine did not confirm the void"

    /// A checkout whose sale of milk waits for the outcome of `key-1`.
    private func waiting() async throws -> Checkout {
        let checkout = try checkout()
        await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: "away", cart: key.description)) {
            try await checkout.sell(milkByCard)
        }
        return checkout
    }

    @Test("a sale that is completed while the follower is at work keeps its charge")
    func staleList() async throws {
        let charged = DeviceRequest(
            .charge, key: "old", chargeKey: "old", amount: 5, currency: "CNY", openedAt: 0,
            state: .charged(DeviceProof(reference: "R0")), origin: .init(kind: .zvt, address: "tcp:m:1"),
            reported: nil)
        let old = CardIntent(charged, orderId: "o", saleKey: ULID(high: 1, low: 1), method: "card")
        ports.with { $0.openIntents = [old] }
        machine.state.withLock { $0.charges = [Machine.charged] }
        let (charge, void) = (machine.close("charge key-1"), machine.close("void old"))
        let checkout = try checkout()
        async let sold = checkout.sell(milkByCard)
        await eventually { machine.log == ["charge key-1"] }
        async let voided = checkout.voidUnsettledCards()
        await eventually { machine.log == ["charge key-1", "void old"] }
        charge.finish()
        #expect(try await sold.sale.content.payments.first?.details.machine?.reference == "R1")
        void.finish()
        #expect(try await voided == 1)
        #expect(machine.log == ["charge key-1", "void old"])
    }

    @Test("a sale that begins to wait as a cart while the follower is at work keeps its charge")
    func waitsMeanwhile() async throws {
        let charged = DeviceRequest(
            .charge, key: "old", chargeKey: "old", amount: 5, currency: "CNY", openedAt: 0,
            state: .charged(DeviceProof(reference: "R0")), origin: .init(kind: .zvt, address: "tcp:m:1"),
            reported: nil)
        ports.with {
            $0.openIntents = [
                CardIntent(charged, orderId: "o", saleKey: ULID(high: 1, low: 1), method: "card")
            ]
        }
        let (charge, void) = (machine.close("charge key-1"), machine.close("void old"))
        let checkout = try checkout()
        let sale = Task { try await checkout.sell(milkByCard) }
        await eventually { machine.log == ["charge key-1"] }
        async let voided = checkout.voidUnsettledCards()
        await eventually { machine.log == ["charge key-1", "void old"] }
        charge.finish()
        await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: "away", cart: key.description)) {
            try await sale.value
        }
        void.finish()
        #expect(try await voided == 1)
        #expect(machine.log == ["charge key-1", "void old"])
    }

    /// Keeps nothing, as a new till.
    private final class Cards: StoredCardStore, CardTokenSource {
        let settled = Mutex<[StoredCard]>([])
        let rows = Mutex<[StoredCard]>([])
        func cards() async throws(StorageError) -> StoredCards { StoredCards(rows.withLock { $0 }) }
        func keep(_ cards: StoredCards) throws(StorageError) {}
        func settle(_ card: StoredCard) async throws(StorageError) { settled.withLock { $0.append(card) } }
        func debts() async throws(StorageError) -> [CardDebt] { [] }
        func isReady() async -> Bool { false }
        func token(ofPayment key: String, amount: Int64, currency: String) async -> OfflineCardToken? { nil }
    }

    @Test("what the machine took without its bank counts within the store's limits, above them it goes back")
    func offlineLimits() async throws {
        var proof = DeviceProof(reference: "R1")
        proof.isOffline = true
        machine.state.withLock { $0.charges = [.done(proof), .done(proof), .done(proof)] }
        let cards = Cards()
        let service = OfflineCardService(store: cards, tokens: cards, time: ports)
        func checkout(upTo limit: Int64) throws -> Checkout {
            try ports.checkout(
                machine: machine,
                offlineCards: (
                    service, OfflineCardLimits(perSale: 10_000, perShift: 10_000, perTerminal: limit)
                ))
        }
        let sale = try await checkout(upTo: 10_000).sell(milkByCard).sale
        let payment = try #require(sale.content.payments.first)
        #expect(payment.details.machine?.offline == true && payment.details.state == nil)
        let counted = try await service.all()
        #expect(counted.map(\.key) == ["key-1"] && counted.allSatisfy { !$0.isToken && $0.settledAt == nil })
        #expect(counted.map(\.amount) == [payment.amount] && counted.map(\.request.state) == [.sold(proof)])
        // Nobody is requested for it: the machine sends it to its bank.
        #expect(await service.inquire { _ in .known(.givenUp, settledAt: nil) } == false)
        let other = SaleRequest(
            key: ULID(high: 7, low: 8), lines: [.init(barcode: "4006381333931")],
            payments: [.init(method: "card")])
        await #expect(throws: SaleRefusal.chargeAboveLimit(.perTerminal)) {
            try await checkout(upTo: payment.amount).sell(other)
        }
        #expect(machine.log == ["charge key-1", "charge key-2", "void key-2"])
        #expect(try await service.all().map(\.key) == ["key-1"])
        // What its bank authorised has no limits of the store.
        machine.state.withLock { $0.charges.insert(Machine.charged, at: 0) }
        let online = SaleRequest(
            key: ULID(high: 7, low: 10), lines: [.init(barcode: "4006381333931")],
            payments: [.init(method: "card")])
        _ = try await checkout(upTo: payment.amount).sell(online)
        #expect(try await service.all().map(\.key) == ["key-1"])
        // The machine's own end of day has sent it.
        cards.rows.withLock { $0 = counted }
        await service.noteMachineClosed()
        #expect(cards.settled.withLock { $0.map { $0.settledAt != nil } } == [true])
        let third = SaleRequest(
            key: ULID(high: 7, low: 9), lines: [.init(barcode: "4006381333931")],
            payments: [.init(method: "card")])
        _ = try await checkout(upTo: payment.amount).sell(third)
    }

    @Test("the payment has the machine that charged it, whatever is configured when it is sold")
    func origin() async throws {
        machine.state.withLock { $0.charges = [Machine.charged] }
        let sale = try await checkout().sell(milkByCard).sale
        let paid = try #require(sale.content.payments.first?.details.machine)
        #expect(paid.kind == "zvt" && paid.machineId == "52000017")
    }

    @Test("a person ends what waits of a machine that is gone, and the till by itself does not")
    func former() async throws {
        _ = try await waiting()
        let gone = try ports.checkout(formerMachine: machine)
        #expect(try await gone.voidUnsettledCards() == 0)
        #expect(machine.log == ["charge key-1"])
        _ = try await gone.sell(milkInCash)
        #expect(machine.log == ["charge key-1", "void key-1"])
    }

    @Test("of two cards that the machine took without its bank both count within the limit of one sale")
    func offlineSplit() async throws {
        var proof = DeviceProof(reference: "R1")
        proof.isOffline = true
        machine.state.withLock { $0.charges = [.done(proof), .done(proof)] }
        let cards = Cards()
        let checkout = try ports.checkout(
            machine: machine,
            offlineCards: (
                OfflineCardService(store: cards, tokens: cards, time: ports),
                OfflineCardLimits(perSale: 100, perShift: 10_000, perTerminal: 10_000)
            ))
        let request = SaleRequest(
            key: ULID(high: 7, low: 11), lines: [.init(barcode: "4006381333931")],
            payments: [.init(method: "card", amountMinor: 60), .init(method: "card")])
        await #expect(throws: SaleRefusal.chargeAboveLimit(.perSale)) { try await checkout.sell(request) }
    }

    @Test("a commit that reached the disk although it failed keeps its charge")
    func uncertainCommit() async throws {
        machine.state.withLock { $0.charges = [Machine.charged] }
        ports.with {
            $0.commitError = .unavailable(detail: "lost")
            $0.commitReachesDisk = true
        }
        let checkout = try checkout()
        await #expect(throws: SaleRefusal.notRecorded(detail: "lost")) {
            try await checkout.sell(milkByCard)
        }
        #expect(machine.log == ["charge key-1"])
        ports.with { $0.commitError = nil }
        #expect(try await checkout.voidUnsettledCards() == 0)
        _ = try await checkout.sell(milkByCard)
        #expect(machine.log == ["charge key-1"])
    }

    @Test("a charge whose void cannot be noted on disk is left alone, and voided later")
    func unwritable() async throws {
        machine.state.withLock { $0.charges = [Machine.charged] }
        ports.with {
            $0.commitError = .diskFull(path: "/home")
            $0.voidError = .diskFull(path: "/home")
        }
        let checkout = try checkout()
        await #expect(throws: SaleRefusal.diskFull(path: "/home")) { try await checkout.sell(milkByCard) }
        #expect(machine.log == ["charge key-1"])
        ports.with {
            $0.commitError = nil
            $0.voidError = nil
        }
        #expect(try await checkout.voidUnsettledCards() == 1)
        #expect(machine.log == ["charge key-1", "void key-1"])
    }

    @Test("a waiting charge whose void is not confirmed is neither forgotten nor charged under another key")
    func openVoids() async throws {
        let checkout = try await waiting()
        let gate = machine.close("charge key-1")
        let caller = Task { try await checkout.sell(milkByCard) }
        await eventually { machine.log.count { $0 == "charge key-1" } == 2 }
        machine.state.withLock { $0.isConfirming = false }
        caller.cancel()
        await #expect(throws: SaleRefusal.cardGivenUp) { try await caller.value }
        gate.finish()
        machine.state.withLock { $0.gates = [:] }
        for request in [milkByCard, milkInCash] {
            await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: openVoid, cart: nil)) {
                try await checkout.sell(request)
            }
        }
        await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: openVoid, cart: key.description)) {
            try await checkout.dropSuspended(key)
        }
        #expect(try await checkout.voidUnsettledCards() == 0)
        machine.state.withLock { state in
            #expect(!state.log.contains("charge key-2"))
            (state.isConfirming, state.charges) = (true, [Machine.charged])
        }
        #expect(try await checkout.voidUnsettledCards() == 1)
        _ = try await checkout.sell(milkByCard)
        #expect(machine.log.last == "charge key-2")
    }

    @Test("a cart is dropped once its charge is void, also by a process that did not make it")
    func dropped() async throws {
        _ = try await waiting()
        machine.state.withLock { $0.isConfirming = false }
        for _ in 0..<2 {
            let next = try checkout()
            await #expect(throws: SaleRefusal.cardOutcomeUnknown(detail: openVoid, cart: key.description)) {
                try await next.dropSuspended(key)
            }
        }
        machine.state.withLock { $0.isConfirming = true }
        try await checkout().dropSuspended(key)
        #expect(ports.with { $0.waitingIntents } == [])
    }

    @Test("a second card that is declined says when the first one's void is not confirmed")
    func secondDeclined() async throws {
        machine.state.withLock {
            $0.charges = [Machine.charged, .declined(reason: "no funds")]
            $0.isConfirming = false
        }
        var sale = milkByCard
        sale.payments = [.init(method: "card", amountMinor: 100), .init(method: "card")]
        let refusal = SaleRefusal.cardDeclined(reason: "no funds", isVoidOpen: true)
        await #expect(throws: refusal) { try await checkout().sell(sale) }
        #expect(refusal.message.contains("has not confirmed"))
        #expect(refusal.text(in: .chinese).contains("尚未确认"))
    }

    @Test("an authorisation whose void cannot be recorded stays with its sale, which no cash pays")
    func serviceVoidFails() async throws {
        ports.with {
            $0.paymentRoute = .online
            $0.outcomes = [.lost(detail: "timeout")]
        }
        let checkout = try ports.checkout()
        await #expect(throws: SaleRefusal.self) { try await checkout.sell(milkByCard) }
        ports.with { $0.voidError = .diskFull(path: "/home") }
        await #expect(
            throws: SaleRefusal.cardOutcomeUnknown(
                detail: "the void could not be recorded", cart: key.description)
        ) {
            try await checkout.sell(milkInCash)
        }
        ports.with { $0.voidError = nil }
        _ = try await checkout.sell(milkInCash)
        #expect(ports.log.suffix(5).prefix(3) == ["void key-1", "nudge", "commit"])
    }
}
