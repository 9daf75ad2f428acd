import TestKit
import Testing

@testable import Agent

@Suite("Changes of the status")
struct StatusRevisionsTests {
    @Test("results are news while the newest status names entries that wait, at most one a second")
    func results() async {
        let clock = HandClock()
        let revisions = StatusRevisions(time: clock)
        revisions.named(pending: 0)
        revisions.resultsArrived()
        #expect(revisions.current == 1 && clock.alarms.isEmpty)
        revisions.named(pending: 2)
        for _ in 0..<3 { revisions.resultsArrived() }
        await eventually { clock.alarms.count == 1 }
        #expect(revisions.current == 1)
        clock.advance(by: .seconds(1))
        await eventually { revisions.current == 2 }
        #expect(clock.alarms.isEmpty)
        revisions.named(pending: 0)
        revisions.resultsArrived(isOneRefused: true)
        await eventually { clock.alarms.count == 1 }
    }
}
