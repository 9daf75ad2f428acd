/// Decides which of the hub's services are faulty.
///
/// Outcomes of whitelisted APIs are evidence. Evidence that trips makes the terminal ask QoS, and QoS
/// decides: what it calls faulty is faulty whatever this terminal sees, what it calls well is not switched
/// whatever this terminal sees. Only its silence beside tripped evidence makes a fault of the terminal's own,
/// a lease that ends. A fault ends by canary calls. Nothing starts unless the network is reachable: an event
/// changes what is known, and ``advance(to:)`` then makes every move that is due.
public struct ServiceFaultDetector: Hashable, Codable, Sendable {
    var settings: ServiceSettings
    var generator: SplitMix64
    var networkReachability = NetworkReachability.lost
    /// By service name.
    var watches: [ServiceWatch]
    let indexOfService: [String: Int]
    /// Where the outcomes of each known route are counted.
    private let places: [APIRoute: Place]
    /// The place found last: a till calls one API most of the time.
    private var lastFound: Found?
    /// Per index of `watches`, the indices of its windows.
    let windowsOfService: [[Int]]
    /// One per API; aliases share theirs.
    var windows: [OutcomeWindow] = []
    var question: Question?
    var sentReports: [SentReport] = []
    private var lastTag: UInt64 = 0
    /// When the detector wants to be asked again; nil while nothing is due, as while the network is lost.
    public private(set) var deadline: Instant?
    /// One per known service, by name.
    public private(set) var statuses: [ServiceStatus]
    /// Counts the changes of ``statuses``.
    private(set) var revision: UInt64 = 0

    /// The service of an API, an index of `watches`, and its window, an index of `windows`.
    struct Place: Hashable, Codable, Sendable {
        let service: Int
        let window: Int
    }

    private struct Found: Hashable, Codable, Sendable {
        let api: APIRoute
        let place: Place
    }

    /// What the network lets the detector do.
    enum NetworkReachability: Hashable, Codable, Sendable {
        /// Nothing starts. Leaves to `returned`.
        case lost
        /// QoS is asked first. Leaves to `settled` by its answer or its silence, to `lost`.
        case returned
        /// Leaves to `lost`.
        case settled
    }

    /// A question that is out; lost and so failed when nothing came back by `until`.
    struct Question: Hashable, Codable, Sendable {
        let tag: UInt64
        let asked: [Int]
        let until: Instant
    }

    /// A report that is out, with what to put back if it fails.
    struct SentReport: Hashable, Codable, Sendable {
        let tag: UInt64
        let taken: [Int: ReportLedger]
        let until: Instant
    }

    /// - Parameters:
    ///   - seed: of the jitter; the same seed and events give the same effects.
    ///   - now: when watching began; the network counts as lost until the detector is told otherwise.
    public init(settings: ServiceSettings, apis: CoreAPIs, seed: UInt64, at now: Instant) {
        self.settings = settings
        generator = SplitMix64(seed: seed)
        let services = apis.allServices
        watches = services.map { ServiceWatch(service: $0, isCore: apis.core.contains($0), at: now) }
        statuses = watches.map(\.status)
        let indexOfService = Dictionary(uniqueKeysWithValues: zip(services, services.indices))
        self.indexOfService = indexOfService
        var windowOfAPI: [APIRoute: Int] = [:]
        var places: [APIRoute: Place] = [:]
        for (route, service) in apis.services.sorted(by: { $0.key.description < $1.key.description }) {
            guard let index = indexOfService[service] else { continue }
            let window = windowOfAPI[apis.canonical(route), default: windowOfAPI.count]
            windowOfAPI[apis.canonical(route)] = window
            places[route] = Place(service: index, window: window)
        }
        self.places = places
        windowsOfService = services.indices.map { index in
            Set(places.values.filter { $0.service == index }.map(\.window)).sorted()
        }
        windows = Array(repeating: OutcomeWindow(), count: windowOfAPI.count)
    }

    public mutating func handle(_ event: ServiceEvent, at now: Instant) -> [ServiceEffect] {
        var effects: [ServiceEffect] = []
        switch event {
        case .outcomeObserved(let api, let outcome):
            let isRoutine = observe(outcome, of: api, at: now)
            if isRoutine, !isDue(at: now) { return [] }
        case .failureConfirmed(let api, let outcome): confirm(outcome, of: api, at: now)
        case .networkBecameReachable: regainNetwork(at: now)
        case .networkLost: loseNetwork(at: now)
        case .qosAnswered(let answer, let tag, let sentAt):
            hear(answer, tag: tag, sentAt: sentAt, at: now, &effects)
        case .qosFailed(let tag): noteSilence(tag: tag, at: now)
        case .canaryFinished(let service, let tag, let good):
            finishCanary(of: service, tag: tag, good: good, at: now)
        case .retryRequested: retryNow(at: now)
        case .deadlineReached: break
        }
        advance(to: now, &effects)
        deadline = computedDeadline
        showStatuses()
        return effects
    }

    private func isDue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }

    private var computedDeadline: Instant? {
        guard networkReachability != .lost else { return nil }
        var earliest = question?.until ?? watches.lazy.map(\.askBy).min()
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            earliest = earliest.map { min($0, instant) } ?? instant
        }
        for report in sentReports { consider(report.until) }
        for watch in watches {
            consider(watch.ledger.due(settings))
            consider(phaseDeadline(of: watch))
        }
        return earliest
    }

    private mutating func showStatuses() {
        let next = watches.map(\.status)
        guard next != statuses else { return }
        statuses = next
        revision += 1
    }

    /// Whether the fault of a core service is in force: the `service` cause.
    public var causeHolds: Bool { watches.contains { $0.isCore && $0.phase.isFault } }

    /// Whether calls of `service` are to go local. False for a service that is not known.
    public func isFaulty(_ service: String) -> Bool {
        indexOfService[service].map { watches[$0].phase.isFault } ?? false
    }

    /// Where the outcomes of `api` are counted; nil for an API that belongs to no service.
    mutating func place(of api: APIRoute) -> Place? {
        if let lastFound, lastFound.api == api { return lastFound.place }
        guard let place = places[api] else { return nil }
        lastFound = Found(api: api, place: place)
        return place
    }

    /// The core service that `api` belongs to; nil where it belongs to none.
    mutating func coreService(of api: APIRoute) -> String? {
        guard let place = place(of: api), watches[place.service].isCore else { return nil }
        return watches[place.service].service
    }

    mutating func nextTag() -> UInt64 {
        lastTag += 1
        return lastTag
    }

    /// Makes every move that is due at `now`. Harmless to repeat.
    private mutating func advance(to now: Instant, _ effects: inout [ServiceEffect]) {
        guard networkReachability != .lost else { return }
        dropLostCalls(at: now)
        for index in watches.indices { settle(index, at: now) }
        ask(at: now, &effects)
        report(at: now, &effects)
        for index in watches.indices { sendCanary(index, at: now, &effects) }
    }
}
