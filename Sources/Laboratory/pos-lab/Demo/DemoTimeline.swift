internal import PosCLI
import Base

internal import HubProtocol
internal import Agent

/// Prints the steps of the demo as they happen, and records which of them failed.
final class DemoTimeline {
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private(set) var failures: [String] = []
    private(set) var sold = 0

    init() {
        start = clock.now
    }

    var now: Duration { clock.now - start }

    func chapter(_ title: String) {
        Output.line("")
        Output.line("== \(title)")
    }

    func note(_ text: String) {
        Output.line("\(stamp)  \(text)")
    }

    /// Prints `text` as done or as failed. A failure makes the demo fail; the demo continues.
    func check(_ isTrue: Bool, _ text: String) {
        Output.line("\(stamp)  \(isTrue ? "ok  " : "FAIL") \(text)")
        if !isTrue { failures.append(text) }
    }

    func countSale() {
        sold += 1
    }

    private var stamp: String {
        let tenths = now.components.seconds * 10 + now.components.attoseconds / 100_000_000_000_000_000
        let text = "\(tenths / 10).\(tenths % 10) s"
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}
