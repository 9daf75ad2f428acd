import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Metrics
internal import Synchronization

/// What a hub counts and measures of its own work, under the names of its metrics.
final class HubFigures: Sendable {
    /// What a request counts under.
    private struct RequestKind: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    /// The metrics of this process: name, kind and the line that explains it.
    private static let declared: [(String, MetricPage.Kind, String)] = [
        (requests, .counter, "Responses since the start, by route, method and status."),
        (requestSeconds, .histogram, "From a request's head to its response, by route."),
        (mutations, .counter, "Mutations that were pushed, by what became of them."),
        (intakeSeconds, .histogram, "From a push's body to its results."),
        (relayed, .counter, "Entries that other terminals handed in."),
        (flags, .counter, "Flags on mutations that were accepted."),
        (storeSeconds, .histogram, "What the store takes for a push, with its wait for a commit."),
        (openConnections, .gauge, "Open connections of the network."),
    ]
    private static let requests = "holdfast_requests_total"
    private static let requestSeconds = "holdfast_request_seconds"
    private static let mutations = "holdfast_intake_mutations_total"
    private static let intakeSeconds = "holdfast_intake_seconds"
    private static let relayed = "holdfast_relayed_total"
    private static let flags = "holdfast_flags_total"
    private static let storeSeconds = "holdfast_store_seconds"
    private static let openConnections = "holdfast_connections"

    private let metrics = PrometheusMetrics()
    // Handlers are looked up by text, so those of every request are kept.
    private let counters = Mutex<[RequestKind: Counter]>([:])
    private let timers = Mutex<[String: Timer]>([:])
    private let intake: Timer
    private let store: Timer
    private let results: [String: Counter]
    private let connections: Meter

    init() {
        let metrics = self.metrics
        for (name, kind, help) in Self.declared { metrics.declare(name, kind, help) }
        intake = Timer(label: Self.intakeSeconds, factory: metrics)
        store = Timer(label: Self.storeSeconds, factory: metrics)
        connections = Meter(label: Self.openConnections, factory: metrics)
        let words = MutationResult.Outcome.allCases.map(\.rawValue) + [Self.refused, Self.failed]
        results = Dictionary(
            uniqueKeysWithValues: words.map { word in
                (word, Counter(label: Self.mutations, dimensions: [("result", word)], factory: metrics))
            })
    }

    /// What this process counted so far.
    var page: MetricPage { metrics.page }

    /// - Parameter route: the template, never what a sender wrote, so that nobody makes metrics grow.
    func noteResponse(route: String, method: String, status: Int, took duration: Duration) {
        let kind = RequestKind(route: route, method: method, status: status)
        counters.withLock { counters in
            if let known = counters[kind] { return known }
            let fresh = Counter(
                label: Self.requests,
                dimensions: [("route", route), ("method", method), ("status", String(status))],
                factory: metrics)
            counters[kind] = fresh
            return fresh
        }.increment()
        timers.withLock { timers in
            if let known = timers[route] { return known }
            let fresh = Timer(
                label: Self.requestSeconds, dimensions: [("route", route)], factory: metrics)
            timers[route] = fresh
            return fresh
        }.recordNanoseconds(duration.wholeNanoseconds)
    }

    /// A push as a whole, from its body on.
    func noteIntake(took duration: Duration) { intake.recordNanoseconds(duration.wholeNanoseconds) }

    /// What the store made of a push.
    ///
    /// - Parameter response: nil when the store failed.
    func noteStored(_ response: IntakeResponse?, sent: Int, took duration: Duration) {
        store.recordNanoseconds(duration.wholeNanoseconds)
        switch response {
        case nil: results[Self.failed]?.increment(by: sent)
        case .refused: results[Self.refused]?.increment(by: sent)
        case .results(let response):
            for result in response.results {
                results[result.outcome.rawValue]?.increment()
                guard result.outcome == .applied else { continue }
                for flag in result.json["flags"]?.array ?? [] {
                    guard let flag = flag.string else { continue }
                    Counter(label: Self.flags, dimensions: [("flag", flag)], factory: metrics).increment()
                }
            }
        }
    }

    /// New entries that another terminal handed in.
    func noteRelayed(_ entries: Int) {
        Counter(label: Self.relayed, factory: metrics).increment(by: entries)
    }

    /// The journal refused the push as a whole.
    private static let refused = "refused"
    /// The store could not take it.
    private static let failed = "failed"

    func connectionOpened() { connections.increment() }
    func connectionClosed() { connections.decrement() }
}
