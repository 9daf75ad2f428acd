internal import CurlTransport
internal import Logging
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// Selling, and what is done with sales afterwards.
struct SalesFeature: Sendable {
    let checkout: Checkout
    let orders: Orders
    let carts: Carts
    private let drainer: OutboxDrainer
    private let logger: Logger

    init(_ foundation: AgentFoundation, _ modes: ModesFeature, _ sync: SyncFeature) {
        let (store, hub, time, tuning) = (
            foundation.store, foundation.link.hub, foundation.time, foundation.tuning
        )
        let delivery = DrainerDelivery(drainer: sync.drainer) { tuning.configuration.onlineBudget }
        let checkout = Checkout(
            ports: CheckoutPorts(
                modes: modes.offline, catalogue: store.catalogue, ledger: store.ledger,
                intents: store.intents, cards: HubCardAuthorizing(hub: hub),
                counter: CounterPorts(
                    cashiers: HubCashierVerifying(hub: hub), roster: store.copy,
                    failedPINs: SQLiteFailedPINs(store.database), signIns: SQLiteSignIn(store.database),
                    members: HubMemberFinding(hub: hub), memberBook: store.copy,
                    offers: HubOfferEvaluating(hub: hub), offerCopy: store.copy),
                delivery: delivery, time: time, hubClock: foundation.hubClock,
                saleWaits: sync.saleWaits),
            policy: tuning.checkoutPolicy)
        orders = Orders(
            archive: store.orders, modes: modes.offline, delivery: delivery, time: time,
            authority: checkout.authority,
            receipts: ReceiptPorts(
                hub: HubReceiptFinding(hub: hub), keys: store.copy, catalogue: store.catalogue,
                waits: sync.saleWaits), policy: tuning.checkoutPolicy)
        carts = Carts(store: SQLiteCarts(store.database), checkout: checkout, time: time)
        (self.checkout, drainer, logger) = (checkout, sync.drainer, foundation.logger)
    }

    /// What a crash left between a card's authorisation and its sale is given back.
    func settleCards() async {
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
