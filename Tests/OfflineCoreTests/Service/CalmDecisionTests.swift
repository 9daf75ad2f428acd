import Base
import Testing

@testable import OfflineCore

@Suite("QoS decisions are applied with a dwell")
struct CalmDecisionTests {
    private func heard(
        _ decision: ServiceDecision, by detector: inout ServiceFaultDetector, at now: Instant,
        issuer: String = "one"
    ) -> [ServiceEffect] {
        let response = QoSResponse(issuer: issuer, decisions: [decision])
        return detector.handle(.qosResponded(response, tag: 9_999, sentAt: now), at: now)
    }

    private func state(of detector: ServiceFaultDetector) -> ServiceStatus.State? {
        detector.statuses.first { $0.service == "order" }?.state
    }

    /// A detector that QoS made faulty at 1 s and allows to resume only after ten minutes.
    private func waitingForItsTurn() -> ServiceFaultDetector {
        var detector = ServiceFaultDetector(
            settings: ServiceSettings(dwell: .zero), apis: .standard, seed: 1, at: at(0))
        _ = detector.handle(.networkBecameReachable, at: at(0))
        _ = detector.handle(
            .qosResponded(QoSResponse(issuer: "one", decisions: []), tag: 1, sentAt: at(0)), at: at(0))
        _ = heard(.drawn(.faulty, generation: 5), by: &detector, at: at(1))
        let pace = ResumePace(after: .seconds(600), ratePerMinute: 60)
        _ = heard(.drawn(.recovering, generation: 6, resume: pace), by: &detector, at: at(2))
        return detector
    }

    @Test(
        "healthy ends the hold of recovering at once", arguments: [Int64(6), 7], [true, false])
    func healthyEndsTheHold(generation: Int64, isPaced: Bool) throws {
        var detector = waitingForItsTurn()
        #expect(state(of: detector) == .recovering)
        let pace = isPaced ? ResumePace(after: .zero, ratePerMinute: 60) : nil
        var effects = heard(
            .drawn(.healthy, generation: generation, resume: pace), by: &detector, at: at(3))
        let freed = ServiceEffect.paceResume(
            service: "order", ResumePace(after: .zero, ratePerMinute: 60))
        #expect(effects.contains(freed))
        for _ in 0..<2 {
            guard case .sendCanary(let tag, "order")? = effects.last else { break }
            effects = detector.handle(.canaryFinished(service: "order", tag: tag, good: true), at: at(3))
        }
        #expect(state(of: detector) == .healthy)
        #expect(!detector.causeHolds)
    }

    @Test("a hold of recovering ends with its decision, in the trial and for the outbox")
    func holdEndsWithDecision() {
        var detector = waitingForItsTurn()
        // The decision is valid for 60 s from its query at 2 s, and nothing more comes from QoS.
        var moment = at(2)
        var canaries: [Instant] = []
        while let next = detector.deadline, next < at(90), detector.causeHolds {
            moment = max(moment, next)
            for effect in detector.handle(.deadlineReached, at: moment) {
                switch effect {
                case .queryQoS(let tag, _), .reportQoS(let tag, _):
                    _ = detector.handle(.qosFailed(tag: tag), at: moment)
                case .sendCanary(let tag, let service):
                    canaries.append(moment)
                    for more in detector.handle(
                        .canaryFinished(service: service, tag: tag, good: true), at: moment)
                    {
                        guard case .sendCanary(let tag, let service) = more else { continue }
                        canaries.append(moment)
                        _ = detector.handle(
                            .canaryFinished(service: service, tag: tag, good: true), at: moment)
                    }
                case .paceResume: break
                }
            }
        }
        #expect(canaries == [at(62), at(62)])
        #expect(state(of: detector) == .healthy)
    }

    @Test("the outbox gets no longer hold than the decision is valid, and the next renewal prolongs it")
    func holdOfTheOutbox() {
        var detector = ServiceFaultDetector(
            settings: ServiceSettings(dwell: .zero), apis: .standard, seed: 1, at: at(0))
        _ = detector.handle(.networkBecameReachable, at: at(0))
        func held(_ seconds: Int64, at moment: Instant) -> [ServiceEffect] {
            let pace = ResumePace(after: .seconds(seconds), ratePerMinute: 60)
            return heard(.drawn(.recovering, generation: 6, resume: pace), by: &detector, at: moment)
        }
        let longest = ServiceEffect.paceResume(
            service: "order", ResumePace(after: .seconds(60), ratePerMinute: 60))
        #expect(held(3_600, at: at(2)).contains(longest))
        #expect(held(3_570, at: at(32)).contains(longest))
        let rest = ServiceEffect.paceResume(
            service: "order", ResumePace(after: .seconds(20), ratePerMinute: 60))
        #expect(held(20, at: at(62)).contains(rest))
    }

    @Test("a decision that had expired when it was issued is ignored")
    func expiredWhenIssued() {
        var detector = ServiceFaultDetector(settings: ServiceSettings(), apis: .standard, seed: 1, at: at(0))
        _ = detector.handle(.networkBecameReachable, at: at(0))
        _ = heard(.drawn(.faulty, generation: 5, validity: .zero), by: &detector, at: at(1))
        #expect(state(of: detector) == .healthy)
        _ = heard(.drawn(.faulty, generation: 6, validity: .milliseconds(1)), by: &detector, at: at(1))
        #expect(state(of: detector) == .faulty)
    }

    @Test(
        "decisions that alternate each second switch a terminal a few times a minute, and then less and less")
    func flaps() {
        var timeline = ServiceTimeline(
            qos: String(repeating: "hf", count: 300), settings: ServiceSettings())
        timeline.pollAfter = .seconds(1)
        _ = timeline.play("^" + String(repeating: "o", count: 59))
        #expect(timeline.switches <= 5)
        _ = timeline.play(String(repeating: "o", count: 240))
        #expect(timeline.switches <= 12)
    }

    @Test("alternating issuers are damped the same way")
    func issuers() {
        var timeline = ServiceTimeline(
            qos: String(repeating: "hf", count: 60), settings: ServiceSettings())
        timeline.pollAfter = .seconds(1)
        timeline.issuersTakeTurns = true
        _ = timeline.play("^" + String(repeating: "o", count: 59))
        #expect((1...5).contains(timeline.switches))
    }

    @Test("a switch waits until the dwell of the one before ends, and no longer")
    func dwellEdge() {
        var timeline = ServiceTimeline(qos: "fh", settings: ServiceSettings())
        timeline.pollAfter = .seconds(1)
        #expect(timeline.play("^..............") == "FFFFFFFFFFFFFFF")
        #expect(timeline.play(".") == "-")
    }

    @Test("an operator's decision waits for nothing")
    func operators() {
        var timeline = ServiceTimeline(qos: "fhfhfh", settings: ServiceSettings())
        timeline.pollAfter = .seconds(1)
        timeline.source = .operator
        #expect(timeline.play("^.....") == "F-F-F-")
    }

    @Test("a decision that expires within the dwell is never applied")
    func endedMeanwhile() {
        var detector = ServiceFaultDetector(settings: ServiceSettings(), apis: .standard, seed: 1, at: at(0))
        _ = detector.handle(.networkBecameReachable, at: at(0))
        detector.networkReachability = .settled
        guard let index = detector.indexOfService["order"] else { return }
        detector.watches[index].dwell.noteSwitch(isFault: false, at: at(0), settings: ServiceSettings())
        _ = heard(.drawn(.faulty, generation: 5, validity: .seconds(10)), by: &detector, at: at(1))
        #expect(detector.watches[index].waitingSwitch == nil)
        _ = heard(.drawn(.faulty, generation: 5, validity: .seconds(20)), by: &detector, at: at(2))
        #expect(detector.watches[index].waitingSwitch == at(15))
        _ = detector.handle(.deadlineReached, at: at(14.999))
        #expect(state(of: detector) == .healthy)
        _ = detector.handle(.deadlineReached, at: at(15))
        #expect(state(of: detector) == .faulty)
    }

    @Test("the dwell is 15 s, half as long again for each flap beyond two in ten minutes, at most 120 s")
    func dwellGrows() {
        let settings = ServiceSettings()
        var dwell = SwitchDwell()
        var lengths: [Double] = []
        for flap in 0..<9 {
            dwell.noteSwitch(isFault: true, at: at(Double(flap)), settings: settings)
            lengths.append(Double((dwell.ends ?? at(0)).nanoseconds) / 1e9 - Double(flap))
        }
        #expect(lengths.prefix(4) == [15, 15, 22.5, 33.75])
        #expect(lengths.last == 120)
        dwell.noteSwitch(isFault: true, at: at(700), settings: settings)
        #expect(dwell.ends == at(715))
    }
}
