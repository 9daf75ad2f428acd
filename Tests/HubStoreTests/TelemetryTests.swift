import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Telemetry in the stores")
struct TelemetryTests {
    private func report(_ version: String, pending: Int64 = 0, attempts: Int64 = 1) -> TelemetryReport {
        TelemetryReport(
            lenient: [
                "appVersion": .string(version), "outbox": ["pending": .integer(pending)],
                "sync": ["attempts": .integer(attempts), "successes": .integer(attempts), "since": "a"],
            ])
    }

    @Test("It is kept by terminal and version, the one that spoke last first", arguments: StoreKind.all)
    func versions(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        try await ledger.keepTelemetry(report("1", pending: 5, attempts: 4), of: "T1", at: 10)
        try await ledger.keepTelemetry(report("2", pending: 3, attempts: 2), of: "T1", at: 20)
        try await ledger.keepTelemetry(report("2", pending: 1, attempts: 7), of: "T1", at: 30)
        try await ledger.keepTelemetry(report("1"), of: "T2", at: 5)
        let kept = try await ledger.telemetry()
        #expect(kept["T1"]?.map(\.report.appVersion) == ["2", "1"])
        #expect(kept["T1"]?.map(\.receivedAt) == [30, 10])
        #expect(kept["T1"]?.map(\.attempts) == [7, 4])
        #expect(kept["T1"]?.first?.report.pending == 1)
        #expect(kept["T2"]?.count == 1)
    }

    @Test("Of many versions those that spoke last stay", arguments: StoreKind.all)
    func bounded(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for number in 1...14 {
            try await ledger.keepTelemetry(report("v\(number)"), of: "T1", at: Int64(number))
        }
        let kept = try await ledger.telemetry()["T1"] ?? []
        #expect(kept.map(\.receivedAt) == (5...14).reversed().map(Int64.init))
    }

    @Test(
        "A start long after the last report notes a downtime, one beside another hub none",
        arguments: StoreKind.all)
    func downtimes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(try await ledger.downtimes(until: 1_000, since: 0) == [])
        try await ledger.keepTelemetry(report("1"), of: "T1", at: 10_000)
        #expect(try await ledger.downtimes(until: 200_000, since: 0) == [])
        #expect(try await ledger.downtimes(until: 1_000_000, since: 0) == [10_000...1_000_000])
        // A report that came behind the start is none of before it.
        try await ledger.keepTelemetry(report("1"), of: "T2", at: 1_100_000)
        try await ledger.keepTelemetry(report("1"), of: "T1", at: 2_100_000)
        let both: [ClosedRange<Int64>] = [10_000...1_000_000, 1_100_000...2_000_000]
        #expect(try await ledger.downtimes(until: 2_000_000, since: 0) == both)
        #expect(try await ledger.downtimes(until: 2_150_000, since: 1_500_000) == [both[1]])
    }

    @Test("The newest mutation shows when a terminal was last there", arguments: StoreKind.all)
    func lastMutations(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        let applicant = EnrolmentApplicant(
            terminalId: "T1", codeDigest: "a", name: "till", publicKey: "key", tokenExpiresAt: 500)
        _ = try await store.ledger.enrol(applicant, at: 50)
        #expect(try await store.ledger.lastMutations() == [:])
        var till = Till()
        _ = try await store.take(till.push([till.minted(), till.minted()]))
        #expect(try await store.ledger.lastMutations() == ["T1": 1_000_000])
    }
}
