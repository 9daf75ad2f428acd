import HubProtocol
import Testing

@testable import OfflineCore

@Suite("The QoS vocabulary is the same on the wire and in the machine")
struct QoSVocabularyTests {
    @Test("poll interval, validity and hold have one range each")
    func bounds() {
        func milliseconds(_ duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        }
        let poll = ServiceFaultDetector.pollRange
        #expect(milliseconds(poll.lowerBound)...milliseconds(poll.upperBound) == QoSDecisionShape.pollBounds)
        #expect(milliseconds(AppliedDecision.validity.upperBound) == QoSDecisionShape.longestValidity)
        #expect(milliseconds(ServiceFaultDetector.resumeRange.upperBound) == QoSDecisionShape.longestHold)
        #expect(QoSDecisionShape.pollBounds.contains(QoSDecisionShape.usualPoll))
    }

    @Test("every state, scope and source is the text of the contract")
    func texts() {
        let states: [ServiceDecision.State] = [.healthy, .faulty, .recovering]
        #expect(states.map(\.rawValue) == ["healthy", "faulty", "recovering"])
        let scopes: [ServiceDecision.Scope] = [.global, .store, .terminal]
        #expect(scopes.map(\.rawValue) == ["global", "store", "terminal"])
        let sources: [ServiceDecision.Source] = [.reports, .probe, .operator]
        #expect(sources.map(\.rawValue) == ["reports", "probe", "operator"])
    }
}
