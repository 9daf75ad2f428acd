import HubProtocol
import Testing

@Suite("Telemetry as a peer sends it")
struct TelemetryReportTests {
    @Test("A report of the contract is read and written again as it was")
    func whole() {
        let json: JSONValue = [
            "appVersion": "1.2.3", "osVersion": "Debian 12",
            "outbox": ["pending": 3, "oldestAgeMs": 42_000, "rejected": 1, "conflicted": 2],
            "sync": ["attempts": 10, "successes": 9, "since": "2026-11-21T00:00:00.000Z"],
            "conflicts": [["endpoint": "/v1/mutations", "category": "escalate", "count": 2]],
            "connectivity": ["state": "online", "isMetered": false, "latencyMs": 12],
            "offlinePeriods": [
                ["start": "b", "end": .null, "causes": ["network"], "evidence": ["probe:dns", "pathLost"]],
                ["start": "a", "end": "b", "causes": ["manual"]],
            ],
        ]
        #expect(TelemetryReport(lenient: json).json == json)
    }

    @Test(
        "Whatever comes is read as something",
        arguments: [
            .null, [], "words", 7, [:], ["outbox": 5, "sync": [], "conflicts": [:], "connectivity": "x"],
            ["conflicts": [1, .null, [:]], "offlinePeriods": [7], "appVersion": ["a": 1]],
        ] as [JSONValue])
    func odd(_ json: JSONValue) {
        let report = TelemetryReport(lenient: json)
        #expect(report.pending == 0)
        #expect(report.oldestAgeMilliseconds == nil)
        #expect(TelemetryReport(lenient: report.json) == report)
    }

    @Test("What is out of range is clamped")
    func clamped() {
        let report = TelemetryReport(
            lenient: [
                "outbox": ["pending": -4, "oldestAgeMs": .integer(.max), "rejected": .double(1.5)],
                "sync": ["attempts": 3, "successes": 9],
            ])
        #expect(report.pending == 0)
        #expect(report.oldestAgeMilliseconds == TelemetryReport.maximumCount)
        #expect(report.rejected == 0)
        #expect(report.successes == 3)
    }

    @Test("However much is sent, some kilobytes are kept, and no control character")
    func bounded() {
        let long = String(repeating: "x\u{0}\u{1B}", count: 5_000)
        let many = JSONValue.array(
            Array(
                repeating: [
                    "endpoint": .string(long), "category": .string(long), "start": .string(long),
                    "causes": .array(Array(repeating: .string(long), count: 99)),
                    "evidence": .array(Array(repeating: .string(long), count: 99)),
                ], count: 5_000))
        let members = JSONObject((0..<999).map { ("k\($0)", JSONValue.string(long)) })
        let report = TelemetryReport(
            lenient: [
                "appVersion": .string(long), "conflicts": many, "offlinePeriods": many,
                "connectivity": .object(members),
            ])
        #expect(report.json.canonicalText.utf8.count < 20_000)
        #expect(report.appVersion == String(repeating: "x", count: 64))
        #expect(report.conflicts.count == 50)
        #expect(report.offlinePeriods.first?["evidence"]?.array?.count == TelemetryReport.mostEvidence)
        #expect(report.connectivity.count == 16)
    }
}
