import Foundation
import GRDB
import HubProtocol
import TestKit
import Testing

/// The operators' pages in Debian's chromium, with ten thousand terminals.
@Suite(
    "The dashboard in a browser", .onStage,
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver"),
        "chromium-driver is missing: .ci/setup test"))
struct DashboardBrowserTests {
    private static let count = 10_000

    @Test("Every page, sign-in, override, live update and ten thousand terminals, by mouse and keyboard")
    func walk() throws {
        let hub = try HubUnderTest()
        try Self.fill(hub.folder.path("hub.sqlite"))
        var facts: [String: JSONValue] = ["terminals": .integer(Int64(Self.count))]
        for (name, role) in [("kim", "manager"), ("lee", "operator"), ("vic", "viewer")] {
            facts[name] = try hub.json("operator", "add", name, "--role", role)
        }
        try Self.trade(on: hub)
        try Self.closeShifts(on: hub)
        facts["hub"] = .array(
            [ProgramUnderTest.path(of: "pos-hub"), "--store", hub.store].map(JSONValue.string))
        let members = JSONObject(facts.map { ($0.key, $0.value) })
        let environment = ProcessInfo.processInfo.environment
        let writing = environment["REGENERATE_PICTURES"].map { _ in ["--write"] } ?? []
        let all = environment["DASHBOARD_PICTURES"].map { ["--all", $0] } ?? []
        let end = try Command.finish(
            ["python3", "Tests/Browser/dashboard.py", hub.url, JSONValue.object(members).canonicalText]
                + writing + all)
        #expect(end.code == 0, "\(end.errors)")
    }

    /// Waits for the hub, which writes meanwhile.
    private static func opened(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// A day of one more terminal: a sale that is refunded in part, one with another number's form, one that
    /// is refused, and an entry that never arrives.
    private static func trade(on hub: HubUnderTest) throws {
        var till = try SeededTerminal(SigningTill(on: hub, store: "S900"), on: hub, seed: 1)
        let sale = till.sale()
        let refund = till.refund(of: sale, total: 250)
        let foreign = till.sale(number: "S1-1-20990101-0001")
        let refused = till.entry(
            "order.completed", till.identifier(), payload: ["orderNumber": "S900-1-20261123-0009"])
        _ = till.sale()
        let late = till.sale()
        _ = try till.push([sale, refund, foreign, refused, late])
        var other = try SeededTerminal(SigningTill(key: till.key, grant: till.grant), on: hub, seed: 2)
        for _ in 1...6 { _ = other.sale() }
        _ = try other.push([other.sale()])
    }

    /// A till with a shift that the hub confirms and one that it disputes; a card of the latter is a debt.
    private static func closeShifts(on hub: HubUnderTest) throws {
        var till = TillOverHTTP(try hub.enrol(store: "S901").grant)
        let (good, wrong) = ("01KB0000000000000000000001", "01KB0000000000000000000002")
        var mutations = [till.shiftOpened(good), till.sale(total: 300, in: good)]
        mutations.append(till.shiftClosed(good, from: 1, sales: [300]))
        let sold = [till.shiftOpened(wrong), till.sale(total: 500, in: wrong)]
        mutations += sold + [till.shiftClosed(wrong, from: 4, sales: [900])]
        let batch = MutationBatch(mutations: mutations, epoch: 1, lowSequence: 1)
        let response = try hub.client(timeout: 20).request(
            "POST", Routes.mutationBatch, headers: till.headers, body: batch.json.canonicalText)
        #expect(response.status == 200, "\(response.text)")
        let queue = try Self.opened(hub.folder.path("hub.sqlite"))
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO payments (key, terminal_id, order_id, state, amount, currency, "
                    + "decline_reason, decided_at, stored_at, shift_id) "
                    + "VALUES ('K1', ?, ?, 'forwardDeclined', 500, 'CNY', 'stolen_card', ?, ?, ?)",
                arguments: [
                    till.grant.terminalId, sold[1].entityId, 1_795_280_000_000, 1_795_250_000_000, wrong,
                ])
        }
        try queue.close()
    }

    /// Terminals as a hub keeps them, a hundred stores of a hundred; each has reported, and some are offline.
    private static func fill(_ path: String) throws {
        let queue = try opened(path)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try queue.write { db in
            for index in 0..<count {
                let (store, number) = (index / 100 + 1, index % 100 + 1)
                let id = "01DASHBOARD" + String(format: "%015d", index)
                try db.execute(
                    sql: "INSERT INTO terminals (id, store_id, number, name, public_key, enrolled_at, "
                        + "token_expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        id, String(format: "S%03d", store), number, "till \(number)", "key \(index)",
                        now - 90 * 86_400_000, now + 86_400_000,
                    ])
                try db.execute(
                    sql: "INSERT INTO telemetry (terminal_id, app_version, received_at, document) "
                        + "VALUES (?, ?, ?, ?)",
                    arguments: [id, "1.4.1", now, document(index, store, at: now).canonicalText])
            }
        }
        try queue.close()
    }

    private static func document(_ index: Int, _ store: Int, at now: Int64) -> JSONValue {
        let isOffline = store == 17 || index % 97 == 0
        let start = Date(timeIntervalSince1970: Double(now / 1000 - 900))
        let periods: JSONValue =
            isOffline
            ? [["start": .string(start.formatted(.iso8601)), "end": .null, "causes": ["network"]]] : []
        let report: JSONValue = [
            "appVersion": "1.4.1", "osVersion": "Debian 12",
            "outbox": [
                "pending": .integer(isOffline ? 12 : 0), "oldestAgeMs": isOffline ? 5_400_000 : .null,
                "rejected": .integer(index % 501 == 0 ? 1 : 0), "conflicted": 0,
            ],
            "sync": ["attempts": 100, "successes": 99], "conflicts": [],
            "connectivity": ["state": "online"], "offlinePeriods": periods,
        ]
        return [
            "report": report, "receivedAt": .integer(now), "attempts": 100, "successes": 99, "conflicts": [],
        ]
    }
}
