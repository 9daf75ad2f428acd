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
    /// Whether somebody watches, who needs time to read.
    private let isSlow: Bool

    init(isSlow: Bool = false) {
        start = clock.now
        self.isSlow = isSlow
    }

    var now: Duration { clock.now - start }

    func chapter(_ title: String) async {
        await pause(seconds: 3)
        Output.line("")
        Output.line("== \(title)")
        await pause(seconds: 1)
    }

    /// Shows the counter as a cashier sees it now.
    func show(_ counter: DemoCounter) async {
        for row in counter.picture { Output.draw(row + "\n") }
        await pause(seconds: 4)
    }

    private func pause(seconds: Int) async {
        if isSlow { try? await Task.sleep(for: .seconds(seconds)) }
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
