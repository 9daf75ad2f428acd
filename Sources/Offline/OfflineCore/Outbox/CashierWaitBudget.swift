/// What one sale has waited for the hub's services, out of one budget that they share.
public struct SaleWait: Hashable, Sendable {
    /// For all of the sale's requests together. Key `checkout.onlineBudgetMilliseconds`, default 1.5 s.
    public let budget: Duration
    private var shares: [String: Duration] = [:]

    /// A sale that has not waited yet; a budget of zero or less waits for nothing.
    public init(budget: Duration) {
        self.budget = max(.zero, budget)
    }

    /// What the sale may still wait.
    public var remaining: Duration { max(.zero, budget - shares.values.reduce(.zero, +)) }

    /// The sale waited `elapsed` for `service`, with or without a response.
    public mutating func add(_ elapsed: Duration, for service: String) {
        shares[service, default: .zero] += max(.zero, elapsed)
    }

    /// What it waited for `service`.
    func share(of service: String) -> Duration { shares[service] ?? .zero }

    /// The service that it waited for longest; of two the first by name.
    var longest: String? { shares.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
}

/// Which of the hub's services sales wait for.
///
/// A sale waits for its cashier, its member, its offers and the hub's result out of one ``SaleWait``. The
/// service that spends it costs no second sale a budget: no sale waits for it until it has responded in time
/// again, to a request that nobody waits for. Until the hub has responded to anything, no sale waits for any
/// service, so one customer waits once for a dead hub, not every customer of the queue.
public struct CashierWaitBudget: Hashable, Sendable {
    /// The service of the sales' pushes.
    public static let order = "order"
    /// How often a request without a response is sent again in the background, and after how long each time.
    /// With the first one that makes ten failures within 40 s. The hub believes a terminal alone after five
    /// failures without a success within 30 s, and it counts the successes of before with the report of the
    /// first failure, so the five have to come after the first 30 s, too. With half as many a terminal alone
    /// is never believed; twice as many load a hub that has trouble already.
    public static let trials = 9
    /// See ``trials``.
    public static let trialInterval = Duration.seconds(4)
    /// The requests of one service that may be pending without a waiting sale. A silent one ends after 10 s,
    /// so half of it would leave out one of the five.
    private static let maximumPending = 4

    private struct Spent: Hashable, Sendable {
        /// The time within which a response makes sales wait for the service again.
        let limit: Duration
        var trialsLeft = CashierWaitBudget.trials
    }

    private var spent: [String: Spent] = [:]
    private var pending: [String: Int] = [:]
    private var isHubSilent = false

    /// Sales wait for every service until the first budget is spent.
    public init() {}

    /// Whether the next sale waits for `service`.
    public func waits(for service: String) -> Bool { !isHubSilent && spent[service] == nil }

    /// The services that sales do not wait for, by name.
    public var slowServices: [String] { spent.keys.sorted() }

    /// A sale's budget ended while it waited for `last`, whose share is in `wait`.
    ///
    /// With half of the budget or more, `last` has spent it, and comes back once it responds within what it
    /// had. With less it was left too little: the service that took most has spent it, and comes back once it
    /// responds in half of that time. A quicker return would spend the budget of every second sale.
    public mutating func spend(_ wait: SaleWait, waitingFor last: String) {
        isHubSilent = true
        let share = wait.share(of: last)
        guard share < wait.budget / 2 else { return spent[last] = Spent(limit: share) }
        let service = wait.longest ?? last
        spent[service] = Spent(limit: wait.share(of: service) / 2)
    }

    /// The hub's `service` responded after `elapsed`, counted from when the request was sent.
    public mutating func noteResponse(of service: String, took elapsed: Duration) {
        isHubSilent = false
        guard let limit = spent[service]?.limit else { return }
        if elapsed <= limit { spent[service] = nil } else { spent[service]?.trialsLeft = 0 }
    }

    /// The terminal is online again: its probes had responses.
    public mutating func noteHubBack() {
        isHubSilent = false
    }

    /// Begins a request of `service` that no sale waits for.
    ///
    /// - Returns: false when enough of them are pending; it is not sent then.
    public mutating func beginUnawaited(_ service: String) -> Bool {
        guard pending[service, default: 0] < Self.maximumPending else { return false }
        pending[service, default: 0] += 1
        return true
    }

    /// Such a request has ended.
    public mutating func endUnawaited(_ service: String) {
        pending[service] = max(0, pending[service, default: 0] - 1)
    }

    /// Takes one of the trials that are left for `service`.
    ///
    /// - Returns: false when none is left, or the service has responded since.
    public mutating func takeTrial(of service: String) -> Bool {
        guard let left = spent[service]?.trialsLeft, left > 0 else { return false }
        spent[service]?.trialsLeft = left - 1
        return true
    }
}

extension CashierWaitBudget {
    /// What a sale waits for its push that takes `elapsed`, nil without a result, where it needs nothing else
    /// of the hub.
    public mutating func wait(forPushOf elapsed: Duration?, _ budget: Duration) -> Duration {
        let waited = waits(for: Self.order) ? min(elapsed ?? budget, budget) : .zero
        if let elapsed, elapsed <= budget {
            noteResponse(of: Self.order, took: elapsed)
        } else {
            var wait = SaleWait(budget: budget)
            wait.add(budget, for: Self.order)
            spend(wait, waitingFor: Self.order)
        }
        return waited
    }
}
