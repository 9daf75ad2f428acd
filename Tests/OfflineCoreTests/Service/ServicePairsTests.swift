import Testing

@testable import OfflineCore

/// Every phase of a service against every event, as a table: one row an event, one column a phase.
@Suite("Every phase of a service with every event")
struct ServicePairsTests {
    private let order = ServiceTimeline.push
    private static let settings = ServiceSettings()

    /// healthy, suspect, overruled, faulty, leased, recovering after a decision of QoS, local recovering.
    private static let phases = "hsofLrl"

    private static let table: [(event: String, next: String)] = [
        ("one failure", "hsofLrl"),
        ("five failures", "ssofLrl"),
        ("success", "hhhfLrl"),
        ("network again", "hsofLrl"),
        ("network lost", "hsofLrl"),
        ("QoS says healthy", "hoororo"),
        ("QoS says faulty", "fffffff"),
        ("QoS says recovering", "hoorrrr"),
        ("QoS silent", "hssfLrl"),
        ("good canary", "hsofLrh"),
        ("bad canary", "hsofLrL"),
        ("stray canary", "hsofLrl"),
        ("retry", "hsoflrl"),
        ("deadline", "hsofLrl"),
    ]

    @Test("the table is correct", arguments: phases.map(String.init))
    func tableHolds(phase: String) throws {
        let column = try #require(Self.phases.firstIndex(of: Character(phase)))
        for row in Self.table {
            var detector = try Self.detector(in: Character(phase))
            try feed(row.event, to: &detector)
            #expect(Self.letter(of: detector.orderPhase) == row.next[column], "\(phase) on \(row.event)")
            #expect(
                detector.deadline != nil || detector.networkReachability == .lost, "\(phase) on \(row.event)")
        }
    }

    private func feed(_ name: String, to detector: inout ServiceFaultDetector) throws {
        let failure = ServiceEvent.outcomeObserved(api: order, outcome: .service(.status(503)))
        switch name {
        case "one failure": _ = detector.handle(failure, at: at(100))
        case "five failures": for _ in 0..<5 { _ = detector.handle(failure, at: at(100)) }
        case "success": _ = detector.handle(.outcomeObserved(api: order, outcome: .success), at: at(100))
        case "network again": _ = detector.handle(.networkBecameReachable, at: at(100))
        case "network lost": _ = detector.handle(.networkLost, at: at(100))
        case "QoS says healthy": hear(.healthy, &detector)
        case "QoS says faulty": hear(.faulty, &detector)
        case "QoS says recovering": hear(.recovering, &detector)
        case "QoS silent":
            let tag = try #require(detector.query?.tag)
            _ = detector.handle(.qosFailed(tag: tag), at: at(100))
        case "good canary": canary(good: true, &detector)
        case "bad canary": canary(good: false, &detector)
        case "stray canary":
            _ = detector.handle(.canaryFinished(service: "order", tag: 999, good: true), at: at(100))
        case "retry": _ = detector.handle(.retryRequested, at: at(100))
        case "deadline": _ = detector.handle(.deadlineReached, at: at(100))
        default: Issue.record("no event \(name)")
        }
    }

    private func hear(_ state: ServiceDecision.State, _ detector: inout ServiceFaultDetector) {
        let response = QoSResponse(issuer: "one", decisions: [.drawn(state, generation: 9)])
        _ = detector.handle(.qosResponded(response, tag: 999, sentAt: at(100)), at: at(100))
    }

    private func canary(good: Bool, _ detector: inout ServiceFaultDetector) {
        var tag: UInt64 = 999
        if case .recovering(let trial) = detector.orderPhase, case .calling(let sent, _) = trial.step {
            tag = sent
        }
        _ = detector.handle(.canaryFinished(service: "order", tag: tag, good: good), at: at(100))
    }

    /// A detector at 100 s with a pending query; `order` has reached the phase of that letter by real events.
    private static func detector(in phase: Character) throws -> ServiceFaultDetector {
        var detector = ServiceFaultDetector(settings: settings, apis: .standard, seed: 3, at: at(0))
        let index = try #require(detector.indexOfService["order"])
        detector.networkReachability = .settled
        detector.query = ServiceFaultDetector.Query(tag: 500, queried: [index], until: at(103))
        if "soLl".contains(phase) {
            var window = OutcomeWindow()
            for _ in 0..<5 { window.note(failed: true, at: at(99), settings: settings) }
            detector.windows[try #require(detector.places[ServiceTimeline.push]).window] = window
        }
        let calling = CanaryTrial.Step.calling(tag: 400, until: at(104))
        switch phase {
        case "s":
            detector.watches[index].enter(.suspect(failedQueries: 0, confirmation: at(109)), at: at(99))
        case "o": detector.watches[index].enter(.overruled, at: at(99))
        case "f":
            detector.watches[index].applied = AppliedDecision(
                .drawn(.faulty, generation: 8), issuer: "one", sentAt: at(99))
            detector.watches[index].enter(.faulty, at: at(99))
        case "L": detector.watches[index].enter(.leased(until: at(300)), at: at(99))
        case "r":
            let trial = CanaryTrial(isLocal: false, remaining: 2, step: calling)
            detector.watches[index].enter(.recovering(trial), at: at(99))
        case "l":
            let trial = CanaryTrial(isLocal: true, remaining: 1, step: calling)
            detector.watches[index].enter(.recovering(trial), at: at(99))
        default: break
        }
        return detector
    }

    private static func letter(of phase: ServicePhase) -> Character {
        switch phase {
        case .healthy: "h"
        case .suspect: "s"
        case .overruled: "o"
        case .faulty: "f"
        case .leased: "L"
        case .recovering(let trial): trial.isLocal ? "l" : "r"
        }
    }
}

extension ServiceFaultDetector {
    fileprivate var orderPhase: ServicePhase {
        watches.first { $0.service == "order" }?.phase ?? .healthy
    }
}
