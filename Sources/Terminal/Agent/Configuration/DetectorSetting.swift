internal import AgentAPI
package import OfflineCore

/// A key of the configuration that the offline machine decides by, with a value from a command line.
package struct DetectorSetting: Sendable, Equatable {
    /// The key's name, for example `network.debounceSeconds`.
    package let name: String
    /// The value as it was written.
    package let value: String

    /// Reads `KEY=VALUE` and holds the value against the key's kind and range, as the configuration file is.
    ///
    /// - Throws: kind `usage`, naming the nearest key, or the unit and the range.
    package init(_ text: some StringProtocol) throws(TerminalError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw TerminalError(.usage, code: "setting_malformed") {
                $0.settingForm("\(text)", "KEY=VALUE", example: Self.example)
            }
        }
        try self.init(name: String(parts[0]), value: String(parts[1]))
    }

    /// Reads `KEY=VALUE,VALUE,…`: one setting for each value.
    package static func sweep(_ text: String) throws(TerminalError) -> [DetectorSetting] {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw TerminalError(.usage, code: "setting_malformed") {
                $0.settingForm(text, "KEY=VALUE,VALUE,…", example: Self.example + ",8,15")
            }
        }
        var settings: [DetectorSetting] = []
        for value in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            settings.append(try DetectorSetting(name: String(parts[0]), value: String(value)))
        }
        return settings
    }

    private static let example = "network.debounceSeconds=5"

    private init(name: String, value: String) throws(TerminalError) {
        guard Self.changes[name] != nil else { throw Self.unknown(name) }
        let key = ConfigurationKey.named(name)
        guard key.accepts(value) else {
            let refusal = key.refusal(of: value, source: "--set")
            throw TerminalError(.usage, code: refusal.code, text: refusal.failure.text)
        }
        self.name = name
        self.value = value
    }

    private static func unknown(_ name: String) -> TerminalError {
        let keys = changes.keys.sorted().joined(separator: ", ")
        return TerminalError(.usage, code: "configuration_unknown_key") { $0.notTried(name, known: keys) }
    }

    /// Changes the settings of a machine as the key in the configuration would.
    package func apply(to settings: inout OfflineSettings) {
        Self.changes[name]?(&settings, value)
    }

    private static let changes: [String: @Sendable (inout OfflineSettings, String) -> Void] = [
        "network.debounceSeconds": { $0.network.debounce = seconds($1) },
        "network.pathDebounceSeconds": { $0.network.pathDebounce = seconds($1) },
        "network.pingIntervalSeconds": { $0.network.pingInterval = seconds($1) },
        "network.probeIntervalSeconds": { $0.network.probeInterval = seconds($1) },
        "network.recoveryHoldSeconds": {
            $0.network.recoveryHold = seconds($1)
            $0.network.recoveryHoldCap = max($0.network.recoveryHoldCap, seconds($1))
        },
        "service.consecutiveFailures": { $0.service.consecutiveFailures = Int($1) ?? 1 },
        "qos.pollSeconds": { $0.service.pollInterval = seconds($1) },
        "qos.dwellSeconds": { $0.service.dwell = seconds($1) },
    ]

    private static func seconds(_ text: String) -> Duration { .seconds(Int64(text) ?? 1) }
}

extension ConfigurationKey {
    /// Whether `text` is a value of this key's kind and within its range.
    fileprivate func accepts(_ text: String) -> Bool {
        switch kind {
        case .integer(_, _, let range), .limit(_, _, let range):
            Int(text).map { range.contains($0) && String($0) == text } ?? false
        case .boolean, .decision: text == "true" || text == "false"
        case .choice(let words, _): words.contains(text)
        case .text, .list, .words: true
        }
    }
}
