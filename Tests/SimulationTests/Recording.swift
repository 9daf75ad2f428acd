import Base
import OfflineCore
import OfflineMode
import Simulation

/// A day's recording of a simulated till, as the recorder writes it.
struct Recording {
    private(set) var lines: [String] = []
    private(set) var events = 0

    /// Sales every 90 s on a link that is dead for 40 s every 20 minutes and loses one packet in fifty.
    init(seed: UInt64, until end: Duration = .seconds(6 * 3_600)) {
        let link = SimulatedLink(
            outage: .flapping(up: .seconds(1_200), down: .seconds(40)), lossPerMille: 20)
        let plan = TillPlan(link: link, sales: .every(.seconds(90)), seed: seed)
        var till = SimulatedTill(plan, keepsEvents: true)
        till.run(until: plan.start + end)
        var machine = plan.machine
        note(
            .started(
                RunStart(settings: plan.settings, apis: .standard, startup: plan.startup, seed: seed)),
            at: plan.start)
        for recorded in till.handled {
            events += 1
            note(.event(recorded.event), at: recorded.at)
            let words = machine.handle(recorded.event, at: recorded.at).compactMap(\.recordedName)
            if !words.isEmpty { note(.decided(words), at: recorded.at) }
            if events % 1_000 == 0 { note(.checkpoint(machine), at: recorded.at) }
        }
    }

    private mutating func note(_ line: RecordingLine, at now: Instant) { lines.append(line.text(at: now)) }

    func read() throws -> EventRecording { try EventRecording.read(lines) }
}

extension EventRecording {
    static func read(_ lines: [String]) throws -> EventRecording {
        try read(text: lines.joined(separator: "\n") + "\n")
    }

    static func read(text: String) throws -> EventRecording {
        try EventRecording(text)
    }
}
