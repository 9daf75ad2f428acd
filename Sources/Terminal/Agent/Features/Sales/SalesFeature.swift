import Base

internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// Selling, and what is done with sales afterwards.
struct SalesFeature: Sendable {
    let checkout: Checkout
    let orders: Orders
    let carts: Carts
    let frontEnds: FrontEnds
    let shifts: Shifts
    let members: Members
    let cardReturns: CardReturns
    /// Nil: the terminal has none of its own.
    let cardMachine: CardDevice?
    /// Has what is open of machines that are not configured any more, while there is none.
    let formerCardMachine: CardDevice
    let offlineCards: OfflineCardService
    /// What the card machine gave back behind its refund or void: its papers are not on that slip.
    let laterReturns = AsyncStream.makeStream(of: CardReturn.self)
    /// Charges without a sale whose void the card machine took on.
    let requestedVoids: AsyncStream<DeviceRequest>
    let disk = DiskSpeed()
    private let drainer: OutboxDrainer
    private let logger: Logger
    private let time: any SystemTime
    private let revisions: StatusRevisions
    private let ledger: SQLiteSaleLedger
    private let hubClock: HubTimeKeeper
    private let tuning: RemoteConfiguration

    init(
        _ foundation: AgentFoundation, _ modes: ModesFeature, _ sync: SyncFeature,
        _ neighbours: NeighboursFeature
    ) {
        let (store, hub, time, tuning) = (
            foundation.store, foundation.link.hub, foundation.storeTime, foundation.tuning
        )
        let voids = AsyncStream.makeStream(of: DeviceRequest.self)
        requestedVoids = voids.stream
        let machine = CardDevice.configured(foundation) { voids.continuation.yield($0) }
        let former = CardDevice.former(foundation)
        (cardMachine, formerCardMachine) = (machine, former)
        let delivery = DrainerDelivery(drainer: sync.drainer) { tuning.configuration.onlineBudget }
        let storedCards = SQLiteStoredCards(store.database, home: foundation.home.path)
        let offlineCards = OfflineCardService(
            store: storedCards,
            tokens: SimulatedCardTokens(facts: store.facts) { tuning.checkoutPolicy.cardsAreSimulated },
            time: time)
        self.offlineCards = offlineCards
        let checkout = Checkout(
            ports: CheckoutPorts(
                modes: modes.offline, catalogue: store.catalogue, ledger: store.ledger,
                intents: store.intents, cards: HubCardAuthorizing(hub: hub, schema: foundation.schema),
                counter: CounterPorts(
                    cashiers: HubCashierVerifying(hub: hub), roster: store.copy,
                    failedPINs: SQLiteFailedPINs(store.database), signIns: SQLiteSignIn(store.database),
                    members: HubMemberFinding(hub: hub), memberBook: store.copy,
                    offers: HubOfferEvaluating(hub: hub), offerCopy: store.copy),
                delivery: delivery, time: time, hubClock: foundation.hubClock,
                saleWaits: sync.saleWaits,
                offlineCards: offlineCards, machine: machine, formerMachine: former,
                wallet: WitnessedWallet(wallet: store.leases) { neighbours.run?.isBehind ?? false },
                lender: HubLeaseLending(hub: hub), tills: StoreLeases(neighbours)),
            policy: tuning.checkoutPolicy)
        cardReturns = CardReturns(
            ledger: SQLiteCardReturns(store.database), machine: machine,
            changed: { [revisions = foundation.revisions] in revisions.advance() })
        var receipts = ReceiptPorts(
            hub: HubReceiptFinding(hub: hub), keys: store.copy, catalogue: store.catalogue,
            waits: sync.saleWaits,
            decisions: HubRefundDeciding(hub: hub, time: foundation.link.heads.time),
            unrecorded: foundation.link.heads.unrecorded)
        neighbours.connect(
            ShopOutlet(
                leasesAtHand: { [weak checkout] in await checkout?.leasesAtHand ?? [] },
                hubAllows: { [receipts, delivery, time, offline = modes.offline] inquiry in
                    // The other till waits for the claim no longer than its own limit.
                    await receipts.hubAllows(
                        inquiry, modes: offline, time: time,
                        within: min(delivery.waitBudget, NeighbourLimits.claimWait / 2))
                }, recorded: { [weak drainer = sync.drainer] in drainer?.nudge() }))
        receipts.sellers = StoreTills(neighbours: neighbours)
        orders = Orders(
            archive: store.orders, modes: modes.offline, delivery: delivery, time: time,
            authority: checkout.authority,
            receipts: receipts, cardReturns: cardReturns,
            policy: tuning.checkoutPolicy)
        shifts = Shifts(
            storage: SQLiteShifts(store.database), cards: storedCards, catalogue: store.catalogue,
            authority: checkout.authority, delivery: delivery, time: time, policy: tuning.checkoutPolicy)
        members = Members(checkout: checkout, storage: store.copy, delivery: delivery, time: time)
        carts = Carts(
            store: SQLiteCarts(store.database), checkout: checkout, time: time,
            tills: StoreCarts(neighbours: neighbours, terminalId: store.enrolment.terminalId))
        frontEnds = FrontEnds(carts: carts, time: time, logger: foundation.logger)
        (self.checkout, drainer, logger) = (checkout, sync.drainer, foundation.logger)
        self.time = time
        revisions = foundation.revisions
        (ledger, hubClock, self.tuning) = (store.ledger, foundation.hubClock, tuning)
    }

    /// Seconds between two inquiries about cards whose outcome is unknown. A cashier who waits sells the cart
    /// again; halved, a hub without its payment service gets twice as many requests for nothing.
    private static let inquiryInterval = Duration.seconds(15)

    /// Prepares the day's first sale, and settles what is left between cards and their sales, what goes back
    /// to cards by the card machine, and what could not be returned of leases, until the task is cancelled.
    ///
    /// - Parameter isLasting: false for a command that is its own agent: what it prepared would be given back
    ///   at its end.
    func followSales(isLasting: Bool) async {
        while !Task.isCancelled {
            if isLasting { await prepareNumbers() }
            await settleCards()
            await returnToCards()
            await checkout.inquireSuspended()
            if await checkout.inquireForwarded() { revisions.advance() }
            await checkout.returnRecalledLeases()
            guard (try? await time.sleep(until: time.now() + Self.inquiryInterval)) != nil else { return }
        }
    }

    /// Not while nothing confirms a wall clock that is long after the hub's last time, or before it: the
    /// numbers of a wrong day would be used up without a sale.
    private func prepareNumbers() async {
        if case .unconfirmed = hubClock.comparison() { return }
        // What fails here is tried again, and reported by the sale that needs it.
        try? await ledger.prepare(for: tuning.checkoutPolicy.calendar.day(at: time.wallMilliseconds()))
    }

    /// A machine that is away has it the next time.
    private func returnToCards() async {
        do throws(StorageError) {
            for card in try await cardReturns.send() { laterReturns.continuation.yield(card) }
        } catch {
            logger.error("what goes back to cards was not settled: \(error)")
        }
    }

    /// What a crash left between a card's authorisation and its sale is given back.
    private func settleCards() async {
        do throws(SaleRefusal) {
            let voided = try await checkout.voidUnsettledCards()
            if voided > 0 {
                logger.notice("voided \(voided) card authorisations that no sale took over")
                drainer.nudge()
            }
        } catch {
            logger.error("card authorisations of the last run were not settled: \(error.message)")
        }
    }
}
