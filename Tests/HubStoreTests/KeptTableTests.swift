import HubCore
import HubProtocol
import HubStore
@testable import HubStorePostgres
@testable import HubStoreSQLite
import TestKit
import Testing

@Suite("What the hub keeps")
struct KeptTableTests {
    private static let day: Int64 = 86_400_000

    @Test("Every table of both stores has its end in the list, and no other table is in it")
    func complete() throws {
        let ledger = (SQLiteSchema.ledger.steps + PostgresSchema.ledger.steps.joined()).flatMap(tables)
        let qos = (SQLiteSchema.qos.steps + PostgresSchema.qos.steps.joined()).flatMap(tables)
            .map { $0.replacing("qos_", with: "") }
        let listed = KeptTable.all.map(\.name)
        #expect(Set(listed) == Set(ledger + qos + ["hub_schema"]))
        #expect(Set(listed).count == listed.count)
    }

    private func tables(of step: String) -> [String] {
        step.matches(of: /CREATE (?:UNLOGGED )?TABLE (\w+)/).map { String($0.1) }
    }

    @Test("Every kind is the end of a table, its default is in its range")
    func kinds() {
        let ends = KeptTable.all.compactMap { table -> RetentionKind? in
            if case .byAge(let kind) = table.end { kind } else { nil }
        }
        #expect(Set(ends) == Set(RetentionKind.allCases))
        #expect(RetentionKind.allCases.allSatisfy { $0.rule.range.contains($0.rule.days) })
        var periods = RetentionPeriods()
        periods[.alarms] = 30
        #expect(periods.milliseconds(of: .alarms) == 30 * Self.day)
        #expect(periods.milliseconds(of: .leases) == 400 * Self.day)
    }

    @Test("The page of what is kept has the tables that the code gives")
    func reference() throws {
        let page = ReferencePage("docs/reference/retention.md")
        #expect(try page.holds(KeptTable.referenceOfKeys))
        #expect(try page.holds(KeptTable.referenceOfTables))
    }

    @Test(
        "An alarm goes once it is acknowledged and old, not when it was raised again",
        arguments: StoreKind.all)
    func alarms(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        for terminal in ["acknowledged", "again", "open"] {
            try await store.ledger.raise(Alarm(kind: .headRegressed, terminalId: terminal, at: 5))
        }
        try await store.execute("UPDATE alarms SET acknowledged_at = 9 WHERE terminal_id <> 'open'")
        try await store.ledger.raise(Alarm(kind: .headRegressed, terminalId: "again", at: 12))
        #expect(try await store.ledger.remove(.alarms, until: 8) == 0)
        #expect(try await store.ledger.remove(.alarms, until: 9) == 1)
        let left = try await store.ledger.alarms(terminal: nil, limit: 9).map(\.first.terminalId)
        #expect(Set(left) == ["again", "open"])
    }

    @Test("Of a terminal's reports the newest stays, however old it is", arguments: StoreKind.all)
    func telemetry(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        for (terminal, version, at) in [("T1", "1", 5), ("T1", "2", 6), ("T2", "1", 5), ("T1", "3", 9)] {
            try await store.execute(
                "INSERT INTO telemetry (terminal_id, app_version, received_at, document) "
                    + "VALUES ('\(terminal)', '\(version)', \(at), '{}')")
        }
        #expect(try await store.ledger.remove(.telemetry, until: 20) == 2)
        #expect(try await store.ledger.telemetry().mapValues(\.count) == ["T1": 1, "T2": 1])
        #expect(try await store.ledger.remove(.telemetry, until: 20) == 0)
    }

    @Test("Codes go by their end, look-ups by their day, open leases never", arguments: StoreKind.all)
    func others(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        for expiry in [10, 20] as [Int64] {
            try await store.ledger.keepEnrolmentCodes(["\(expiry)"], storeId: "S1", expiresAt: expiry)
        }
        #expect(try await store.ledger.remove(.enrolmentCodes, until: 19) == 1)
        #expect(try await store.ledger.isEnrolmentCodeOpen(["20"], at: 0))
        for day in 3...5 as ClosedRange<Int64> {
            try await store.ledger.addMemberReads(["T1": 2], on: day)
        }
        #expect(try await store.ledger.remove(.memberReads, until: 5 * Self.day + 1) == 2)
        #expect(try await store.ledger.memberReads(on: 5) == ["T1": 2])
        for (id, state, end) in [("a", "open", "NULL"), ("b", "ended", "7"), ("c", "released", "8")] {
            try await store.execute(
                "INSERT INTO leases (lease_id, kind, subject, terminal_id, store_id, epoch, brief, amount, "
                    + "used, expires_at, version, issued_at, state, ended_at) VALUES ('\(id)', 'points', "
                    + "'M', 'T1', 'S1', 1, 0, 5, 0, 1, 1, 0, '\(state)', \(end))")
        }
        #expect(try await store.ledger.remove(.leases, until: 7) == 1)
        #expect(Set(try await store.ledger.leases(all: true).map(\.id)) == ["a", "c"])
    }

    @Test("With a lease goes its mark in the feed, but for the feed's last row", arguments: StoreKind.all)
    func leaseMarks(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var office = Till("T9")
        _ = try await store.take(
            office.push([
                office.minted("member.created", ["name": "Li"], entityId: "M"),
                office.minted("points.adjusted", ["memberId": "M", "delta": 100]),
            ]))
        let terms = LeaseTerms(kinds: [.points])
        for id in ["T1", "T2", "T3"] {
            try await store.ledger.lendShare(
                of: "M", to: DeviceIdentity(terminalId: id, storeId: "S1"), by: terms, at: 5)
        }
        func marks() async throws -> [Bool] {
            let page = try await store.ledger.changes(after: nil, limit: 99, storeId: "S1")
            return (page?.changes ?? []).filter { $0.entity == "lease" }.map(\.isDeleted)
        }
        let leases = try await store.ledger.leases(all: false)
        for lease in leases where lease.terminalId != "T1" {
            _ = try await store.ledger.release(lease.id, by: "ann", reason: "test", at: 6)
        }
        #expect(try await marks() == [false, true, true])
        #expect(try await store.ledger.remove(.leases, until: 6) == 2)
        let left = try await marks()
        #expect(left == [false, true], "cursors reach the last row")
    }

    @Test("A refusal goes once its terminal gave it up, the entry itself stays", arguments: StoreKind.all)
    func refusals(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let refused = (0..<2).map { _ in till.minted("points.adjusted", ["delta": "x"], entityId: "m") }
        #expect(
            try await store.outcomes(till.push(refused)).allSatisfy { $0.hasPrefix("rejected") })
        #expect(try await store.ledger.remove(.refusals, until: .max) == 0)
        let discard = till.minted("mutation.discarded", ["discards": .string(refused[0].id), "reason": "x"])
        #expect(try await store.outcomes(till.push([discard])) == ["applied"])
        let before = try await store.ledger.audit(terminal: nil)
        #expect(try await store.ledger.remove(.refusals, until: 0) == 0)
        #expect(try await store.ledger.remove(.refusals, until: .max) == 1)
        #expect(try await store.ledger.audit(terminal: nil) == before)
    }

    @Test("More than one transaction's worth of codes goes", arguments: StoreKind.all)
    func many(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let rows = (0..<1_001).map { "('\($0)', 'S1', 5)" }.joined(separator: ", ")
        try await store.execute("INSERT INTO enrolment_codes (digest, store_id, expires_at) VALUES \(rows)")
        #expect(try await store.ledger.remove(.enrolmentCodes, until: 5) == 1_001)
    }
}
