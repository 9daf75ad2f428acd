import Base
import Testing

@testable import OfflineCore

@Suite("The service detector on random walks")
struct ServiceWalkTests {
    @Test("no fault without evidence or a decision, none that stays forever, one query, one canary a service")
    func walks() throws {
        for seed in UInt64(1)...12 {
            var walk = ServiceWalk(seed: seed)
            for _ in 0..<1_000 { try walk.step() }
            try walk.heal()
        }
    }
}

/// Sends a detector random events from a seed, with responses, also lost and late ones.
private struct ServiceWalk {
    private var detector: ServiceFaultDetector
    private var random: SplitMix64
    private var now = at(0)
    private var queries: [UInt64] = []
    private var canaries: [(service: String, tag: UInt64)] = []
    private var generation: Int64 = 0
    private let services = CoreAPIs.standard.allServices

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        detector = ServiceFaultDetector(settings: ServiceSettings(), apis: .standard, seed: seed, at: now)
    }

    mutating func step() throws {
        if random.below(3) == 0, let deadline = detector.deadline, deadline > now {
            now = deadline
        } else {
            now = now + .milliseconds(Int64(random.below(2_000)))
        }
        feed(draw())
        #expect(detector.causeHolds == detector.isFaulty("order"))
        #expect((detector.deadline == nil) == (detector.networkReachability == .lost))
        let repeated = detector.handle(.deadlineReached, at: now)
        #expect(repeated.isEmpty, "an early wake did \(repeated)")
        if let deadline = detector.deadline { #expect(deadline > now) }
    }

    /// With the network back, good decisions of QoS and good canaries, every service becomes healthy.
    mutating func heal() throws {
        feed(.networkBecameReachable)
        for _ in 0..<200 {
            now = try #require(detector.deadline)
            feed(.deadlineReached)
            while let tag = queries.popLast() { feed(.qosResponded(word(.healthy), tag: tag, sentAt: now)) }
            while let call = canaries.popLast() {
                feed(.canaryFinished(service: call.service, tag: call.tag, good: true))
            }
        }
        #expect(detector.statuses.allSatisfy { $0.state == .healthy || $0.state == .suspect })
        #expect(!detector.causeHolds)
    }

    private mutating func feed(_ event: ServiceEvent) {
        let fault = detector.causeHolds
        let suspected = detector.statuses.contains { $0.service == "order" && $0.state == .suspect }
        for effect in detector.handle(event, at: now) {
            if case .paceResume = effect { continue }
            #expect(detector.networkReachability != .lost)
            switch effect {
            case .queryQoS(let tag, let services):
                #expect(!services.isEmpty)
                queries.append(tag)
            case .reportQoS(let tag, let report):
                #expect(!report.services.isEmpty)
                queries.append(tag)
            case .sendCanary(let tag, let service):
                #expect(detector.isFaulty(service))
                canaries.append((service, tag))
            case .paceResume: break
            }
        }
        if detector.causeHolds, !fault {
            let spoken = if case .qosResponded = event { true } else { false }
            let awaited = detector.watches.contains { $0.service == "order" && $0.applied?.state == .faulty }
            #expect(spoken || suspected || awaited, "a fault out of nothing by \(event)")
        }
    }

    private mutating func draw() -> ServiceEvent {
        let apis = Array(CoreAPIs.standard.services.keys).sorted { $0.description < $1.description }
        switch random.below(12) {
        case 0: return .networkLost
        case 1, 2: return .networkBecameReachable
        case 3:
            guard !queries.isEmpty else { return .retryRequested }
            let tag = queries.remove(at: Int(random.below(UInt64(queries.count))))
            let states: [ServiceDecision.State] = [.healthy, .faulty, .recovering]
            return .qosResponded(word(states[Int(random.below(3))]), tag: tag, sentAt: now - .seconds(1))
        case 4: return queries.popLast().map { .qosFailed(tag: $0) } ?? .deadlineReached
        case 5, 6:
            guard let call = canaries.popLast() else { return .deadlineReached }
            return .canaryFinished(service: call.service, tag: call.tag, good: random.below(2) == 0)
        case 7:
            return .outcomeObserved(api: apis[Int(random.below(UInt64(apis.count)))], outcome: .success)
        case 8, 9, 10:
            let api =
                random.below(2) == 0 ? ServiceTimeline.push : apis[Int(random.below(UInt64(apis.count)))]
            return .outcomeObserved(api: api, outcome: .service(.status(503)))
        default: return .deadlineReached
        }
    }

    private mutating func word(_ state: ServiceDecision.State) -> QoSResponse {
        generation += 1
        let pace = random.below(4) == 0 ? ResumePace(after: .seconds(2), ratePerMinute: 60) : nil
        return QoSResponse(
            issuer: "one",
            decisions: services.map { .drawn(state, of: $0, generation: generation, resume: pace) })
    }
}
