internal import Base
package import HubProtocol
package import MachineRuntime
package import OfflineMode

/// A card or wallet payment that nobody granted when it was taken, as the limits count it: a token, or what
/// the terminal's own card machine took without its bank.
package struct StoredCard: Hashable, Sendable {
    /// A token's is `intent` until its sale is on disk; after a crash nobody knows whether there was one.
    package var request: DeviceRequest
    /// By the wall clock and the store's calendar when it was taken.
    package let businessDay: BusinessDay
    /// When it was taken.
    package let takenAt: MachineMoment
    /// The shift in which it was taken; nil: none was open.
    package let shiftId: String?
    /// When an operator noted at the hub that a token's debt was paid or written off, or the card machine
    /// sent its own to the bank, Unix milliseconds; nil: neither.
    package var settledAt: Int64?

    package init(
        _ request: DeviceRequest, businessDay: BusinessDay, takenAt: MachineMoment, shiftId: String?,
        settledAt: Int64? = nil
    ) {
        self.request = request
        self.businessDay = businessDay
        self.takenAt = takenAt
        self.shiftId = shiftId
        self.settledAt = settledAt
    }

    /// A token.
    ///
    /// - Parameters:
    ///   - key: the payment's, a ULID.
    ///   - amount: minor units.
    ///   - currency: ISO 4217.
    package init(
        token key: String, amount: Int64, currency: String, businessDay: BusinessDay, takenAt: MachineMoment,
        shiftId: String? = nil, state: DeviceRequest.State = .intent, settledAt: Int64? = nil
    ) {
        self.init(
            DeviceRequest(
                .charge, key: key, chargeKey: key, amount: amount, currency: currency,
                openedAt: takenAt.wall, state: state, origin: .init(kind: .token, address: ""),
                reported: nil), businessDay: businessDay, takenAt: takenAt, shiftId: shiftId,
            settledAt: settledAt)
    }

    /// The payment's key, a ULID.
    package var key: String { request.key }
    /// Minor units.
    package var amount: Int64 { request.amount }
    /// ISO 4217.
    package var currency: String { request.currency }

    /// Whether the hub forwards it; else the card machine sends it to its bank itself.
    package var isToken: Bool { request.origin?.kind.agreesLater == true }

    /// Whether its bank has still to decide.
    var isOpen: Bool {
        guard isToken else { return settledAt == nil }
        if case .requested = request.state { return true }
        return request.state == .intent
    }

    /// Whether it was granted, else refused afterwards: a debt.
    package var isRefused: Bool {
        if case .declined = request.state { return isToken }
        return false
    }

    /// Whether somebody still owes it.
    var isOpenDebt: Bool { isRefused && settledAt == nil }
}

/// A card that was taken without any service and refused afterwards: the goods are gone and no money came.
package struct CardDebt: Hashable, Sendable {
    /// The payment's key, by which the hub settles it.
    package let key: String
    /// The number of its sale; nil where the database lost the sale.
    package let orderNumber: String?
    /// The shift in which it was taken; nil: none was open.
    package let shiftId: String?
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// Why the payment service refused it; nil where no reason came.
    package let reason: String?
    /// Whether an operator noted at the hub that it was paid or written off.
    package let isSettled: Bool

    /// A debt of a payment; nil where refunds gave back all of it.
    ///
    /// - Parameter refunds: those of its sale.
    package init?(_ card: StoredCard, orderNumber: String?, after refunds: [RefundContent] = []) {
        let back = refunds.flatMap(\.payments).filter { $0.card?.authorizationKey == card.key }
        let owed = back.reduce(card.amount) { $0 - min($0, max(0, $1.amount)) }
        guard owed > 0 else { return nil }
        key = card.key
        self.orderNumber = orderNumber
        shiftId = card.shiftId
        amount = owed
        currency = card.currency
        reason = card.request.reason.isEmpty ? nil : card.request.reason
        isSettled = card.settledAt != nil
    }

    /// What of them is not settled, in minor units; at most what an integer holds.
    package static func open(_ debts: [CardDebt]) -> Int64 {
        debts.reduce(0) { sum, debt in
            guard !debt.isSettled else { return sum }
            let (next, overflows) = sum.addingReportingOverflow(debt.amount)
            return overflows ? .max : next
        }
    }
}

/// A limit of `offlineCard` that a sale would exceed.
package enum OfflineCardExcess: String, Hashable, Sendable {
    case perSale, perShift, perTerminal
    /// The terminal has no lease for it of what the store's terminals may take together.
    case perStore
    /// A payment waits longer than `maxAgeMinutes`.
    case age = "maxAgeMinutes"
    /// What was taken before cannot be read, so nothing is known to be within the limits.
    case unreadable
}

/// What the limits of `offlineCard` leave for one more sale. The one of leases is not among them.
package struct OfflineCardRoom: Hashable, Sendable {
    private struct Bound: Hashable {
        let limit: OfflineCardExcess
        /// Minor units, 0 or more.
        let left: Int64
    }

    /// In the order in which a sale is refused by them.
    private let bounds: [Bound]

    /// What is left where nothing is known of what was taken before: nothing.
    static let unreadable = OfflineCardRoom([Bound(limit: .unreadable, left: 0)])

    private init(_ bounds: [Bound]) { self.bounds = bounds }

    /// The most that one sale takes within all limits, in minor units; 0: nothing.
    package var left: Int64 { bounds.map(\.left).min() ?? 0 }

    /// The first limit that `amount`, above 0, would exceed; nil: it is within all of them.
    ///
    /// - Parameter others: what counts of the same sale already, in minor units.
    package func excess(of amount: Int64, beside others: Int64 = 0) -> OfflineCardExcess? {
        bounds.first { bound in
            amount > bound.left - (bound.limit == .perSale ? others : 0)
        }?.limit
    }

    /// - Parameter shift: the open one; nil: the business day counts in its place.
    package init(
        beside taken: [StoredCard], within limits: OfflineCardLimits, at now: MachineMoment, shift: String?,
        calendar: BusinessCalendar
    ) {
        func left(of limit: Int64, _ cards: [StoredCard]) -> Int64 {
            var rest = limit
            for card in cards {
                let (next, overflows) = rest.subtractingReportingOverflow(card.amount)
                guard !overflows else { return 0 }
                rest = next
            }
            return max(0, rest)
        }
        let open = taken.filter(\.isOpen)
        let age = open.map { $0.takenAt.mostPassed(until: now) }.max() ?? 0
        let isOld = age > limits.maximumAgeMinutes.multipliedReportingOverflow(by: 60_000).partialValue
        let today = calendar.day(at: now.wall)
        let ofShift = taken.filter { card in
            guard card.request.state != .voided else { return false }
            return shift.map { $0 == card.shiftId } ?? Self.counts(card, on: today, now, calendar)
        }
        bounds = [
            Bound(limit: .perSale, left: max(0, limits.perSale)),
            Bound(limit: .age, left: isOld ? 0 : .max),
            Bound(limit: .perTerminal, left: left(of: limits.perTerminal, open)),
            Bound(limit: .perShift, left: left(of: limits.perShift, ofShift)),
        ]
    }

    /// Whether `card` counts on the business day `today`: by its own day, and where the wall clock was moved
    /// since by the day that the boot clock puts it on.
    private static func counts(
        _ card: StoredCard, on today: BusinessDay, _ now: MachineMoment, _ calendar: BusinessCalendar
    ) -> Bool {
        if card.businessDay >= today { return true }
        guard card.takenAt.bootId == now.bootId else { return false }
        let passed = max(0, now.boot - card.takenAt.boot)
        return calendar.day(at: now.wall - passed) >= today
    }
}

/// The token of a card machine for a payment, sealed to the hub.
package struct OfflineCardToken: Hashable, Sendable {
    /// What is stored of it.
    package let sealed: PaymentDetails.SealedToken
    /// Whether a simulator made it, so that no money will move.
    package let isSimulated: Bool

    package init(sealed: PaymentDetails.SealedToken, isSimulated: Bool) {
        self.sealed = sealed
        self.isSimulated = isSimulated
    }
}

/// What reads cards without a payment service: a card machine, or the simulator.
package protocol CardTokenSource: Sendable {
    /// Whether ``token(ofPayment:amount:currency:)`` would give one now, as far as that is known.
    func isReady() async -> Bool

    /// A token for the payment of `key`; nil where nothing here can give one, or the hub's key is missing.
    func token(ofPayment key: String, amount: Int64, currency: String) async -> OfflineCardToken?
}

/// What a terminal knows of the payments that it took offline.
package struct StoredCards: Hashable, Sendable {
    /// Oldest first.
    package var cards: [StoredCard]
    /// False where there may have been more: the file beside the database, or a row of it, was not readable.
    /// Then nothing is known to be within the limits.
    package var isComplete: Bool

    /// Makes a list; it is complete by default.
    package init(_ cards: [StoredCard] = [], isComplete: Bool = true) {
        (self.cards, self.isComplete) = (cards, isComplete)
    }
}

/// Keeps what was taken offline: in the database, by the sale's own transaction, and in a file beside it that
/// an old copy of the database does not undo.
package protocol StoredCardStore: Sendable {
    /// What both hold. A file that is missing beside rows, or cannot be read, leaves the list incomplete.
    func cards() async throws(StorageError) -> StoredCards

    /// Replaces the file, which says of an incomplete list that it is one; durable when it returns.
    func keep(_ cards: StoredCards) throws(StorageError)

    /// Notes in the database what became of a payment: a token's request, and when it was settled.
    func settle(_ card: StoredCard) async throws(StorageError)

    /// Cards that were refused afterwards, settled or not, oldest first.
    func debts() async throws(StorageError) -> [CardDebt]
}

/// What the hub reports about a payment that was taken offline.
package enum StoredCardOutcome: Hashable, Sendable {
    /// What became of it, and when its debt was settled, in Unix milliseconds.
    case known(DeviceRequest.Event, settledAt: Int64?)
    /// The hub does not have it.
    case absent
    /// The hub has it, and the payment service has not decided.
    case open
    /// The hub did not respond.
    case silence
}

/// Takes cards without a payment service, as long as the store's limits allow it. One at a time: the counting
/// and the reservation in the file are one step.
package actor OfflineCardService {
    private let store: any StoredCardStore
    private let tokens: any CardTokenSource
    private let time: any SystemTime
    private var known = StoredCards()
    private var isLoaded = false
    /// Of sales that are being made.
    private var running: Set<String> = []
    /// When the hub was queried about open debts last.
    private var debtsQueriedAt: Instant?

    /// How often the hub is queried whether debts were settled. Somebody settles one in hours or days: with
    /// half of it there are twice as many requests, with twice of it a paid debt is shown for longer.
    private static let debtInterval: Duration = .seconds(600)

    /// How long settled payments stay in the file: 3 days in milliseconds. Longer than any business day that
    /// they count on; twice as long is a larger file for nothing.
    private static let settledKept: Int64 = 259_200_000

    /// Makes the service; the store is read with the first use.
    package init(store: any StoredCardStore, tokens: any CardTokenSource, time: any SystemTime) {
        (self.store, self.tokens, self.time) = (store, tokens, time)
    }

    /// What the limits leave now.
    func room(
        within limits: OfflineCardLimits, in shift: String?, _ calendar: BusinessCalendar
    ) async throws(StorageError) -> OfflineCardRoom {
        try await load()
        return roomNow(within: limits, in: shift, calendar)
    }

    /// Whether something here reads cards.
    var hasTokens: Bool { get async { await tokens.isReady() } }

    /// Counts payments as taken, durably, and gives a token for each; nil where nothing here reads cards.
    ///
    /// - Parameter isApproved: whether somebody approved that a limit is exceeded.
    func take(
        _ amounts: [(key: String, amount: Int64)], currency: String, within limits: OfflineCardLimits,
        in shift: String?, _ calendar: BusinessCalendar, isApproved: Bool
    ) async throws(SaleRefusal) -> [(card: StoredCard, token: OfflineCardToken)]? {
        do throws(StorageError) {
            try await load()
        } catch {
            throw SaleRefusal(error)
        }
        var tokens: [OfflineCardToken] = []
        for (key, amount) in amounts {
            guard let token = await self.tokens.token(ofPayment: key, amount: amount, currency: currency)
            else { return nil }
            tokens.append(token)
        }
        let now = MachineMoment(time)
        let cards = amounts.map { key, amount in
            StoredCard(
                token: key, amount: amount, currency: currency, businessDay: calendar.day(at: now.wall),
                takenAt: now, shiftId: shift)
        }
        try reserve(cards, isApproved ? nil : roomNow(within: limits, in: shift, calendar))
        return zip(cards, tokens).map { ($0, $1) }
    }

    /// Counts what the terminal's own card machine took without its bank, durably, and once for each intent.
    ///
    /// - Parameter others: what counts of the same sale already, in minor units.
    func count(
        _ intent: CardIntent, beside others: Int64, within limits: OfflineCardLimits, in shift: String?,
        _ calendar: BusinessCalendar
    ) async throws(SaleRefusal) -> StoredCard {
        try await SaleRefusal.accessing(await load())
        if let counted = known.cards.first(where: { $0.key == intent.key }) {
            running.insert(intent.key)
            return counted
        }
        let now = MachineMoment(time)
        let card = StoredCard(
            intent.request, businessDay: calendar.day(at: now.wall), takenAt: now, shiftId: shift)
        try reserve([card], beside: others, roomNow(within: limits, in: shift, calendar))
        return card
    }

    /// Without a suspension, so that no other sale counts in between.
    ///
    /// - Parameters:
    ///   - others: what counts of the same sale already, in minor units.
    ///   - room: what the limits leave; nil: somebody approved that they are exceeded.
    private func reserve(
        _ cards: [StoredCard], beside others: Int64 = 0, _ room: OfflineCardRoom?
    ) throws(SaleRefusal) {
        let sum = cards.reduce(Int64(0)) { sum, card in sum + card.amount }
        if let excess = room?.excess(of: sum, beside: others) { throw .offlineCardLimit(excess) }
        do throws(StorageError) {
            try keep(known.cards + cards)
        } catch {
            throw SaleRefusal(error)
        }
        running.formUnion(cards.map(\.key))
    }

    /// The card machine's own end of day has sent to its bank what it took without it.
    package func noteMachineClosed() async {
        guard (try? await load()) != nil, let stored = try? await store.cards() else { return }
        for var card in stored.cards where !card.isToken && card.isOpen {
            guard case .sold = card.request.state else { continue }
            card.settledAt = time.wallMilliseconds()
            try? await store.settle(card)
            update(card)
        }
    }

    /// The sale of `keys` is on disk. That says nothing about payments that cannot be read.
    func noteSold(_ keys: [String]) {
        running.subtract(keys)
        for place in known.cards.indices where keys.contains(known.cards[place].key) {
            _ = known.cards[place].request.handle(.sold, at: time.now())
        }
    }

    /// Whether the sale of `keys` is on disk is not known: they count until the hub was reached.
    func noteUndecided(_ keys: [String]) {
        running.subtract(keys)
    }

    /// The sale of `keys` was not made. What cannot be written counts until the hub was reached.
    func release(_ keys: [String]) async {
        guard (try? await load()) != nil, known.cards.contains(where: { keys.contains($0.key) }) else {
            return
        }
        running.subtract(keys)
        try? keep(known.cards.filter { !keys.contains($0.key) })
    }

    /// Learns from the hub what became of payments that it forwards, and from time to time whether debts were
    /// settled. A list that was incomplete counts as complete once the hub has responded about every open
    /// payment, and has the sale of each.
    ///
    /// - Parameter outcome: what the hub reports about a key.
    /// - Returns: whether something became of one.
    @discardableResult
    package func inquire(_ outcome: @Sendable (_ key: String) async -> StoredCardOutcome) async -> Bool {
        guard (try? await load()) != nil else { return false }
        let now = time.now()
        let queriesDebts = debtsQueriedAt.map { now - $0 >= Self.debtInterval } ?? true
        if queriesDebts { debtsQueriedAt = now }
        let open = known.cards.filter { isUndecided($0) }.map(\.key)
        let debts = queriesDebts ? known.cards.filter(\.isOpenDebt).map(\.key) : []
        var (isCertain, hasChanged) = (true, false)
        for key in open + debts {
            let found = await outcome(key)
            // Meanwhile its sale may have been recorded, or another inquiry have settled it.
            guard let card = known.cards.first(where: { $0.key == key }), isUndecided(card) || card.isOpenDebt
            else { continue }
            var next = card
            switch found {
            case .known(let event, let settledAt):
                _ = next.request.handle(event, at: now)
                next.settledAt = settledAt
            case .absent where card.request.state == .intent: await settleReservation(key)
            // A sale's own entry is still on its way to the hub. What becomes of a debt changes no limit.
            case .absent, .silence: isCertain = isCertain && !card.isOpen
            case .open: break
            }
            guard next != card else { continue }
            try? await store.settle(next)
            update(next)
            hasChanged = true
        }
        guard !known.isComplete, isCertain else { return hasChanged }
        // Where no payment is open, the hub is asked about one that nobody made: it has to be within reach.
        if open.isEmpty, await outcome(freshKey()) != .absent { return hasChanged }
        noteComplete()
        return hasChanged
    }

    /// Cards that were refused afterwards, settled or not, oldest first.
    package func debts() async throws(StorageError) -> [CardDebt] { try await store.debts() }

    /// One that the service has still to decide, and whose sale is not being made now.
    private func isUndecided(_ card: StoredCard) -> Bool {
        card.isToken && card.isOpen && !running.contains(card.key)
    }

    /// Releases a reservation of which the hub has nothing, unless its sale is on disk: a commit may have
    /// reached the disk although it failed.
    private func settleReservation(_ key: String) async {
        guard let stored = try? await store.cards(),
            let card = known.cards.first(where: { $0.key == key }), isUndecided(card),
            card.request.state == .intent
        else { return }
        guard let row = stored.cards.first(where: { $0.key == key && $0.request.state != .intent }) else {
            await release([key])
            return
        }
        update(row)
    }

    private func noteComplete() {
        known.isComplete = true
        do throws(StorageError) {
            try keep(known.cards)
        } catch {
            known.isComplete = false
        }
    }

    private func freshKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: UInt64(clamping: time.wallMilliseconds()), using: &generator).description
    }

    /// What was taken and is not forgotten, oldest first: for the status, and for the debts.
    package func all() async throws(StorageError) -> [StoredCard] {
        try await load()
        return known.cards
    }

    private func roomNow(
        within limits: OfflineCardLimits, in shift: String?, _ calendar: BusinessCalendar
    ) -> OfflineCardRoom {
        guard known.isComplete else { return .unreadable }
        return OfflineCardRoom(
            beside: known.cards, within: limits, at: MachineMoment(time), shift: shift, calendar: calendar)
    }

    private func update(_ card: StoredCard) {
        for place in known.cards.indices where known.cards[place].key == card.key {
            known.cards[place] = card
        }
        try? keep(known.cards)
    }

    private func keep(_ next: [StoredCard]) throws(StorageError) {
        let now = MachineMoment(time)
        let kept = next.filter { card in
            card.isOpen || card.isOpenDebt
                || card.takenAt.leastPassed(until: now) < Self.settledKept
        }
        let next = StoredCards(kept, isComplete: known.isComplete)
        try store.keep(next)
        known = next
    }

    private func load() async throws(StorageError) {
        guard !isLoaded else { return }
        let found = try await store.cards()
        guard !isLoaded else { return }
        (known, isLoaded) = (found, true)
    }
}
