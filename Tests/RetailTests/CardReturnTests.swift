import Base
import HubProtocol
import MachineRuntime
import OfflineCore
import OfflineMode
import Pricing
import Synchronization
import Testing

@testable import Retail

@Suite("Money that the card machine gives back")
struct CardReturnTests {
    /// What is owed, in memory.
    private final class Ledger: CardReturnLedger {
        private let rows: Mutex<[CardReturn]>

        init(_ rows: [CardReturn]) { self.rows = Mutex(rows) }

        var states: [CardReturn.State] { rows.withLock { $0.map(\.state) } }

        func open() async throws(StorageError) -> [CardReturn] {
            rows.withLock { $0.waiting + $0.refused }
        }

        func returns(of refundId: String) async throws(StorageError) -> [CardReturn] {
            rows.withLock { $0.filter { $0.refundId == refundId } }
        }

        func settle(_ card: CardReturn, as state: CardReturn.State) async throws(StorageError) {
            rows.withLock { rows in
                for place in rows.indices where rows[place].identity == card.identity {
                    rows[place].state = state
                }
            }
        }

        func payInCash(
            _ payment: CardReturnPayment
        ) async throws(StorageError) -> Result<CashMove, OrderRefusal> {
            .failure(.unknownCardReturn(payment.refundId))
        }
    }

    /// A machine that responds as the test sets it, and records its requests.
    private final class Machine: CardMachine {
        private let state: Mutex<(outcomes: [String: [MachineRefund]], requests: [String])>
        /// Suspends the first request until it is released.
        let gate: AsyncStream<Void>?
        /// Refunds that nobody begins without the customer.
        let needsCard: Set<String>
        let asked = AsyncStream.makeStream(of: Void.self)

        /// - Parameter outcomes: of each refund, the last one for all that follow; without one there is no
        ///   response.
        init(
            _ outcomes: [String: [MachineRefund]], gate: AsyncStream<Void>? = nil,
            needsCard: Set<String> = []
        ) {
            self.needsCard = needsCard
            state = Mutex((outcomes: outcomes, requests: []))
            self.gate = gate
        }

        var requests: [String] { state.withLock { $0.requests } }

        func charge(_ request: DeviceRequest) async -> DeviceRequest { request }
        func giveBack(key: String) async -> Bool { false }

        func refund(
            key: String, refundId: String, amount: Int64, currency: String, isAttended: Bool
        ) async -> MachineRefund {
            let isHandled = isAttended || !needsCard.contains(refundId)
            guard isHandled else { return .needsCard }
            state.withLock { $0.requests.append("\(refundId) of \(key): \(amount) \(currency)") }
            asked.continuation.yield()
            if let gate { for await _ in gate { break } }
            return state.withLock { state in
                guard let next = state.outcomes[refundId]?.first else { return .unknown(detail: "away") }
                if state.outcomes[refundId, default: []].count > 1 {
                    state.outcomes[refundId]?.removeFirst()
                }
                return next
            }
        }
    }

    private func card(_ refundId: String, _ key: String = "k", amount: Int64 = 50) -> CardReturn {
        CardReturn(
            refundId: refundId, key: key, orderId: "o", orderNumber: "S-1", method: "card", amount: amount,
            currency: "CNY", madeAt: 1, state: .waiting)
    }

    private func returns(_ ledger: Ledger, _ machine: Machine?) -> CardReturns {
        CardReturns(ledger: ledger, machine: machine)
    }

    @Test("is requested under the same keys until the machine has responded, and never again after that")
    func repeated() async throws {
        let ledger = Ledger([card("r1")])
        let machine = Machine(["r1": [.unknown(detail: "lost"), .unknown(detail: "lost"), .refunded]])
        let returns = returns(ledger, machine)
        for _ in 0..<5 { try await returns.send() }
        #expect(machine.requests == Array(repeating: "r1 of k: 50 CNY", count: 3))
        #expect(ledger.states == [.returned])
    }

    @Test("that the machine refuses is not requested again, and stays open until it is paid")
    func refused() async throws {
        let ledger = Ledger([card("r1"), card("r1", "k2")])
        let machine = Machine(["r1": [.refused(reason: "expired"), .refunded]])
        let returns = returns(ledger, machine)
        try await returns.send(of: "r1", isAttended: true)
        try await returns.send()
        #expect(machine.requests == ["r1 of k: 50 CNY", "r1 of k2: 50 CNY"])
        #expect(ledger.states == [.refused(reason: "expired"), .returned])
        #expect(try await returns.open().refused.map(\.key) == ["k"])
    }

    @Test("costs one deadline while the machine is away, and one without a response does not stop the others")
    func away() async throws {
        let ledger = Ledger([card("r1"), card("r2"), card("r3")])
        let machine = Machine(["r2": [.refunded], "r3": [.refunded]])
        let returns = returns(ledger, machine)
        try await returns.send()
        #expect(machine.requests.count == 1)
        try await returns.send()
        #expect(ledger.states == [.waiting, .returned, .returned])
        #expect(machine.requests.map { $0.prefix(2) } == ["r1", "r2", "r3", "r1"])
    }

    @Test("waits for a card where nobody is there, keeps no other from the machine, and is begun by a person")
    func forCard() async throws {
        let ledger = Ledger([card("r1"), card("r2")])
        let machine = Machine(
            ["r1": [.unknown(detail: "lost"), .refunded], "r2": [.refunded]], needsCard: ["r1"])
        let returns = returns(ledger, machine)
        for _ in 0..<2 { try await returns.send() }
        #expect(ledger.states == [.waitingForCard, .returned])
        #expect(try await returns.open().waiting.map(\.refundId) == ["r1"])
        #expect(machine.requests == ["r2 of k: 50 CNY"])
        // The response is lost: nobody has to present a card for what was sent.
        try await returns.send(of: "r1", isAttended: true)
        #expect(ledger.states == [.waiting, .returned])
        try await returns.send(of: "r1", isAttended: true)
        #expect(ledger.states == [.returned, .returned])
    }

    @Test("waits without a machine, and another refund's request sends nothing of it")
    func without() async throws {
        let ledger = Ledger([card("r1")])
        try await returns(ledger, nil).send()
        #expect(ledger.states == [.waiting])
        let machine = Machine(["r1": [.refunded]])
        try await returns(ledger, machine).send(of: "r2", isAttended: true)
        #expect(machine.requests == [])
    }

    @Test("is not requested a second time while the first request is on its way")
    func once() async throws {
        let (gate, release) = AsyncStream.makeStream(of: Void.self)
        let ledger = Ledger([card("r1")])
        let machine = Machine(["r1": [.refunded]], gate: gate)
        let returns = returns(ledger, machine)
        let first = Task { try await returns.send() }
        for await _ in machine.asked.stream { break }
        try await returns.send(of: "r1", isAttended: true)
        try await returns.send()
        release.yield()
        _ = try await first.value
        #expect(machine.requests.count == 1)
        #expect(ledger.states == [.returned])
    }

    @Test("is not paid in cash while it is at the machine, and not requested once it was paid")
    func cash() async throws {
        let (gate, release) = AsyncStream.makeStream(of: Void.self)
        let ledger = Ledger([card("r1"), card("r1", "k2")])
        let machine = Machine(["r1": [.refunded]], gate: gate)
        let returns = returns(ledger, machine)
        let payment = CardReturnPayment(
            refundId: "r1", person: Authorization(cashierId: "c1", approverId: "m1"), madeAt: 1,
            businessDay: BusinessDay(secondsSince1970: 1_795_780_800), timeZone: "Asia/Shanghai")
        let first = Task { try await returns.send(of: "r1", isAttended: true) }
        for await _ in machine.asked.stream { break }
        #expect(try await returns.payInCash(payment) == .failure(.cardReturnWaiting("r1")))
        try await ledger.settle(card("r1", "k2"), as: .paidInCash)
        release.yield()
        try await first.value
        #expect(machine.requests == ["r1 of k: 50 CNY"])
        #expect(ledger.states == [.returned, .paidInCash])
        // Then the ledger decides.
        #expect(try await returns.payInCash(payment) == .failure(.unknownCardReturn("r1")))
    }

    // MARK: - What goes back, and who approves cash

    private static let machine = PaymentDetails.Machine(reference: "M-1", approvalCode: "MC1", key: "k1")

    /// Paid with 60 by the machine, 30 by the hub's service and 15 in cash.
    private static let payments = [
        SalePayment(method: .card, amount: 60, details: PaymentDetails(machine: machine)),
        SalePayment(
            method: .card, amount: 30, card: CardApproval(authorizationKey: "a1", approvalCode: "A1")),
        SalePayment(method: .cash, amount: 15),
    ]

    @Test("is what it charged, in any steps no more; the rest goes where it came from")
    func split() {
        var back: [SalePayment] = []
        var steps: [[String]] = []
        for step: Int64 in [40, 40, 25] {
            let source = RefundSource(
                paid: Self.payments, after: back, to: ["card"], byMachine: ["card"])
            let (parts, cash) = source.split(step)
            back += parts
            steps.append(
                parts.map { ($0.details.machine?.key ?? $0.card?.authorizationKey ?? "") + " \($0.amount)" }
                    + (cash > 0 ? ["cash \(cash)"] : []))
        }
        #expect(steps == [["k1 40"], ["k1 20", "a1 20"], ["a1 10", "cash 15"]])
        #expect(back.allSatisfy { $0.details.state == .refunded })
    }

    @Test("of two charges with equal amounts is each its own")
    func twoCharges() {
        let paid = ["k1", "k2"].map { key in
            SalePayment(
                method: .card, amount: 50,
                details: PaymentDetails(machine: .init(reference: "", approvalCode: "", key: key)))
        }
        let first = RefundSource(paid: paid, after: [], to: [], byMachine: ["card"]).split(70).back
        #expect(first.map { "\($0.details.machine?.key ?? "") \($0.amount)" } == ["k1 50", "k2 20"])
        let second = RefundSource(paid: paid, after: first, to: [], byMachine: ["card"]).split(70)
        #expect(second.back.map { "\($0.details.machine?.key ?? "") \($0.amount)" } == ["k2 30"])
        #expect(second.cash == 40)
        let voided = RefundSource.chargedByMachine(of: paid + Self.payments)
        #expect(voided.map(\.amount) == [50, 50, 60])
    }

    @Test("is nothing without the charge's key, and not by the hub's list of tenders alone")
    func notByMachine() {
        let old = SalePayment(
            method: .card, amount: 60,
            details: PaymentDetails(machine: .init(reference: "M-1", approvalCode: "MC1")))
        #expect(!RefundSource.takesBack(old, to: ["card"], byMachine: ["card"]))
        #expect(RefundSource.chargedByMachine(of: [old]) == [])
        #expect(!RefundSource.takesBack(Self.payments[0], to: ["card"]))
        #expect(!RefundSource.takesBack(Self.payments[1], to: [], byMachine: ["card"]))
        #expect(RefundSource.takesBack(Self.payments[0], to: [], byMachine: ["card"]))
    }

    @Test("by another terminal's sale is cash, of which the hub reports that a card paid it")
    func absent() throws {
        var sale = ReceiptSale(
            orderId: "o", orderNumber: "S-2", storeId: "S", total: 1, currency: "CNY", isVoided: false,
            lines: [], refunds: [],
            payments: [.init(method: "card", kind: .card, amount: 1)])
        #expect(try ReceiptSale(json: sale.json) == sale)
        sale = ReceiptSale(
            orderId: "o", orderNumber: "S-2", storeId: "S", total: 1, currency: "CNY", isVoided: false,
            lines: [], refunds: [])
        #expect(try ReceiptSale(json: sale.json) == sale && sale.json["payments"] == nil)
    }

    /// Whether a refund of a sale that the machine charged is drafted as cash for a card, or is refused.
    private func draft(
        machine: Bool, inCash: Bool = false, takesCards: Bool = true, approver: PersonClaim.Approver? = nil,
        paidBy payment: SalePayment = Self.payments[0], tenders: TenderList? = nil
    ) async throws(OrderRefusal) -> RefundDraft {
        let ports = ScriptedPorts()
        ports.copy.with {
            $0.pins = ["c1": "1234", "m1": "999999"]
            $0.managers = ["m1"]
        }
        guard let calendar = BusinessCalendar(timeZone: "Asia/Shanghai"),
            let day = BusinessDay(number: 20_261_121),
            let checkout = try? ports.checkout(listing: []), let totals = try? ReceiptTotals(lines: [])
        else { throw .amountTooLarge }
        let sale = Sale(
            key: ULID(high: 1, low: 1), orderId: "o",
            orderNumber: OrderNumber(storeId: "S", terminalNumber: 1, businessDay: day, counter: 1),
            mutationId: "m",
            content: SaleContent(
                mode: .offline, madeAt: 0, timeZone: "UTC", currency: "CNY", cashierId: nil, memberId: nil,
                coupons: [], lines: [], totals: totals, payments: [payment], cashRounding: 0,
                change: 0), isAcknowledged: true, voidedAt: nil)
        var policy = CheckoutPolicy(calendar: calendar, receiptHeader: [])
        policy.hasCardMachine = machine
        policy.takesCards = takesCards
        policy.listedTenders = tenders ?? (takesCards ? nil : TenderList.standard(takesCards: false))
        let rules = policy
        let orders = Orders(
            archive: OneOrder(one: Order(sale: sale, sync: .acknowledged)), modes: ports, delivery: ports,
            time: ports, authority: checkout.authority,
            receipts: ReceiptPorts(
                hub: NoReceipts(), keys: NoReceipts(), catalogue: ports, waits: ports.saleWaits),
            policy: rules)
        return try await orders.draft(
            of: RefundRequest(
                of: .order("o"), items: [],
                by: PersonClaim(cashierId: "c1", pin: "1234", approver: approver), isInCash: inCash))
    }

    @Test("needs no approver; in cash, or without the machine, it does, whatever the store lists")
    func approvals() async throws {
        for takesCards in [true, false] {
            let back = try await draft(machine: true, takesCards: takesCards)
            #expect(!back.isCardInCash && back.entry.machineTenders.contains("card"))
        }
        for (machine, inCash) in [(true, true), (false, false)] {
            await #expect(throws: OrderRefusal.authority(.approvalRequired(.refund, .nobody))) {
                try await draft(machine: machine, inCash: inCash)
            }
            let approved = try await draft(
                machine: machine, inCash: inCash, approver: .init(id: "m1", pin: "999999"))
            #expect(approved.isCardInCash && approved.entry.machineTenders.isEmpty)
            #expect(approved.entry.approverId == "m1")
        }
    }

    @Test("what a voucher paid goes back to it, or as cash with an approver, whatever the store lists")
    func vouchers() async throws {
        let gift = SalePayment(
            method: Settlement.Method("gift"), amount: 500,
            details: PaymentDetails(kind: .voucher, reference: "GV1"))
        for isRefundable in [true, false] {
            let tenders = TenderList(json: [
                ["method": "cash", "kind": "cash"],
                ["method": "gift", "kind": "voucher", "refundable": .bool(isRefundable)],
            ])
            for inCash in [true, false] where !isRefundable || inCash {
                await #expect(throws: OrderRefusal.authority(.approvalRequired(.refund, .nobody))) {
                    try await draft(machine: false, inCash: inCash, paidBy: gift, tenders: tenders)
                }
                let approved = try await draft(
                    machine: false, inCash: inCash, approver: .init(id: "m1", pin: "999999"), paidBy: gift,
                    tenders: tenders)
                #expect(approved.isCardInCash && approved.entry.approverId == "m1")
            }
            guard isRefundable else { continue }
            let back = try await draft(machine: false, paidBy: gift, tenders: tenders)
            #expect(!back.isCardInCash && back.entry.approverId == nil)
        }
    }
}

/// An archive of one order, or of none.
struct OneOrder: OrderArchive {
    var one: Order?

    func orders(
        matching search: OrderSearch, limit: Int, before orderId: String?
    ) async throws(StorageError) -> [Order] { one.map { [$0] } ?? [] }
    func events(since moment: Int64) async throws(StorageError) -> [OrderEvent] { [] }
    func order(_ idOrNumber: String) async throws(StorageError) -> Order? { one }
    func void(orderId: String, with entry: VoidEntry) async throws(StorageError) -> Order {
        guard let one else { throw .unavailable(detail: "no order") }
        return one
    }
    func plan(_ refund: RefundDraft) async throws(StorageError) -> Result<RefundPlan, OrderRefusal> {
        .failure(.amountTooLarge)
    }
    func refund(_ refund: RefundDraft) async throws(StorageError) -> Result<Refund, OrderRefusal> {
        .failure(.amountTooLarge)
    }
    func refund(id: String) async throws(StorageError) -> Refund? { nil }
}

struct NoReceipts: ReceiptFinding, ReceiptKeys {
    func find(_ receipt: ReceiptCode) async throws(InquiryError) -> FoundReceipt { .unmatched }
    func key(of terminalId: String) -> TerminalKey? { nil }
}
