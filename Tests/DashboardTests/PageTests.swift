import Base
import Foundation
import HubProtocol
import Testing

@testable import Dashboard

@Suite("The operators' pages")
struct PageTests {
    private static let evil = "<img src=x onerror=alert(1)>\"'&"

    private func frame(_ language: Language = .english, away: Int64? = nil) -> PageFrame {
        PageFrame(
            language: language,
            person: PageFrame.Person(
                name: Self.evil, role: "manager", csrfToken: "t",
                rights: [.overrideStore, .overrideChain, .confirmOverride, .resolve]), now: Chain.now,
            path: "/",
            readAt: Chain.now, storeAwaySince: away, notice: PageFrame.Notice(Self.evil, isRefusal: true),
            stores: StoreDirectory([
                "S1": StoreFacts(name: Self.evil, place: Self.evil, telephone: Self.evil)
            ]))
    }

    private func pages(_ language: Language) throws -> [String: String] {
        let pages = try DashboardPages()
        let terminal = Chain.terminal(
            "S1", 1, pending: 1, oldest: 5,
            periods: [OfflinePeriod(start: Chain.now - 60_000, end: nil, causes: [Self.evil])],
            version: Self.evil, name: Self.evil)
        let fleet = Fleet([terminal], at: Chain.now)
        let override = OverrideSummary(
            service: "order", storeId: "S1", state: .faulty, reason: Self.evil, by: Self.evil,
            until: Chain.now)
        let change = ServiceSummary.Change(
            at: Chain.now - 1000, scope: "store", subject: Self.evil, state: .faulty, source: Self.evil,
            reason: Self.evil)
        let services = [
            ServiceSummary(
                name: "order", state: .faulty, source: "reports", since: Chain.now, reason: Self.evil,
                failedPercent: 3,
                scopes: [
                    ServiceSummary.Scope(
                        scope: "store", subject: Self.evil, state: .faulty,
                        reason: Self.evil, since: Chain.now,
                        failing: [.init(storeId: Self.evil, terminalId: "T", failed: 1, all: 2)])
                ], overrides: [override],
                proposal: OverrideSummary(
                    service: "order", storeId: nil, state: .faulty, reason: Self.evil, by: "lee", until: nil,
                    proposal: .init(id: "P", expiresAt: Chain.now)), history: [change])
        ]
        let frame = frame(language, away: 5)
        var query = FleetQuery()
        query.text = "<img"
        let records = records(pages, frame)
        return records.merging([
            "overview": pages.overview(
                frame, fleet: fleet, services: services, sales: SalesSummary(day: "2026-11-23"),
                records: RecordSummary(
                    alarms: 1, refusals: 2, disputedShifts: 1, debts: 3,
                    missing: ["01KB0000000000000000000T01": 4])),
            "sales": pages.sales(
                frame,
                SalesSummary(
                    day: "2026-11-23",
                    total: [
                        .init(
                            key: "", currency: Self.evil, orders: 1, gross: 2, discounts: 0, refunds: 0,
                            net: 2, tax: 0)
                    ])),
            "services": pages.services(frame, services: services),
            "overrides": pages.overrides(frame, services: services),
            "store": pages.store(
                frame, fleet: fleet, store: "S1", sales: SalesSummary(day: "2026-11-23"),
                alarms: ["alarms": [["kind": .string(Self.evil), "detail": .string(Self.evil), "count": 1]]]),
            "stores": pages.stores(frame, fleet: fleet, text: Self.evil, onlyAway: false, page: 1),
            "terminals": pages.terminals(frame, fleet: fleet, query: query),
            "terminal": pages.terminal(
                frame, fleet: fleet, terminal: terminal,
                handedIn: [HandedInPiece(epoch: 1, first: 2, last: 5, by: Self.evil, at: 1, hold: .revoked)]),
            "offline": pages.offline(frame, fleet: fleet, hours: 24),
            "log": pages.log(
                frame,
                entries: [
                    .init(
                        at: 1, name: Self.evil, role: "viewer", action: Self.evil, subject: Self.evil,
                        outcome: "refused", detail: Self.evil)
                ], brokenAt: 3),
            "login": pages.login(language, refusal: .wrong),
            "confirmation": pages.confirmation(
                frame,
                of: OverrideSummary(
                    service: Self.evil, storeId: Self.evil, state: .faulty, reason: Self.evil, by: Self.evil,
                    until: Chain.now),
                insteadOf: OverrideSummary(
                    service: Self.evil, storeId: Self.evil, state: .recovering, reason: Self.evil,
                    by: Self.evil, until: nil), isKnown: false),
        ]) { $1 }
    }

    private static let refused: JSONValue = [
        "id": .string(evil), "type": .string(evil), "storeId": .string(evil), "terminalId": .string(evil),
        "state": "open", "orderNumber": .string(evil), "amount": 5, "currency": .string(evil),
        "receivedAt": "2026-11-23T10:00:00.000Z",
        "problem": ["code": .string(evil), "detail": .string(evil)],
        "payload": ["a": [.string(evil), 1, ["b": .null]]], "serverState": ["total": .string(evil)],
    ]

    private func records(_ pages: DashboardPages, _ frame: PageFrame) -> [String: String] {
        let evil = JSONValue.string(Self.evil)
        let query = DashboardPages.ListQuery(store: Self.evil, flag: Self.evil, cursor: Self.evil)
        let alarm: JSONValue = [
            "id": evil, "kind": evil, "storeId": evil, "terminalId": evil, "detail": evil, "state": "open",
            "count": 3, "lastAt": "2026-11-23T10:00:00.000Z", "mutationId": evil,
        ]
        let flag: JSONValue = ["flag": evil, "mutationId": evil, "orderNumber": evil, "storeId": evil]
        var order: JSONObject = [
            "orderId": evil, "orderNumber": evil, "mutationId": evil, "storeId": evil, "currency": evil,
            "total": 5, "state": "voided", "flags": [evil], "cashierId": evil,
        ]
        let debt: JSONValue = [
            "id": evil, "orderId": evil, "orderNumber": evil, "storeId": evil, "terminalId": evil,
            "shiftId": evil, "amount": 5, "currency": evil, "reason": evil, "state": "settled",
            "takenAt": "2026-11-23T10:00:00.000Z", "settlement": ["by": evil, "reason": evil],
        ]
        let list: JSONValue = ["orders": [.object(order)], "cursor": evil]
        order["lines"] = [["name": evil, "barcode": evil, "offers": [["name": evil]], "total": 5]]
        order["payments"] = [["method": evil, "amount": 5, "state": evil]]
        order["reversals"] = [["kind": evil, "reason": evil, "mutationId": evil, "cashierId": evil]]
        return [
            "alarms": pages.alarms(frame, ["alarms": [alarm], "cursor": evil], query),
            "flags": pages.flags(frame, ["flags": [flag], "cursor": evil], query),
            "refusals": pages.refusals(frame, ["refused": [Self.refused], "cursor": evil], query),
            "refusal": pages.refusal(frame, Self.refused), "orders": pages.orders(frame, list, query),
            "order": pages.order(frame, .object(order)),
            "debts": pages.debts(
                frame,
                [
                    "debts": [debt], "cursor": evil,
                    "sums": [["storeId": evil, "currency": evil, "count": 1, "amount": 5]],
                ], query),
            "shifts": pages.shifts(frame, ["shifts": [Self.shift], "cursor": evil], query),
            "shift": pages.shift(frame, Self.shift),
        ]
    }

    private static let shift: JSONValue = [
        "shiftId": .string(evil), "storeId": .string(evil), "terminalId": .string(evil),
        "state": "disputed", "businessDay": .string(evil), "currency": .string(evil),
        "openedAt": "2026-11-23T10:00:00.000Z", "openedBy": .string(evil),
        "closedAt": "2026-11-23T18:00:00.000Z", "closedBy": .string(evil), "float": 100, "epoch": 1,
        "cash": ["expected": 600, "counted": 590, "difference": -10],
        "counted": [["method": "card", "amount": 200]], "sales": ["count": 2, "total": 750],
        "refunds": ["count": 0, "total": 0], "voids": ["count": 1, "total": 50],
        "cashMoves": ["in": 0, "out": 0, "drop": 0, "noSale": 1],
        "tenders": [
            ["method": "card", "count": 1, "amount": 250],
            ["method": .string(evil), "count": 1, "amount": 500],
        ],
        "taxes": [["taxBasisPoints": 600, "paid": 700, "tax": 40]],
        "points": ["earned": 5, "spent": 0], "sequence": ["from": 3, "to": 9], "head": .string(evil),
        "statements": [
            [
                "epoch": 1, "sold": 7, "received": 7, "gap": 0, "keyId": .string(evil), "head": .string(evil),
                "issuedAt": "2026-11-23T18:01:00.000Z",
            ]
        ],
        "differences": [
            ["figure": .string(evil), "terminal": 250, "hub": 251],
            ["figure": "sales.total", "terminal": 250, "hub": 251],
            ["figure": "sales.count", "terminal": 250, "hub": 251], ["figure": "head"],
        ],
        "debts": [
            [
                "id": .string(evil), "orderId": .string(evil), "orderNumber": .string(evil), "amount": 250,
                "reason": .string(evil), "state": "open", "refusedAt": "2026-11-24T10:00:00.000Z",
            ]
        ], "debtTotal": 250,
        "cardDays": [
            [
                "kind": "zvt", "machineId": .string(evil), "machine": 700, "till": 720, "currency": "CNY",
                "businessDay": "2026-11-23",
            ]
        ],
        "cardDecisions": [
            [
                "key": .string(evil), "verdict": "charged", "amount": 720, "currency": "CNY",
                "reference": .string(evil), "approverId": .string(evil), "businessDay": "2026-11-23",
            ],
            [
                "key": "v", "verdict": "notCharged", "purpose": "reversal", "amount": 720, "currency": "CNY",
                "reason": "not there", "businessDay": "2026-11-23",
            ],
        ],
    ]

    @Test("A shift shows what was counted, what differs in money or in number, and what is owed")
    func shift() throws {
        let pages = try DashboardPages()
        var members = Self.shift.object ?? [:]
        members["currency"] = "CNY"
        let frame = frame()
        let html = pages.shift(frame, .object(members))
        for text in [
            "7 entries, 7 received, gap 0", "<dd>7.50 (2)</dd>", "<dd>7.00</dd>", "<dd>3–9</dd>",
            // The card's own count and difference, and none of cash in the row of another tender.
            "data-label=\"Counted\">2.00</td><td class=\"n\" data-label=\"Difference\">-0.50<",
            "data-label=\"Counted\"></td><td class=\"n\" data-label=\"Difference\"><",
            "data-label=\"Terminal&#39;s\">2.50</td><td class=\"n\" data-label=\"Hub&#39;s\">2.51<",
            "data-label=\"Terminal&#39;s\">250</td><td class=\"n\" data-label=\"Hub&#39;s\">251<",
            "Hash of the last entry", "Number of sales", "6 %", "<strong>2.50 CNY</strong>",
            "data-label=\"Machine&#39;s\">7.00 CNY<", "<span class=\"outcome bad\">-0.20 CNY</span>",
            "Decided: charged", "Void decided: not done",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        members["cash"] = .null
        members["state"] = "open"
        members["missing"] = [6, 8, 9]
        members["lastHeard"] = "2026-11-23T12:00:00.000Z"
        members["soFar"] = [
            "sales": ["count": 3, "total": 1_250], "refunds": ["count": 1, "total": 250],
            "tenders": [["method": "till cash", "count": 4, "amount": 1_000]],
        ]
        let open = pages.shift(frame, .object(members))
        #expect(open.contains("Not closed yet.") && !open.contains("By tender"))
        // What is missing, and what it comes to so far.
        for text in [
            "<dd>6, 8–9 (3)</dd>", "<dt>Last contact</dt>", "<dd>12.50 (3)</dd>",
            "<dt>till cash</dt><dd>10.00 (4)</dd>", "<dd>10.00</dd>",
        ] {
            #expect(open.contains(text), "\(text)")
        }
        #expect(!html.contains("Last contact"))
    }

    @Test("An open debt has its form for whoever may settle it")
    func debts() throws {
        let pages = try DashboardPages()
        func html(_ state: String, _ rights: Set<PageFrame.Right>) -> String {
            let frame = PageFrame(
                language: .english,
                person: PageFrame.Person(name: "lee", role: "x", csrfToken: "t", rights: rights),
                now: Chain.now, path: "/debts", readAt: 0, storeAwaySince: nil)
            let debt: JSONValue = [
                "id": "K1", "orderId": "o", "amount": 5, "currency": "CNY", "state": .string(state),
                "settlement": state == "open" ? .null : ["by": "kim", "reason": "paid"],
            ]
            return pages.debts(frame, ["debts": [debt], "sums": []], .init())
        }
        #expect(html("open", [.resolve]).contains("action=\"/debts/settle\""))
        #expect(!html("open", []).contains("/debts/settle"))
        #expect(!html("settled", [.resolve]).contains("/debts/settle"))
        #expect(html("settled", []).contains("kim: paid"))
    }

    @Test("A record has its form where it is open and the person may decide; a decision is shown")
    func decisions() throws {
        let pages = try DashboardPages()
        func html(_ state: String, _ rights: Set<PageFrame.Right>) -> String {
            let person = PageFrame.Person(name: "lee", role: "x", csrfToken: "t", rights: rights)
            let frame = PageFrame(
                language: .english, person: person, now: Chain.now, path: "/refused/1", readAt: 0,
                storeAwaySince: nil)
            var refused = Self.refused.object ?? [:]
            refused["state"] = .string(state)
            if state == "resolved" {
                refused["resolution"] = ["by": "kim", "keep": "server", "reason": "stale", "at": .null]
            }
            return pages.refusal(frame, .object(refused))
        }
        #expect(html("open", [.resolve]).contains("action=\"/refused/resolve\""))
        #expect(!html("open", [.overrideStore]).contains("/refused/resolve"))
        let resolved = html("resolved", [.resolve])
        #expect(!resolved.contains("/refused/resolve"))
        #expect(resolved.contains("kim: the hub&#39;s state is kept. stale"))
        #expect(resolved.contains("aria-current=\"page\">Refused</a>"))
    }

    @Test("A document is read line by line, and a huge one ends")
    func documents() {
        #expect(
            RecordText.indented(["a": [1, "x"], "b": [:]]) == """
                {
                  "a": [
                    1,
                    "x"
                  ],
                  "b": {}
                }
                """)
        let huge = JSONValue.array(Array(repeating: 1, count: 5_000))
        #expect(RecordText.indented(huge).hasSuffix("\n…"))
    }

    @Test("No text of a terminal or person becomes markup, on any page", arguments: Language.allCases)
    func escaped(_ language: Language) throws {
        for (name, html) in try pages(language) {
            #expect(!html.contains("<img"), "\(name)")
            // Where a person signs in nothing is shown that somebody wrote.
            #expect(html.contains("&lt;img") || name == "login", "\(name)")
            #expect(!html.contains("{{"), "\(name)")
            #expect(html.contains("<html lang=\"\(language.rawValue)\">"), "\(name)")
            // What a strict policy would refuse, or what would leave the hub.
            for forbidden in [" style=\"", "<script>", "http://", "https://", " onclick"] {
                #expect(!html.contains(forbidden), "\(name) \(forbidden)")
            }
        }
    }

    @Test(
        "The overview names each store that is away, once, with the time of the chain's zone and what waits")
    func storesAway() throws {
        let zone = try #require(PageZone("Asia/Shanghai"))
        let clock = StoreClock(zone: zone, begin: try #require(BusinessDayBegin("00:00")))
        let frame = PageFrame(
            language: .english, person: nil, now: Chain.now, path: "/", readAt: Chain.now,
            storeAwaySince: nil,
            stores: StoreDirectory([
                "S1": StoreFacts(name: "Old Town", telephone: "+86 21 5550 0100", clock: clock)
            ]))
        let terminals = (1...3).map {
            Chain.terminal("S1", $0, pending: 500, oldest: 600_000, periods: [Chain.offline])
        }
        let more = (1...30).map { Chain.terminal("T\($0)", 1, periods: [Chain.offline]) }
        let html = try DashboardPages().overview(
            frame, fleet: Fleet(terminals + more, at: Chain.now), services: [],
            sales: SalesSummary(day: "2027-01-15"), records: RecordSummary())
        #expect(html.components(separatedBy: "href=\"/stores/S1\"").count == 2)
        for text in [
            "Old Town", "2027-01-15 15:50</time> <small>10 min ago", "network", ">1\u{202F}500<",
            "+86 21 5550 0100", "Times of Asia/Shanghai", "more stores: 11",
            "Whole stores offline or silent: 31",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(!html.contains("UTC"))
    }

    @Test(
        "Four groups lead to their first page, and a group's pages stand below",
        arguments: DashboardPage.allCases)
    func groups(_ page: DashboardPage) throws {
        let frame = PageFrame(
            language: .english, person: nil, now: 0, path: page.path + (page == .orders ? "/1" : ""),
            readAt: 0,
            storeAwaySince: nil)
        let html = try DashboardPages().log(frame, entries: [], brokenAt: nil)
        #expect(html.components(separatedBy: "aria-current=\"true\"").count == 2)
        #expect(html.contains("<a href=\"\(page.path)\" aria-current=\"page\">"))
        #expect(html.components(separatedBy: "<a href=\"/").count < 4 + 5 + 4)
    }

    @Test("Every page says that the store is away, with the time since")
    func away() throws {
        for (name, html) in try pages(.english) where name != "login" {
            #expect(html.contains("database does not respond"), "\(name)")
            #expect(html.contains("1970-01-01 00:00"), "\(name)")
        }
    }

    @Test("A role without a right gets no form for it, and nobody confirms what they proposed")
    func rights() throws {
        let pages = try DashboardPages()
        let proposal = OverrideSummary(
            service: "order", storeId: nil, state: .faulty, reason: "why", by: "kim", until: nil,
            proposal: .init(id: "P", expiresAt: Chain.now))
        let services = [
            ServiceSummary(
                name: "order", state: .healthy, source: "reports", since: 0, reason: nil, failedPercent: nil,
                scopes: [], overrides: [], proposal: proposal, history: [])
        ]
        func forms(_ name: String, _ rights: Set<PageFrame.Right>) -> [String] {
            let person = PageFrame.Person(name: name, role: "x", csrfToken: "t", rights: rights)
            let frame = PageFrame(
                language: .english, person: person, now: 0, path: "/", readAt: 0, storeAwaySince: nil)
            let html = pages.overrides(frame, services: services)
            let forms = html.components(separatedBy: "<form ").dropFirst()
            #expect(forms.allSatisfy { $0.contains("name=\"csrf\" value=\"t\"") })
            return ["/overrides", "/overrides/confirm", "/overrides/clear"].filter {
                html.contains("action=\"\($0)\"")
            }
        }
        #expect(forms("lee", []) == [])
        #expect(forms("lee", [.overrideStore, .confirmOverride]) == ["/overrides", "/overrides/confirm"])
        #expect(forms("kim", [.overrideStore, .confirmOverride]) == ["/overrides"])
        #expect(
            forms("lee", [.overrideStore, .overrideChain, .confirmOverride])
                == ["/overrides", "/overrides/confirm", "/overrides/clear"])
    }

    @Test("A plot is XML, with a bar for each state of the last day and a name for screen readers")
    func plot() throws {
        func change(_ hours: Int64, _ state: ServiceState) -> ServiceSummary.Change {
            ServiceSummary.Change(
                at: Chain.now - hours * 3_600_000, scope: "global", subject: "", state: state,
                source: "reports", reason: "why")
        }
        let service = ServiceSummary(
            name: "order", state: .healthy, source: "reports", since: 0, reason: nil, failedPercent: nil,
            scopes: [], overrides: [], proposal: nil,
            history: [change(1, .healthy), change(2, .recovering), change(3, .faulty), change(30, .healthy)])
        let svg = ServiceTimeline(
            service: service, wording: Wording(language: .english, now: Chain.now)
        ).svg
        // Once for a screen and once for a phone.
        #expect(svg.components(separatedBy: "<rect").count - 1 == 2 * 4)
        #expect(svg.components(separatedBy: "fill-faulty").count - 1 == 2)
        let grey = ServiceTimeline(
            service: service, wording: Wording(language: .english, now: Chain.now),
            unknown: [0...(Chain.now - 20 * 3_600_000), (Chain.now - 60_000)...(Chain.now + 5)]
        ).svg
        #expect(grey.components(separatedBy: "fill-unknown").count - 1 == 2 * 2)
        #expect(grey.contains("<title>nothing known, 4 h</title>"))
        #expect(svg.contains("aria-label="))
        #expect(XMLText(svg).isBalanced)
    }

    @Test(
        "A time axis names hours, and midnights by their date, at most seven of them",
        arguments: [1, 6, 24, 168, 720])
    func axis(_ hours: Int64) throws {
        let now = try #require(Timestamp.milliseconds(of: "2026-11-25T19:29:00Z"))
        let axis = TimeAxis(from: now - hours * 3_600_000, to: now, left: 0, width: 100, zone: .utc)
        let labels = axis.grid(top: 0, bottom: 10, labels: 7).components(separatedBy: "middle\">").dropFirst()
            .map { String($0.prefix(5)) }
        #expect((1...7).contains(labels.count), "\(labels)")
        #expect(Set(labels).count == labels.count, "\(labels)")
        if hours == 168 {
            #expect(labels == ["11-19", "11-20", "11-21", "11-22", "11-23", "11-24", "11-25"])
        }
        let zone = try #require(PageZone("Asia/Kolkata"))
        let phone = TimeAxis(from: now - hours * 3_600_000, to: now, left: 0, width: 100, zone: zone)
            .grid(top: 0, bottom: 10, labels: 4).components(separatedBy: "middle\">").dropFirst()
            .map { String($0.prefix(5)) }
        #expect((1...4).contains(phone.count) && Set(phone).count == phone.count, "\(phone)")
        if hours == 24 { #expect(phone == ["06:00", "12:00", "18:00", "11-26"]) }
        if hours == 24 { #expect(labels == ["20:00", "11-25", "04:00", "08:00", "12:00", "16:00"]) }
    }

    @Test("A telephone dials, past outages are a list, and a day that has not begun is called that")
    func phone() throws {
        let pages = try DashboardPages()
        let periods = (1...30).map {
            let start = Chain.now - Int64($0) * 3_600_000
            return OfflinePeriod(start: start, end: start + 60_000, causes: OutageCauses(["network"]))
        }
        let fleet = Fleet([Chain.terminal("S1", 1, periods: periods)], at: Chain.now)
        func frame(_ table: String? = nil) -> PageFrame {
            PageFrame(
                language: .english, person: nil, now: Chain.now, path: "/stores/S1", readAt: 0,
                storeAwaySince: nil,
                stores: StoreDirectory(["S1": StoreFacts(telephone: "+86 (21) 5550-0100")]), fleet: fleet,
                table: table)
        }
        func page(_ table: String? = nil) -> String {
            pages.store(
                frame(table), fleet: fleet, store: "S1", sales: SalesSummary(day: "2027-01-15"), alarms: [:])
        }
        let html = page()
        #expect(html.contains("<a href=\"tel:+862155500100\">+86 (21) 5550-0100</a>"))
        #expect(html.components(separatedBy: "data-label=\"Length\">1 min<").count == 1 + 10)
        #expect(page("periods").split(separator: "\r\n").count == 1 + 30)
        #expect(page("periods").contains(",2027-01-15T07:00:00.000Z,2027-01-15T07:01:00.000Z,60,network"))
        var query = DashboardPages.ListQuery(day: "2027-01-16")
        #expect(pages.orders(frame(), ["orders": []], query).contains("This day has not begun."))
        query.day = "2027-01-15"
        #expect(!pages.orders(frame(), ["orders": []], query).contains("not begun"))
    }

    @Test("Amounts have the decimals of their currency, and a day leads to the next up to today")
    func sales() throws {
        let pages = try DashboardPages()
        let frame = PageFrame(
            language: .english, person: nil, now: Chain.now, path: "/sales", readAt: 0, storeAwaySince: nil)
        func row(_ currency: String) -> SalesSummary.Row {
            SalesSummary.Row(
                key: "", currency: currency, orders: 2, gross: 12_345, discounts: 0, refunds: 0, net: 12_345,
                tax: 0)
        }
        let day = Timestamp.text(milliseconds: Chain.now).prefix(10)
        let html = pages.sales(
            frame, SalesSummary(day: String(day), total: [row("JPY"), row("CNY"), row("KWD")]))
        for amount in ["12\u{202F}345", "123.45", "12.345"] {
            #expect(html.contains("<strong>\(amount)</strong>"))
        }
        #expect(!html.contains("rel=\"next\""))
        let before = Timestamp.text(milliseconds: Chain.now - 86_400_000).prefix(10)
        let yesterday = pages.sales(frame, SalesSummary(day: String(before)))
        #expect(yesterday.contains("rel=\"next\"") && yesterday.contains("Nothing was sold"))
        let later = pages.sales(frame, SalesSummary(day: "2999-01-01"))
        #expect(!later.contains("rel=\"next\""))
        #expect(later.contains("This day has not begun."))
    }

    @Test("The language is the chosen one, else the first of the browser's that there is")
    func language() {
        #expect(Language(chosen: nil, accepted: nil) == .english)
        #expect(Language(chosen: nil, accepted: "de-DE, zh-CN;q=0.8, en;q=0.5") == .chinese)
        #expect(Language(chosen: "en", accepted: "zh") == .english)
        #expect(Language(chosen: "xx", accepted: "zh-TW") == .chinese)
    }

    @Test("Times are said in at most two units")
    func wording() {
        let wording = Wording(language: .english, now: 0)
        #expect(
            [0, 999, 59_000, 60_000, 3_599_000, 3_660_000, 90_000_000].map(wording.span) == [
                "0 s", "0 s", "59 s", "1 min", "59 min", "1 h 1 min", "1 d 1 h",
            ])
        #expect(wording.number(Int64(1_234_567)) == "1\u{202F}234\u{202F}567")
        #expect(wording.number(Int64(-12)) == "−12")
    }
}

/// Whether every element of a drawing ends.
private struct XMLText {
    let isBalanced: Bool

    init(_ text: String) {
        var open: [Substring] = []
        var isBalanced = true
        for part in text.split(separator: "<").dropFirst(text.hasPrefix("<") ? 0 : 1) {
            let name = part.prefix { $0 != " " && $0 != ">" && $0 != "/" }
            if part.hasPrefix("/") {
                let end = part.dropFirst().prefix { $0 != ">" }
                if open.popLast() != end { isBalanced = false }
            } else if !(part.firstIndex(of: ">").map { part[..<$0].hasSuffix("/") } ?? false) {
                open.append(name)
            }
        }
        self.isBalanced = isBalanced && open.isEmpty
    }
}
