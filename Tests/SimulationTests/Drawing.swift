import Base
import OfflineCore
@testable import Simulation

/// Runs of a model on a link as a string: one character is ten seconds, `x` dead.
enum Drawing {
    private static let zero = Instant(nanoseconds: 0)

    /// What the model shows at the end of each ten seconds: `O` offline.
    static func shown(
        by detector: any OtherDetector.Type, on drawing: String, firstQueryAt start: Duration = .zero
    ) -> String {
        let offline = run(of: detector, on: drawing, firstQueryAt: start).offline.all
        return drawing.indices.enumerated().reduce(into: "") { shown, character in
            let end = zero + .seconds(10 * (character.offset + 1))
            shown += offline.contains { $0.start < end && end <= $0.end } ? "O" : "-"
        }
    }

    static func run(
        of detector: any OtherDetector.Type, on drawing: String, firstQueryAt start: Duration = .zero,
        traffic: [Instant] = []
    ) -> LinkRun {
        let rows = drawing.enumerated().map { index, mark in
            LinkTrace.Row(start: zero + .seconds(10 * index), isUp: mark != "x")
        }
        let trace = LinkTrace(rows: rows, end: zero + .seconds(10 * rows.count))
        let network = SimulatedProbe(
            link: SimulatedLink(outage: .recorded(trace)), traffic: traffic, seed: 1)
        return detector.run(on: network, from: zero + start, outages: trace.outages, until: trace.end)
    }

    /// How long it takes to detect an outage that begins so long after the first probe and lasts.
    static func delay(of detector: any OtherDetector.Type, outageFrom start: Duration) -> Duration {
        let end = zero + start + .seconds(1_000)
        let trace = LinkTrace(
            rows: [LinkTrace.Row(start: zero, isUp: true), LinkTrace.Row(start: zero + start, isUp: false)],
            end: end)
        let network = SimulatedProbe(link: SimulatedLink(outage: .recorded(trace)), seed: 1)
        return detector.run(on: network, from: zero, outages: trace.outages, until: end)
            .figures.slowestFinding
    }
}
