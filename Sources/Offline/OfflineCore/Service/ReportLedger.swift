import Base

/// The counts of one service that were not reported to QoS yet, and when they were last reported.
struct ReportLedger: Hashable, Codable, Sendable {
    private(set) var counts: ServiceCounts
    /// When the oldest of the counts was made; nil while there is none.
    private(set) var start: Instant?
    private var lastSent: Instant?

    init(service: String) {
        counts = ServiceCounts(service: service)
    }

    /// Adds an outcome; those that are no evidence on the service are left out.
    ///
    /// While the network is lost its failures are left out too. Reported after its return, they would make a
    /// service or this terminal look faulty for a fault of the network.
    mutating func note(_ outcome: OutcomeClass, networkIsReachable: Bool, at now: Instant) {
        switch outcome {
        case .success: counts.ok += 1
        case .service(.timedOutAfterConnect): counts.timeout += 1
        case .service(.status), .service(.brokenBody): counts.http5xx += 1
        case .network(let failure):
            guard networkIsReachable else { return }
            note(failure)
        case .auth, .throttle, .business, .portal, .cancelled: return
        }
        start = start ?? now
    }

    /// Adds a failure of a call while the hub responds to others.
    mutating func noteConfirmed(_ outcome: OutcomeClass, at now: Instant) {
        switch outcome {
        case .network(let failure): note(failure)
        case .portal(.foreignCertificate), .portal(.foreignName), .portal(.expiredCertificate):
            counts.tls += 1
        // A page or a redirect where the contract requires JSON.
        case .portal(.redirect), .portal(.foreignBody), .portal(.foreignNonce): counts.http5xx += 1
        case .success, .service, .auth, .throttle, .business, .cancelled: return
        }
        start = start ?? now
    }

    /// Whether there are counts to report.
    var isCounting: Bool { start != nil }

    /// When the counts must be reported: at once with failures, else at the interval; nil without counts.
    func due(_ settings: ServiceSettings) -> Instant? {
        guard let start else { return nil }
        guard counts.failed > 0 else { return (lastSent ?? start) + settings.reportInterval }
        return lastSent.map { max(start, $0 + settings.reportGap) } ?? start
    }

    /// Whether a report that is sent anyway may include these counts.
    func mayJoinReport(at now: Instant, _ settings: ServiceSettings) -> Bool {
        guard start != nil else { return false }
        return lastSent.map { now >= $0 + settings.reportGap } ?? true
    }

    /// Takes the counts out for sending.
    mutating func take(at now: Instant) -> ReportLedger {
        let taken = self
        counts = ServiceCounts(service: counts.service)
        start = nil
        lastSent = now
        return taken
    }

    /// Adds the counts of a failed report again, unless they are too old to describe the present.
    mutating func putBack(_ taken: ReportLedger, at now: Instant, _ settings: ServiceSettings) {
        guard let takenStart = taken.start, now - takenStart <= settings.reportInterval else { return }
        start = min(takenStart, start ?? takenStart)
        counts.ok += taken.counts.ok
        counts.timeout += taken.counts.timeout
        counts.http5xx += taken.counts.http5xx
        counts.connect += taken.counts.connect
        counts.tls += taken.counts.tls
        counts.dns += taken.counts.dns
    }

    /// Drops counts that became too old while nothing could be sent.
    mutating func dropStale(at now: Instant, _ settings: ServiceSettings) {
        guard let start, now - start > settings.reportInterval else { return }
        counts = ServiceCounts(service: counts.service)
        self.start = nil
    }

    private mutating func note(_ failure: NetworkFailure) {
        switch failure {
        case .dns: counts.dns += 1
        case .connect, .reset: counts.connect += 1
        case .connectTimeout, .silent: counts.timeout += 1
        case .tls: counts.tls += 1
        }
    }
}
