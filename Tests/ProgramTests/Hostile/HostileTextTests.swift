import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// One terminal writes what is hostile to whoever looks at it into each text that it can write; then
/// everything that people and programs look at is fetched and weighed.
@Suite("Hostile texts and the built hub", .onStage)
struct HostileTextTests {
    /// Times that each text of a sale is written at full length: together some 100 MB, of which a list that
    /// reads whole rows needs three times as much. Half of it would leave such a hub below the bound.
    private static let rounds = 6

    private let day = String(
        Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).prefix(10))

    /// Writes every text of every kind of entry, and leaves the union of all documented names behind them.
    private func write(to hub: HubUnderTest) throws {
        var till = try hub.enrol()
        let client = try hub.client(timeout: 30)
        var (counter, kept) = (0, [String: Int]())
        let prefix = "\(till.grant.storeId)-\(till.grant.terminalNumber)-\(day.filter(\.isNumber))-"
        let payloads = HostileTexts.payloads(TillOverHTTP.ulid, day: day) {
            counter += 1
            return prefix + String(counter)
        }
        for text in HostileTexts.all {
            for (type, payload) in payloads {
                let isSale = type == "order.completed"
                for _ in 0..<(isSale && text == HostileTexts.long ? Self.rounds : 1) {
                    for variant in HostileTexts.variants(of: payload, with: text) {
                        let mutation = till.minted(type, TillOverHTTP.ulid(), variant)
                        let status = try till.push(mutation, on: client).status
                        #expect(status < 500, "\(type): \(status)")
                        if status == 201 { kept[type, default: 0] += 1 }
                    }
                }
            }
            let report: JSONValue = ["appVersion": .string(text), "osVersion": .string(text)]
            let telemetry = try client.request(
                "POST", Routes.telemetry, headers: till.headers, body: report.canonicalText)
            #expect(telemetry.status < 500)
            try request(text, till, client)
        }
        for type in ["order.completed", "order.voided", "refund.completed", "shift.opened", "cash.moved"] {
            #expect(kept[type, default: 0] >= 4 * HostileTexts.all.count, "\(type): \(kept[type] ?? 0)")
        }
        let names = try HostileTexts.documentedNames()
        #expect(names.count > 100)
        var members = payloads[0].payload().object ?? JSONObject()
        for name in names where members[name] == nil {
            members[name] = .string(String(repeating: "y", count: 900_000 / names.count))
        }
        let mutation = till.minted("order.completed", TillOverHTTP.ulid(), .object(members))
        let result = try till.push(mutation, on: client)
        #expect(result.status == 201, "\(result.status)")
    }

    /// The same texts in requests: one that is too long is refused, at a cost below its sender's.
    private func request(_ text: String, _ till: TillOverHTTP, _ client: LoopbackClient) throws {
        for (path, body) in HostileTexts.requests {
            for variant in HostileTexts.variants(of: { body }, with: text) {
                let headers = till.headers.merging(
                    [HeaderNames.idempotencyKey: "\"\(TillOverHTTP.ulid())\""]) { $1 }
                let response = try client.request(
                    "POST", path, headers: headers, body: variant.canonicalText)
                let isRefused = (400..<500).contains(response.status)
                #expect(
                    isRefused || text != HostileTexts.long && response.status < 300,
                    "\(path): \(response.status)")
                #expect(response.body.count < 4_000, "\(path)")
            }
        }
    }

    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { !$0.isUnprintable || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    }

    private func lookAtLists(of hub: HubUnderTest, _ client: LoopbackClient, _ token: String) throws
        -> [String]
    {
        let headers = ["Authorization": "Bearer \(token)"]
        var lists = [
            Routes.orders, Routes.alarms, Routes.flags, Routes.refusals, Routes.terminals, Routes.shifts,
            Routes.statements, Routes.stock, Routes.debts,
        ].map { $0 + "?limit=1000" }
        lists += ["day", "store", "terminal", "cashier", "tender", "tax", "product"].map {
            Routes.sales + "?by=" + $0
        }
        var pages: [String] = []
        for path in lists {
            let response = try client.request("GET", path, headers: headers)
            #expect(response.status == 200, "\(path): \(response.status)")
            #expect(response.body.count < 2 << 20, "\(path): \(response.body.count)")
            let rows = try response.json()
            for (list, key) in [
                ("orders", "orderId"), ("refused", "id"), ("shifts", "shiftId"), ("terminals", "terminalId"),
            ] {
                let ids = (rows[list]?.array ?? []).compactMap { $0[key]?.string }
                pages += ids.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
                    .map { "/\(list)/" + $0 }
            }
        }
        return pages
    }

    private func lookAtPages(_ pages: [String], _ client: LoopbackClient, _ token: String) throws {
        let login = try client.request("POST", "/login", body: "token=\(token)")
        let cookie = ["Cookie": String(try #require(login.headers["set-cookie"]).prefix { $0 != ";" })]
        for path in pages {
            let page = try client.request("GET", path, headers: cookie)
            #expect(page.status == 200, "\(path): \(page.status)")
            #expect(page.body.count < 1 << 20, "\(path): \(page.body.count)")
            let isClean = isHarmless(page.text)
            #expect(isClean, "\(path)")
        }
    }

    private func lookAtFiles(of hub: HubUnderTest) throws {
        for format in ["csv", "json", "poslog"] {
            let file = hub.folder.path("orders." + format)
            _ = try hub.json("orders", "export", "--format", format, "--output", file)
            guard format == "csv" else { continue }
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let isClean = isHarmless(text)
            #expect(isClean)
            let isNoFormula = text.contains("'=HYPERLINK") && !text.contains(",=HYPERLINK")
            #expect(isNoFormula)
        }
        for command in [
            ["orders", "list"], ["alarms", "list"], ["shifts", "list"], ["terminals", "list"],
            ["flags", "list"], ["refused", "list"], ["debts", "list"], ["attachments", "list"], ["audit"],
            ["sales"], ["operator", "log"],
        ] {
            let shown = try ProgramUnderTest.run("pos-hub", command + ["--store", hub.store])
            // The audit shows the refused sales by its exit code, too.
            #expect(shown.exitCode == 0 || command == ["audit"] && shown.exitCode == 4, "\(command)")
            let isSmall = isHarmless(shown.text) && shown.text.utf8.count < 1 << 18
            #expect(isSmall, "\(command)")
        }
    }

    /// The most that the process held in memory, in bytes (proc(5), `VmHWM`).
    private func peak(of hub: HubUnderTest) throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(hub.program.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }

    @Test("No list, page, export, figure or line of the log grows with them or acts on a screen")
    func everywhere() throws {
        let hub = try HubUnderTest(["--log-level", "debug"])
        try write(to: hub)
        let token = try #require(try hub.json("operator", "add", "vic", "--role", "manager")["token"]?.string)
        let client = try hub.client(timeout: 30)
        let things = try lookAtLists(of: hub, client, token)
        let pages = [
            "/", "/orders", "/sales?day=\(day)", "/shifts", "/debts", "/alarms", "/flags", "/refused",
            "/terminals", "/stores", "/offline", "/services", "/log", "/metrics",
        ]
        try lookAtPages(pages + things, client, token)
        try lookAtFiles(of: hub)
        let peak = try peak(of: hub)
        #expect(peak < 300 << 20, "\(peak >> 20) MiB")
        hub.stop()
        let lines = hub.program.errors.lines
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(line.utf8.count < 20_000 && isHarmless(line), "\(line.prefix(200))")
        }
    }
}
