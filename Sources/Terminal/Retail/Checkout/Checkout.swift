package import Base
import OfflineCore
internal import OfflineMode
internal import Pricing
internal import MachineRuntime

/// The checkout: checks a sale, prices it, takes the card, records it, and waits for the hub no longer than
/// the cashier should.
///
/// A sale keeps the mode that it began with. It is recorded here before any response, so the response never
/// depends on the hub: the hub's result only decides whether its `sync` is `acknowledged`. Without the hub's
/// data about cashier, member and offers the terminal's own copy is used.
package actor Checkout {
    let ports: CheckoutPorts
    /// Who acts at this terminal and with which rights; other features use it too.
    package nonisolated let authority: Authority
    nonisolated let members: MemberService
    let offers: OfferService
    let inquiry: HubInquiry
    private let currentPolicy: @Sendable () -> CheckoutPolicy
    /// Sales in progress by key, so that a key sent twice at once is sold once.
    private var running: [ULID: RunningSale] = [:]
    /// The keys of sales that wait for the outcome of a card; nil until they were read.
    private(set) var suspendedSales: Set<ULID>?
    /// Leases that sales and quotes are about to spend, with the moment of the last one.
    var neededLeases: [String: Instant] = [:]

    private struct RunningSale {
        let work: Task<Result<SaleResult, SaleRefusal>, Never>
        /// How many callers still wait for the response.
        var waiting = 1
        /// Ends its waiting for a card.
        let giveUp = GiveUp()
    }

    /// Registers what waits for the hub as a participant of `ports.modes`.
    ///
    /// - Parameter policy: called for every rule, since a store may change it while the terminal runs.
    package init(ports: CheckoutPorts, policy: @autoclosure @escaping @Sendable () -> CheckoutPolicy) {
        self.ports = ports
        let counter = ports.counter
        let inquiry = HubInquiry(modes: ports.modes, time: ports.time, waits: ports.saleWaits)
        ports.modes.register(inquiry)
        self.inquiry = inquiry
        authority = Authority(
            check: PINCheck(
                hub: counter.cashiers, roster: counter.roster, store: counter.failedPINs, inquiry: inquiry,
                time: ports.time),
            roster: counter.roster, store: counter.signIns, time: ports.time, policy: policy)
        members = MemberService(hub: counter.members, book: counter.memberBook, inquiry: inquiry)
        offers = OfferService(hub: counter.offers, offerCopy: counter.offerCopy, inquiry: inquiry)
        currentPolicy = policy
    }

    var policy: CheckoutPolicy { currentPolicy() }

    /// Sells `request`, or returns the first sale of its key.
    ///
    /// Cancelling the caller cancels a sale that waits for a card: the authorisation is voided, nothing is
    /// sold. Any other sale that has begun is completed.
    ///
    /// - Parameter receivedAt: when the request was read, for ``SaleResult/elapsed``; nil: now.
    package func sell(
        _ request: SaleRequest, receivedAt: Instant? = nil
    ) async throws(SaleRefusal) -> SaleResult {
        let start = receivedAt ?? ports.time.now()
        let key = request.key ?? freshKey()
        if let first = running[key] {
            running[key]?.waiting += 1
            return try await waiting(for: first.work, of: key).get()
        }
        let work = Task { await self.outcome(of: request, key: key, start: start) }
        running[key] = RunningSale(work: work)
        let ended = await waiting(for: work, of: key)
        running[key] = nil
        return try ended.get()
    }

    /// Cancels the sale of `key` where that is possible: while it waits for a card, it ends with
    /// ``SaleRefusal/cardGivenUp``. A sale that is being recorded is completed.
    package func giveUp(_ key: ULID) {
        running[key]?.giveUp.request()
    }

    func hasGivenUp(_ key: ULID) -> Bool { running[key]?.giveUp.isRequested ?? false }

    /// For a sale in progress; nil without one.
    func giveUpRequest(of key: ULID) -> GiveUp? { running[key]?.giveUp }

    func isRunning(_ key: ULID) -> Bool { running[key] != nil }

    func noteSuspendedSales(_ keys: Set<ULID>) { suspendedSales = keys }

    func noteSuspended(_ key: ULID) { suspendedSales?.insert(key) }

    /// The sale waits no longer: it was recorded, or its authorisations end.
    func noteResumed(_ key: ULID) { suspendedSales?.remove(key) }

    private func waiting(
        for work: Task<Result<SaleResult, SaleRefusal>, Never>, of key: ULID
    ) async -> Result<SaleResult, SaleRefusal> {
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            Task { await self.leave(key) }
        }
    }

    /// After the last caller is gone, the sale is cancelled.
    private func leave(_ key: ULID) {
        running[key]?.waiting -= 1
        if running[key]?.waiting == 0 { giveUp(key) }
    }

    /// Card sales whose response no person has seen, oldest first: the program that requested them was
    /// killed.
    package func unseenCardSales() async throws(SaleRefusal) -> [Sale] {
        var sales: [Sale] = []
        do throws(StorageError) {
            // A sale with two cards is one sale.
            var keys: Set<ULID> = []
            for intent in try await ports.intents.unseen() where running[intent.saleKey] == nil {
                guard keys.insert(intent.saleKey).inserted else { continue }
                if let sale = try await ports.ledger.sale(key: intent.saleKey) { sales.append(sale) }
            }
        } catch {
            throw SaleRefusal(error)
        }
        return sales
    }

    /// The response to a card sale has arrived, or a person has checked the sale.
    package func noteSeen(orderId: String) async throws(SaleRefusal) {
        try await SaleRefusal.accessing(await ports.intents.noteSeen(orderId: orderId))
    }

    /// Voids every card intent that no sale, decline or void has settled and that no sale will take over:
    /// what a crash, a full disk or a machine that was away left.
    ///
    /// To be called at the start, and again later. Intents of sales in progress are not changed.
    ///
    /// - Returns: how many were voided.
    @discardableResult
    package func voidUnsettledCards() async throws(SaleRefusal) -> Int {
        var voided = 0
        do throws(StorageError) {
            for intent in try await ports.intents.unsettled() where running[intent.saleKey] == nil {
                // The list may be old, since a machine can keep the one before for minutes: whether a sale
                // has the money meanwhile, or waits for it as a cart, is decided on disk.
                let end = try await giveBack(intent, reason: "no sale was made", onlyUnsettled: true)
                if end == .voided { voided += 1 }
            }
        } catch {
            throw SaleRefusal(error)
        }
        return voided
    }

    private func outcome(
        of request: SaleRequest, key: ULID, start: Instant
    ) async -> Result<SaleResult, SaleRefusal> {
        do throws(SaleRefusal) {
            return .success(try await response(to: request, key: key, start: start))
        } catch {
            return .failure(error)
        }
    }

    private func response(
        to request: SaleRequest, key: ULID, start: Instant
    ) async throws(SaleRefusal) -> SaleResult {
        let mode = ports.modes.status.mode
        if request.key != nil, !PlantedBug.saleKeyNotLookedUp.isPlanted, let first = try await recorded(key) {
            return response(for: first, durable: .zero, isAcknowledged: first.isAcknowledged, start: start)
        }
        try checkSize(of: request)
        // A sale that waits for its card goes on by the way that the card has.
        let isWaiting = try await !suspendedCards(of: key).isEmpty
        try await abilities(for: request).check(isWaiting ? [] : request.methods)
        // A store without cashiers, members and offers needs no requests: most sales skip this step.
        let waiting = SaleWaiting(budget: ports.delivery.waitBudget)
        let person = ports.counter.roster.hasCashiers ? try await person(of: request, waiting) : nil
        let found = await foundMember(of: request, waiting)
        let member = found?.member
        var cart = try await pricedCart(of: request, for: found, within: waiting)
        try checkTotal(of: cart, request)
        try checkChange(of: cart, request)
        try await checkVouchers(of: cart, request)
        let way = try await cardWay(of: cart, key, by: person)
        let offline = way.storage
        let tokens = offline == nil ? 0 : cart.cards.reduce(0) { $0 + $1.amount }
        cart.leases += try await cardLeases(tokens, within: waiting)
        let approver = try await approver(of: cart, by: person, request, waiting, beyond: offline?.excess)
        let cards = try await cardTenders(for: cart, of: request, key: key, way)
        cart.leases += try await cardLeases(charged: cards, key, within: waiting)
        let draft = saleDraft(
            of: cart, by: Authorization(cashierId: person?.id ?? request.cashierId, approverId: approver),
            member: member, key: key, mode: mode, cards: cards)
        let committed = try await record(draft, cards: cards, for: request.returned)
        noteResumed(key)
        noteSpent(cart.leases)
        await ports.offlineCards?.noteSold(draft.storedCards.map(\.key))
        ports.delivery.nudge()
        let isAcknowledged = await isDelivered(committed.sale, mode: mode, waiting.wait)
        var result = response(
            for: committed.sale, durable: committed.durable, isAcknowledged: isAcknowledged, start: start)
        result.refund = committed.refund
        return result
    }

    /// The refusal of a sale under a clock that no person has confirmed; nil: the clocks agree, or the hub's
    /// is the wrong one.
    func clockDifference(of request: SaleRequest) -> SaleRefusal? {
        guard !request.isClockConfirmed, let ahead = ports.hubClock.comparison().refusedDifference,
            let hub = ports.hubClock.hubMilliseconds()
        else { return nil }
        return .clockDiffers(
            own: policy.calendar.localTime(at: hub - ahead), hub: policy.calendar.localTime(at: hub))
    }

    private func checkTotal(of cart: Cart, _ request: SaleRequest) throws(SaleRefusal) {
        guard let quoted = request.quotedTotalMinor, quoted != cart.totals.total else { return }
        throw .priceChanged(
            quoted: AmountText.money(quoted, cart.currency),
            total: AmountText.money(cart.totals.total, cart.currency))
    }

    /// Whole units of the currency. The largest notes are of 500,000 (dong) and 1,000,000 (rial), and nobody
    /// hands over one more than is needed: half of it would refuse such a note, ten times as much would let
    /// most of the barcodes through that are scanned into the field.
    private static let largestChange: Int64 = 1_000_000

    /// A sale whose cash is a barcode makes the drawer's figures wrong. What comes back in an exchange is no
    /// cash that was entered.
    private func checkChange(of cart: Cart, _ request: SaleRequest) throws(SaleRefusal) {
        let unit = (0..<AmountText.decimals(of: cart.currency)).reduce(Int64(1)) { unit, _ in unit * 10 }
        let entered = cart.settlement.change - (request.returned?.promised ?? 0)
        guard entered > Self.largestChange * unit else { return }
        throw .changeTooLarge(change: AmountText.money(cart.settlement.change, cart.currency))
    }

    private func person(
        of request: SaleRequest, _ waiting: SaleWaiting
    ) async throws(SaleRefusal) -> Cashier? {
        do throws(AuthorityRefusal) {
            return try await authority.person(request.claim, within: waiting)
        } catch {
            throw .authority(error)
        }
    }

    /// The approver whose PIN allows the differences between the lines of `cart` and the catalogue; nil: none
    /// is needed.
    private func approver(
        of cart: Cart, by person: Cashier?, _ request: SaleRequest, _ waiting: SaleWaiting,
        beyond excess: OfflineCardExcess?
    ) async throws(SaleRefusal) -> String? {
        guard let person else { return nil }
        let actions = actions(in: cart)
        do throws(AuthorityRefusal) {
            let approver =
                actions.isEmpty
                ? nil
                : try await authority.approver(of: actions, by: person, request.claim, within: waiting)
            guard excess != nil, approver == nil else { return approver }
            return try await authority.approver(
                of: [.cardOffline], by: person, request.claim, within: waiting, always: true)
        } catch {
            throw .authority(error)
        }
    }

    /// What the cashier did in `cart` that a store may want approved.
    func actions(in cart: Cart) -> [ApprovalAction] {
        var actions: [ApprovalAction] = []
        if cart.lines.contains(where: { $0.listPrice != nil }) { actions.append(.priceOverride) }
        if cart.lines.contains(where: { $0.department != nil }) { actions.append(.openItem) }
        let approvals = policy.approvals(hasManager: ports.counter.roster.hasManager)
        if cart.lines.contains(where: { approvals.isAboveLimit(discount: $0.ownDiscount, of: $0.gross) }
        ) {
            actions.append(.discount)
        }
        return actions
    }

    /// The member that `request` names; nil without one.
    func foundMember(of request: SaleRequest, _ waiting: SaleWaiting) async -> MemberService.Found? {
        guard let typed = request.memberId else { return nil }
        return await members.find(typed, policy: policy, within: waiting)
    }

    /// Online, waits within what is left of the sale's budget; offline, does not wait.
    private func isDelivered(_ sale: Sale, mode: Mode, _ wait: SaleWait) async -> Bool {
        if sale.isAcknowledged { return true }
        guard mode == .online, wait.remaining > .zero else { return false }
        return await ports.delivery.waitForResult(of: sale.mutationId, within: wait)
    }

    private func response(
        for sale: Sale, durable: Duration, isAcknowledged: Bool, start: Instant
    ) -> SaleResult {
        SaleResult(
            sale: sale, receipt: Receipt(sale: sale, policy: policy).text,
            sync: isAcknowledged ? .acknowledged : .pending, durable: durable,
            elapsed: ports.time.now() - start)
    }

    func freshKey() -> ULID {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: UInt64(clamping: ports.time.wallMilliseconds()), using: &generator)
    }
}
