import Base
import Testing

@testable import Dashboard

/// Terminals of a chain, as the dashboard counts and lists them.
enum Chain {
    static let now: Int64 = 1_800_000_000_000

    static func terminal(
        _ store: String, _ number: Int64, contact: Int64? = 0, pending: Int64 = 0, oldest: Int64? = nil,
        refused: Int64 = 0, connectivity: String = "online", periods: [OfflinePeriod] = [],
        revokedAt: Int64? = nil, version: String = "1.4.1", name: String = "till"
    ) -> FleetTerminal {
        FleetTerminal(
            id: "01\(store)\(number)", storeId: store, number: number, name: name, enrolledAt: 0,
            revokedAt: revokedAt, isUnconfirmed: false, lastMutation: nil,
            report: contact.map { ago in
                FleetTerminal.Report(
                    at: now - ago, connectivity: connectivity, pending: pending, oldestAge: oldest,
                    rejected: refused, conflicted: 0, version: version, system: "Debian 12",
                    successPerMille: 1000, periods: periods)
            })
    }

    static let offline = OfflinePeriod(start: now - 600_000, end: nil, causes: ["network"])
}

extension OutageCauses: ExpressibleByArrayLiteral {
    /// Causes without evidence.
    package init(arrayLiteral names: String...) { self.init(names) }
}

@Suite("The fleet")
struct FleetTests {
    @Test("A terminal's mode is what it last reported, and silent once nothing comes")
    func modes() {
        func mode(_ terminal: FleetTerminal) -> FleetMode { terminal.mode(at: Chain.now) }
        #expect(mode(Chain.terminal("S", 1)) == .online)
        #expect(mode(Chain.terminal("S", 1, connectivity: "onlineDegraded")) == .degraded)
        #expect(mode(Chain.terminal("S", 1, periods: [Chain.offline])) == .offline)
        #expect(mode(Chain.terminal("S", 1, contact: Fleet.silence)) == .online)
        #expect(mode(Chain.terminal("S", 1, contact: Fleet.silence + 1, periods: [Chain.offline])) == .silent)
        #expect(mode(Chain.terminal("S", 1, contact: nil)) == .waiting)
        #expect(mode(Chain.terminal("S", 1, revokedAt: 1)) == .revoked)
        let closed = OfflinePeriod(start: 1, end: 2, causes: [])
        #expect(mode(Chain.terminal("S", 1, periods: [closed])) == .online)
    }

    @Test("A store is the sum of its terminals; an old report's outbox grows older with time")
    func stores() {
        let fleet = Fleet(
            [
                Chain.terminal("B", 2, contact: 60_000, pending: 3, oldest: 10_000, refused: 1),
                Chain.terminal("A", 1, periods: [Chain.offline]), Chain.terminal("B", 1),
                Chain.terminal("B", 3, revokedAt: 1), Chain.terminal("C", 1, revokedAt: 1),
            ], at: Chain.now)
        #expect(fleet.stores.map(\.id) == ["A", "B"])
        #expect(fleet.stores.map(\.terminals) == [1, 2])
        #expect(fleet.stores.map(\.isAway) == [true, false])
        #expect(fleet.stores[1].pending == 3)
        #expect(fleet.stores[1].oldestAge(at: Chain.now) == 70_000)
        #expect(fleet.stores[1].refused == 1)
        #expect(fleet.stores[1].lastContact == Chain.now)
        #expect(fleet.active == 3)
    }

    @Test("A cause is as exact as the terminal knows it, and what lies nearest to it explains the rest")
    func causes() {
        let wording = Wording(language: .english, now: Chain.now)
        func words(_ names: [String], _ evidence: String...) -> String {
            wording.causes(OutageCauses(names, evidence: evidence))
        }
        #expect(words(["network"]) == "network")
        #expect(words(["network"], "request:dns", "probe:dns") == "network (names are not found)")
        #expect(words(["network"], "probe:dns", "pathLost") == "network (no cable and no Wi-Fi)")
        #expect(words(["network"], "ping:timeout", "probe:silent") == "network (connections get lost)")
        #expect(words(["network"], "probe:silent", "hubDark") == "network (the hub alone does not respond)")
        #expect(words(["network"], "probe:portal:redirect") == "network (a login page responds)")
        #expect(
            words(["network"], "probe:portal:foreignName")
                == "network (the certificate is made out to another name)")
        #expect(words(["network"], "a later version's") == "network")
        #expect(
            words(["manual", "service"], "manual:line is cut", "service:payment:reports")
                == "by hand (line is cut), service (payment)")
        var store = OutageCauses(["network"], evidence: ["probe:dns"])
        store.add(OutageCauses(["service", "network"], evidence: ["probe:dns", "service:order:probe"]))
        #expect(wording.causes(store) == "network (names are not found), service (order)")
    }

    @Test("A fleet of which nothing came is at every later moment as one that is counted anew")
    func moved() {
        let terminals = [
            Chain.terminal("A", 1, contact: 60_000, pending: 3, oldest: 10_000),
            Chain.terminal("A", 2, contact: 0), Chain.terminal("B", 1, contact: nil),
            Chain.terminal("C", 1, contact: 7_200_000, periods: [Chain.offline]),
        ]
        let fleet = Fleet(terminals, at: Chain.now)
        #expect(fleet.firstEnrolledAt == 0 && Fleet([], at: 0).firstEnrolledAt == nil)
        // The first terminal falls silent a millisecond behind the second of these moments.
        let silence = Chain.now + Fleet.silence - 60_000
        for moment in [Chain.now + 1_000, silence, silence + 1, silence + 60_001, Chain.now - 5_000] {
            let (moved, counted) = (fleet.moved(to: moment), Fleet(terminals, at: moment))
            #expect(moved.at == moment && moved.modes == counted.modes, "\(moment - Chain.now)")
            #expect(moved.stores == counted.stores, "\(moment - Chain.now)")
            func ages(_ fleet: Fleet) -> [Int64?] { fleet.stores.map { $0.oldestAge(at: moment) } }
            #expect(ages(moved) == ages(counted))
        }
        #expect(fleet.moved(to: silence + 1).count(.silent) == fleet.count(.silent) + 1)
    }

    @Test(
        "A store is away since the last of its terminals went, for all their causes, and the worst is first")
    func storesAway() {
        let early = OfflinePeriod(start: Chain.now - 900_000, end: nil, causes: ["service"])
        let fleet = Fleet(
            [
                Chain.terminal("A", 1, periods: [Chain.offline]),
                Chain.terminal("B", 1, contact: 7_200_000), Chain.terminal("B", 2, contact: 3_600_000),
                Chain.terminal("C", 1, pending: 2, oldest: 500_000, periods: [Chain.offline]),
                Chain.terminal("C", 2, periods: [early]),
                Chain.terminal("D", 1, periods: [early]), Chain.terminal("D", 2),
            ], at: Chain.now)
        #expect(fleet.storesAway.map(\.id) == ["C", "B", "A"])
        #expect(
            fleet.storesAway.map(\.awaySince)
                == [Chain.now - 600_000, Chain.now - 3_600_000, Chain.now - 600_000])
        #expect(fleet.storesAway.map(\.causes.names) == [["network", "service"], ["silent"], ["network"]])
    }

    @Test("A spare till that never reported hides no outage; one that goes on hides none of the others")
    func spare() {
        let periods = [Chain.offline]
        let fleet = Fleet(
            [
                Chain.terminal("A", 1, periods: periods), Chain.terminal("A", 2, contact: nil),
                Chain.terminal("B", 1, contact: nil),
                Chain.terminal("C", 1, periods: periods), Chain.terminal("C", 2, periods: periods),
                Chain.terminal("C", 3),
                Chain.terminal("D", 1, periods: periods), Chain.terminal("D", 2),
            ], at: Chain.now)
        #expect(fleet.storesAway.map(\.id) == ["A"])
        #expect(fleet.stores.filter(\.isMostlyAway).map(\.id) == ["A", "C"])
        let rows = fleet.outages(since: 0).flatMap(\.rows)
        #expect(rows.first?.subject == .store("A"))
        #expect(!rows.contains { $0.subject == .terminal("01A1") })
    }

    @Test("A list shows those alone with what a person looks for")
    func concerns() {
        var fleet = Fleet(
            [Chain.terminal("A", 1, refused: 2), Chain.terminal("A", 2), Chain.terminal("B", 1)],
            at: Chain.now)
        fleet.missing = ["01B1": 4]
        func found(_ concern: FleetQuery.Concern) -> [String] {
            var query = FleetQuery()
            query.concern = concern
            return query.terminals(of: fleet).map(\.id)
        }
        #expect(found(.missing) == ["01B1"])
        #expect(found(.refused) == ["01A1"])
        #expect(found(.unconfirmed).isEmpty)
    }

    @Test("What all terminals of a store share is one row of the store; what some have is theirs")
    func outages() {
        func period(_ minutes: ClosedRange<Int64>, _ causes: String...) -> OfflinePeriod {
            OfflinePeriod(
                start: Chain.now - minutes.upperBound * 60_000,
                end: minutes.lowerBound == 0 ? nil : Chain.now - minutes.lowerBound * 60_000,
                causes: OutageCauses(causes))
        }
        let terminals = [
            Chain.terminal("S1", 1, periods: [period(0...60, "network"), period(300...400, "network")]),
            Chain.terminal(
                "S1", 2,
                periods: [
                    period(0...61, "service"), period(310...405, "network"), period(500...600, "manual"),
                ]
            ),
            // Nothing came from it for an hour, and it stayed away for two hours longer before.
            Chain.terminal("S1", 3, contact: 59 * 60_000, periods: [period(180...402, "network")]),
        ]
        let fleet = Fleet(
            terminals + [
                Chain.terminal("S2", 1), Chain.terminal("S3", 1, periods: [period(0...5, "network")]),
            ],
            at: Chain.now)
        let rows = fleet.outages(since: Chain.now - 86_400_000).flatMap(\.rows)
        #expect(
            rows.map(\.subject)
                == [.store("S1"), .terminal("01S12"), .terminal("01S13"), .store("S3")])
        #expect(
            rows[0].periods == [
                OfflinePeriod(
                    start: Chain.now - 59 * 60_000, end: nil, causes: ["network", "service", "silent"]),
                period(310...400, "network"),
            ])
        #expect(rows[1].periods == [period(500...600, "manual")])
        #expect(rows[2].periods == [period(180...402, "network")])
        #expect(rows.map(\.terminals) == [3, 1, 1, 1])
        #expect(fleet.outages(since: Chain.now - 200 * 60_000).flatMap(\.rows).count == 3)
    }

    @Test(
        "Of a terminal nothing is known before it came, and before the oldest of as many outages as it reports"
    )
    func known() {
        let few = (1...4).map { OfflinePeriod(start: Chain.now - $0 * 60_000, end: Chain.now, causes: []) }
        let full = few + [OfflinePeriod(start: Chain.now - 300_000, end: Chain.now, causes: [])]
        #expect(Chain.terminal("S1", 1, periods: few).knownSince == 0)
        #expect(Chain.terminal("S1", 1, periods: full).knownSince == Chain.now - 300_000)
        #expect(Chain.terminal("S1", 1, contact: nil).knownSince == .max)
    }

    @Test("Stores are in each one's own day, and in the day of the others without a time zone")
    func days() throws {
        let (tokyo, paris) = (try #require(PageZone("Asia/Tokyo")), try #require(PageZone("Europe/Paris")))
        func store(_ zone: PageZone) -> StoreFacts {
            StoreFacts(clock: StoreClock(zone: zone))
        }
        let evening = try #require(Timestamp.milliseconds(of: "2026-11-25T21:00:00Z"))
        let one = StoreDirectory(["S1": store(tokyo), "S2": store(tokyo), "S3": StoreFacts(name: "Old Town")])
        #expect(one.days(at: evening) == ["2026-11-26"])
        #expect(one.clock(of: "S3").zone == tokyo && one.clock(of: "S9").zone == tokyo)
        #expect(one.title(of: "S3") == "S3 Old Town" && one.title(of: "S1") == "S1")
        let two = StoreDirectory(["S1": store(tokyo), "S2": store(paris)])
        #expect(two.days(at: evening) == ["2026-11-25", "2026-11-26"])
        #expect(two.clock.zone == .utc && two.clock(of: "S2").zone == paris)
        // Before four in the morning it is still the day before.
        #expect(two.clock(of: "S1").day(at: evening - 3 * 3_600_000) == "2026-11-25")
        // A chain that sets nothing is in the day of its tills, which have the same begin.
        #expect(StoreDirectory().clock.day(at: evening + 4 * 3_600_000) == "2026-11-25")
    }

    @Test("A search needs every word, a filter is exact, and an order keeps stores and numbers behind it")
    func query() {
        let fleet = Fleet(
            [
                Chain.terminal("S1", 1, name: "Till one"), Chain.terminal("S1", 2, periods: [Chain.offline]),
                Chain.terminal("S2", 1, pending: 1, oldest: 50, version: "1.3.0"),
                Chain.terminal("S2", 2, pending: 1, oldest: 90), Chain.terminal("S3", 1, revokedAt: 1),
            ], at: Chain.now)
        func found(_ change: (inout FleetQuery) -> Void) -> [String] {
            var query = FleetQuery()
            change(&query)
            return query.terminals(of: fleet).map { "\($0.storeId)-\($0.number)" }
        }
        #expect(found { _ in } == ["S1-1", "S1-2", "S2-1", "S2-2"])
        #expect(found { $0.text = "TILL one" } == ["S1-1"])
        #expect(found { $0.text = "s2 1.3" } == ["S2-1"])
        #expect(found { $0.text = "nothing" } == [])
        #expect(found { $0.store = "S2" } == ["S2-1", "S2-2"])
        #expect(found { $0.mode = .offline } == ["S1-2"])
        #expect(found { $0.mode = .revoked } == ["S3-1"])
        #expect(found { $0.order = .outbox } == ["S2-2", "S2-1", "S1-1", "S1-2"])
        #expect(found { $0.order = .mode } == ["S1-2", "S1-1", "S2-1", "S2-2"])
    }

    @Test("What is wrong now comes with the worst first, and nothing is wrong with a healthy chain")
    func troubles() {
        func service(_ state: ServiceState) -> ServiceSummary {
            ServiceSummary(
                name: "order", state: state, source: "reports", since: Chain.now, reason: "why",
                failedPercent: nil, scopes: [], overrides: [], proposal: nil, history: [])
        }
        func found(_ terminals: [FleetTerminal], _ state: ServiceState, away: Int64? = nil) -> [Trouble.Kind]
        {
            Trouble.found(
                fleet: Fleet(terminals, at: Chain.now), services: [service(state)], storeAwaySince: away,
                records: RecordSummary()
            ).map(\.kind)
        }
        #expect(found([Chain.terminal("S1", 1)], .healthy) == [])
        let terminals = [
            Chain.terminal("S1", 1, periods: [Chain.offline]),
            Chain.terminal("S2", 1, pending: 1, oldest: 3_600_001, refused: 2),
            Chain.terminal("S2", 2, contact: Fleet.silence + 1),
        ]
        #expect(
            found(terminals, .faulty, away: 5) == [
                .storeAway(since: 5),
                .service(name: "order", state: .faulty, since: Chain.now, reason: "why"),
                .storesAway(1), .terminalsAway(1), .oldOutbox(terminals: 1, oldest: 3_600_001),
                .refused(open: 0, atTerminals: 2),
            ])
    }
}
