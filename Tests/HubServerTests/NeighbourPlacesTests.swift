import Foundation
import HubCore
import HubProtocol
import HubStore
import Synchronization
import TestKit
import Testing

@testable import HubServer

/// Where tills listen, as the hub passes it on.
@Suite("Places of tills")
struct NeighbourPlacesTests {
    /// The value of `terminalId`'s key as `till` gets it.
    private func key(of terminalId: String, for till: TillOverHTTP, _ hub: HubInProcess) async throws
        -> JSONValue?
    {
        let headers = till.headers.merging([HeaderNames.schema: String(Schema.current)]) { $1 }
        let page = try ChangePage(
            json: try await hub.request("GET", Routes.changes, headers: headers).json())
        let last = page.changes.last { $0.entity == TerminalKey.entity && $0.entityId == terminalId }
        return last.map { $0.value ?? .null }
    }

    private func report(_ place: JSONValue, by till: TillOverHTTP, _ hub: HubInProcess) async throws {
        let report: JSONValue = ["appVersion": "1.0", "outbox": ["pending": 0], "neighbours": place]
        let sent = try await hub.request(
            "POST", Routes.telemetry, headers: till.headers, body: report.canonicalText)
        #expect(sent.status == 204)
    }

    @Test(
        "The tills of its store get where a till listens, within the ranges of a shop, once in ten minutes",
        arguments: HubStoreKind.all)
    func passedOn(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let (till, other) = (try await hub.enrol(), try await hub.enrol())
        let id = till.grant.terminalId
        let before = try await key(of: id, for: other, hub)
        #expect(before?["publicKey"] != nil && before?["neighbours"] == nil)
        try await report(["addresses": ["8.8.8.8", "127.0.0.1"], "port": 7710], by: till, hub)
        try await report(["addresses": ["10.0.0.7"], "port": 80], by: till, hub)
        #expect(try await key(of: id, for: other, hub) == before)
        try await report(["addresses": ["10.0.0.7", "8.8.8.8"], "port": 7710], by: till, hub)
        let place: JSONValue = ["addresses": ["10.0.0.7"], "port": 7710]
        let passed = try await key(of: id, for: other, hub)
        #expect(passed?["neighbours"] == place && passed?["publicKey"] == before?["publicKey"])
        // A move within ten minutes waits for a later report.
        let moved: JSONValue = ["addresses": ["10.0.0.8"], "port": 7710]
        try await report(moved, by: till, hub)
        #expect(try await key(of: id, for: other, hub)?["neighbours"] == place)
        hub.clock.advance(by: .seconds(601))
        try await report(moved, by: till, hub)
        #expect(try await key(of: id, for: other, hub)?["neighbours"] == moved)
        // What the hub does with all keys leaves it as it is.
        _ = try await hub.perform(.revokeTerminal(id: other.grant.terminalId))
        let third = try await hub.enrol()
        #expect(try await key(of: id, for: third, hub)?["neighbours"] == moved)
        // A revoked till passes on nothing.
        _ = try await hub.perform(.revokeTerminal(id: id))
        hub.clock.advance(by: .seconds(601))
        _ = try await hub.request(
            "POST", Routes.telemetry, headers: till.headers,
            body: #"{"neighbours":{"addresses":["10.0.0.9"],"port":7710}}"#)
        #expect(try await key(of: id, for: third, hub) == .null)
    }

    /// A hub's store where something happens before each record is taken in.
    private struct DisturbedStore: PlaceLedger {
        let store: StoredPlaces
        let before: @Sendable () async throws(LedgerError) -> Void

        func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
            try await store.terminal(id)
        }

        func published(_ key: EntityKey) async throws(LedgerError) -> (TerminalKey, at: Int64)? {
            try await store.published(key)
        }

        func importEntities(
            _ list: [TerminalKey], withdrawing gone: [EntityKey], at now: Int64
        ) async throws(LedgerError) -> ImportOutcome {
            if !list.isEmpty { try await before() }
            return try await store.importEntities(list, withdrawing: gone, at: now)
        }
    }

    private static let place = TelemetryReport(
        lenient: ["neighbours": ["addresses": ["10.0.0.7"], "port": 7710]])

    @Test("A key that is revoked while its till's place is published does not come back with it")
    func revokedMeanwhile() async throws {
        let hub = try await HubInProcess()
        let (till, other) = (try await hub.enrol(), try await hub.enrol())
        let id = till.grant.terminalId
        let places = NeighbourPlaces(
            ledger: DisturbedStore(store: StoredPlaces(ledger: try hub.ledger)) {
                _ = try? await hub.perform(.revokeTerminal(id: id))
            })
        await places.note(Self.place, of: id, at: 1)
        #expect(try await key(of: id, for: other, hub) == .null)
    }

    @Test("A place that the store did not take is published with the next report")
    func notTaken() async throws {
        let hub = try await HubInProcess()
        let (till, other) = (try await hub.enrol(), try await hub.enrol())
        let id = till.grant.terminalId
        let tries = Mutex(0)
        let places = NeighbourPlaces(
            ledger: DisturbedStore(store: StoredPlaces(ledger: try hub.ledger)) { () throws(LedgerError) in
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                if isFirst { throw LedgerError.busy }
            })
        for _ in 0..<3 { await places.note(Self.place, of: id, at: 1) }
        #expect(try await key(of: id, for: other, hub)?["neighbours"]?["port"] == 7710)
        #expect(tries.withLock { $0 } == 2)
    }

    @Test("Two hubs on one store pass on one move in ten minutes, and so does one that restarts")
    func severalHubs() async throws {
        let hub = try await HubInProcess()
        let (till, other) = (try await hub.enrol(), try await hub.enrol())
        let store = StoredPlaces(ledger: try hub.ledger)
        let start: Int64 = 1_800_000_000_000
        for (address, after) in [("10.0.0.7", Int64(0)), ("10.0.0.8", 1), ("10.0.0.9", 599_999)] {
            let report = TelemetryReport(
                lenient: ["neighbours": ["addresses": [.string(address)], "port": 7710]])
            await NeighbourPlaces(ledger: store).note(report, of: till.grant.terminalId, at: start + after)
            let passed = try await key(of: till.grant.terminalId, for: other, hub)
            #expect(passed?["neighbours"]?["addresses"] == ["10.0.0.7"], "\(address)")
        }
        await NeighbourPlaces(ledger: store).note(
            TelemetryReport(lenient: ["neighbours": ["addresses": ["10.0.0.9"], "port": 7710]]),
            of: till.grant.terminalId, at: start + 600_001)
        #expect(
            try await key(of: till.grant.terminalId, for: other, hub)?["neighbours"]?["addresses"]
                == ["10.0.0.9"])
    }

    @Test("A till that keeps sales of others for a week is an alarm, once a day", arguments: HubStoreKind.all)
    func keptOverdue(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let till = try await hub.enrol()
        var report = TelemetryReport(lenient: ["outbox": ["pending": 5, "copied": 9]])
        #expect(report.copied == 5, "no more than wait")
        report = TelemetryReport(
            lenient: [
                "outbox": ["pending": 5, "copied": 3],
                "conflicts": [StoreFinding.keptOverdue.counted(2).json],
            ])
        for _ in 0..<2 {
            let sent = try await hub.request(
                "POST", Routes.telemetry, headers: till.headers, body: report.json.canonicalText)
            #expect(sent.status == 204)
        }
        let alarms = try await hub.perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))[
            "alarms"]
        #expect(alarms?.array?.count == 1 && alarms?.array?.first?["kind"] == "terminal_kept_overdue")
        #expect(alarms?.array?.first?["count"] == 1)
        #expect(TelemetryReport(lenient: report.json) == report && report.copied == 3)
    }
}
