public import MachineRuntime
public import OfflineCore
public import OfflineMode

/// The checkout's sources about people and offers: the hub while the service's route is online, else the
/// terminal's own copy.
public struct CounterPorts: Sendable {
    /// Checks a PIN at the hub's service `account`, for a cashier that ``roster`` cannot check.
    public var cashiers: any CashierVerifying
    /// The cashiers in the terminal's own copy; an empty one means that no sale needs a sign-in.
    public var roster: any CashierRoster
    /// Keeps the counts of wrong PINs over a restart.
    public var failedPINs: any FailedPINStore
    /// Keeps the sign-in over a restart.
    public var signIns: any SignInStore
    /// Finds members at the hub's service `member`.
    public var members: any MemberFinding
    /// The members in the terminal's own copy, used when the hub does not respond in time.
    public var memberBook: any MemberBook
    /// Evaluates offers at the hub's service `marketing`.
    public var offers: any OfferEvaluating
    /// The offers in the terminal's own copy, used when the hub does not respond in time.
    public var offerCopy: any OfferCopy

    /// Makes the set of ports; for each service one port leads to the hub and one to the terminal's own copy.
    public init(
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
public protocol HubClock: Sendable {
    /// The hub's time now in Unix milliseconds, counted on since its last response that was no leap; nil: no
    /// such response since the computer started.
    func hubMilliseconds() -> Int64?

    /// How it compares with the terminal's wall clock now.
    func comparison() -> ClockComparison
}

/// A terminal without the hub's time.
public struct NoHubClock: HubClock {
    /// Makes a clock without state.
    public init() {}

    /// Always nil, so that a sale is never refused because of the hub's time.
    public func hubMilliseconds() -> Int64? { nil }

    /// Always unknown.
    public func comparison() -> ClockComparison { .unknown }
}

/// The ports of a checkout. It gets modes and routes through ``OfflineModeProviding`` and does not use the
/// network.
public struct CheckoutPorts: Sendable {
    /// Reports the mode and each module's route.
    public var modes: any OfflineModeProviding
    /// The articles and the store's currency, from the terminal's own copy.
    public var catalogue: any Catalogue
    /// Records sales durably before they are announced.
    public var ledger: any SaleLedger
    /// Records each card authorisation before its request is sent.
    public var intents: any CardIntentLedger
    /// Sends card authorisations to the hub's service `payment`.
    public var cards: any CardAuthorizing
    /// The sources about cashiers, members and offers.
    public var counter: CounterPorts
    /// Notifies the outbox of a sale and waits for its result within the cashier's wait budget.
    public var delivery: any SaleDelivery
    /// The terminal's monotonic clock and wall clock.
    public var time: any SystemTime
    /// The hub's time, to find a wrong wall clock. Default ``NoHubClock``.
    public var hubClock: any HubClock
    /// Which of the hub's services sales wait for; the one of the outbox drainer.
    public var saleWaits: SaleWaits
    /// Takes cards while the payment service is away; nil, the default: none are taken then.
    public var offlineCards: OfflineCardService?
    /// What the hub lent this terminal to spend. Default ``NoLeases``.
    public var wallet: any LeaseWallet
    /// Requests more of it from the hub. Default ``NoLeases``.
    public var lender: any LeaseLending
    /// The terminal's own card machine, used while the payment service is away; nil, the default: there is
    /// none.
    public var machine: (any CardMachine)?

    /// Makes the set of ports. Without `hubClock` the terminal's clock is not compared with the hub's.
    public init(
        modes: any OfflineModeProviding, catalogue: any Catalogue, ledger: any SaleLedger,
        intents: any CardIntentLedger, cards: any CardAuthorizing, counter: CounterPorts,
        delivery: any SaleDelivery, time: any SystemTime, hubClock: any HubClock = NoHubClock(),
        saleWaits: SaleWaits = SaleWaits(), offlineCards: OfflineCardService? = nil,
        machine: (any CardMachine)? = nil,
        wallet: any LeaseWallet = NoLeases(), lender: any LeaseLending = NoLeases()
    ) {
        self.machine = machine
        self.offlineCards = offlineCards
        self.wallet = wallet
        self.lender = lender
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
public protocol SaleDelivery: Sendable {
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
