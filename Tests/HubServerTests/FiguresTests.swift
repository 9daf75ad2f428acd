import Base
import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// What a collector reads.
@Suite("The hub's figures for a collector")
struct FiguresTests {
    private func page(of hub: HubInProcess) async throws -> [String] {
        let response = try await hub.request("GET", "/metrics", headers: try await hub.operatorHeaders())
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        return response.text.split(separator: "\n").map(String.init)
    }

    @Test("Every metric of the contract is declared from the first page on")
    func names() async throws {
        let lines = try await page(of: try await HubInProcess())
        let types = [
            "holdfast_requests_total": "counter", "holdfast_request_seconds": "histogram",
            "holdfast_intake_mutations_total": "counter", "holdfast_intake_seconds": "histogram",
            "holdfast_terminals": "gauge", "holdfast_terminal_outbox_oldest_seconds": "gauge",
            "holdfast_outbox_pending": "gauge", "holdfast_service_state": "gauge",
            "holdfast_flags_total": "counter", "holdfast_sync_failure_ratio": "gauge",
            "holdfast_alarms_open": "gauge", "holdfast_refused_open": "gauge",
            "holdfast_debts_open": "gauge", "holdfast_shifts_disputed": "gauge",
            "holdfast_terminal_modes": "gauge", "holdfast_stores_away": "gauge",
            "holdfast_store_away_seconds": "gauge", "holdfast_disk_free_bytes": "gauge",
            "holdfast_backup_timestamp_seconds": "gauge",
            "holdfast_operator_token_end_timestamp_seconds": "gauge",
            "holdfast_store_seconds": "histogram", "holdfast_connections": "gauge",
        ]
        for (name, type) in types {
            #expect(lines.contains("# TYPE \(name) \(type)"))
            #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") })
        }
    }

    @Test("Requests, mutations and flags are counted by route, outcome and name")
    func counts() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        let sale = till.sale()
        _ = try await till.push(sale, on: hub)
        _ = try await till.push([sale], on: hub)
        let wrong = try await till.push(
            till.minted("order.completed", TillOverHTTP.ulid(), ["orderNumber": "S1-1-20990101-0001"]),
            on: hub)
        #expect(wrong.status == 422)
        _ = try await hub.request("GET", "/nothing/\(sale.id)")
        _ = try await hub.request("BREW", Routes.mutation)
        let lines = try await page(of: hub)
        for line in [
            #"holdfast_requests_total{route="/v1/mutations",method="POST",status="201"} 1"#,
            #"holdfast_requests_total{route="/v1/mutations/batch",method="POST",status="200"} 1"#,
            #"holdfast_requests_total{route="other",method="other",status="404"} 1"#,
            #"holdfast_requests_total{route="other",method="other",status="405"} 1"#,
            #"holdfast_request_seconds_count{route="/v1/mutations/batch"} 1"#,
            #"holdfast_request_seconds_bucket{route="/v1/mutations/batch",le="+Inf"} 1"#,
            #"holdfast_intake_mutations_total{result="applied"} 1"#,
            #"holdfast_intake_mutations_total{result="duplicate"} 1"#,
            #"holdfast_intake_mutations_total{result="rejected"} 1"#,
            "holdfast_intake_seconds_count 3", "holdfast_store_seconds_count 3",
            #"holdfast_terminals{state="confirmed"} 1"#, "holdfast_store_available 1",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test(
        "An alarm counts until somebody acknowledges it, a refusal until it is resolved",
        arguments: HubStoreKind.all)
    func open(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        var other = till
        let wrong = till.minted("order.completed", TillOverHTTP.ulid(), ["orderNumber": "S1-1-20990101-0001"])
        #expect(try await till.push(wrong, on: hub).status == 422)
        // The second entry of another chain: its link is wrong.
        _ = other.sale()
        _ = try await other.push([other.sale()], on: hub)
        let counted = [#"holdfast_alarms_open{kind="chain_broken"} 1"#, "holdfast_refused_open 1"]
        #expect(try await page(of: hub).filter(counted.contains).count == 2)
        let lee = try await hub.operatorHeaders("operator")
        let integrator = try await hub.operatorHeaders("integrator")
        let alarms = try await hub.request("GET", Routes.alarms, headers: integrator).json()["alarms"]?.array
        let id = try #require(alarms?.first?["id"]?.string)
        let seen = try await hub.request(
            "POST", "/v1/alarms/\(id)/acknowledgement", headers: lee, body: #"{"note":"seen"}"#)
        #expect(seen.status == 200)
        let kept = try await hub.request(
            "POST", "/v1/refusals/\(wrong.id)/resolution", headers: lee,
            body: #"{"keep":"server","reason":"no sale"}"#)
        #expect(kept.status == 200)
        let lines = try await page(of: hub)
        #expect(!lines.contains { $0.hasPrefix("holdfast_alarms_open{") })
        #expect(lines.contains("holdfast_refused_open 0"))
    }

    @Test("A store is away since the last of its terminals went; a token without a password has its end")
    func away() async throws {
        let hub = try await HubInProcess()
        let tills = [try await hub.enrol(), try await hub.enrol(), try await hub.enrol(store: "S2")]
        let period: JSONValue = ["start": .string(hub.clock.text), "end": .null, "causes": ["network"]]
        for till in tills {
            let report: JSONValue = [
                "appVersion": "1.0", "outbox": ["pending": 0],
                "offlinePeriods": till.grant.storeId == "S2" ? [] : [period],
            ]
            let response = try await hub.request(
                "POST", Routes.telemetry, headers: till.headers, body: report.canonicalText)
            #expect(response.status == 204)
        }
        _ = try await hub.perform(.addOperator(name: "erp", role: "integrator", lifetime: 3_600_000))
        let end = (try #require(Timestamp.milliseconds(of: hub.clock.text)) + 3_600_000) / 1_000
        hub.clock.advance(by: .seconds(60))
        let lines = try await page(of: hub)
        for line in [
            #"holdfast_terminal_modes{mode="offline"} 2"#, #"holdfast_terminal_modes{mode="online"} 1"#,
            #"holdfast_terminal_modes{mode="silent"} 0"#, "holdfast_stores_away 1",
            #"holdfast_store_away_seconds{store="S1"} 60"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let token = #"holdfast_operator_token_end_timestamp_seconds{operator="erp"} "#
        #expect(
            lines.contains { $0.hasPrefix(token + "\(end)") }, "\(lines.filter { $0.contains("token_end") })")
        #expect(!lines.contains { $0.hasPrefix("holdfast_certificate") })
    }

    @Test("The oldest entry of a store grows after its last report; revoked terminals count no more")
    func outboxes() async throws {
        let hub = try await HubInProcess()
        let (one, other) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        let reports: [(TillOverHTTP, JSONValue)] = [
            (
                one,
                [
                    "appVersion": "1.0", "outbox": ["pending": 3, "oldestAgeMs": 60_000],
                    "sync": ["attempts": 200, "successes": 192],
                ]
            ),
            (other, ["appVersion": "2.0\"x", "outbox": ["pending": 2, "oldestAgeMs": 1_000]]),
        ]
        for (till, report) in reports {
            let response = try await hub.request(
                "POST", Routes.telemetry, headers: till.headers, body: report.canonicalText)
            #expect(response.status == 204)
        }
        hub.clock.advance(by: .seconds(30))
        let lines = try await page(of: hub)
        for line in [
            "holdfast_outbox_pending 5", "holdfast_terminal_outbox_oldest_seconds 90",
            #"holdfast_terminal_outbox_oldest_seconds{store="S1"} 90"#,
            #"holdfast_terminal_outbox_oldest_seconds{store="S2"} 31"#,
            #"holdfast_sync_failure_ratio{version="1.0"} 0.04"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        try await hub.perform(.revokeTerminal(id: one.grant.terminalId))
        let later = try await page(of: hub)
        #expect(later.contains("holdfast_outbox_pending 2"))
        #expect(!later.contains { $0.hasPrefix(#"holdfast_terminal_outbox_oldest_seconds{store="S1"}"#) })
    }

    @Test("An operator's decision is the state of the service for all")
    func services() async throws {
        let hub = try await HubInProcess()
        #expect(
            try await page(of: hub).contains(
                #"holdfast_service_state{service="order",scope="global"} 0"#))
        try await hub.perform(.overrideService("order", state: "faulty", reason: "works", until: nil))
        let lines = try await page(of: hub)
        #expect(lines.contains(#"holdfast_service_state{service="order",scope="global"} 2"#))
        #expect(lines.contains(#"holdfast_service_state{service="payment",scope="global"} 0"#))
    }

    @Test("promtool accepts the page", .enabled(if: Promtool.isAvailable, Promtool.need))
    func accepted() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        _ = try await till.push(till.sale(), on: hub)
        let text = try await page(of: hub).joined(separator: "\n") + "\n"
        #expect(try Promtool.faults(ofPage: text) == nil)
    }

    @Test(
        "promtool accepts the alert rules, and each alert has its entry in the runbook",
        .enabled(if: Promtool.isAvailable, Promtool.need))
    func rules() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("config/prometheus-rules.yml")
        let end = try Command.finish(["promtool", "check", "rules", file.path])
        #expect(end.code == 0, "\(end.output) \(end.errors)")
        let rules = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let alerts = rules.compactMap { line in
            line.split(separator: "alert: ").count == 2 ? line.split(separator: "alert: ").last : nil
        }
        #expect(alerts.count > 10)
        let runbook = try String(
            contentsOf: root.appendingPathComponent("docs/operating/runbook.md"), encoding: .utf8)
        let entries = Set(runbook.split(separator: "\n").filter { $0.hasPrefix("### Holdfast") })
        #expect(entries == Set(alerts.map { "### \($0)" }))
        for alert in alerts {
            #expect(rules.contains { $0.hasSuffix("runbook.md#\(alert.lowercased())") }, "\(alert)")
        }
    }

    @Test("The rules warn when the doctor does")
    func limits() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let rules = try String(
            contentsOf: root.appendingPathComponent("config/prometheus-rules.yml"), encoding: .utf8)
        func days(_ milliseconds: Int64) -> String { "\(milliseconds / 86_400_000) * 86400\n" }
        for condition in [
            "certificate_end_timestamp_seconds - time() < " + days(HubCondition.certificateMilliseconds),
            "time() - holdfast_backup_timestamp_seconds > " + days(HubCondition.backupMilliseconds),
            "token_end_timestamp_seconds - time() < " + days(HubCondition.tokenMilliseconds),
            "holdfast_disk_free_bytes < \(HubCondition.freeBytes)\n",
        ] {
            #expect(rules.contains(condition), "\(condition)")
        }
    }

    @Test("The rules and the board name no metric that neither hub nor terminal has")
    func knownNames() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let pages = try await page(of: try await HubInProcess()).joined(separator: " ")
        let known = Set(pages.matches(of: /holdfast_[a-z_]+/).map { String($0.output) })
        for name in ["prometheus-rules.yml", "grafana-board.json"] {
            let text = try String(
                contentsOf: root.appendingPathComponent("config/" + name), encoding: .utf8)
            let named = text.matches(of: /holdfast_[a-z_]+/).map { String($0.output) }
            #expect(!named.isEmpty)
            for metric in named where !metric.hasPrefix("holdfast_terminal_off") {
                let base = metric.replacing(/_bucket$/, with: "")
                #expect(known.contains(base), "\(name): \(metric)")
            }
        }
    }
}
