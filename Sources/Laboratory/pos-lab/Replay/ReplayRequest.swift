internal import OfflineCore
internal import Simulation
internal import Agent

/// What is to be tried on a recording.
struct ReplayRequest {
    /// How long a sale waits for its push, as `checkout.onlineBudgetMilliseconds` has it by default.
    static let budget = Duration.milliseconds(1_500)

    private let changes: [DetectorSetting]
    private let sweep: [DetectorSetting]

    init(set: [String], sweep: String?) throws(TerminalError) {
        var changes: [DetectorSetting] = []
        for text in set { changes.append(try DetectorSetting(text)) }
        self.changes = changes
        self.sweep = try sweep.map { text throws(TerminalError) in try DetectorSetting.sweep(text) } ?? []
    }

    /// The settings to try, each named by what it changes in `base`.
    func variants(of base: OfflineSettings) -> [Variant] {
        var changed = base
        for change in changes { change.apply(to: &changed) }
        let name = changes.map(\.text).joined(separator: " ")
        guard !sweep.isEmpty else {
            return changes.isEmpty ? [] : [Variant(name: name, settings: changed)]
        }
        return sweep.map { step in
            var settings = changed
            step.apply(to: &settings)
            return Variant(name: changes.isEmpty ? step.text : "\(name) \(step.text)", settings: settings)
        }
    }
}

extension DetectorSetting {
    /// As it was written, without the key's first word.
    fileprivate var text: String { "\(name.split(separator: ".").last ?? "")=\(value)" }
}
