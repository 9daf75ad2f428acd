/// The numbers of the network detector. Whoever reads the configuration refuses what is out of range.
public struct NetworkSettings: Hashable, Codable, Sendable {
    /// T1 (`network.debounceSeconds`): how long an unbroken run of failures lasts before the fault is
    /// confirmed. Default 8 s; the key allows 1 s to 120 s, an embedder 1 s to 300 s. Shorter finds
    /// outages sooner and flaps more.
    public var debounce: Duration
    /// T1 without any path (`network.pathDebounceSeconds`). Default 5 s; the key allows 1 s to 120 s, an
    /// embedder 1 s to 300 s.
    public var pathDebounce: Duration
    /// Time between echoes while idle (`network.pingIntervalSeconds`), and between HTTPS probes on a path
    /// where an echo never got a response. Default 15 s, allowed 1 s to 1 h.
    public var pingInterval: Duration
    /// How long one echo may take. Default 1 s, allowed 100 ms to 10 s.
    public var pingTimeout: Duration
    /// When the echoes of a confirmation round are sent, counted from its start.
    /// Default 0, 0.5, 1.25 and 2.375 s; rising, each below 10 s.
    public var roundPings: [Duration]
    /// Time between HTTPS probes while idle (`network.probeIntervalSeconds`). Default 60 s, allowed 1 s to 1
    /// h.
    public var probeInterval: Duration
    /// How long one HTTPS probe may take before it counts as failed, and the least time between the starts of
    /// two confirmation rounds. Default 3 s, allowed 100 ms to 60 s.
    public var probeTimeout: Duration
    /// How long the hub's probe of a confirmation round runs, from its start
    /// (`sync.requestTimeoutSeconds`). It continues after it counts as failed: a response before T1's end
    /// still cancels T1. Default 10 s, allowed 1 s to 300 s.
    public var requestTimeout: Duration
    /// Jitter of the two intervals either way, in thousandths. Default 100, allowed 0 to 500.
    public var intervalJitterPerMille: Int64
    /// The first wait between the starts of two probes of an unreachable network or a dark hub; it doubles
    /// from the third on. Never less than this passes between a probe's end and the next. Default 1 s,
    /// allowed 100 ms to 60 s.
    public var outageProbeFirst: Duration
    /// The longest such wait before jitter. Default 15 s, allowed 1 s to 1 h.
    public var outageProbeCap: Duration
    /// Jitter of both waits either way, in thousandths, after the cap. Default 200, allowed 0 to 500.
    public var outageJitterPerMille: Int64
    /// T2 (`network.recoveryHoldSeconds`): how long the way back must hold, from the first good probe.
    /// Default 10 s; the key allows 1 s to 600 s, an embedder 1 s to 300 s.
    public var recoveryHold: Duration
    /// The longest hold after repeated flaps. Default 60 s, allowed `recoveryHold` to 1 h.
    public var recoveryHoldCap: Duration
    /// Time between probes while recovering. Default 2.5 s, allowed 100 ms to 60 s.
    public var recoveryProbeInterval: Duration
    /// How far back flaps are counted; each beyond two makes the hold half as long again. Default 10 min.
    public var flapWindow: Duration
    /// How long a path must be stable before it counts as back, and how long a changed one settles before it
    /// is probed. Default 0.5 s, allowed 0 to 10 s.
    public var settle: Duration
    /// How late a timer may be, or how much the clocks may drift apart, before the time counts as unwatched.
    /// Default 1 s, allowed 100 ms to 60 s.
    public var clockTolerance: Duration
    /// Whether an independent internet address is configured (`network.internetProbeURL`). Default false.
    public var probesInternet: Bool

    /// Every number has its default; the reader of the configuration checks the ranges, not this initializer.
    public init(
        debounce: Duration = .seconds(8), pathDebounce: Duration = .seconds(5),
        pingInterval: Duration = .seconds(15), pingTimeout: Duration = .seconds(1),
        roundPings: [Duration] = [.zero, .milliseconds(500), .milliseconds(1_250), .milliseconds(2_375)],
        probeInterval: Duration = .seconds(60), probeTimeout: Duration = .seconds(3),
        intervalJitterPerMille: Int64 = 100, outageProbeFirst: Duration = .seconds(1),
        outageProbeCap: Duration = .seconds(15), requestTimeout: Duration = .seconds(10),
        outageJitterPerMille: Int64 = 200, recoveryHold: Duration = .seconds(10),
        recoveryHoldCap: Duration = .seconds(60), recoveryProbeInterval: Duration = .milliseconds(2_500),
        flapWindow: Duration = .seconds(600), settle: Duration = .milliseconds(500),
        clockTolerance: Duration = .seconds(1), probesInternet: Bool = false
    ) {
        self.debounce = debounce
        self.pathDebounce = pathDebounce
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.roundPings = roundPings
        self.probeInterval = probeInterval
        self.probeTimeout = probeTimeout
        self.intervalJitterPerMille = intervalJitterPerMille
        self.outageProbeFirst = outageProbeFirst
        self.outageProbeCap = outageProbeCap
        self.requestTimeout = requestTimeout
        self.outageJitterPerMille = outageJitterPerMille
        self.recoveryHold = recoveryHold
        self.recoveryHoldCap = recoveryHoldCap
        self.recoveryProbeInterval = recoveryProbeInterval
        self.flapWindow = flapWindow
        self.settle = settle
        self.clockTolerance = clockTolerance
        self.probesInternet = probesInternet
    }
}
