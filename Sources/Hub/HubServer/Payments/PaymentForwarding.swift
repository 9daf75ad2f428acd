internal import Credentials
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Brings to the payment service what it has not decided or did not get yet: stored tokens in the order in
/// which they were taken, unknown outcomes by their keys, captures, voids and refunds.
///
/// Everything of it is on disk and has an idempotency key, so a kill at any moment repeats a call and moves
/// no money twice. Several processes on one database may all do it.
struct PaymentForwarding: Service {
    let ledger: any PaymentLedger & AlarmLedger
    let gateway: any PaymentGateway
    /// The private half of a sealing key by its id.
    let sealingKey: @Sendable (_ id: String) -> [UInt8]?
    let now: @Sendable () -> Int64
    let logger: Logger

    /// Halved, a gateway that is down gets twice as many requests; doubled, a cashier waits longer for the
    /// outcome of a card.
    private static let interval: Duration = .seconds(5)
    /// What one round works on; the next round goes on.
    private static let batch = 200

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await work() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// One round over everything that is open.
    func work() async {
        do {
            try await decide()
            try await send()
        } catch {
            logger.warning("payments were not brought to their service", metadata: ["reason": "\(error)"])
        }
    }

    private func decide() async throws {
        // Behind a token without a response the later ones of its terminal wait, so that their order holds.
        var waiting: Set<String> = []
        for undecided in try await ledger.undecidedPayments(limit: Self.batch) {
            let isStored = undecided.payment.state == .storedOffline
            if isStored, waiting.contains(undecided.terminalId) { continue }
            switch await response(to: undecided) {
            case .decided(let decision):
                let settled = try await ledger.settle(
                    key: undecided.payment.key, by: decision, at: now())
                if settled?.state == .forwardDeclined { try await report(undecided) }
            case .notFound, .unknown: if isStored { waiting.insert(undecided.terminalId) }
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
        guard let sealed = undecided.sealed, let key = sealingKey(sealed.keyId),
            let token = CardTokenSeal.opened(
                sealed.token, ofPayment: payment.key, amount: payment.amount, currency: payment.currency,
                with: key)
        else { return .decided(.declined(reason: "token_unreadable")) }
        payment.token = token
        payment.storedAt = undecided.storedAt
        return await gateway.authorize(payment)
    }

    private func report(_ undecided: UndecidedPayment) async throws {
        logger.error(
            "a stored card payment was declined and is a debt",
            metadata: ["order": "\(undecided.payment.orderId)", "terminal": "\(undecided.terminalId)"])
        try await ledger.raise(
            Alarm(kind: Alarm.debtKind, terminalId: undecided.terminalId, at: now()))
    }

    private func send() async throws {
        // The calls of one payment keep their order.
        var waiting: Set<String> = []
        for call in try await ledger.paymentCalls(limit: Self.batch) where !waiting.contains(call.key) {
            if await gateway.perform(call) {
                try await ledger.finish(call)
            } else {
                waiting.insert(call.key)
            }
        }
    }
}
