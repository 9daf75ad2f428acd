import HubCore
import HubProtocol
import Testing

@Suite("What the hub adds up of telemetry")
struct TelemetryRecordTests {
    private func report(
        _ attempts: Int64, _ successes: Int64, since: String? = "a", conflicts: [(String, Int64)] = []
    ) -> TelemetryReport {
        TelemetryReport(
            lenient: [
                "sync": [
                    "attempts": .integer(attempts), "successes": .integer(successes),
                    "since": JSONValue(since),
                ],
                "conflicts": .array(
                    conflicts.map { ["endpoint": "/e", "category": .string($0.0), "count": .integer($0.1)] }),
            ])
    }

    private func sums(_ reports: TelemetryReport...) -> [Int64] {
        guard let first = reports.first else { return [] }
        var record = TelemetryRecord(first, at: 0)
        for report in reports.dropFirst() { record.take(report, at: 1) }
        return [record.attempts, record.successes]
    }

    @Test("A report that arrives twice, late or never leaves the sums right")
    func sumsUp() {
        #expect(sums(report(10, 9), report(10, 9)) == [10, 9])
        #expect(sums(report(10, 9), report(14, 12)) == [14, 12])
    }

    @Test("A report that was overtaken shows nothing; behind a minute it is the hub's clock that was set")
    func overtaken() {
        var record = TelemetryRecord(report(10, 9), at: 100_000)
        record.take(report(7, 7), at: 99_999)
        record.take(report(6, 6), at: 40_000)
        #expect([record.attempts, record.successes, record.receivedAt] == [10, 9, 100_000])
        record.take(report(12, 10), at: 39_999)
        #expect([record.attempts, record.successes, record.receivedAt] == [12, 10, 39_999])
    }

    @Test("A new run counts from zero again, also one that does not name itself")
    func runs() {
        #expect(sums(report(10, 9), report(10, 8, since: "b")) == [20, 17])
        #expect(sums(report(10, 9, since: nil), report(3, 3, since: nil)) == [13, 12])
        #expect(sums(report(10, 9), report(11, 9, since: "b"), report(12, 10, since: "b")) == [22, 19])
    }

    @Test("Conflicts are added up by endpoint and category, and give a rate")
    func conflicts() {
        var record = TelemetryRecord(report(100, 100, conflicts: [("escalate", 2)]), at: 0)
        record.take(report(200, 199, conflicts: [("escalate", 5), ("append_only", 1)]), at: 1)
        #expect(record.conflicts.map(\.category) == ["escalate", "append_only"])
        #expect(record.conflicts.map(\.count) == [5, 1])
        #expect(record.conflictsPerMille == 30)
        #expect(record.successPerMille == 995)
        #expect(TelemetryRecord(json: record.json) == record)
    }

    @Test(
        "Before the first push there is no rate; sums stop at their bound; malformed documents read as empty")
    func edges() {
        #expect(TelemetryRecord(report(0, 0), at: 0).successPerMille == nil)
        let most = TelemetryReport.maximumCount
        #expect(sums(report(most, most), report(most, most, since: "b")) == [most, most])
        #expect(TelemetryRecord(json: "malformed").attempts == 0)
        let kinds = (0..<60).map { ("c\($0)", Int64(1)) }
        var record = TelemetryRecord(report(1, 1, conflicts: Array(kinds.prefix(40))), at: 0)
        record.take(report(2, 2, since: "b", conflicts: Array(kinds.suffix(40))), at: 1)
        #expect(record.conflicts.count == 50)
    }
}
