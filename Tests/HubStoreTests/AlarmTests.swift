import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Alarms at the hub")
struct AlarmTests {
    private static let day: Int64 = 86_400_000

    @Test(
        "An alarm that a terminal repeats is counted, one of another day or terminal is a new one",
        arguments: StoreKind.all)
    func counted(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for at in [5, 9, 7, Self.day - 1, Self.day] {
            try await ledger.raise(Alarm(kind: .headRegressed, terminalId: "T1", detail: "at \(at)", at: at))
        }
        try await ledger.raise(Alarm(kind: .headRegressed, terminalId: "T2", at: 6))
        let alarms = try await ledger.alarms(terminal: nil, limit: 10)
        #expect(alarms.map(\.count) == [1, 4, 1])
        #expect(alarms.map(\.lastAt) == [Self.day, Self.day - 1, 6])
        #expect(alarms.map(\.first.detail) == ["at \(Self.day)", "at 5", nil])
        #expect(try await ledger.alarms(terminal: "T2", limit: 10).map(\.first.terminalId) == ["T2"])
        #expect(try await ledger.alarms(terminal: nil, limit: 1).count == 1)
    }

    @Test("A terminal that is refused fifty times leaves one row", arguments: StoreKind.all)
    func refusals(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, clone) = (Till(), Till())
        _ = try await store.take(till.push([till.sale()]))
        let fork = clone.sale()
        for _ in 0..<50 { #expect(try await store.outcomes(clone.push([fork])) == ["refused"]) }
        let alarms = try await store.ledger.alarms(terminal: "T1", limit: 10)
        #expect(alarms.map(\.first.kind) == ["journal_forked"])
        #expect(alarms.map(\.count) == [50])
    }
}
