import Herd
import Testing

@Suite("The release of the herd")
struct HerdSimulationTests {
    private func outcome(_ change: (inout HerdSettings) -> Void) -> HerdOutcome {
        var settings = HerdSettings()
        settings.terminals = 1_000
        change(&settings)
        var simulation = HerdSimulation(settings)
        return simulation.run()
    }

    @Test(
        "A thousand full outboxes come back: none times out, the queue stays short, the capacity is used",
        arguments: [UInt64(1), 2, 3])
    func herd(_ seed: UInt64) {
        let outcome = outcome { $0.seed = seed }
        #expect(outcome.left == 0)
        #expect(outcome.timeouts == 0)
        #expect(outcome.refused == 0)
        #expect(outcome.longestQueue < 500)
        #expect(outcome.stretch < 1.5 + slack(outcome), "\(outcome)")
    }

    /// The first poll comes up to 12 s after the recovery and the last told turn a poll later, however small
    /// the herd: of ten thousand terminals that is a small part, of a thousand it is not.
    private func slack(_ outcome: HerdOutcome) -> Double { 25e9 / Double(outcome.needed) }

    @Test("A hub that bears a fifth of what it was configured for is found out")
    func slowHub() {
        let outcome = outcome {
            $0.perMutation = 5_000_000
            $0.perRequest = 1_000_000
        }
        #expect(outcome.left == 0)
        #expect(outcome.timeouts == 0)
        #expect(outcome.measuredCapacity < 15_000)
        #expect(outcome.stretch < 1.5 + slack(outcome), "\(outcome)")
    }

    @Test("Without the hub's pace the same herd has requests that time out")
    func unpaced() {
        let outcome = outcome {
            $0.terminals = 3_000
            $0.backlog = 100...300
            $0.isPaced = false
        }
        #expect(outcome.timeouts + outcome.refused > 0)
    }
}
