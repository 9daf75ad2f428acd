import OfflineCore
import Agent
import Testing

@Suite("Settings to try")
struct DetectorSettingTests {
    @Test("A key changes what the same key in the configuration would")
    func changes() throws {
        var settings = OfflineSettings()
        let keys = [
            "network.debounceSeconds=3", "network.pathDebounceSeconds=4",
            "network.pingIntervalSeconds=16",
            "network.probeIntervalSeconds=61", "network.recoveryHoldSeconds=11", "qos.pollSeconds=31",
            "qos.dwellSeconds=16", "service.consecutiveFailures=6",
        ]
        for key in keys { try DetectorSetting(key).apply(to: &settings) }
        var expected = OfflineSettings()
        expected.network.debounce = .seconds(3)
        expected.network.pathDebounce = .seconds(4)
        expected.network.pingInterval = .seconds(16)
        expected.network.probeInterval = .seconds(61)
        expected.network.recoveryHold = .seconds(11)
        expected.service.pollInterval = .seconds(31)
        expected.service.dwell = .seconds(16)
        expected.service.consecutiveFailures = 6
        #expect(settings == expected)
    }

    @Test("A hold beyond the usual cap takes the cap along")
    func cap() throws {
        var settings = OfflineSettings()
        try DetectorSetting("network.recoveryHoldSeconds=90").apply(to: &settings)
        #expect(settings.network.recoveryHoldCap == .seconds(90))
    }

    @Test("A sweep is one setting for each value")
    func sweep() throws {
        let settings = try DetectorSetting.sweep("network.debounceSeconds=3,8,15")
        #expect(settings.map(\.value) == ["3", "8", "15"])
    }

    @Test(
        "What cannot be tried is refused as wrong usage, with what would be right",
        arguments: [
            ("network.debounceSeconds=0", "1 to 120 s"), ("network.debounceSeconds=5.5", "1 to 120 s"),
            ("network.debounceSeconds=+5", "1 to 120 s"), ("network.debounceSeconds=", "1 to 120 s"),
            ("network.debounceSeconds", "KEY=VALUE"),
            ("hub.url=x", "network.debounceSeconds"),
            ("network.debounceSecond=5", "network.debounceSeconds"),
        ])
    func refusals(text: String, hint: String) {
        let error = #expect(throws: TerminalError.self) { try DetectorSetting(text) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains(hint) == true)
    }
}
