package import Base

internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import MachineRuntime

/// A card is charged at most once a sale. The intent, with the request's key, is on disk before the first
/// byte is sent, and from then on it is settled in exactly one of three ways: the sale takes it over in its
/// own transaction, the issuer declines it, or it is given back. ``DeviceRequest`` decides which, whoever
/// takes the money.
///
/// A lost response is never a reason for another key. While the outcome is unknown the sale waits as a parked
/// cart: sold again it goes on by the same key, dropped it is voided.
extension Checkout {
    /// A card's money that its sale has not recorded yet.
    struct CardTender {
        /// Nil for a token that the hub forwards.
        var intent: CardIntent?
        var token: OfflineCardToken?
        /// What counts within the store's limits for cards that were taken without a bank; nil: it does not.
        var counted: StoredCard?

        /// Nil for what a machine charged, which the hub does not capture.
        var approval: CardApproval? {
            guard let token, let counted else { return intent?.approval }
            return CardApproval(
                authorizationKey: counted.key, approvalCode: "", isSimulated: token.isSimulated)
        }
    }

    /// The store's limits for a sale whose cards are taken without the payment service.
    struct OfflineLimits {
        let limits: OfflineCardLimits
        /// The one that the sale would exceed; nil: none.
        let excess: OfflineCardExcess?
        /// The open one.
        let shift: String?
    }

    /// How the cards of one sale are taken.
    struct CardWay {
        /// Who is asked for the money of a card that waits for nothing.
        var channel = CardIntent.Channel.service
        /// Tokens are taken within these limits; nil: none are.
        var storage: OfflineLimits?
        /// Why ``channel`` takes nothing now; nil: it does.
        var refusal: SaleRefusal?
        /// Why the payment service takes nothing.
        var absence = CardAbsence.unavailable
    }

    /// How the cards of `cart` are taken now.
    func cardWay(
        of cart: Cart, _ key: ULID, by person: Cashier?
    ) async throws(SaleRefusal) -> CardWay {
        guard !cart.cards.isEmpty else { return CardWay() }
        let facts = await cardFacts(of: person?.role)
        let abilities = TillAbilities(facts)
        try abilities.check([])
        let each = cart.cards.compactMap { abilities[$0.tender.method] }
        var way = CardWay(
            channel: each.contains { $0.route == .machine } ? .machine : .service,
            refusal: each.lazy.compactMap(\.refusal).first, absence: facts.cardAbsence)
        guard way.refusal == nil, let first = each.first(where: { $0.route == .stored }) else { return way }
        // A card whose outcome is unknown may be charged already.
        guard try await suspendedCards(of: key).isEmpty, let limits = policy.offlineCards else {
            way.refusal = .cardOffline(facts.cardAbsence)
            return way
        }
        let excess = facts.storage?.room.excess(of: cart.cards.reduce(0) { $0 + $1.amount })
        if let excess, !first.canExceed { throw .offlineCardLimit(excess) }
        way.storage = OfflineLimits(limits: limits, excess: excess, shift: facts.shift)
        return way
    }

    /// What the sale uses of the terminal's lease of the store's limit, which no approval exceeds; nothing
    /// where the store sets none.
    ///
    /// - Parameter sum: of its cards that are taken without a bank, in minor units.
    func cardLeases(_ sum: Int64, within waiting: SaleWaiting) async throws(SaleRefusal) -> [LeaseUse] {
        guard sum > 0, policy.offlineCards?.perStore != nil else { return [] }
        let storeId: String?
        do throws(StorageError) {
            storeId = try await ports.wallet.storeId()
        } catch {
            throw SaleRefusal(error)
        }
        let supply = try await supply(sum, of: .card, storeId ?? "", within: waiting)
        guard let uses = supply.uses else { throw .offlineCardLimit(.perStore) }
        return uses
    }

    /// The same of what the terminal's own card machine took without its bank, which is known once it is
    /// charged: above the limit it is given back.
    func cardLeases(
        charged cards: [CardTender], _ key: ULID, within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> [LeaseUse] {
        let offline = cards.filter { $0.intent != nil }.compactMap(\.counted)
            .reduce(Int64(0)) { $0 + $1.amount }
        do throws(SaleRefusal) {
            return try await cardLeases(offline, within: waiting)
        } catch {
            await giveUp(cards, key, reason: Self.withoutBank)
            throw error.ofCharge
        }
    }

    /// Counts what the card machine took without its bank within the store's limits; above them the charge is
    /// given back. Nil: its bank authorised it, or the store has no limits.
    ///
    /// - Parameter counted: what counts of the sale's other cards, in minor units.
    private func counted(
        _ proof: DeviceProof, of intent: CardIntent, _ others: [CardIntent], _ key: ULID,
        beside counted: Int64
    ) async throws(SaleRefusal) -> StoredCard? {
        guard proof.isOffline, let limits = policy.offlineCards, let cards = ports.offlineCards else {
            return nil
        }
        do throws(SaleRefusal) {
            let shift = try await SaleRefusal.accessing(await ports.ledger.openShift())
            return try await cards.count(intent, beside: counted, within: limits, in: shift, policy.calendar)
        } catch {
            await giveUp([intent] + others, key, reason: Self.withoutBank)
            throw error.ofCharge
        }
    }

    private static let withoutBank = "the card machine took it without its bank"

    /// Takes tokens for the cards of `cart`, and counts them; nil where nothing here reads cards.
    private func storedTenders(
        for cart: Cart, _ offline: OfflineLimits
    ) async throws(SaleRefusal) -> [CardTender]? {
        let amounts = cart.cards.map { (key: freshKey().description, amount: $0.amount) }
        let taken = try await ports.offlineCards?.take(
            amounts, currency: cart.currency, within: offline.limits, in: offline.shift,
            policy.calendar,
            isApproved: offline.excess != nil)
        return taken?.map { CardTender(token: $0.token, counted: $0.card) }
    }

    /// Takes what cards and wallets pay of `cart`, one after the other; empty when none does. Of a sale that
    /// waits, its own authorisations go on, and those that it does not need any more are voided.
    func cardTenders(
        for cart: Cart, of request: SaleRequest, key: ULID, _ way: CardWay
    ) async throws(SaleRefusal) -> [CardTender] {
        if let storage = way.storage {
            guard let stored = try await storedTenders(for: cart, storage) else {
                throw .cardOffline(way.absence)
            }
            return stored
        }
        var waiting = try await suspendedCards(of: key)
        var planned: [(payment: PlannedPayment, intent: CardIntent?)] = []
        for payment in cart.cards {
            let place = waiting.firstIndex {
                $0.method == payment.tender.method && $0.amount == payment.amount
                    && $0.currency == cart.currency && !$0.isVoiding
            }
            planned.append((payment, place.map { waiting.remove(at: $0) }))
        }
        for intent in waiting {
            guard await giveUp(intent, reason: "the sale was paid otherwise") == .open else { continue }
            // One that was being voided may have no cart.
            throw .cardOutcomeUnknown(
                detail: intent.channel.openVoid, cart: intent.isVoiding ? nil : key.description)
        }
        guard !planned.isEmpty else {
            noteResumed(key)
            return []
        }
        let channel = way.channel
        if planned.contains(where: { ($0.intent?.channel ?? channel) == .service }) {
            if let refusal = way.refusal { throw refusal }
            // The approver's PIN took its time.
            let facts = modeFacts()
            guard facts.payment == nil else { throw .cardOffline(facts.cardAbsence) }
        }
        let orderId = planned.lazy.compactMap(\.intent?.orderId).first
        var taken: [CardTender] = []
        var rest = planned[...]
        while let next = rest.popFirst() {
            let others = taken.compactMap(\.intent) + rest.compactMap(\.intent)
            let intent = try await intent(
                next.intent, for: next.payment, key, in: cart, channel,
                orderId: orderId ?? taken.first?.intent?.orderId, others)
            let counted = taken.compactMap(\.counted).reduce(Int64(0)) { $0 + $1.amount }
            taken.append(
                try await tender(of: intent, others, for: (request, cart), key, beside: counted))
        }
        guard !hasGivenUp(key) else {
            await giveUp(taken, key, reason: "the sale was given up")
            throw .cardGivenUp
        }
        return taken
    }

    /// The intent of a waiting sale, else a new one on disk.
    private func intent(
        _ known: CardIntent?, for payment: PlannedPayment, _ key: ULID, in cart: Cart,
        _ channel: CardIntent.Channel, orderId: String?, _ others: [CardIntent]
    ) async throws(SaleRefusal) -> CardIntent {
        if let known { return known }
        do throws(StorageError) {
            return try await ports.intents.open(
                CardRequest(
                    saleKey: key, orderId: orderId, method: payment.tender.method, amount: payment.amount,
                    currency: cart.currency, channel: channel), at: ports.time.wallMilliseconds())
        } catch {
            await giveUp(others, key, reason: "the other card could not be taken")
            throw SaleRefusal(error)
        }
    }

    /// - Parameters:
    ///   - others: the sale's other intents, which end with a refusal of this one.
    ///   - counted: what counts within the limits of `offlineCard` of those before it, in minor units.
    private func tender(
        of known: CardIntent, _ others: [CardIntent], for sale: (request: SaleRequest, cart: Cart),
        _ key: ULID, beside counted: Int64
    ) async throws(SaleRefusal) -> CardTender {
        var intent = known
        if known.request.proof == nil {
            guard let request = await outcome(of: known, key) else {
                await giveUp([known] + others, key, reason: "the sale was given up")
                throw .cardGivenUp
            }
            intent.request = request
        }
        switch intent.request.state {
        case .charged(let proof):
            return CardTender(
                intent: intent,
                counted: try await self.counted(proof, of: intent, others, key, beside: counted))
        case .intent, .sent, .requested:
            throw await suspended([intent] + others, sale, key, because: "there is no card machine any more")
        case .unknown(let detail):
            throw await suspended([intent] + others, sale, key, because: detail)
        case .declined, .sold, .voiding, .voided, .voidRequested, .owed:
            throw await declined(intent, others, key)
        }
    }

    /// Nothing is charged by this card: the sale's other ones are given up, and the next attempt has another
    /// key. A decline that cannot be recorded leaves the intent as it is; its void later is harmless.
    private func declined(_ intent: CardIntent, _ others: [CardIntent], _ key: ULID) async -> SaleRefusal {
        let isRecorded = (try? await ports.intents.keep(intent)) != nil
        let isNotSent = intent.request.trouble != nil
        let areVoided = await giveUp(
            others, key, reason: "the other card " + (isNotSent ? "could not be taken" : "was declined"))
        if !isRecorded { noteSuspended(key) }
        guard let trouble = intent.request.trouble else {
            return .cardDeclined(reason: intent.request.reason, isVoidOpen: !areVoided)
        }
        guard intent.channel == .service else { return .cardMachine(trouble) }
        return .cardOffline(trouble == .busy ? .busy : modeFacts().cardAbsence)
    }

    /// Lets the sale wait as a parked cart until the outcome is known, or the cashier drops it. An exchange
    /// cannot wait: what comes back for it would be free to come back again.
    private func suspended(
        _ intents: [CardIntent], _ sale: (request: SaleRequest, cart: Cart), _ key: ULID,
        because detail: String
    ) async -> SaleRefusal {
        guard sale.request.returned == nil else {
            await giveUp(intents, key, reason: "the outcome is unknown: \(detail)")
            return .cardOutcomeUnknown(detail: detail, cart: nil)
        }
        let now = ports.time.wallMilliseconds()
        let cart = KeptCart(
            id: key, name: nil, since: now,
            lines: zip(sale.request.lines, sale.cart.lines).map { entry, line in
                KeptCart.Line(entry: entry, sku: line.sku, name: line.name, total: line.price.total)
            }, currency: sale.cart.currency, total: sale.cart.totals.total, memberId: sale.request.memberId,
            coupons: sale.request.coupons, points: sale.request.points)
        do throws(StorageError) {
            try await ports.intents.suspend(intents, as: cart)
            noteSuspended(key)
        } catch {
            // Open intents are voided with the next start too, when the disk has no room for this either.
            await giveUp(intents, key, reason: "the outcome is unknown: \(detail)")
            return .cardOutcomeUnknown(detail: detail, cart: nil)
        }
        return .cardOutcomeUnknown(detail: detail, cart: key.description)
    }

    /// What became of the money of `intent`; nil: all requesters of the sale cancelled it.
    private func outcome(of intent: CardIntent, _ key: ULID) async -> DeviceRequest? {
        let (giveUp, machine, service) = (giveUpRequest(of: key), ports.machine, serviceCards)
        return await withTaskGroup(of: (hasEnded: Bool, outcome: DeviceRequest?).self) { group in
            group.addTask {
                switch intent.channel {
                case .service: (true, await service.charge(intent))
                // A machine that is not there any more leaves the request as it is.
                case .machine: (true, await machine?.charge(intent.request) ?? intent.request)
                }
            }
            group.addTask { (await giveUp?.wait() == true, nil) }
            defer { group.cancelAll() }
            for await end in group where end.hasEnded { return end.outcome }
            return nil
        }
    }

    private var serviceCards: ServiceCards {
        ServiceCards(ports: ports, policy: policy) {
            Language.english.refusalTexts.why(await self.modeFacts().cardAbsence)
        }
    }

    /// Gives up what no sale will take over: authorisations are voided, tokens are not counted any more.
    ///
    /// - Parameter isUncertain: the sale may be on disk. Then the tokens count until the hub was reached.
    func giveUp(_ cards: [CardTender], _ key: ULID, reason: String, isUncertain: Bool = false) async {
        await giveUp(cards.compactMap(\.intent), key, reason: reason)
        // What a machine charged counts until its void.
        let stored = cards.filter { $0.intent == nil }.compactMap(\.counted?.key)
        if isUncertain {
            await ports.offlineCards?.noteUndecided(stored)
        } else {
            await ports.offlineCards?.release(stored)
        }
    }

    /// Voids authorisations that no sale will take over, of a sale that does not wait any more.
    ///
    /// - Returns: whether all of them are settled.
    @discardableResult
    func giveUp(_ intents: [CardIntent], _ key: ULID, reason: String) async -> Bool {
        var areSettled = true
        for intent in intents {
            if await giveUp(intent, reason: reason) == .open { areSettled = false }
        }
        // Another sale of the key would charge anew while the first charge may be there.
        if areSettled { noteResumed(key) }
        return areSettled
    }

    /// What fails here is done again later, since the intent stays unsettled.
    @discardableResult
    func giveUp(_ intent: CardIntent, reason: String) async -> CardVoidEnd {
        (try? await giveBack(intent, reason: reason)) ?? .open
    }

    /// The decision is on disk first: a sale that is recorded meanwhile keeps its charge, and after it none
    /// takes the charge over.
    ///
    /// - Parameter onlyUnsettled: not what waits as a cart by now.
    func giveBack(
        _ intent: CardIntent, reason: String, onlyUnsettled: Bool = false
    ) async throws(StorageError) -> CardVoidEnd {
        do throws(StorageError) {
            let now = ports.time.wallMilliseconds()
            let given = try await ports.intents.giveUp(
                intent, reason: reason, onlyUnsettled: onlyUnsettled, at: now)
            guard let request = given else { return .settledBefore }
            // What one that is gone would have to give back is owed once a person wants an end of it.
            let machine = ports.machine ?? (onlyUnsettled ? nil : ports.formerMachine)
            if !request.isAtRest, await machine?.giveBack(key: intent.key) != true {
                noteSuspended(intent.saleKey)
                return .open
            }
        } catch {
            noteSuspended(intent.saleKey)
            throw error
        }
        if intent.channel == .service { ports.delivery.nudge() }
        await ports.offlineCards?.release([intent.key])
        return .voided
    }
}

/// Sales that wait for the outcome of a card.
extension Checkout {
    /// The authorisations of the waiting sale of `key`; empty where none waits, without a read.
    func suspendedCards(of key: ULID) async throws(SaleRefusal) -> [CardIntent] {
        do throws(StorageError) {
            if let keys = suspendedSales, !keys.contains(key) { return [] }
            return try await readSuspendedCards(of: key)
        } catch {
            throw SaleRefusal(error)
        }
    }

    private func readSuspendedCards(of key: ULID) async throws(StorageError) -> [CardIntent] {
        let intents = try await ports.intents.suspended()
        noteSuspendedSales(Set(intents.map(\.saleKey)))
        return intents.filter { $0.saleKey == key }
    }

    /// Voids the authorisations of a waiting sale that is dropped.
    package func dropSuspended(_ key: ULID) async throws(SaleRefusal) {
        let intents: [CardIntent]
        do throws(StorageError) {
            // Not by the keys in memory: a cart is dropped for good.
            intents = try await readSuspendedCards(of: key)
        } catch {
            throw SaleRefusal(error)
        }
        guard !intents.isEmpty else { return }
        var open: CardIntent?
        do throws(StorageError) {
            // A machine may not confirm its void, and then the cart stays with its other authorisations.
            for intent in intents.filter({ $0.channel == .machine })
                + intents.filter({ $0.channel == .service })
            where open == nil {
                if try await giveBack(intent, reason: "the cart was dropped") == .open { open = intent }
            }
        } catch {
            throw SaleRefusal(error)
        }
        if let open {
            throw .cardOutcomeUnknown(detail: open.channel.openVoid, cart: key.description)
        }
        noteResumed(key)
    }

    /// Learns what became of cards that were taken without the payment service.
    ///
    /// - Returns: whether something became of one.
    package func inquireForwarded() async -> Bool {
        guard let cardService = ports.offlineCards,
            ports.modes.route(of: HubService.payment.rawValue) == .online
        else {
            return false
        }
        let (cards, deadline) = (ports.cards, policy.cardQueryDeadline)
        return await cardService.inquire { key in await cards.forwarded(key: key, deadline: deadline) }
    }

    /// Cards that were taken without the payment service and refused afterwards, settled or not.
    package func cardDebts() async throws(SaleRefusal) -> [CardDebt] {
        do throws(StorageError) {
            return try await ports.offlineCards?.debts() ?? []
        } catch {
            throw SaleRefusal(error)
        }
    }

    /// Requests the outcomes of waiting sales again, by the keys that they have, while the hub can be
    /// reached.
    package func inquireSuspended() async {
        guard suspendedSales?.isEmpty != true, ports.modes.route(of: HubService.payment.rawValue) == .online,
            let intents = try? await ports.intents.suspended()
        else { return }
        noteSuspendedSales(Set(intents.map(\.saleKey)))
        for var intent in intents
        where intent.channel == .service && intent.request.isUndecided && !isRunning(intent.saleKey) {
            intent.request = await serviceCards.queried(intent.request)
            if !intent.request.isUndecided { try? await ports.intents.keep(intent) }
        }
    }
}

extension CardIntent {
    /// What the sale's payment has of a charge of the terminal's own machine; nil: the service granted it.
    var machineDetails: PaymentDetails.Machine? {
        guard channel == .machine, let proof = request.proof else { return nil }
        let origin = request.origin
        return PaymentDetails.Machine(
            reference: proof.reference,
            approvalCode: proof.isSimulated ? "SIMULATED \(proof.approvalCode)" : proof.approvalCode,
            key: key, kind: origin?.kind.rawValue, machineId: proof.machineId ?? origin?.machineId,
            offline: proof.isOffline ? true : nil,
            card: proof.brand == nil && proof.last4 == nil
                ? nil : PaymentDetails.Card(brand: proof.brand, last4: proof.last4))
    }
}
