internal import Simulation
import Base

/// Ten thousand terminals with full outboxes come back to a hub whose costs were measured just before: the
/// real outbox machine and the hub's real pacing, in simulated time.
struct ReconnectFigures: RowMeasure {
    private static let terminals = 10_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("reconnect", in: workshop)
        let single = try Self.cost(of: 1, clients: 16, shop)
        let whole = try Self.cost(of: 200, clients: 4, shop)
        var settings = ReconnectSettings()
        settings.terminals = Self.terminals
        settings.perMutation = max(1, (whole - single) / 199)
        settings.perRequest = max(1, single - settings.perMutation)
        var paced = ReconnectSimulation(settings)
        let release = paced.run()
        settings.isPaced = false
        var unpaced = ReconnectSimulation(settings)
        let stampede = unpaced.run()
        guard release.left == 0 else {
            throw .programFailed(
                name: "reconnect", detail: "\(release.left) never drained", lastErrors: "\(release)")
        }
        return Self.rows(release, stampede, settings)
    }

    private static func rows(
        _ release: ReconnectOutcome, _ stampede: ReconnectOutcome, _ settings: ReconnectSettings
    ) -> [Row] {
        let without = "without the hub's pace"
        return [
            Row(
                name: "a push of the hub, measured: one mutation",
                figure: Double(settings.perRequest + settings.perMutation), unit: .time),
            Row(name: "each further mutation", figure: Double(settings.perMutation), unit: .time),
            Row(
                name: "\(release.terminals) terminals with \(release.mutations) mutations drained",
                figure: Double(release.drained), unit: .seconds,
                yardstick: ("the capacity alone", Double(release.needed)), aim: .ratioAtMost(1.5)),
            Row(
                name: "pushes that waited at the hub, most", figure: Double(release.longestQueue),
                unit: .count,
                yardstick: (without, Double(stampede.longestQueue)), aim: .atMost(Double(settings.queueBound))
            ),
            Row(
                name: "pushes refused (503)", figure: Double(release.refused), unit: .count,
                yardstick: (without, Double(stampede.refused)), aim: .atMost(0)),
            Row(
                name: "pushes timed out (10 s)", figure: Double(release.timeouts), unit: .count,
                yardstick: (without, Double(stampede.timeouts)), aim: .atMost(0)),
            Row(
                name: "longest wait for an answer", figure: Double(release.longestWait), unit: .seconds,
                yardstick: (without, Double(stampede.longestWait))),
            Row(name: "polls of the decision", figure: Double(release.polls), unit: .count),
        ]
    }

    /// What a push costs the hub while several tills push at once, in nanoseconds.
    private static func cost(of count: Int, clients: Int, _ shop: Shop) throws(BenchFailure) -> Int64 {
        var pushers: [Pusher] = []
        for _ in 0..<clients {
            let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
            pushers.append(Pusher(connection: try HubConnection(shop.address), till: till, batch: count))
        }
        let counts = Counts()
        let start = Stopwatch.now()
        counts.run(pushers) { pusher in pusher.push(until: start + 3_000_000_000) }
        guard let sum = counts.sum, sum > 0 else {
            throw .programFailed(name: "pos-hub", detail: "a push was refused", lastErrors: "-")
        }
        return (Stopwatch.now() - start) / sum
    }
}

/// One client with its journal, used by one thread.
private struct Pusher: @unchecked Sendable {
    // Handed to one thread, which alone uses it from then on.
    let connection: HubConnection
    let till: ScriptedTill
    let batch: Int

    /// Pushes until then; nil when one was refused.
    func push(until end: Int64) -> Int64? {
        var count: Int64 = 0
        while Stopwatch.now() < end {
            guard (try? connection.query(till.push(of: batch)))?.status == 200 else { return nil }
            count += 1
        }
        return count
    }
}
