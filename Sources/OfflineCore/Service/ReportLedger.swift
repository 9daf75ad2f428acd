/// The counts of one service that QoS has not been told yet, and when it was last told.
struct ReportLedger: Hashable, Codable, Sendable {
    private(set) var counts: ServiceCounts
    /// When the oldest of the counts was made; nil while there is none.
    private(set) var start: Instant?
    private var lastSent: Instant?

    init(service: String) {
        counts = ServiceCounts(service: service)
    }

    /// Adds an outcome; those that say nothing of the service are left out.
    ///
    /// Without the network its failures are left out too: told after its return, they would convict a service
    /// or this terminal for what the network did.
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
        // A page or a redirect where the contract has JSON.
        case .portal(.redirect), .portal(.foreignBody), .portal(.foreignNonce): counts.http5xx += 1
        case .success, .service, .auth, .throttle, .business, .cancelled: return
        }
        start = start ?? now
    }

    /// Whether a report is on its way to being due.
    var isCounting: Bool { start != nil }

    /// When the counts are to be told: at once with failures, else at the interval; nil without counts.
    func due(_ settings: ServiceSettings) -> Instant? {
        guard let start else { return nil }
        guard counts.failed > 0 else { return (lastSent ?? start) + settings.reportInterval }
        return lastSent.map { max(start, $0 + settings.reportGap) } ?? start
    }

    /// Whether a report that goes out anyway may take these counts along.
    func mayRide(at now: Instant, _ settings: ServiceSettings) -> Bool {
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

    /// Puts back what a failed report held, unless it is too old to tell QoS anything of the present.
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

    /// Drops counts that grew too old while nothing could be sent.
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
