import Dashboard
import Foundation
import HubProtocol
import OfflineCore
import TestKit
import Testing

@testable import HubServer

@Suite("The dashboard")
struct DashboardTests {
    private func session(_ role: String, named name: String, on hub: HubInProcess) async throws -> [String:
        String]
    {
        let added = try await hub.perform(.addOperator(name: name, role: role, lifetime: 3_600_000))
        let token = try #require(added["token"]?.string)
        let response = try await hub.request("POST", "/login", body: "token=\(token)")
        return ["Cookie": String(try #require(response.headers["set-cookie"]).prefix { $0 != ";" })]
    }

    private func token(in page: LoopbackResponse) throws -> String {
        let mark = try #require(page.text.range(of: "name=\"csrf\" value=\""))
        return String(page.text[mark.upperBound...].prefix { $0 != "\"" })
    }

    /// A page that shows `text`; what changed is there within seconds.
    private func page(
        _ path: String, showing text: String, _ headers: [String: String], on hub: HubInProcess
    ) async throws -> LoopbackResponse {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            let page = try await hub.request("GET", path, headers: headers)
            if page.text.contains(text) || ContinuousClock.now > end {
                #expect(page.text.contains(text), "\(path)")
                return page
            }
            // Between two looks at a page, which the hub brings up to date behind the response to a report.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("The pages have a word for every cause of offline")
    func causes() {
        #expect(OfflineCause.allCases.allSatisfy { PageWord.Cause(rawValue: $0.rawValue) != nil })
    }

    @Test("A terminal is listed with what it reported, and found by search", arguments: HubStoreKind.all)
    func terminals(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let headers = try await session("viewer", named: "vic", on: hub)
        let till = try await hub.enrol(store: "S7")
        let report = #"""
            {"appVersion":"9.8.7","osVersion":"Debian 12","outbox":{"pending":12,"oldestAgeMs":7200000,"rejected":1,
            "conflicted":0},"connectivity":{"state":"online"},"offlinePeriods":[{"start":"\#(hub.clock.text)",
            "end":null,"causes":["network"]}]}
            """#
        let sent = try await hub.request("POST", Routes.telemetry, headers: till.headers, body: report)
        #expect(sent.status == 204)
        let list = try await page("/terminals?q=s7+9.8", showing: "9.8.7", headers, on: hub)
        #expect(list.text.contains("<span class=\"mode offline\">offline</span>"))
        #expect(list.text.contains(">2 h<"))
        // No ULID has a U: two letters of a store are in one of forty ids by chance.
        let none = try await hub.request("GET", "/terminals?q=su8", headers: headers)
        #expect(none.text.contains("Nothing fits."))
        let overview = try await page("/", showing: "Whole stores offline or silent: 1", headers, on: hub)
        #expect(overview.text.contains("S7"))
        let one = try await hub.request("GET", "/terminals/\(till.grant.terminalId)", headers: headers)
        #expect(one.text.contains("Debian 12"))
        #expect(try await hub.request("GET", "/terminals/none", headers: headers).status == 404)
    }

    @Test(
        "A store's page has its settings, its terminals and the sales of its own day",
        arguments: HubStoreKind.all)
    func store(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let headers = try await session("viewer", named: "vic", on: hub)
        var till = try await hub.enrol(store: "S7")
        _ = try await hub.enrol(store: "S8")
        try await hub.perform(
            .changeStoreSettings(
                storeId: "S7",
                [
                    "store.name": "Old Town", "store.place": "5 Mill Road",
                    "store.telephone": "+44 20 5550 0100",
                    "store.timeZone": "Asia/Tokyo",
                ]))
        _ = try await till.push([till.sale(total: 123_456)], on: hub)
        let list = try await page("/stores", showing: "Old Town", headers, on: hub)
        #expect(list.text.contains("href=\"/stores/S7\"") && list.text.contains("href=\"/stores/S8\""))
        let store = try await hub.request("GET", "/stores/S7", headers: headers)
        for text in [
            "Old Town", "5 Mill Road", "+44 20 5550 0100", "Asia/Tokyo", "S7-1", "No alarm is open.",
        ] {
            #expect(store.text.contains(text), "\(text)")
        }
        #expect(!store.text.contains("S8-1"))
        #expect(try await hub.request("GET", "/stores/S9", headers: headers).status == 404)
    }

    @Test("A form needs the page's token and the right; two operators set an override for the chain")
    func forms() async throws {
        let hub = try await HubInProcess()
        let kim = try await session("manager", named: "kim", on: hub)
        let lee = try await session("operator", named: "lee", on: hub)
        let vic = try await session("viewer", named: "vic", on: hub)
        func send(_ path: String, _ fields: String, _ headers: [String: String]) async throws
            -> LoopbackResponse
        {
            let csrf = try token(in: try await hub.request("GET", "/", headers: headers))
            return try await hub.request("POST", path, headers: headers, body: fields + "&csrf=" + csrf)
        }
        let wanted = "service=payment&state=faulty&reason=works&minutes=60&storeId="
        #expect(
            try await hub.request("POST", "/overrides", headers: kim, body: wanted).problemCode
                == "csrf_refused")
        #expect(try await send("/overrides", wanted, vic).status == 403)
        #expect(try await send("/overrides", wanted, lee).status == 403)
        // Nothing is set before the person has read in words what it does to whom.
        let words = try await send("/overrides", wanted + "S1", lee)
        #expect(words.text.contains("The service payment becomes faulty for store S1, until "))
        #expect(words.text.contains("No terminal is of a store S1") && !words.text.contains("id=\"live\""))
        #expect(try await !hub.request("GET", "/overrides", headers: lee).text.contains("store S1"))
        #expect(try await send("/overrides", "service=ordr&" + wanted, lee).status == 400)
        let sure = "confirmed=1&" + wanted
        #expect(try await send("/overrides", sure, lee).status == 403)
        #expect(try await send("/overrides", sure + "S1", lee).headers["location"] == "/overrides?done=set")
        #expect(try await send("/overrides", sure, kim).headers["location"] == "/overrides?done=proposed")
        let shown = try await page("/overrides", showing: "Waits for a second operator", lee, on: hub)
        let mark = try #require(shown.text.range(of: "name=\"id\" value=\""))
        let id = shown.text[mark.upperBound...].prefix { $0 != "\"" }
        #expect(try await send("/overrides/confirm", "service=payment&id=\(id)", kim).status == 409)
        let confirmed = try await send("/overrides/confirm", "service=payment&id=\(id)", lee)
        #expect(confirmed.headers["location"] == "/overrides?done=confirmed")
        _ = try await page("/", showing: "payment is faulty", vic, on: hub)
        #expect(try await send("/overrides/clear", "service=payment", lee).status == 403)
        let seen = try hidden("seen", in: try await hub.request("GET", "/overrides", headers: kim))
        #expect(try await send("/overrides/clear", "service=payment&seen=" + seen, kim).status == 303)
        let log = try await hub.request("GET", "/log", headers: vic)
        for act in [
            "override of a service", "confirmed an override", "took an override back",
            "override for all stores",
        ] {
            #expect(log.text.contains("<td data-label=\"What\">\(act)</td>"), "\(act)")
        }
    }

    @Test(
        "Sales lead to orders and their mutations; what is open is on top and is decided there",
        arguments: HubStoreKind.all)
    func records(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let lee = try await session("operator", named: "lee", on: hub)
        let vic = try await session("viewer", named: "vic", on: hub)
        var till = try await hub.enrol()
        var other = till
        let sale = till.sale()
        let wrong = till.minted("order.completed", TillOverHTTP.ulid(), ["orderNumber": "S1-1-20990101-0001"])
        _ = till.minted("order.completed", TillOverHTTP.ulid(), [:])
        let last = till.minted("cash.moved", TillOverHTTP.ulid(), [:])
        _ = try await till.push([sale, wrong, last], on: hub)
        // The fifth entry of another chain: its link is wrong.
        for _ in 1...4 { _ = other.sale() }
        _ = try await other.push([other.sale()], on: hub)
        let overview = try await page("/", showing: "Open alarms: 1", vic, on: hub)
        #expect(overview.text.contains("Refused mutations to resolve: 1"))
        #expect(overview.text.contains("Journals with missing entries: 1"))
        let number = try #require(sale.payload["orderNumber"]?.string)
        let orders = try await page("/orders?store=S1", showing: number, vic, on: hub)
        #expect(orders.text.contains("/orders/\(sale.payload["orderId"]?.string ?? "-")"))
        let table = try await hub.request("GET", "/orders?store=S1&table=rows", headers: vic)
        #expect(table.headers["content-type"] == "text/csv; charset=utf-8; header=present")
        #expect(table.headers["content-disposition"] == "attachment; filename=\"holdfast-orders.csv\"")
        #expect(table.text.contains("\r\n\(number),"))
        let found = try await hub.request("GET", "/orders/find?q=+\(number)", headers: vic)
        let order = try await hub.request("GET", found.headers["location"] ?? "", headers: vic)
        #expect(order.text.contains(sale.id) && order.text.contains("<h2>Payments</h2>"))
        #expect(try await hub.request("GET", "/orders/none", headers: vic).status == 404)
        let alarms = try await hub.request("GET", "/alarms", headers: vic)
        #expect(!alarms.text.contains("/alarms/acknowledge"))
        let csrf = try token(in: alarms)
        let mark = try #require(
            try await hub.request("GET", "/alarms", headers: lee).text.range(of: "name=\"id\" value=\""))
        let id = try await hub.request("GET", "/alarms", headers: lee).text[mark.upperBound...].prefix {
            $0 != "\""
        }
        let seen = try hidden("seen", in: try await hub.request("GET", "/alarms", headers: lee))
        let act = "id=\(id)&seen=\(seen)&note=looked+at&csrf="
        #expect(
            try await hub.request("POST", "/alarms/acknowledge", headers: vic, body: act + csrf).status == 403
        )
        #expect(
            try await hub.request("POST", "/alarms/acknowledge", headers: lee, body: act).problemCode
                == "csrf_refused")
        let own = try token(in: try await hub.request("GET", "/alarms", headers: lee))
        #expect(
            try await hub.request("POST", "/alarms/acknowledge", headers: lee, body: act + own)
                .headers["location"] == "/alarms?done=acknowledged")
        #expect(try await hub.request("GET", "/alarms", headers: vic).text.contains("No alarm is open."))
        #expect(
            try await hub.request("GET", "/alarms?state=all", headers: vic).text.contains("lee: looked at"))
        let refused = try await hub.request("GET", "/refused/\(wrong.id)", headers: lee)
        #expect(refused.text.contains("S1-1-20990101-0001"))
        let decision = "id=\(wrong.id)&keep=server&reason=a+test&csrf=" + own
        #expect(try await hub.request("POST", "/refused/resolve", headers: lee, body: decision).status == 303)
        #expect(try await hub.request("POST", "/refused/resolve", headers: lee, body: decision).status == 409)
        let log = try await hub.request("GET", "/log", headers: vic)
        for act in ["acknowledged an alarm", "decided on a refused mutation", "acknowledge an alarm"] {
            #expect(log.text.contains("<td data-label=\"What\">\(act)</td>"), "\(act)")
        }
    }

    /// What a form of a page sends along, encoded.
    private func hidden(_ name: String, in page: LoopbackResponse) throws -> String {
        let mark = try #require(page.text.range(of: "name=\"\(name)\" value=\""))
        return PercentEncoding.encoded(String(page.text[mark.upperBound...].prefix { $0 != "\"" }))
    }

    @Test("A form of an old page changes nothing, and says who was faster", arguments: HubStoreKind.all)
    func stale(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let kim = try await session("manager", named: "kim", on: hub)
        let lee = try await session("operator", named: "lee", on: hub)
        func send(_ path: String, _ fields: String, _ headers: [String: String]) async throws
            -> LoopbackResponse
        {
            let csrf = try token(in: try await hub.request("GET", "/", headers: headers))
            return try await hub.request("POST", path, headers: headers, body: fields + "&csrf=" + csrf)
        }
        func seen(_ path: String) async throws -> String {
            try hidden("seen", in: try await hub.request("GET", path, headers: kim))
        }
        let place = "service=payment&storeId=S1"
        let wanted = place + "&state=faulty&reason="
        #expect(try await send("/overrides", wanted + "first&confirmed=1", lee).status == 303)
        let old = try await seen("/overrides")
        #expect(try await send("/overrides", wanted + "late&confirmed=1", kim).status == 409)
        let words = try await send("/overrides", wanted + "second", lee)
        #expect(words.text.contains("It takes the place of what lee set: "))
        #expect(
            try await send("/overrides", wanted + "second&confirmed=1&seen=" + old, lee).status == 303)
        let late = try await send("/overrides/clear", place + "&seen=" + old, kim)
        #expect(late.status == 409 && late.text.contains("lee set another override here: faulty, second"))
        let now = try await seen("/overrides")
        #expect(try await send("/overrides/clear", place + "&seen=" + now, kim).status == 303)
        let gone = try await send("/overrides/clear", place + "&seen=" + now, kim)
        #expect(gone.status == 409 && gone.text.contains("There is no override here any more"))

        var till = try await hub.enrol()
        var other = till
        _ = try await till.push([till.sale(), till.sale(), till.sale(), till.sale()], on: hub)
        // The fifth entry of another chain: its link is wrong.
        for _ in 1...4 { _ = other.sale() }
        _ = try await other.push([other.sale()], on: hub)
        let page = try await hub.request("GET", "/alarms", headers: kim)
        let alarm = "id=\(try hidden("id", in: page))"
        let acknowledged = alarm + "&seen=\(try hidden("seen", in: page))&note="
        #expect(try await send("/alarms/acknowledge", acknowledged + "mine", kim).status == 303)
        let second = try await send("/alarms/acknowledge", acknowledged + "also", lee)
        #expect(second.status == 409 && second.text.contains("kim acknowledged it at "))
        let all = try await hub.request("GET", "/alarms?state=all", headers: lee)
        #expect(all.text.contains("kim: mine") && !all.text.contains("also"))
    }

    @Test("A value that a page does not know is refused with those that there are, never passed over")
    func values() async throws {
        let hub = try await HubInProcess()
        let vic = try await session("viewer", named: "vic", on: hub)
        for query in [
            "/terminals?mode=ofline", "/terminals?only=x", "/terminals?sort=x", "/terminals?page=x",
            "/offline?hours=48", "/stores?away=yes", "/stores?page=x", "/shifts?state=x", "/alarms?state=x",
            "/orders?store=S1&store=S2",
        ] {
            let response = try await hub.request("GET", query, headers: vic)
            #expect(response.status == 400, "\(query)")
        }
        let refused = try await hub.request("GET", "/terminals?mode=ofline", headers: vic)
        #expect(refused.text.contains("mode is one of offline, silent, degraded, online, waiting, revoked."))
        for query in ["/terminals?q=&store=&mode=&only=&sort=store", "/offline?hours=", "/stores?away="] {
            #expect(try await hub.request("GET", query, headers: vic).status == 200, "\(query)")
        }
    }

    /// A till with two closed shifts: one whose sums are the journal's, and one whose are not.
    private func shifts(_ till: inout TillOverHTTP, on hub: HubInProcess) async throws -> [String] {
        let ids = [TillOverHTTP.ulid(), TillOverHTTP.ulid()].sorted()
        let first = till.shiftOpened(ids[0])
        let sales = [till.sale(total: 300, in: ids[0]), till.sale(total: 450, in: ids[0])]
        let good = till.shiftClosed(ids[0], from: 1, sales: [300, 450])
        let second = till.shiftOpened(ids[1])
        let sold = till.sale(total: 500, in: ids[1])
        let wrong = till.shiftClosed(ids[1], from: 5, sales: [900])
        _ = try await till.push([first] + sales + [good, second, sold, wrong], on: hub)
        return ids
    }

    @Test(
        "Shifts are listed by state and store, each with its sums, its statements and what differs",
        arguments: HubStoreKind.all)
    func shifts(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let vic = try await session("viewer", named: "vic", on: hub)
        var till = try await hub.enrol()
        let ids = try await shifts(&till, on: hub)
        let overview = try await page("/", showing: "Disputed shifts: 1", vic, on: hub)
        #expect(overview.text.contains("href=\"/shifts?state=disputed\""))
        let all = try await hub.request("GET", "/shifts", headers: vic)
        for id in ids { #expect(all.text.contains("/shifts/\(id)")) }
        #expect(all.text.contains(">confirmed<") && all.text.contains(">disputed<"))
        #expect(all.text.contains("data-label=\"Cash expected\">207.50 <small>CNY<"))
        #expect(all.text.contains("data-label=\"Difference\">-0.50<"))
        let disputed = try await hub.request("GET", "/shifts?state=disputed&store=S1", headers: vic)
        #expect(!disputed.text.contains(ids[0]) && disputed.text.contains(ids[1]))
        #expect(
            try await hub.request("GET", "/shifts?store=S9", headers: vic).text.contains("No shift fits."))
        let good = try await hub.request("GET", "/shifts/\(ids[0])", headers: vic)
        #expect(good.text.contains("3 entries, 3 received, gap 0"))
        #expect(good.text.contains("data-label=\"Key\">") && good.text.contains("<dd>7.50 (2)</dd>"))
        #expect(!good.text.contains("What differs"))
        let wrong = try await hub.request("GET", "/shifts/\(ids[1])", headers: vic)
        #expect(wrong.text.contains("What differs") && wrong.text.contains(">Sales<"))
        let cells = ["Terminal&#39;s\">9.00</td>", "Hub&#39;s\">5.00</td>"]
        #expect(cells.allSatisfy { wrong.text.contains($0) })
        #expect(try await hub.request("GET", "/shifts/none", headers: vic).status == 404)
        #expect(try await hub.request("GET", "/shifts?day=x", headers: vic).status == 400)
        let chinese = try await hub.request(
            "GET", "/shifts/\(ids[1])", headers: ["Cookie": "\(vic["Cookie"] ?? ""); page_language=zh"])
        #expect(chinese.text.contains("有争议") && chinese.text.contains("差异"))
    }

    @Test("The language is a visitor's choice, and leads back to the page of this hub alone")
    func language() async throws {
        let hub = try await HubInProcess()
        let chosen = try await hub.request(
            "GET", "/language/zh", headers: ["Referer": "http://localhost/stores?q=1"])
        #expect(chosen.status == 303)
        #expect(chosen.headers["set-cookie"]?.hasPrefix("page_language=zh") == true)
        for referer in ["http://evil.example/localhost/x", "http://localhost//evil.example", "x"] {
            let back = try await hub.request("GET", "/language/zh", headers: ["Referer": referer])
            #expect(back.headers["location"] == "/", "\(referer)")
        }
        #expect(try await hub.request("GET", "/language/xx").status == 404)
        let page = try await hub.request("GET", "/login", headers: ["Cookie": "a=b; page_language=zh"])
        #expect(page.text.contains("登录"))
    }

    private func marks(_ terminals: String, awaySince: Int64? = nil) -> ChangeMarks {
        var summary = FleetReader.HubSummary(fleet: Fleet([], at: 0), sales: SalesSummary(day: "2026-11-27"))
        summary.awaySince = awaySince
        return ChangeMarks(of: summary, terminals)
    }

    @Test("A reader that does not read gets the last change alone; one person's pages take no other's place")
    func liveEvents() async throws {
        let live = LiveEvents()
        let slow = live.reader(for: .person("kim"))
        for number in 1...1_000 { live.change(marks("\(number)")) }
        for _ in 0..<20 { live.beat() }
        var changes = slow.makeAsyncIterator()
        #expect(await changes.next() == marks("1000"))
        var readers: [AsyncStream<ChangeMarks>] = []
        for number in 0..<200 { readers.append(live.reader(for: .person("viewer \(number)"))) }
        for _ in 1..<LiveEvents.pagesOfPerson { readers.append(live.reader(for: .person("kim"))) }
        // What is as before is no change.
        live.change(marks("1000"))
        live.change(marks("1001"))
        #expect(await changes.next() == marks("1001"))
        // One page more ends the oldest one of the same person.
        readers.append(live.reader(for: .person("kim")))
        #expect(await changes.next() == nil)
        live.end()
        var late = live.reader(for: .person("lee")).makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("An event has the id of what the store holds, and names what is not as it was")
    func events() {
        let (before, later) = (marks("1 0 0"), marks("2 0 0", awaySince: 5))
        #expect(before == marks("1 0 0"))
        let event = later.event(since: before)
        #expect(event == "id: \(later.id)\nevent: change\ndata: {\"changed\":[\"terminals\",\"hub\"]}\n\n")
        #expect(later.id != before.id)
        #expect(later.event(since: nil).contains("\"sales\""))
    }
}
