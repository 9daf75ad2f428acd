import OfflineCore
import Base
import HubCore

/// The machine that decides on `order`, moved by hand; moments are seconds from its beginning.
struct QoSTimeline {
    private(set) var machine: QoSDecisionMachine
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    static func at(_ second: Int) -> Instant { start + .seconds(second) }

    init(_ change: (inout QoSSettings) -> Void = { _ in }) {
        var settings = QoSSettings()
        change(&settings)
        machine = QoSDecisionMachine(services: ["order"], settings: settings, at: Self.start)
    }

    mutating func report(
        _ id: String, of store: String, ok: Int = 0, failed: Int = 0, window: Int64? = nil, at second: Int
    ) {
        let reporter = QoSReporter(terminalId: id, storeId: store)
        let event = QoSEvent.reported(
            service: "order", by: reporter, ok: ok, failed: failed, windowStart: window)
        handle(event, at: second)
    }

    mutating func probe(_ succeeded: Bool, at second: Int) {
        handle(.probed(service: "order", succeeded: succeeded), at: second)
    }

    mutating func handle(_ event: QoSEvent, at second: Int) {
        _ = machine.handle(event, at: Self.at(second))
    }

    /// Lets time pass and gives the decision for a terminal, as `<state> <scope>`.
    mutating func state(_ id: String, of store: String, at second: Int) -> String {
        handle(.deadlineReached, at: second)
        let reporter = QoSReporter(terminalId: id, storeId: store)
        guard let decision = machine.decision(on: "order", for: reporter, at: Self.at(second)) else {
            return "-"
        }
        return "\(decision.state.rawValue) \(decision.scope.rawValue)"
    }

    /// The states of each second: `-` healthy, `F` faulty, `R` recovering.
    mutating func states(_ id: String, of store: String, from first: Int, through last: Int) -> String {
        var text = ""
        for second in first...last {
            switch state(id, of: store, at: second).first {
            case "f": text += "F"
            case "r": text += "R"
            case "h": text += "-"
            case _: text += "?"
            }
        }
        return text
    }

    mutating func generation(_ id: String, of store: String, at second: Int) -> Int64 {
        handle(.deadlineReached, at: second)
        let reporter = QoSReporter(terminalId: id, storeId: store)
        return machine.decision(on: "order", for: reporter, at: Self.at(second))?.generation ?? -1
    }
}
