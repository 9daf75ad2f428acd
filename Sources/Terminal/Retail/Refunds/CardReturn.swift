package import HubProtocol

/// Money that the terminal's own card machine has to give back to a card that it charged, for a refund or for
/// a void of a sale.
///
/// It is recorded in the transaction of its refund or void, before anything is sent, and stays until the
/// machine has responded. So a kill at any moment repeats a request, and the machine gives back once.
package struct CardReturn: Hashable, Sendable {
    /// How far it is.
    package enum State: Hashable, Sendable {
        /// The machine has not responded; the request is repeated. Leads to ``returned``,
        /// ``requested``, or ``refused(reason:)``.
        case waiting
        /// It goes to the card that the customer presents, so a person begins it. Leads where ``waiting``
        /// does, to ``waiting`` where the response is lost, and to ``paidInCash`` where nothing was sent.
        case waitingForCard
        /// The machine took it on and says no more: its operator's report says when it is done. Leads to
        /// ``returned`` or ``refused(reason:)``, by a person.
        case requested
        case returned
        /// The machine does not give it back: the shop owes it to the customer. Leads to ``paidInCash``.
        case refused(reason: String)
        /// The customer got it from the drawer.
        case paidInCash
    }

    /// The refund that it belongs to; of a void the order's id.
    package let refundId: String
    /// The charge's key at the machine.
    package let key: String
    /// The sale that was charged, a ULID.
    package let orderId: String
    /// As printed on the sale's receipt.
    package let orderNumber: String
    /// The tender's name.
    package let method: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// When it was decided, Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// How far it is.
    package var state: State

    package init(
        refundId: String, key: String, orderId: String, orderNumber: String, method: String, amount: Int64,
        currency: String, madeAt: Int64, state: State
    ) {
        self.refundId = refundId
        self.key = key
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.method = method
        self.amount = amount
        self.currency = currency
        self.madeAt = madeAt
        self.state = state
    }

    /// What the machine knows it by: a refund of a sale with two cards is two requests.
    struct Identity: Hashable {
        let refundId: String
        let key: String
    }

    /// Whether the customer has the money.
    package var isSettled: Bool {
        switch state {
        case .returned, .paidInCash: true
        case .waiting, .waitingForCard, .requested, .refused: false
        }
    }

    var identity: Identity { Identity(refundId: refundId, key: key) }
}

extension [CardReturn] {
    /// Those that wait for the machine, or for a card.
    package var waiting: [CardReturn] { filter { [.waiting, .waitingForCard].contains($0.state) } }

    /// Those that a person begins, with the customer's card.
    package var waitingForCard: [CardReturn] { filter { $0.state == .waitingForCard } }

    /// Those that the machine took on, and that a person confirms.
    package var requested: [CardReturn] { filter { $0.state == .requested } }

    /// Those that the machine refused and that nobody has paid.
    package var refused: [CardReturn] {
        filter { if case .refused = $0.state { true } else { false } }
    }
}

/// Who pays in cash what the machine does not give back, and when.
package struct CardReturnPayment: Hashable, Sendable {
    /// The refund, or the order of a void.
    package let refundId: String
    /// Who pays it, and who allowed that.
    package let person: Authorization
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    package let businessDay: BusinessDay
    /// A name of the tz database.
    package let timeZone: String
}

/// Keeps what the card machine has to give back. Every change is durable on return.
package protocol CardReturnLedger: Sendable {
    /// What waits for the machine, was only taken on, or was refused and is not paid; oldest first.
    func open() async throws(StorageError) -> [CardReturn]

    /// All of a refund, or of an order's void; empty: nothing of it goes back by the machine.
    func returns(of refundId: String) async throws(StorageError) -> [CardReturn]

    /// Records the machine's response, or what is waited for. Does nothing to one that does not wait any
    /// more, nor for ``CardReturn/State/paidInCash``.
    func settle(_ card: CardReturn, as state: CardReturn.State) async throws(StorageError)

    /// Takes out of the drawer, in one transaction, what the machine refused of a refund, and what waits for
    /// a card without that anything was sent: `cash.moved`, and the debt is paid.
    ///
    /// - Returns: the movement of cash, or why there is none.
    func payInCash(_ payment: CardReturnPayment) async throws(StorageError) -> Result<CashMove, OrderRefusal>
}

/// Sends to the card machine what it has to give back, until it has responded.
///
/// A request whose response was lost is sent again under the same keys, never under others. What the machine
/// refuses is not sent again.
package actor CardReturns {
    nonisolated let ledger: any CardReturnLedger
    private let machine: (any CardMachine)?
    private let changed: @Sendable () -> Void
    /// So that the cashier's refund and the repetition do not send the same one at once.
    private var sending: Set<CardReturn.Identity> = []
    /// The one without a response that ended the last round. The next round begins behind it, so that one
    /// request does not keep the others from the machine.
    private var last: CardReturn.Identity?

    /// Makes the sender of one terminal; without a `machine` everything waits.
    ///
    /// - Parameter changed: called after each response.
    package init(
        ledger: any CardReturnLedger, machine: (any CardMachine)?,
        changed: @escaping @Sendable () -> Void = {}
    ) {
        (self.ledger, self.machine, self.changed) = (ledger, machine, changed)
    }

    /// What waits for the machine, or was refused and is not paid; oldest first.
    package nonisolated func open() async throws(StorageError) -> [CardReturn] { try await ledger.open() }

    /// Sends what waits, oldest first, up to the first one without a response: a machine that is away costs
    /// one deadline. Nobody has to be there: what any card would get is not begun.
    ///
    /// - Returns: what the machine gave back now, or took on.
    @discardableResult
    package func send() async throws(StorageError) -> [CardReturn] {
        var done: [CardReturn] = []
        let waiting = try await ledger.open().waiting
        let place = waiting.firstIndex { $0.identity == last }.map { $0 + 1 } ?? 0
        last = nil
        for card in waiting[place...] + waiting[..<place] {
            guard let state = try await send(card, isAttended: false) else {
                last = card.identity
                break
            }
            switch state {
            case .returned, .requested: done.append(card)
            case .waiting, .waitingForCard, .refused, .paidInCash: break
            }
        }
        return done
    }

    /// Sends what waits of one refund, or of one order's void.
    ///
    /// - Parameter isAttended: whether somebody is at the machine who may refund, so that it may wait for a
    ///   card.
    package func send(of refundId: String, isAttended: Bool) async throws(StorageError) {
        for card in try await ledger.open().waiting where card.refundId == refundId {
            guard try await send(card, isAttended: isAttended) != nil else { return }
        }
    }

    /// Pays in cash, not while one of them is at the machine.
    func payInCash(
        _ payment: CardReturnPayment
    ) async throws(StorageError) -> Result<CashMove, OrderRefusal> {
        let cards = Set(try await ledger.returns(of: payment.refundId).map(\.identity))
        guard sending.isDisjoint(with: cards) else { return .failure(.cardReturnWaiting(payment.refundId)) }
        sending.formUnion(cards)
        defer { sending.subtract(cards) }
        return try await ledger.payInCash(payment)
    }

    /// - Returns: what became of it; nil without a response.
    private func send(
        _ listed: CardReturn, isAttended: Bool
    ) async throws(StorageError) -> CardReturn.State? {
        guard let machine, sending.insert(listed.identity).inserted else { return nil }
        defer { sending.remove(listed.identity) }
        // It may have been paid in cash since it was listed.
        let now = try await ledger.returns(of: listed.refundId)
        guard let card = now.first(where: { $0.identity == listed.identity }) else { return nil }
        guard [.waiting, .waitingForCard].contains(card.state) else { return card.state }
        let outcome = await machine.refund(
            key: card.key, refundId: card.refundId, amount: card.amount, currency: card.currency,
            isAttended: isAttended)
        let state: CardReturn.State
        switch outcome {
        case .refunded: state = .returned
        case .requested: state = .requested
        case .refused(let reason): state = .refused(reason: reason)
        case .needsCard: state = .waitingForCard
        case .unknown:
            // One that was sent is followed without a card.
            if card.state == .waitingForCard { try await ledger.settle(card, as: .waiting) }
            return nil
        }
        guard state != card.state else { return state }
        try await ledger.settle(card, as: state)
        changed()
        return state
    }
}
