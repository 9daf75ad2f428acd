import Simulation
import Testing

@Suite("The reconnect storm")
struct ReconnectSimulationTests {
    private func outcome(_ terminals: Int, _ change: (inout ReconnectSettings) -> Void) -> ReconnectOutcome {
        var settings = ReconnectSettings()
        settings.terminals = terminals
        change(&settings)
        var simulation = ReconnectSimulation(settings)
        return simulation.run()
    }

    /// The first poll comes up to 12 s after the recovery and a promised slot is corrected a poll later,
    /// however small the storm: of ten thousand terminals that is a small part, of some hundred it is not.
    private func limit(_ outcome: ReconnectOutcome) -> Double { 1.5 + 25e9 / Double(outcome.needed) }

    @Test(
        "Terminals return with full outboxes: none times out, the queue stays short, the capacity is used",
        arguments: [UInt64(1), 2])
    func release(_ seed: UInt64) {
        let outcome = outcome(300) {
            $0.seed = seed
            $0.perMutation = 1_000_000
        }
        #expect(outcome.left == 0)
        #expect(outcome.timeouts == 0)
        #expect(outcome.refused == 0)
        #expect(outcome.longestQueue < 200)
        #expect(outcome.timeRatio < limit(outcome), "\(outcome)")
    }

    @Test("A hub with a fifth of its configured capacity is detected")
    func slowHub() {
        let outcome = outcome(150) {
            $0.perMutation = 500_000
            $0.perRequest = 1_000_000
        }
        #expect(outcome.left == 0)
        #expect(outcome.timeouts == 0)
        #expect(outcome.measuredCapacity < 150_000)
        #expect(outcome.timeRatio < limit(outcome), "\(outcome)")
    }

    @Test("Without the hub's pace the same storm has requests that time out")
    func unpaced() {
        let outcome = outcome(200) {
            $0.backlog = 200...300
            $0.perMutation = 3_000_000
            $0.isPaced = false
        }
        #expect(outcome.timeouts + outcome.refused > 0)
    }
}
