package import MachineRuntime
package import OfflineCore
package import OfflineMode

/// The checkout's sources about people and offers: the hub while the service's route is online, else the
/// terminal's own copy.
package struct CounterPorts: Sendable {
    /// Checks a PIN at the hub's service `account`, for a cashier that ``roster`` cannot check.
    package var cashiers: any CashierVerifying
    /// The cashiers in the terminal's own copy; an empty one means that no sale needs a sign-in.
    package var roster: any CashierRoster
    /// Keeps the counts of wrong PINs over a restart.
    package var failedPINs: any FailedPINStore
    /// Keeps the sign-in over a restart.
    package var signIns: any SignInStore
    /// Finds members at the hub's service `member`.
    package var members: any MemberFinding
    /// The members in the terminal's own copy, used when the hub does not respond in time.
    package var memberBook: any MemberBook
    /// Evaluates offers at the hub's service `marketing`.
    package var offers: any OfferEvaluating
    /// The offers in the terminal's own copy, used when the hub does not respond in time.
    package var offerCopy: any OfferCopy

    /// Makes the set of ports; for each service one port leads to the hub and one to the terminal's own copy.
    package init(
        cashiers: any CashierVerifying, roster: any CashierRoster, failedPINs: any FailedPINStore,
        signIns: any SignInStore, members: any MemberFinding, memberBook: any MemberBook,
        offers: any OfferEvaluating,
        offerCopy: any OfferCopy
    ) {
        self.cashiers = cashiers
        self.roster = roster
        self.failedPINs = failedPINs
        self.signIns = signIns
        self.members = members
        self.memberBook = memberBook
        self.offers = offers
        self.offerCopy = offerCopy
    }
}

/// The hub's clock as the terminal follows it; see ``HubTimeMachine``.
package protocol HubClock: Sendable {
    /// The hub's time now in Unix milliseconds, counted on since its last response that was no leap; nil: no
    /// such response since the computer started.
    func hubMilliseconds() -> Int64?

    /// How it compares with the terminal's wall clock now.
    func comparison() -> ClockComparison
}

/// A terminal without the hub's time.
package struct NoHubClock: HubClock {
    package init() {}

    /// Always nil, so that a sale is never refused because of the hub's time.
    package func hubMilliseconds() -> Int64? { nil }

    /// Always unknown.
    package func comparison() -> ClockComparison { .unknown }
}

/// The ports of a checkout. It gets modes and routes through ``OfflineModeProviding`` and does not use the
/// network.
package struct CheckoutPorts: Sendable {
    /// Reports the mode and each module's route.
    package var modes: any OfflineModeProviding
    /// The articles and the store's currency, from the terminal's own copy.
    package var catalogue: any Catalogue
    /// Records sales durably before they are announced.
    package var ledger: any SaleLedger
    /// Records each card authorisation before its request is sent.
    package var intents: any CardIntentLedger
    /// Sends card authorisations to the hub's service `payment`.
    package var cards: any CardAuthorizing
    /// The sources about cashiers, members and offers.
    package var counter: CounterPorts
    /// Notifies the outbox of a sale and waits for its result within the cashier's wait budget.
    package var delivery: any SaleDelivery
    /// The terminal's monotonic clock and wall clock.
    package var time: any SystemTime
    /// The hub's time, to find a wrong wall clock. Default ``NoHubClock``.
    package var hubClock: any HubClock
    /// Which of the hub's services sales wait for; the one of the outbox drainer.
    package var saleWaits: SaleWaits
    /// Takes cards while the payment service is away; nil, the default: none are taken then.
    package var offlineCards: OfflineCardService?
    /// What the hub lent this terminal to spend. Default ``NoLeases``.
    package var wallet: any LeaseWallet
    /// Requests more of it from the hub. Default ``NoLeases``.
    package var lender: any LeaseLending
    /// Takes more of it from the store's other tills. Default ``NoLeases``.
    package var tills: any LeaseSharing
    /// The terminal's own card machine, used while the payment service is away; nil, the default: there is
    /// none.
    package var machine: (any CardMachine)?
    /// Has what is open of machines that are not configured any more; nil: nothing is.
    package var formerMachine: (any CardMachine)?

    /// Makes the set of ports. Without `hubClock` the terminal's clock is not compared with the hub's.
    package init(
        modes: any OfflineModeProviding, catalogue: any Catalogue, ledger: any SaleLedger,
        intents: any CardIntentLedger, cards: any CardAuthorizing, counter: CounterPorts,
        delivery: any SaleDelivery, time: any SystemTime, hubClock: any HubClock = NoHubClock(),
        saleWaits: SaleWaits = SaleWaits(), offlineCards: OfflineCardService? = nil,
        machine: (any CardMachine)? = nil, formerMachine: (any CardMachine)? = nil,
        wallet: any LeaseWallet = NoLeases(), lender: any LeaseLending = NoLeases(),
        tills: any LeaseSharing = NoLeases()
    ) {
        (self.machine, self.formerMachine) = (machine, formerMachine)
        self.offlineCards = offlineCards
        self.wallet = wallet
        self.lender = lender
        self.tills = tills
        self.modes = modes
        self.catalogue = catalogue
        self.ledger = ledger
        self.intents = intents
        self.cards = cards
        self.counter = counter
        self.delivery = delivery
        self.time = time
        self.hubClock = hubClock
        self.saleWaits = saleWaits
    }
}

/// The way of a recorded sale to the hub, as far as the cashier sees it.
package protocol SaleDelivery: Sendable {
    /// How long a sale may wait for all of the hub's services together
    /// (`checkout.onlineBudgetMilliseconds`). Zero: it waits for nothing.
    var waitBudget: Duration { get }

    /// Notifies the outbox of a new row. Never waits.
    func nudge()

    /// Waits until the hub's result of the mutation is on disk, no longer than what is left of `wait`; the
    /// push itself continues after it.
    ///
    /// - Returns: whether the result is on disk.
    func waitForResult(of mutationId: String, within wait: SaleWait) async -> Bool
}
