import Base
import Foundation
import HubProtocol
import TestKit
import Testing

@Suite(
    "pos-hub on PostgreSQL", .onStage, .serialized,
    .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct HubPostgresTests {
    private func store() throws -> String { try PostgresServer.shared.get().freshSchema() }

    @Test("Sixteen clients that race one key at two hubs make one effect")
    func race() async throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        var till = try hubs[0].enrol()
        let sale = till.sale()
        let (urls, querying) = (hubs.map(\.url), till)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<16 {
                group.addTask {
                    let client = try LoopbackClient(url: urls[client % 2], timeout: 20)
                    return try querying.push(sale, on: client).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 1)
        #expect(statuses.allSatisfy { [200, 201, 409].contains($0) }, "\(statuses)")
        let audit = HubAudit(try #require(hubs[1].json("audit")["terminals"]?.array?.first))
        #expect(audit.orders == 1)
        #expect(audit.isComplete)
    }

    @Test(
        "The same order from a till under two identities at two hubs at one instant: one sale, one conflict")
    func raceForAnOrder() async throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        let till = try SigningTill(on: hubs[0])
        var tills = [
            TillOverHTTP(till.grant), TillOverHTTP(try SigningTill(on: hubs[0], key: till.key).grant),
        ]
        let urls = hubs.map(\.url)
        for _ in 0..<20 {
            let sale = tills[0].sale()
            let again = tills[1].minted("order.completed", sale.entityId, sale.payload)
            let (one, other) = (tills[0], tills[1])
            async let first = one.push(sale, on: LoopbackClient(url: urls[0], timeout: 20))
            async let second = other.push(again, on: LoopbackClient(url: urls[1], timeout: 20))
            let responses = try await [first, second].sorted { $0.status < $1.status }
            #expect(responses.map(\.status) == [201, 409])
            #expect(try responses[1].json()["policy"] == "append_only")
        }
        let orders = try hubs[0].json("audit")["terminals"]?.array?.compactMap { $0["orders"]?.integer }
        #expect(orders?.reduce(0, +) == 20)
    }

    @Test("What is imported beside two hubs is served by both, and what one accepts counts at the other")
    func offers() throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        var till = try hubs[0].enrol()
        let files = [
            ("cashiers", "id,name,pin,role\nc1,Kim,471147,manager\n"),
            ("members", "id,phone\nm1,139\n"), ("promotions", "id,name,kind,amount_minor\np1,Off,amount,5\n"),
            ("coupons", "code,promotion_id,max_uses\nA,p1,1\n"),
        ]
        for (kind, text) in files {
            let file = hubs[0].folder.path(kind + ".csv")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try hubs[0].json("import", kind, file)["new"] == 1)
            #expect(try hubs[0].json("import", kind, file)["unchanged"] == 1)
        }
        let clients = try hubs.map { try $0.client() }
        func post(_ path: String, _ body: String, at hub: Int) throws -> LoopbackResponse {
            try clients[hub].request("POST", path, headers: till.headers, body: body)
        }
        let basket = #"{"coupons":["A"],"lines":[{"sku":"tea","quantityMilli":1000,"unitPrice":1250}]}"#
        for hub in 0...1 {
            #expect(try post(Routes.sessions, #"{"cashierId":"c1","pin":"471147"}"#, at: hub).status == 201)
            #expect(try post(Routes.promotionEvaluation, basket, at: hub).json()["discount"] == 5)
            let found = try clients[hub].request("GET", "/v1/members?phone=139", headers: till.headers)
            #expect(try found.json() == ["members": [["id": "m1", "phone": "139", "points": 0]]])
        }
        #expect(try till.push(till.sale(coupons: ["A"]), on: clients[0]).json()["flags"] == [])
        #expect(try post(Routes.promotionEvaluation, basket, at: 1).json()["discount"] == 0)
    }

    @Test("A hub killed in the middle of a batch leaves all of it or nothing; another hub takes it again")
    func killedInABatch() throws {
        let store = try store()
        var hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        var till = try hubs[0].enrol()
        var random = SplitMix64(seed: 8)
        var outcomes: Set<String> = []
        for _ in 0..<8 {
            let batch = (0..<200).map { _ in till.sale() }
            let (url, querying) = (hubs[0].url, till)
            let end = ContinuousClock.now + .milliseconds(Int64(5 + random.below(60)))
            let pushing = Thread { _ = try? querying.push(batch, on: LoopbackClient(url: url, timeout: 20)) }
            pushing.start()
            while ContinuousClock.now < end { usleep(500) }
            hubs[0].program.kill()
            let response = try MutationBatchResponse(json: till.push(batch, on: hubs[1].client()).json())
            let words = Set(response.results.map(\.outcome.rawValue))
            #expect(words.count == 1, "a part of a batch was accepted")
            outcomes.formUnion(words)
            hubs = [hubs[1], try HubUnderTest(store: store)]
        }
        #expect(outcomes.isSubset(of: ["applied", "duplicate"]))
        let audit = HubAudit(try #require(hubs[0].json("audit")["terminals"]?.array?.first))
        #expect(audit.orders == 1600)
        #expect(audit.isComplete)
    }

    @Test("While the database is down a push is refused for a retry; after its restart nothing is lost")
    func databaseRestarts() throws {
        let server = try PostgresServer()
        let hub = try HubUnderTest(store: server.freshSchema())
        var till = try hub.enrol()
        let client = try hub.client(timeout: 30)
        let sales = (0..<3).map { _ in till.sale() }
        #expect(try till.push(sales[0], on: client).status == 201)
        server.stop(crashing: true)
        let refused = try till.push(sales[1], on: client)
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] != nil)
        #expect(refused.problemCode == "store_unavailable")
        #expect(!refused.text.lowercased().contains("postgres"))
        #expect(try client.request("GET", Routes.ready).status == 503)
        try server.start()
        #expect(try till.push(sales[0], on: client).status == 200)
        #expect(try till.push(sales[1], on: client).status == 201)
        #expect(try till.push(sales[2], on: client).status == 201)
        // What `/readyz` found out counts for a second.
        let end = Date(timeIntervalSinceNow: 10)
        while try client.request("GET", Routes.ready).status != 200, Date() < end { usleep(50_000) }
        #expect(try client.request("GET", Routes.ready).status == 200)
    }

    @Test("A terminal's token and cursor count at every hub; a revocation reaches each in seconds")
    func oneHubOfMany() throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        var till = try hubs[0].enrol()
        let clients = try hubs.map { try $0.client() }
        for number in 0..<6 {
            #expect(try till.push(till.sale(), on: clients[number % 2]).status == 201)
        }
        let page = try ChangePage(
            json: clients[0].request("GET", Routes.changes, headers: till.headers).json())
        let next = try clients[1].request(
            "GET", Routes.changes + "?cursor=\(page.cursor)", headers: till.headers)
        #expect(next.status == 200)
        #expect(try hubs[1].run("terminals", "revoke", till.grant.terminalId).exitCode == 0)
        for client in clients {
            let end = ContinuousClock.now + .seconds(30)
            var code: String?
            while code == nil, ContinuousClock.now < end {
                code = try client.request("GET", Routes.changes, headers: till.headers).problemCode
            }
            #expect(code == "terminal_revoked")
        }
    }

    @Test("An operator's decision by command reaches every hub on the database in seconds, and is withdrawn")
    func operatorDecision() throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        let till = try hubs[0].enrol()
        func states(becoming state: String) throws -> [String] {
            try hubs.map { hub in
                let client = try hub.client()
                let end = ContinuousClock.now + .seconds(30)
                var last = ""
                while last != state, ContinuousClock.now < end {
                    let response = try client.request(
                        "GET", Routes.qosDecisions + "?services=payment", headers: till.headers)
                    last = try response.json()["decisions"]?.array?.first?["state"]?.string ?? ""
                    usleep(50_000)
                }
                return last
            }
        }
        #expect(try hubs[0].run("qos", "set", "payment", "faulty", "--reason", "work").exitCode == 0)
        #expect(try states(becoming: "faulty") == ["faulty", "faulty"])
        #expect(try hubs[1].run("qos", "clear", "payment").exitCode == 0)
        #expect(try states(becoming: "healthy") == ["healthy", "healthy"])
    }

    @Test("Reports that reach different hubs are counted together: each hub decides by the sum")
    func reportsOfAll() throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        // Three tills of three stores, seven requests each: no hub alone has seen twenty.
        for number in 0..<3 {
            let till = try hubs[0].enrol(store: "S\(number)")
            let counts: JSONValue = [
                "services": [["service": "payment", "ok": 3, "failed": ["http5xx": 4]]]
            ]
            let response = try hubs[number % 2].client().request(
                "POST", Routes.qosReports, headers: till.headers, body: counts.canonicalText)
            #expect(response.status == 200)
        }
        let querying = try hubs[0].enrol(store: "S9")
        for hub in hubs {
            let end = ContinuousClock.now + .seconds(30)
            var decision: JSONValue = .null
            while decision["state"]?.string != "faulty", ContinuousClock.now < end {
                let response = try hub.client().request(
                    "GET", Routes.qosDecisions + "?services=payment", headers: querying.headers)
                decision = try response.json()["decisions"]?.array?.first ?? .null
                usleep(50_000)
            }
            #expect(decision["state"]?.string == "faulty")
            #expect(decision["scope"]?.string == "global")
        }
    }

    /// A decision on `payment` at each hub, as `<state> <scope> <generation>`, once `isReached` is true.
    private func decisions(
        of till: TillOverHTTP, at hubs: [HubUnderTest], until isReached: ([String]) -> Bool
    ) throws -> [String] {
        // Five seconds, and as long again for a machine that is busy.
        let end = ContinuousClock.now + .seconds(10)
        while true {
            let texts = try hubs.map { hub in
                let response = try hub.client().request(
                    "GET", Routes.qosDecisions + "?services=payment", headers: till.headers)
                let decision = try response.json()["decisions"]?.array?.first ?? .null
                return "\(decision["state"]?.string ?? "-") \(decision["scope"]?.string ?? "-") "
                    + "\(decision["generation"]?.integer ?? 0)"
            }
            if isReached(texts) || ContinuousClock.now > end { return texts }
            usleep(100_000)
        }
    }

    @Test("Overrides at two hubs at one instant: both hubs and the database come to the same in seconds")
    func overridesAtOnce() async throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        let till = try hubs[0].enrol()
        let token = try #require(try hubs[0].json("operator", "add", "jo")["token"]?.string)
        let urls = hubs.map(\.url)
        let path = "/v1/qos/services/payment/override"
        let headers = ["Authorization": "Bearer \(token)"]
        for hub in hubs {
            let end = ContinuousClock.now + .seconds(20)
            let own = path + "?storeId=S1"
            while try hub.client().request("DELETE", own, headers: headers).status != 200 {
                try #require(ContinuousClock.now < end, "the operator is not known")
                usleep(100_000)
            }
        }
        for _ in 0..<3 {
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (url, state) in zip(urls, ["faulty", "healthy"]) {
                    group.addTask {
                        let client = try LoopbackClient(url: url, timeout: 20)
                        let body = #"{"state":"\#(state)","reason":"\#(state)","storeId":"S1"}"#
                        return try client.request("PUT", path, headers: headers, body: body).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [200, 200])
            let texts = try decisions(of: till, at: hubs) { Set($0).count == 1 }
            #expect(Set(texts).count == 1, "\(texts)")
            let kept = try hubs[0].json("qos", "status")["services"]?.array?.first {
                $0["service"] == "payment"
            }
            let state = try #require(kept?["storeOverrides"]?.array?.first?["state"]?.string)
            #expect(texts[0].hasPrefix(state + " store"), "\(texts), \(state)")
        }
    }

    @Test("Faults of different stores found by two hubs at one instant are both valid at both hubs")
    func scopesAtOnce() async throws {
        let store = try store()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        let tills = try (0..<4).map { try hubs[0].enrol(store: "S\($0 / 2)") }
        let urls = hubs.map(\.url)
        // Four terminals of two stores would make a global fault; more than as many others report successes.
        for number in 2..<7 {
            let headers = try hubs[0].enrol(store: "S\(number)").headers
            let body = #"{"services":[{"service":"payment","ok":6}]}"#
            for hub in hubs {
                let report = try hub.client().request(
                    "POST", Routes.qosReports, headers: headers, body: body)
                #expect(report.status == 200)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for hub in 0..<2 {
                let own = Array(tills[hub * 2..<hub * 2 + 2])
                group.addTask {
                    let client = try LoopbackClient(url: urls[hub], timeout: 20)
                    for till in own {
                        let body = #"{"services":[{"service":"payment","ok":1,"failed":{"http5xx":6}}]}"#
                        _ = try client.request("POST", Routes.qosReports, headers: till.headers, body: body)
                    }
                }
            }
            try await group.waitForAll()
        }
        for till in [tills[0], tills[2]] {
            let texts = try decisions(of: till, at: hubs) {
                Set($0).count == 1 && $0[0].hasPrefix("faulty store")
            }
            #expect(Set(texts).count == 1)
            #expect(texts[0].hasPrefix("faulty store"), "\(texts)")
        }
        let other = try hubs[0].enrol(store: "S9")
        let texts = try decisions(of: other, at: hubs) { Set($0).count == 1 }
        #expect(texts == ["healthy global 1", "healthy global 1"])
    }

    @Test(
        "With a frozen database every request gets a response within its deadline; after it nothing is lost or doubled"
    )
    func frozenDatabase() throws {
        let server = try PostgresServer()
        let hub = try HubUnderTest(store: server.freshSchema())
        var till = try hub.enrol()
        let client = try hub.client(timeout: 60)
        let (first, second) = (till.sale(), till.sale())
        #expect(try till.push(first, on: client).status == 201)
        try server.freeze()
        let start = ContinuousClock.now
        let refused = try till.push(second, on: client)
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] != nil)
        // A terminal gives up after 10 s by itself and would take the line for dead.
        #expect(ContinuousClock.now - start < .seconds(8))
        try server.thaw()
        #expect(try [200, 201].contains(till.push(second, on: client).status))
        #expect(try till.push(first, on: client).status == 200)
        let audit = HubAudit(try #require(hub.json("audit")["terminals"]?.array?.first))
        #expect(audit.orders == 2)
        #expect(audit.isComplete)
    }

    @Test("A shop whose hub is killed again and again while the outbox drains: every order is there once")
    func killedDuringDrains() throws {
        try ShopUnderTest(store: store()).killHubDuringDrains(rounds: 4)
    }

    @Test("A hub moves from SQLite to PostgreSQL in the middle of a till's life; the drain goes on")
    func moved() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        try sales.sellPieces(30)
        try shop.waitUntilDrained(within: 60)
        let before = try shop.audit()
        _ = try shop.query("POST", "/v1/manual", body: ["on": true])
        try sales.sellPieces(20)
        let file = "sqlite:" + shop.folder.path("hub.sqlite")
        let target = try store()
        let beside = try ProgramUnderTest.run("pos-hub", ["migrate", "--from", file, "--to", target])
        #expect(beside.exitCode == 3, "it moved the store of a running hub")
        shop.killHub()
        let move = try ProgramUnderTest.run("pos-hub", ["migrate", "--from", file, "--to", target, "--json"])
        #expect(move.exitCode == 0, "\(move.errors)")
        shop.store = target
        #expect(try shop.audit().json == before.json)
        let again = try ProgramUnderTest.run("pos-hub", ["migrate", "--from", file, "--to", target])
        #expect(again.exitCode == 4)
        try shop.startHub()
        _ = try shop.query("POST", "/v1/manual", body: ["on": false])
        try sales.sellPieces(10)
        #expect(sales.close() == 0)
        try shop.waitUntilDrained(within: 60)
        let audit = try shop.audit()
        #expect(audit.orders == 60)
        #expect(audit.isComplete)
    }

    @Test("A missing database is reported without the password")
    func unreachable() throws {
        let end = try ProgramUnderTest.run(
            "pos-hub", ["serve", "--store", "postgresql://hub:secret@127.0.0.1:1/none"])
        #expect(end.exitCode == 75)
        #expect(end.errors.first?.contains("cannot be reached") == true)
        #expect(!end.errors.joined().contains("secret"))
        let config = try ProgramUnderTest.run(
            "pos-hub", ["config", "--store", "postgresql://hub:secret@127.0.0.1:1/none"])
        #expect(!config.text.contains("secret"))
    }
}
