import Foundation
import HubCore
import HubProtocol
import HubServer
import Pricing
import TestKit
import Testing

/// Cashiers, members and offers, from an import to a till's query.
@Suite("The hub's people and offers")
struct PeopleRoutesTests {
    /// A hub with some of each.
    private func stockedHub(on store: HubStoreKind = .sqlite) async throws -> HubInProcess {
        let hub = try await HubInProcess(on: store)
        try await hub.imported(
            .members, "id,phone,name,points,tier\nm1,+86 138-0013 8000,Li,120,gold\nm2,,Wang,,\n")
        try await hub.imported(
            .promotions,
            "id,name,kind,sku,department,percent_basis_points,amount_minor\n"
                + "p1,Five off,amount,tea,,,500\np2,Ten percent,percent,,drinks,1000,\n")
        try await hub.imported(.coupons, "code,promotion_id,max_uses\nTEA5,p1,1\n")
        try await hub.imported(
            .products,
            "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit\n"
                + "tea,1,Tea,drinks,1250,CNY,0,each\n")
        return hub
    }

    private func begin(
        _ id: String, _ pin: String, at till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> LoopbackResponse {
        let body: JSONValue = ["cashierId": .string(id), "pin": .string(pin)]
        return try await hub.request(
            "POST", Routes.sessions, headers: till.headers, body: body.canonicalText)
    }

    @Test("A feed has only the hash of a PIN, and a session needs the PIN; too many wrong ones wait a minute")
    func sessions() async throws {
        let hub = try await HubInProcess()
        try await hub.imported(.cashiers, "id,name,pin,role\nc1,Kim,471147,manager\nc2,Lee,0000,cashier\n")
        let (till, other) = (try await hub.enrol(), try await hub.enrol())
        let feed = try await till.get(Routes.changes, on: hub)
        #expect(feed.text.contains("$scrypt$"))
        #expect(!feed.text.contains("471147"))
        let right = try await begin("c1", "471147", at: till, on: hub)
        #expect(right.status == 201)
        #expect(try right.json() == ["cashierId": "c1", "name": "Kim", "role": "manager"])
        let unknown = try await begin("c9", "471147", at: till, on: hub)
        let wrong = try await begin("c1", "0000", at: till, on: hub)
        #expect(wrong.status == 422 && wrong.problemCode == "pin_refused")
        #expect(unknown.text == wrong.text)
        for _ in 0..<4 {
            #expect(try await begin("c1", "0000", at: till, on: hub).problemCode == "pin_refused")
        }
        let locked = try await begin("c1", "471147", at: till, on: hub)
        #expect(locked.status == 422 && locked.problemCode == "pin_locked")
        #expect(try locked.json()["retryAfterMs"] == 60_000)
        #expect(locked.headers["retry-after"] == "60")
        // Only this cashier at this terminal waits.
        #expect(try await begin("c2", "0000", at: till, on: hub).status == 201)
        #expect(try await begin("c1", "471147", at: other, on: hub).status == 201)
        hub.clock.advance(by: .milliseconds(59_999))
        #expect(try await begin("c1", "471147", at: till, on: hub).problemCode == "pin_locked")
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await begin("c1", "471147", at: till, on: hub).status == 201)
        #expect(try await hub.request("POST", Routes.sessions, body: "{}").status == 401)
        let incomplete = try await hub.request(
            "POST", Routes.sessions, headers: till.headers, body: #"{"pin":"1"}"#)
        #expect(incomplete.status == 400)
    }

    @Test("Twenty PINs at once are checked, the next one is refused until three seconds have passed")
    func checkRate() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        // Invented ones: the first alone costs a check.
        for number in 0..<20 {
            #expect(try await begin("x\(number)", "1", at: till, on: hub).problemCode == "pin_refused")
        }
        let refused = try await begin("x20", "1", at: till, on: hub)
        #expect(refused.problemCode == "too_many_pin_checks")
        #expect(refused.headers["retry-after"] == "3")
        hub.clock.advance(by: .milliseconds(2_999))
        #expect(try await begin("x20", "1", at: till, on: hub).problemCode == "too_many_pin_checks")
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await begin("x20", "1", at: till, on: hub).problemCode == "pin_refused")
    }

    @Test("A burst of guesses is counted one by one")
    func burst() async throws {
        let hub = try await HubInProcess()
        try await hub.imported(.cashiers, "id,name,pin,role\nc1,Kim,471147,manager\n")
        let till = try await hub.enrol()
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<12 {
                group.addTask { try await begin("c1", "1", at: till, on: hub).problemCode ?? "" }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // What finds no room in the terminal's part of the queue is not checked at all.
        #expect(codes.filter { $0 == "pin_refused" }.count <= 5)
        let possible: Set = ["pin_refused", "pin_locked", "too_many_pin_checks", "rate_limited"]
        #expect(Set(codes).isSubset(of: possible), "\(codes)")
    }

    @Test(
        "A store gets its own cashiers and those of every store, and no other cashier can sign in there",
        arguments: HubStoreKind.all)
    func stores(_ store: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: store)
        try await hub.imported(
            .cashiers,
            "id,name,pin,role,store_id\none,Kim,4711,cashier,S1\nnine,Lee,0000,cashier,S9\n"
                + "all,Wu,1111,cashier,\n")
        let (here, there) = (try await hub.enrol(), try await hub.enrol(store: "S9"))
        func cashiers(_ till: TillOverHTTP) async throws -> [String] {
            let feed = try await till.get(Routes.changes, on: hub)
            return try ChangePage(json: feed.json()).changes
                .filter { $0.entity == "cashier" && !$0.isDeleted }.map(\.entityId)
        }
        #expect(try await cashiers(here) == ["one", "all"])
        #expect(try await cashiers(there) == ["nine", "all"])
        #expect(try await begin("one", "4711", at: here, on: hub).status == 201)
        #expect(try await begin("one", "4711", at: there, on: hub).status == 422)
        #expect(try await begin("all", "1111", at: there, on: hub).status == 201)
        try await hub.perform(.withdraw(.cashiers, id: "one"))
        #expect(try await hub.refusal(.withdraw(.cashiers, id: "one")) == .notFound)
        #expect(try await cashiers(here) == ["all"])
        #expect(try await begin("one", "4711", at: here, on: hub).status == 422)
        let gone = try await hub.imported(
            .cashiers, "id,name,pin,role,withdrawn\nall,,,,true\nnew,He,2222,cashier,\n")
        #expect(gone["new"] == 1)
        #expect(gone["withdrawn"] == 1)
        #expect(try await cashiers(there) == ["nine", "new"])
    }

    @Test("A terminal of schema 1 gets no coupon, one of schema 2 a digest, and no code reaches either")
    func coupons() async throws {
        let hub = try await stockedHub()
        try await hub.imported(.coupons, "code,promotion_id\nWINTER-2026-XY,p1\nTEA5,p1\n")
        let (one, nine) = (try await hub.enrol(), try await hub.enrol(store: "S9"))
        func feed(
            _ till: TillOverHTTP, schema: String?, cursor: String? = nil
        ) async throws -> LoopbackResponse {
            var headers = till.headers
            headers[HeaderNames.schema] = schema
            let query = cursor.map { "?cursor=" + $0 } ?? ""
            return try await hub.request("GET", Routes.changes + query, headers: headers)
        }
        func coupons(_ response: LoopbackResponse) throws -> [Change] {
            try ChangePage(json: response.json()).changes.filter { $0.entity == "coupon" }
        }
        for schema in ["1", nil] { #expect(try coupons(await feed(one, schema: schema)).isEmpty) }
        let (first, second) = (try await feed(one, schema: "2"), try await feed(nine, schema: "2"))
        for response in [first, second] {
            #expect(!response.text.contains("TEA5") && !response.text.contains("WINTER"))
            #expect(!response.text.contains("138-0013") && !response.text.contains("\"Li\""))
            #expect(try coupons(response).count == 2)
            #expect(response.text.contains("couponKey"))
        }
        #expect(try Set(coupons(first).map(\.entityId)).isDisjoint(with: coupons(second).map(\.entityId)))
        let cursor = try ChangePage(json: first.json()).cursor
        #expect(try await feed(one, schema: "2", cursor: cursor).status == 200)
        #expect(try await feed(one, schema: "1", cursor: cursor).problemCode == "cursor_expired")
        #expect(try await feed(nine, schema: "2", cursor: cursor).problemCode == "cursor_expired")
        // The store's own tuning shows no key, and clearing it takes none.
        let shown = try await hub.perform(.storeSettings(storeId: "S1"))
        #expect(!shown.canonicalText.contains("couponKey"))
    }

    @Test("Look-ups of members are limited for each terminal, by phone and id alike, for a minute's share")
    func memberReads() async throws {
        let hub = try await HubInProcess { $0.limits.memberReadsPerMinute = 3 }
        let (till, other) = (try await hub.enrol(), try await hub.enrol())
        for path in ["/v1/members/a", "/v1/members?phone=1", "/v1/members/b"] {
            let status = try await till.get(path, on: hub).status
            #expect([200, 404].contains(status))
        }
        let refused = try await till.get("/v1/members?phone=2", on: hub)
        #expect(refused.status == 429 && refused.problemCode == "rate_limited")
        #expect(refused.headers["retry-after"] == "20")
        #expect(try await other.get("/v1/members?phone=2", on: hub).status == 200)
        hub.clock.advance(by: .seconds(20))
        #expect(try await till.get("/v1/members?phone=2", on: hub).status == 200)
        #expect(try await till.get("/v1/members?phone=2", on: hub).status == 429)
    }

    @Test("Look-ups of a day are limited, and half of them is an alarm")
    func lookUpsOfADay() async throws {
        let hub = try await HubInProcess { $0.limits.intake.lookUpsPerDay = 4 }
        let till = try await hub.enrol()
        for _ in 1...2 { #expect(try await till.get("/v1/members?phone=1", on: hub).status == 200) }
        #expect(try await hub.alarmsOfLookUps() == ["look_ups_many"])
        for _ in 3...4 { #expect(try await till.get("/v1/members?phone=1", on: hub).status == 200) }
        #expect(try await till.get("/v1/members?phone=1", on: hub).status == 429)
        hub.clock.advance(by: .seconds(86_400))
        #expect(try await till.get("/v1/members?phone=1", on: hub).status == 200)
    }

    @Test("Members are found by id and by the digits of their phone, with the points of all tills")
    func members() async throws {
        let hub = try await stockedHub()
        var till = try await hub.enrol()
        _ = try await till.push(till.minted("points.adjusted", "m1", ["delta": -20]), on: hub)
        _ = try await till.push(till.minted("points.adjusted", "ghost", ["delta": 5]), on: hub)
        let li: JSONValue = [
            "id": "m1", "name": "Li", "phone": "+86 138-0013 8000", "tier": "gold", "points": 100,
        ]
        #expect(try await till.get("/v1/members/m1", on: hub).json() == li)
        for (phone, found) in [("%2B8613800138000", [li]), ("13800138000", [li]), ("13800138001", [])] {
            let response = try await till.get("/v1/members?phone=\(phone)", on: hub)
            #expect(try response.json() == ["members": .array(found)])
        }
        #expect(try await till.get("/v1/members/ghost", on: hub).problemCode == "not_found")
        #expect(try await till.get("/v1/members/none", on: hub).status == 404)
        for path in ["/v1/members", "/v1/members?phone=", "/v1/members?phone=abc"] {
            #expect(try await till.get(path, on: hub).problemCode == "malformed_request")
        }
        #expect(try await hub.request("GET", "/v1/members/m1").status == 401)
    }

    @Test("A basket is evaluated as the till would do it, with the hub's departments and coupons' uses")
    func evaluation() async throws {
        let hub = try await stockedHub()
        var till = try await hub.enrol()
        let headers = till.headers
        func evaluate(_ body: String) async throws -> LoopbackResponse {
            try await hub.request("POST", Routes.promotionEvaluation, headers: headers, body: body)
        }
        let basket =
            #"{"coupons":["TEA5","X"],"lines":[{"sku":"tea","quantityMilli":1000,"unitPrice":1250}]}"#
        let fresh = try ReductionsShape(json: try await evaluate(basket).json())
        #expect(fresh.lines.map { $0.map(\.amount) } == [[125, 500]])
        #expect(fresh.coupons.map(\.objection) == [nil, .unknown])
        let sale = till.sale(coupons: ["TEA5"])
        #expect(try await till.push(sale, on: hub).json()["flags"] == [])
        let used = try ReductionsShape(json: try await evaluate(basket).json())
        #expect(used.coupons.first?.objection == .usedUp)
        let over = try await till.push(till.sale(coupons: ["TEA5"]), on: hub)
        #expect(try over.json()["flags"] == ["coupon_overused"])
        let named =
            #"{"lines":[{"sku":"tea","department":"food","quantityMilli":1,"unitPrice":1000,"discount":1}]}"#
        #expect(
            try await evaluate(named).json() == [
                "coupons": [], "discount": 0, "lines": [["discount": 0, "offers": []]],
            ])
        let above = #"{"lines":[{"sku":"tea","quantityMilli":1000,"unitPrice":1,"discount":2}]}"#
        #expect(try await evaluate(above).problemCode == "invalid_basket")
        #expect(try await evaluate(#"{"lines":[{"sku":"tea"}]}"#).status == 400)
    }
}
