/// The numbers of the service detector. The reader of the configuration refuses what is out of range.
public struct ServiceSettings: Hashable, Codable, Sendable {
    /// Failures of one API in a row that trip it (`service.consecutiveFailures`). Default 5, allowed 1 to
    /// 1,000.
    public var consecutiveFailures: Int
    /// The fewest outcomes in `window` for which a rate is computed. Default 10, allowed 1 to 10,000.
    public var minimumSamples: Int
    /// The share of failures in `window` that trips an API, in thousandths. Default 500, allowed 1 to 1,000.
    public var failurePerMille: Int
    /// The length of the window of outcomes. Default 60 s, allowed 1 s to 1 h.
    public var window: Duration {
        didSet { outcomeSlot = OutcomeWindow.slotWidth(of: window) }
    }
    /// Nanoseconds of one slot of an ``OutcomeWindow``, computed once since every outcome needs it.
    private(set) var outcomeSlot: Int64
    /// The shortest time between two reports of one service's failures. Default 5 s, allowed 1 s to 1 h.
    public var reportGap: Duration
    /// The time between two reports while there is traffic without failures, and the age at which counts that
    /// could not be reported are dropped. Default 60 s, allowed 1 s to 1 h.
    public var reportInterval: Duration
    /// How often QoS is queried where it sends no `pollAfterMs` (`qos.pollSeconds`). Default 30 s, allowed
    /// 1 s to 300 s; ±20 % of jitter is added.
    public var pollInterval: Duration
    /// How long one query or report to QoS may take. Default 3 s, allowed 1 s to 60 s.
    public var queryTimeout: Duration
    /// How soon a failed query is repeated while evidence has tripped. Default 1 s, allowed up to 60 s.
    public var queryRetry: Duration
    /// Failed queries after which tripped evidence causes a local fault. Default 2, allowed 1 to 100.
    public var failedQueries: Int
    /// How long tripped evidence waits for QoS before it causes a local fault. Default 10 s, allowed 1 s to
    /// 300 s.
    public var silenceLimit: Duration
    /// How long a local fault lasts before a canary tests it. Default 300 s, allowed 1 s to 1 h.
    public var lease: Duration
    /// How long one canary may take; a canary without a response by then was bad. Default 5 s, allowed 1 s to
    /// 60 s.
    public var canaryTimeout: Duration
    /// Good canaries in a row that end a fault of QoS once its decision has ended. Default 2, allowed 1 to
    /// 100.
    public var goodCanaries: Int
    /// How long the next switch waits after a switch by QoS (`qos.dwellSeconds`). Default 15 s, allowed 1 s
    /// to 120 s.
    public var dwell: Duration
    /// The longest dwell, reached by flaps: each beyond two in `flapWindow` makes it half as long again.
    /// Default 120 s, no less than `dwell`.
    public var dwellCap: Duration
    /// How far back flaps count. Default 10 min, allowed 1 s to 1 h.
    public var flapWindow: Duration

    /// Every number has its default; the reader of the configuration checks the ranges, not this initializer.
    public init(
        consecutiveFailures: Int = 5, minimumSamples: Int = 10, failurePerMille: Int = 500,
        window: Duration = .seconds(60), reportGap: Duration = .seconds(5),
        reportInterval: Duration = .seconds(60), pollInterval: Duration = .seconds(30),
        queryTimeout: Duration = .seconds(3), queryRetry: Duration = .seconds(1), failedQueries: Int = 2,
        silenceLimit: Duration = .seconds(10), lease: Duration = .seconds(300),
        canaryTimeout: Duration = .seconds(5), goodCanaries: Int = 2, dwell: Duration = .seconds(15),
        dwellCap: Duration = .seconds(120), flapWindow: Duration = .seconds(600)
    ) {
        self.consecutiveFailures = consecutiveFailures
        self.minimumSamples = minimumSamples
        self.failurePerMille = failurePerMille
        self.window = window
        outcomeSlot = OutcomeWindow.slotWidth(of: window)
        self.reportGap = reportGap
        self.reportInterval = reportInterval
        self.pollInterval = pollInterval
        self.queryTimeout = queryTimeout
        self.queryRetry = queryRetry
        self.failedQueries = failedQueries
        self.silenceLimit = silenceLimit
        self.lease = lease
        self.canaryTimeout = canaryTimeout
        self.goodCanaries = goodCanaries
        self.dwell = dwell
        self.dwellCap = dwellCap
        self.flapWindow = flapWindow
    }
}
