internal import Credentials
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Brings to the payment service what it has not decided or did not get yet: stored tokens in the order in
/// which they were taken, unknown outcomes by their keys, captures, voids and refunds.
///
/// Everything of it is on disk and has an idempotency key, so a kill at any moment repeats a call and moves
/// no money twice. Several processes on one database may all do it.
struct PaymentForwarding: Service {
    let ledger: any Ledger
    let gateway: any PaymentGateway
    /// The private half of a sealing key by its id.
    let sealingKey: @Sendable (_ id: String) -> [UInt8]?
    let now: @Sendable () -> Int64
    let logger: Logger
    /// Alarms about payments that wait, each raised once by this process: a round comes every 5 s.
    private let raised = RaisedAlarms()

    init(
        ledger: any Ledger, gateway: any PaymentGateway,
        sealingKey: @escaping @Sendable (_ id: String) -> [UInt8]?, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.ledger = ledger
        self.gateway = gateway
        self.sealingKey = sealingKey
        self.now = now
        self.logger = logger
    }

    /// Halved, a gateway that is down gets twice as many requests; doubled, a cashier waits longer for the
    /// outcome of a card.
    private static let interval: Duration = .seconds(5)
    /// What one round works on; the next round goes on.
    private static let batch = 200

    /// Decisions and calls each have their own rounds: a gateway that is slow with the one does not keep a
    /// customer's money waiting for the other.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for round in [decide, send] {
                    group.addTask {
                        repeat {
                            await attempt(round)
                        } while (try? await Task.sleep(for: Self.interval)) != nil
                    }
                }
            }
        }
    }

    /// One round over everything that is open.
    func work() async {
        await attempt(decide)
        await attempt(send)
    }

    private func attempt(_ round: @Sendable () async throws -> Void) async {
        do {
            try await round()
        } catch {
            logger.warning("payments were not brought to their service", metadata: ["reason": "\(error)"])
        }
    }

    @Sendable private func decide() async throws {
        // Behind a token without a response the later ones of its terminal wait, so that their order holds.
        var waiting: Set<String> = []
        for undecided in try await ledger.undecidedPayments(limit: Self.batch) {
            let isStored = undecided.payment.state == .storedOffline
            if isStored, waiting.contains(undecided.terminalId) { continue }
            switch await response(to: undecided) {
            case .decided(let decision):
                let settled = try await ledger.settle(
                    key: undecided.payment.key, by: decision, at: now())
                if settled?.state == .forwardDeclined { noteDebt(undecided) }
            case .refused where isStored:
                // The tokens behind it go on: this one waits for a person.
                try await raise(
                    .paymentNotReadable, about: undecided.payment.key, of: undecided.terminalId)
            case .notFound, .unknown, .refused: if isStored { waiting.insert(undecided.terminalId) }
            }
        }
    }

    private func response(to undecided: UndecidedPayment) async -> GatewayResponse {
        guard undecided.payment.state == .storedOffline else {
            // The terminal requests it again by the same key, or voids it: a card that nobody holds any more
            // is not charged by a request that was lost.
            return await gateway.decision(key: undecided.payment.key)
        }
        var payment = GatewayPayment(undecided.payment, terminalId: undecided.terminalId)
        guard let sealed = undecided.sealed else { return .decided(.declined(reason: "token_missing")) }
        guard let key = sealingKey(sealed.keyId) else {
            // Another machine of the hubs on this store may have the private half.
            try? await raise(.paymentKeyMissing, about: undecided.payment.key, of: undecided.terminalId)
            return .unknown
        }
        guard
            let token = CardTokenSeal.opened(
                sealed.token,
                ofPayment: EntryKey.mintedPayment(of: payment.key, from: undecided.terminalId),
                amount: payment.amount, currency: payment.currency,
                with: key)
        else { return .decided(.declined(reason: "token_unreadable")) }
        payment.token = token
        payment.storedAt = undecided.storedAt
        return await gateway.authorize(payment)
    }

    private func noteDebt(_ undecided: UndecidedPayment) {
        logger.error(
            "a stored card payment was declined and is a debt",
            metadata: ["order": "\(undecided.payment.orderId)", "terminal": "\(undecided.terminalId)"])
    }

    private func raise(_ kind: AlarmKind, about key: String, of terminalId: String) async throws {
        guard raised.isFirst(kind, key) else { return }
        logger.error(
            "a payment waits for a person", metadata: ["alarm": "\(kind.rawValue)", "payment": "\(key)"])
        try await ledger.raise(Alarm(kind: kind, terminalId: terminalId, at: now()))
    }

    /// Until every call is made once or waits. The ledger returns the first call of each payment, so that
    /// those of one payment keep their order.
    @Sendable private func send() async throws {
        var waiting: Set<String> = []
        while true {
            let calls = try await ledger.paymentCalls(limit: Self.batch).filter { !waiting.contains($0.key) }
            guard !calls.isEmpty else { return }
            for call in calls {
                if try await !perform(call) { waiting.insert(call.key) }
            }
        }
    }

    /// - Returns: whether it is done, or refused for good.
    private func perform(_ call: PaymentCall) async throws -> Bool {
        switch await gateway.perform(call) {
        case .done: try await ledger.finish(call, isRefused: false, at: now())
        case .refused:
            logger.error(
                "the payment service refused a call for good",
                metadata: ["call": "\(call.kind.rawValue)", "payment": "\(call.key)"])
            try await ledger.finish(call, isRefused: true, at: now())
        case .unreadable:
            try await raise(.paymentNotReadable, about: call.key, of: call.terminalId)
            return false
        case .open: return false
        }
        return true
    }
}

/// Which alarms were raised about which payments.
private final class RaisedAlarms: Sendable {
    private let known = Mutex<Set<String>>([])

    func isFirst(_ kind: AlarmKind, _ key: String) -> Bool {
        known.withLock { $0.insert("\(kind) \(key)").inserted }
    }
}
