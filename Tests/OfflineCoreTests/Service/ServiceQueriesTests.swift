import Base
import OfflineCore
import Testing

@Suite("Queries, reports and decisions of the service detector")
struct ServiceQueriesTests {
    private let push = ServiceTimeline.push
    private let batch = APIRoute(method: "POST", template: "/v1/mutations/batch")
    private let lookUp = APIRoute(method: "GET", template: "/v1/members/{id}")
    private let everyService = ["account", "marketing", "member", "order", "payment", "product"]

    private func detector(_ settings: ServiceSettings = ServiceSettings(dwell: .zero)) -> ServiceFaultDetector
    {
        ServiceFaultDetector(settings: settings, apis: .standard, seed: 7, at: at(0))
    }

    /// A detector whose first query, tag 1, got decisions for every service with pollAfter 30 s.
    private func settled() -> ServiceFaultDetector {
        var detector = detector()
        _ = detector.handle(.networkBecameReachable, at: at(0))
        let response = QoSResponse(
            issuer: "one", decisions: everyService.map { .drawn(.healthy, of: $0, generation: 1) })
        _ = detector.handle(.qosResponded(response, tag: 1, sentAt: at(0)), at: at(0))
        return detector
    }

    private func failed(_ api: APIRoute, _ status: Int = 503) -> ServiceEvent {
        .outcomeObserved(api: api, outcome: .service(.status(status)))
    }

    private func says(_ decisions: ServiceDecision..., issuer: String? = "one", sent: Double) -> ServiceEvent
    {
        .qosResponded(QoSResponse(issuer: issuer, decisions: decisions), tag: 999, sentAt: at(sent))
    }

    @Test("the network's return queries QoS about every service at once, and does nothing else")
    func returnQueriesFirst() {
        var detector = detector()
        #expect(detector.deadline == nil)
        #expect(
            detector.handle(.networkBecameReachable, at: at(5)) == [
                .queryQoS(tag: 1, services: everyService)
            ])
        #expect(detector.handle(.networkBecameReachable, at: at(6)).isEmpty)
        #expect(detector.deadline == at(9))
    }

    @Test("the server's pollAfterMs paces the poll, clamped to 1 s to 300 s, a fifth later when alone")
    func pollPace() {
        for (queried, kept) in [(0, 1), (-5, 1), (30, 30), (9_999_999_999, 300)] {
            var detector = detector()
            _ = detector.handle(.networkBecameReachable, at: at(0))
            let decisions = everyService.map {
                ServiceDecision.drawn(.healthy, of: $0, generation: 1, pollAfter: .seconds(queried))
            }
            let response = QoSResponse(issuer: nil, decisions: decisions)
            #expect(detector.handle(.qosResponded(response, tag: 1, sentAt: at(0)), at: at(1)).isEmpty)
            #expect(detector.deadline == at(1 + Double(kept) * 1.2))
            #expect(detector.handle(.deadlineReached, at: at(0.9 + Double(kept))).isEmpty)
            // Any other wake-up of the terminal from then on sends the query too.
            let queried = detector.handle(.deadlineReached, at: at(1 + Double(kept)))
            #expect(queried == [.queryQoS(tag: 2, services: everyService)])
        }
    }

    @Test("without the server's pace the poll comes every 30 s, a fifth more or less")
    func ownPollPace() throws {
        var detector = detector()
        _ = detector.handle(.networkBecameReachable, at: at(0))
        var now = at(0)
        var gaps: Set<Int64> = []
        for tag in UInt64(1)...200 {
            #expect(detector.handle(.qosFailed(tag: tag), at: now).isEmpty)
            let next = try #require(detector.deadline)
            gaps.insert((next - now).wholeNanoseconds)
            now = next
            #expect(
                detector.handle(.deadlineReached, at: now) == [
                    .queryQoS(tag: tag + 1, services: everyService)
                ])
        }
        #expect(gaps.count > 150)
        #expect(gaps.min().map { $0 >= 24_000_000_000 && $0 < 25_000_000_000 } == true)
        #expect(gaps.max().map { $0 <= 36_000_000_000 && $0 > 35_000_000_000 } == true)
    }

    @Test("a failure is reported at once, then at most every 5 s, with the counts of other services")
    func failuresAreReported() {
        var detector = settled()
        let first = QoSReport(
            windowStart: at(1), windowEnd: at(1), services: [ServiceCounts(service: "order", http5xx: 1)],
            knownGeneration: Dictionary(uniqueKeysWithValues: everyService.map { ($0, 1) }))
        #expect(detector.handle(failed(push), at: at(1)) == [.reportQoS(tag: 2, first)])
        #expect(detector.handle(failed(batch), at: at(2)).isEmpty)
        #expect(detector.handle(.outcomeObserved(api: lookUp, outcome: .success), at: at(3)).isEmpty)
        #expect(detector.handle(.qosFailed(tag: 2), at: at(4)).isEmpty)
        #expect(detector.deadline == at(6))
        let second = QoSReport(
            windowStart: at(1), windowEnd: at(6),
            services: [ServiceCounts(service: "member", ok: 1), ServiceCounts(service: "order", http5xx: 2)],
            knownGeneration: first.knownGeneration)
        #expect(detector.handle(.deadlineReached, at: at(6)) == [.reportQoS(tag: 3, second)])
    }

    @Test("successes are reported every 60 s while there is traffic, and silence is not reported")
    func successesAreReported() {
        var detector = settled()
        #expect(detector.handle(.outcomeObserved(api: push, outcome: .success), at: at(1)).isEmpty)
        #expect(detector.handle(.outcomeObserved(api: push, outcome: .success), at: at(20)).isEmpty)
        #expect(detector.handle(.qosFailed(tag: 9), at: at(21)).isEmpty)
        let effects = detector.handle(.deadlineReached, at: at(61))
        guard case .reportQoS(_, let report)? = effects.last else {
            Issue.record("no report in \(effects)")
            return
        }
        #expect(report.services == [ServiceCounts(service: "order", ok: 2)])
        #expect(report.windowStart == at(1) && report.windowEnd == at(61))
        let later = detector.handle(.deadlineReached, at: at(200))
        #expect(!later.contains { if case .reportQoS = $0 { true } else { false } })
    }

    @Test("each kind of failure has its own count, and an outcome that is no evidence has none")
    func kindsOfOutcome() {
        var detector = settled()
        let outcomes: [OutcomeClass] = [
            .success, .network(.dns), .network(.connect), .network(.reset), .network(.connectTimeout),
            .network(.silent), .network(.tls), .service(.brokenBody), .service(.timedOutAfterConnect),
            .auth(status: 401), .throttle(retryAfter: nil), .business(status: 422), .portal(.redirect),
            .cancelled,
        ]
        _ = detector.handle(failed(push), at: at(1))
        let thanks = QoSResponse(issuer: "one", decisions: [])
        _ = detector.handle(.qosResponded(thanks, tag: 2, sentAt: at(1)), at: at(1))
        for outcome in outcomes {
            #expect(detector.handle(.outcomeObserved(api: push, outcome: outcome), at: at(2)).isEmpty)
        }
        let effects = detector.handle(.deadlineReached, at: at(6))
        guard
            case .reportQoS(_, let report)? = effects.first(where: {
                if case .reportQoS = $0 { true } else { false }
            })
        else {
            Issue.record("no report in \(effects)")
            return
        }
        #expect(
            report.services.last
                == ServiceCounts(service: "order", ok: 1, timeout: 3, http5xx: 1, connect: 2, tls: 1, dns: 1))
    }

    @Test("the network's own failures are not reported to QoS after its return")
    func networkFailuresWhileLost() {
        var detector = settled()
        _ = detector.handle(.networkLost, at: at(1))
        for _ in 0..<9 {
            _ = detector.handle(.outcomeObserved(api: push, outcome: .network(.connect)), at: at(2))
        }
        #expect(
            detector.handle(.networkBecameReachable, at: at(3)) == [
                .queryQoS(tag: 2, services: everyService)
            ])
    }

    @Test("an unknown API, a business response, a refused token and a throttle are no evidence")
    func notEvidence() {
        var detector = settled()
        let stranger = APIRoute(method: "GET", template: "/elsewhere")
        for _ in 0..<50 {
            _ = detector.handle(failed(stranger), at: at(1))
            for outcome in [
                OutcomeClass.business(status: 409), .auth(status: 401), .throttle(retryAfter: .seconds(9)),
                .network(.connect), .portal(.foreignBody), .cancelled,
            ] {
                _ = detector.handle(.outcomeObserved(api: push, outcome: outcome), at: at(1))
            }
        }
        #expect(detector.statuses.allSatisfy { $0.state == .healthy })
    }

    @Test("both routes of the push are one API")
    func pushIsOneAPI() {
        var detector = settled()
        for api in [push, batch, push, batch, push] { _ = detector.handle(failed(api), at: at(1)) }
        #expect(detector.statuses.first { $0.service == "order" }?.state == .suspect)
    }

    @Test("half of ten or more outcomes in 60 s trip, older ones do not count")
    func rateTrips() {
        var detector = settled()
        for second in 0..<10 {
            let outcome: OutcomeClass = second.isMultiple(of: 2) ? .service(.status(500)) : .success
            _ = detector.handle(.outcomeObserved(api: push, outcome: outcome), at: at(Double(second)))
            #expect(detector.statuses.contains { $0.state == .suspect } == (second == 9), "at \(second)")
        }
        _ = detector.handle(.deadlineReached, at: at(75))
        #expect(detector.statuses.allSatisfy { $0.state == .healthy })
    }

    @Test("services fail and recover independently, and only a core one decides the mode")
    func severalServices() {
        var detector = settled()
        _ = detector.handle(
            says(
                .drawn(.faulty, of: "member", generation: 2),
                .drawn(.faulty, of: "payment", generation: 2, source: .operator), sent: 1), at: at(1))
        #expect(!detector.causeHolds)
        #expect(detector.isFaulty("member") && detector.isFaulty("payment") && !detector.isFaulty("order"))
        #expect(detector.statuses.first { $0.service == "payment" }?.source == .operator)
        _ = detector.handle(says(.drawn(.faulty, generation: 2), sent: 2), at: at(2))
        #expect(detector.causeHolds)
        let effects = detector.handle(says(.drawn(.healthy, of: "member", generation: 3), sent: 3), at: at(3))
        #expect(effects == [.sendCanary(tag: 2, service: "member")])
        #expect(
            detector.handle(.canaryFinished(service: "member", tag: 2, good: true), at: at(3)) == [
                .sendCanary(tag: 3, service: "member")
            ])
        _ = detector.handle(.canaryFinished(service: "member", tag: 3, good: true), at: at(3))
        #expect(!detector.isFaulty("member") && detector.isFaulty("payment") && detector.causeHolds)
        #expect(!detector.isFaulty("nobody"))
    }

    @Test("an older generation is ignored, a repeated one renews without changing the state")
    func generations() {
        var detector = settled()
        _ = detector.handle(says(.drawn(.faulty, generation: 5), sent: 1), at: at(1))
        _ = detector.handle(says(.drawn(.healthy, generation: 4), sent: 2), at: at(2))
        _ = detector.handle(says(.drawn(.healthy, generation: 5), sent: 50), at: at(50))
        #expect(detector.causeHolds)
        #expect(detector.statuses.first { $0.service == "order" }?.generation == 5)
        // Renewed at 50 s, the decision of 60 s is valid after its first end at 61 s.
        _ = detector.handle(.deadlineReached, at: at(100))
        #expect(detector.statuses.first { $0.service == "order" }?.state == .faulty)
        #expect(
            detector.handle(.deadlineReached, at: at(110)).contains(.sendCanary(tag: 4, service: "order")))
    }

    @Test("a generation that jumps too far is ignored, and the decisions after it still count")
    func absurdGeneration() {
        for absurd in [1_000_006, Int64.max] {
            var detector = settled()
            _ = detector.handle(says(.drawn(.healthy, generation: 5), sent: 1), at: at(1))
            _ = detector.handle(says(.drawn(.healthy, generation: absurd), sent: 2), at: at(2))
            _ = detector.handle(says(.drawn(.faulty, generation: 6), sent: 3), at: at(3))
            #expect(detector.causeHolds)
        }
        var detector = settled()
        _ = detector.handle(says(.drawn(.healthy, generation: 5), sent: 1), at: at(1))
        _ = detector.handle(says(.drawn(.faulty, generation: 1_000_005), sent: 2), at: at(2))
        #expect(detector.causeHolds)
    }

    @Test("a decision that was not renewed for 10 min blocks no other, however high its generation")
    func lapsedGeneration() {
        for (seconds, isTaken) in [(600.0, false), (601.0, true)] {
            var detector = settled()
            _ = detector.handle(says(.drawn(.healthy, generation: 1_000_001), sent: 1), at: at(1))
            _ = detector.handle(says(.drawn(.faulty, generation: 7), sent: seconds), at: at(seconds))
            #expect(detector.causeHolds == isTaken)
        }
    }

    @Test(
        "a new issuer's decision is applied whatever its generation, an overtaken one of the old issuer is not"
    )
    func issuers() {
        var detector = settled()
        _ = detector.handle(says(.drawn(.faulty, generation: 50), sent: 1), at: at(1))
        _ = detector.handle(says(.drawn(.healthy, generation: 1), issuer: "two", sent: 3), at: at(3))
        #expect(detector.statuses.first { $0.service == "order" }?.state == .recovering)
        _ = detector.handle(says(.drawn(.faulty, generation: 51), issuer: "one", sent: 2), at: at(4))
        #expect(detector.statuses.first { $0.service == "order" }?.generation == 1)
        var nameless = settled()
        _ = nameless.handle(says(.drawn(.faulty, generation: 1), issuer: nil, sent: 1), at: at(1))
        _ = nameless.handle(says(.drawn(.healthy, generation: 1), issuer: nil, sent: 2), at: at(2))
        #expect(nameless.causeHolds)
    }

    @Test("validity counts from the query, not from the response")
    func validityFromSending() {
        var detector = settled()
        let word = ServiceDecision.drawn(.faulty, generation: 2, validity: .seconds(20))
        _ = detector.handle(says(word, sent: 1), at: at(4))
        #expect(detector.handle(.deadlineReached, at: at(20.9)).isEmpty)
        #expect(detector.handle(.deadlineReached, at: at(21)) == [.sendCanary(tag: 2, service: "order")])
    }

    @Test("recovery is paced by the hub: the pace is passed on once, the first canary waits for it")
    func resumePace() {
        var detector = settled()
        let pace = ResumePace(after: .seconds(10), ratePerMinute: 60)
        _ = detector.handle(says(.drawn(.faulty, generation: 2, resume: pace), sent: 1), at: at(1))
        let recovering = ServiceDecision.drawn(.recovering, generation: 3, resume: pace)
        #expect(
            detector.handle(says(recovering, sent: 2), at: at(2)) == [
                .paceResume(service: "order", pace)
            ])
        #expect(detector.handle(says(recovering, sent: 3), at: at(3)).isEmpty)
        #expect(detector.handle(.retryRequested, at: at(4)) == [.queryQoS(tag: 2, services: everyService)])
        #expect(detector.handle(.deadlineReached, at: at(12)).contains(.sendCanary(tag: 3, service: "order")))
    }

    @Test("a later response can start the recovery earlier, and none delays it")
    func movedTurn() {
        func recovering(after seconds: Int64) -> ServiceDecision {
            .drawn(
                .recovering, generation: 3,
                resume: ResumePace(after: .seconds(seconds), ratePerMinute: 60))
        }
        var detector = settled()
        _ = detector.handle(says(.drawn(.faulty, generation: 2), sent: 1), at: at(1))
        _ = detector.handle(says(recovering(after: 60), sent: 2), at: at(2))
        _ = detector.handle(says(recovering(after: 90), sent: 3), at: at(3))
        _ = detector.handle(says(recovering(after: 6), sent: 4), at: at(4))
        #expect(!detector.handle(.deadlineReached, at: at(9)).contains { $0.isCanary })
        #expect(detector.handle(.deadlineReached, at: at(10)).contains { $0.isCanary })
    }

    @Test("a hold is clamped to an hour, and no number of the hub overflows")
    func absurdNumbers() {
        var detector = settled()
        let absurd = Duration.seconds(Int64.max / 2)
        let word = ServiceDecision.drawn(
            .recovering, generation: 1_000_002, validity: absurd, pollAfter: absurd,
            resume: ResumePace(after: absurd, ratePerMinute: Int64.max))
        _ = detector.handle(says(.drawn(.faulty, generation: 2), sent: 1), at: at(1))
        #expect(
            detector.handle(says(word, sent: 1), at: at(1)) == [
                .paceResume(
                    service: "order", ResumePace(after: .seconds(3_600), ratePerMinute: Int64.max))
            ])
    }

    @Test("a canary without a response is bad after 5 s, and its late response is ignored")
    func lostCanary() {
        var detector = settled()
        _ = detector.handle(says(.drawn(.faulty, generation: 2), sent: 1), at: at(1))
        #expect(
            detector.handle(says(.drawn(.healthy, generation: 3), sent: 2), at: at(2)) == [
                .sendCanary(tag: 2, service: "order")
            ])
        #expect(detector.deadline == at(7))
        #expect(detector.handle(.deadlineReached, at: at(7)).isEmpty)
        #expect(detector.handle(.canaryFinished(service: "order", tag: 2, good: true), at: at(8)).isEmpty)
        #expect(detector.causeHolds)
        #expect(detector.deadline.map { $0 >= at(30) } == true)
    }

    @Test("a response without the queried service counts as no response for it")
    func missingDecision() {
        var detector = settled()
        for _ in 0..<5 { _ = detector.handle(failed(push), at: at(1)) }
        let empty = QoSResponse(issuer: "one", decisions: [.drawn(.healthy, of: "stranger", generation: 1)])
        _ = detector.handle(.qosResponded(empty, tag: 3, sentAt: at(1)), at: at(1))
        #expect(detector.handle(.deadlineReached, at: at(2)) == [.queryQoS(tag: 4, services: ["order"])])
        _ = detector.handle(.qosResponded(empty, tag: 4, sentAt: at(2)), at: at(2))
        #expect(detector.statuses.first { $0.service == "order" }?.state == .faulty)
    }
}

/// A moment so many seconds after the zero of the test's clock.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1_000_000_000)) }

extension ServiceEffect {
    fileprivate var isCanary: Bool {
        if case .sendCanary = self { true } else { false }
    }
}
