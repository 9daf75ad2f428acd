import Foundation
import HubProtocol
import Pricing
import TestKit
import Testing

/// Cashiers, members and offers from a file to a till's question, through the built program.
@Suite("pos-hub people and offers", .onStage, .serialized)
struct HubPeopleTests {
    private let hub: HubUnderTest

    init() throws {
        hub = try HubUnderTest()
    }

    private func imported(_ kind: String, _ text: String) throws -> FinishedProgram {
        try hub.imported(kind, text)
    }

    /// A hub on the store of a test.
    private func hub(on store: HubStoreKind) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        return try HubUnderTest(in: folder, store: store.place(in: folder))
    }

    private func importAll() throws {
        let files = [
            ("members", "id,phone,name,points,tier\nm1,+86 138-0013 8000,Li,120,gold\nm2,,Wang,,\n"),
            ("cashiers", "id,name,pin,role\nc1,Kim,471147,manager\nc2,Lee,0000,cashier\n"),
            (
                "promotions",
                "id,name,kind,sku,department,percent_basis_points,amount_minor\n"
                    + "p1,Five off,amount,tea,,,500\np2,Ten percent,percent,,drinks,1000,\n"
            ),
            ("coupons", "code,promotion_id,max_uses\nTEA5,p1,1\n"),
            (
                "products",
                "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit\n"
                    + "tea,1,Tea,drinks,1250,CNY,0,each\n"
            ),
        ]
        for (kind, text) in files {
            let first = try imported(kind, text)
            #expect(first.exitCode == 0, "\(first.errors)")
            // The same file again changes nothing, PINs included.
            let count = text.split(separator: "\n").count - 1
            #expect(
                try imported(kind, text).text
                    == "\(count) \(kind): 0 new, 0 changed, \(count) as they were")
        }
    }

    @Test(
        "A file is imported completely or not at all; an error names its line, also one that only the hub finds"
    )
    func refusals() throws {
        let early = try imported("coupons", "code,promotion_id\n\n\"A\",\"p\n1\"\nB,p2\n")
        #expect(early.exitCode == 4)
        #expect(
            early.errors.first?.contains("coupons.csv, line 3: the coupon \"A\" names the promotion \"p 1\"")
                == true, "\(early.errors)")
        #expect(early.errors.map { $0.contains("line 5: the coupon \"B\"") } == [false, true, false])
        #expect(early.errors.last?.hasSuffix("has 2 mistakes; nothing was imported") == true)
        let pin = try imported("cashiers", "id,name,pin,role\nc1,Kim,471147,manager\nc2,Lee,99x9,cashier\n")
        #expect(pin.exitCode == 4)
        let words = pin.errors.joined()
        #expect(words.contains("cashiers.csv, line 3: the pin") && !words.contains("99x9"))
        let till = try hub.enrol()
        let feed = try hub.client().request("GET", Routes.changes, headers: till.headers)
        #expect(try ChangePage(json: feed.json()).changes == [])
        #expect(try hub.run("import", "coupons", hub.folder.path("none.csv")).exitCode == 3)
    }

    @Test("All mistakes of a file are reported in one run with their lines, and nothing of it is imported")
    func mistakes() throws {
        let header = "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit\n"
        let rows = "a,1,A,d,x,CNY,0,each\nb,2,B,d,1,CNY,0,each\nc,3,C,d,1,CNY,0,piece\nd,2,D,d,1,CNY,0,each\n"
        let end = try imported("products", header + rows)
        #expect(end.exitCode == 4)
        let lines = ["line 2: price_minor", "line 4: unit", "line 5: the barcode", "has 3 mistakes; nothing"]
        #expect(zip(end.errors, lines).allSatisfy { $0.contains($1) }, "\(end.errors)")
        #expect(end.errors.count == lines.count)
        let document = try hub.run("import", "products", hub.folder.path("products.csv"), "--json").document()
        #expect(document["error"]?["mistakes"]?.array?.count == 3)
        #expect(try imported("products", header + "b,2,B,d,1,CNY,0,each\n").text.contains("1 new"))
        // What only the catalogue contradicts has its line as well.
        let other = try imported("products", header + "x,7,X,d,1,USD,0,each\ny,2,Y,d,1,USD,0,each\n")
        #expect(other.errors.map { $0.contains("products.csv, line ") } == [true, true, true, false])
    }

    @Test(
        "A promotion of an unknown article and a telephone number of two members are imported with a warning")
    func warnings() throws {
        let promotions = "id,name,kind,sku,amount_minor\np1,Off,amount,TAE,500\n"
        let end = try imported("promotions", promotions)
        #expect(end.exitCode == 0)
        #expect(end.errors.first?.contains("the sku \"TAE\", which the catalogue does not have") == true)
        #expect(try imported("members", "id,phone\nm1,+86 138-0013 8000\n").errors == [])
        let twice = try imported("members", "id,phone\nm2,8613800138000\n")
        #expect(twice.exitCode == 0)
        #expect(twice.errors.first?.contains("\"m1\" and \"m2\" have one telephone number") == true)
    }

    @Test("A feed has only the hash of a PIN, and a session needs the PIN; too many wrong ones wait")
    func sessions() throws {
        try importAll()
        let (till, other) = (try hub.enrol(), try hub.enrol())
        let client = try hub.client(timeout: 30)
        func begin(_ id: String, _ pin: String, at till: TillOverHTTP) throws -> LoopbackAnswer {
            let body: JSONValue = ["cashierId": .string(id), "pin": .string(pin)]
            return try client.request(
                "POST", Routes.sessions, headers: till.headers, body: body.canonicalText)
        }
        let feed = try client.request("GET", Routes.changes, headers: till.headers)
        #expect(feed.text.contains("$scrypt$"))
        #expect(!feed.text.contains("471147"))
        let right = try begin("c1", "471147", at: till)
        #expect(right.status == 201)
        #expect(try right.json() == ["cashierId": "c1", "name": "Kim", "role": "manager"])
        let unknown = try begin("c9", "471147", at: till)
        let wrong = try begin("c1", "0000", at: till)
        #expect(wrong.status == 422 && wrong.problemCode == "pin_refused")
        #expect(unknown.text == wrong.text)
        for _ in 0..<4 { #expect(try begin("c1", "0000", at: till).problemCode == "pin_refused") }
        let locked = try begin("c1", "471147", at: till)
        #expect(locked.status == 422 && locked.problemCode == "pin_locked")
        let wait = try #require(try locked.json()["retryAfterMs"]?.integer)
        #expect((1...60_000).contains(wait))
        #expect(locked.headers["retry-after"] == "\((wait + 999) / 1000)")
        // Only this cashier at this terminal waits.
        #expect(try begin("c2", "0000", at: till).status == 201)
        #expect(try begin("c1", "471147", at: other).status == 201)
        #expect(try client.request("POST", Routes.sessions, body: "{}").status == 401)
        #expect(
            try client.request("POST", Routes.sessions, headers: till.headers, body: #"{"pin":"1"}"#).status
                == 400)
    }

    @Test(
        "A store gets its own cashiers and those of every store, and no other cashier can sign in there",
        arguments: HubStoreKind.all)
    func stores(_ store: HubStoreKind) throws {
        let hub = try hub(on: store)
        let file =
            "id,name,pin,role,store_id\none,Kim,4711,cashier,S1\nnine,Lee,0000,cashier,S9\nall,Wu,1111,cashier,\n"
        #expect(try hub.imported("cashiers", file).exitCode == 0)
        let (here, there) = (try hub.enrol(), try hub.enrol(store: "S9"))
        let client = try hub.client(timeout: 30)
        func cashiers(_ till: TillOverHTTP) throws -> [String] {
            let feed = try client.request("GET", Routes.changes, headers: till.headers)
            return try ChangePage(json: feed.json()).changes.filter {
                $0.entity == "cashier" && !$0.isDeleted
            }
            .map(\.entityId)
        }
        #expect(try cashiers(here) == ["one", "all"])
        #expect(try cashiers(there) == ["nine", "all"])
        func begin(_ id: String, _ pin: String, at till: TillOverHTTP) throws -> Int {
            let body: JSONValue = ["cashierId": .string(id), "pin": .string(pin)]
            return try client.request(
                "POST", Routes.sessions, headers: till.headers, body: body.canonicalText
            ).status
        }
        #expect(try begin("one", "4711", at: here) == 201)
        #expect(try begin("one", "4711", at: there) == 422)
        #expect(try begin("all", "1111", at: there) == 201)
        #expect(try hub.run("withdraw", "cashier", "one").exitCode == 0)
        #expect(try hub.run("withdraw", "cashier", "one").exitCode == 4)
        #expect(try hub.run("withdraw", "king", "one").exitCode == 2)
        #expect(try cashiers(here) == ["all"])
        #expect(try begin("one", "4711", at: here) == 422)
        let gone = try hub.imported(
            "cashiers", "id,name,pin,role,withdrawn\nall,,,,true\nnew,He,2222,cashier,\n")
        #expect(gone.text == "1 cashiers: 1 new, 0 changed, 0 as they were, 1 withdrawn")
        #expect(try cashiers(there) == ["nine", "new"])
    }

    @Test("A burst of guesses is counted one by one")
    func burst() async throws {
        try importAll()
        let till = try hub.enrol()
        let (url, headers) = (hub.url, till.headers)
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    let client = try LoopbackClient(url: url, timeout: 60)
                    return try client.request(
                        "POST", Routes.sessions, headers: headers, body: #"{"cashierId":"c1","pin":"1"}"#
                    ).problemCode ?? ""
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // What finds no room in the terminal's part of the line is not checked at all.
        #expect(codes.filter { $0 == "pin_refused" }.count <= 5)
        #expect(Set(codes).isSubset(of: ["pin_refused", "pin_locked", "too_many_pin_checks"]), "\(codes)")
    }

    @Test("A terminal of schema 1 gets no coupon, one of schema 2 a digest, and no code reaches either")
    func coupons() throws {
        try importAll()
        let warned = try imported("coupons", "code,promotion_id\nWINTER-2026-XY,p1\nTEA5,p1\n")
        #expect(warned.exitCode == 0)
        #expect(warned.errors.first?.contains("1 codes have fewer than 10 characters") == true)
        let (one, nine) = (try hub.enrol(), try hub.enrol(store: "S9"))
        let client = try hub.client()
        func feed(_ till: TillOverHTTP, schema: String?, cursor: String? = nil) throws -> LoopbackAnswer {
            var headers = till.headers
            headers[HeaderNames.schema] = schema
            let query = cursor.map { "?cursor=" + $0 } ?? ""
            return try client.request("GET", Routes.changes + query, headers: headers)
        }
        func coupons(_ answer: LoopbackAnswer) throws -> [Change] {
            try ChangePage(json: answer.json()).changes.filter { $0.entity == "coupon" }
        }
        for schema in ["1", nil] { #expect(try coupons(feed(one, schema: schema)).isEmpty) }
        let (first, second) = (try feed(one, schema: "2"), try feed(nine, schema: "2"))
        for answer in [first, second] {
            #expect(!answer.text.contains("TEA5") && !answer.text.contains("WINTER"))
            #expect(!answer.text.contains("138-0013") && !answer.text.contains("\"Li\""))
            #expect(try coupons(answer).count == 2)
            #expect(answer.text.contains("couponKey"))
        }
        #expect(try Set(coupons(first).map(\.entityId)).isDisjoint(with: coupons(second).map(\.entityId)))
        let cursor = try ChangePage(json: first.json()).cursor
        #expect(try feed(one, schema: "2", cursor: cursor).status == 200)
        #expect(try feed(one, schema: "1", cursor: cursor).problemCode == "cursor_expired")
        #expect(try feed(nine, schema: "2", cursor: cursor).problemCode == "cursor_expired")
        // The store's own tuning shows no key, and clearing it takes none.
        let shown = try hub.run("store-config", "show", "--store-id", "S1", "--json")
        #expect(shown.exitCode == 0 && !shown.text.contains("couponKey"))
    }

    @Test("Look-ups of members are limited for each terminal and counted, by phone and id alike")
    func memberReads() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"limits":{"memberReadsPerMinute":3}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder)
        let (till, other) = (try hub.enrol(), try hub.enrol())
        let client = try hub.client()
        func read(_ path: String, by till: TillOverHTTP) throws -> LoopbackAnswer {
            try client.request("GET", path, headers: till.headers)
        }
        for path in ["/v1/members/a", "/v1/members?phone=1", "/v1/members/b"] {
            #expect([200, 404].contains(try read(path, by: till).status))
        }
        let refused = try read("/v1/members?phone=2", by: till)
        #expect(refused.status == 429 && refused.problemCode == "rate_limited")
        #expect(refused.headers["retry-after"] != nil)
        #expect(try read("/v1/members?phone=2", by: other).status == 200)
        hub.stop()
        let listed = try hub.json("terminals", "list")["terminals"]?.array ?? []
        #expect(listed.map { $0["memberReadsToday"] } == [3, 1])
    }

    @Test("An erased member is gone from the hub's responses and its store", arguments: HubStoreKind.all)
    func erased(_ store: HubStoreKind) throws {
        let hub = try hub(on: store)
        let members = "id,phone,name,points,tier\nm1,+86 138-0013 8000,Li,120,gold\nm2,,Wang,,\n"
        #expect(try hub.imported("members", members).exitCode == 0)
        var till = try hub.enrol()
        let client = try hub.client()
        _ = try till.push(till.minted("member.updated", "m1", ["name": "Li Xiaolong"]), on: client)
        let end = try hub.run("erase", "member", "m1")
        #expect(end.exitCode == 0 && end.text.contains("1 entries"), "\(end.errors)")
        #expect(try client.request("GET", "/v1/members/m1", headers: till.headers).status == 404)
        #expect(try client.request("GET", "/v1/members/m2", headers: till.headers).status == 200)
        #expect(try hub.run("erase", "member", "m1").exitCode == 4)
        hub.stop()
        let bytes = try hub.storedBytes()
        for word in ["Li Xiaolong", "138-0013"] {
            #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
        }
    }

    @Test("Members are found by id and by the digits of their phone, with the points of all tills")
    func members() throws {
        try importAll()
        var till = try hub.enrol()
        let client = try hub.client()
        func get(_ path: String) throws -> LoopbackAnswer {
            try client.request("GET", path, headers: till.headers)
        }
        _ = try till.push(till.minted("points.adjusted", "m1", ["delta": -20]), on: client)
        _ = try till.push(till.minted("points.adjusted", "ghost", ["delta": 5]), on: client)
        let li: JSONValue = [
            "id": "m1", "name": "Li", "phone": "+86 138-0013 8000", "tier": "gold", "points": 100,
        ]
        #expect(try get("/v1/members/m1").json() == li)
        #expect(try get("/v1/members?phone=%2B8613800138000").json() == ["members": [li]])
        #expect(try get("/v1/members?phone=13800138000").json() == ["members": [li]])
        #expect(try get("/v1/members?phone=13800138001").json() == ["members": []])
        #expect(try get("/v1/members/ghost").problemCode == "not_found")
        #expect(try get("/v1/members/none").status == 404)
        for path in ["/v1/members", "/v1/members?phone=", "/v1/members?phone=abc"] {
            #expect(try get(path).problemCode == "malformed_request")
        }
        #expect(try client.request("GET", "/v1/members/m1").status == 401)
    }

    @Test("A basket is evaluated as the till would do it, with the hub's departments and coupons' uses")
    func evaluation() throws {
        try importAll()
        var till = try hub.enrol()
        let client = try hub.client()
        func evaluate(_ body: String) throws -> LoopbackAnswer {
            try client.request(
                "POST", Routes.promotionEvaluation, headers: till.headers, body: body)
        }
        let basket =
            #"{"coupons":["TEA5","X"],"lines":[{"sku":"tea","quantityMilli":1000,"unitPrice":1250}]}"#
        let fresh = try ReductionsShape(json: evaluate(basket).json())
        #expect(fresh.lines.map { $0.map(\.amount) } == [[125, 500]])
        #expect(fresh.coupons.map(\.objection) == [nil, .unknown])
        let sale = till.sale(coupons: ["TEA5"])
        #expect(try till.push(sale, on: client).json()["flags"] == [])
        #expect(try ReductionsShape(json: evaluate(basket).json()).coupons.first?.objection == .usedUp)
        let over = try till.push(till.sale(coupons: ["TEA5"]), on: client)
        #expect(try over.json()["flags"] == ["coupon_overused"])
        let named =
            #"{"lines":[{"sku":"tea","department":"food","quantityMilli":1,"unitPrice":1000,"discount":1}]}"#
        #expect(
            try evaluate(named).json() == [
                "coupons": [], "discount": 0, "lines": [["discount": 0, "offers": []]],
            ])
        let above = #"{"lines":[{"sku":"tea","quantityMilli":1000,"unitPrice":1,"discount":2}]}"#
        #expect(try evaluate(above).problemCode == "invalid_basket")
        #expect(try evaluate(#"{"lines":[{"sku":"tea"}]}"#).status == 400)
    }
}

extension HubUnderTest {
    /// Imports a file of that text.
    fileprivate func imported(_ kind: String, _ text: String) throws -> FinishedProgram {
        let file = folder.path(kind + ".csv")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try run("import", kind, file)
    }

    /// Everything that is in the store: the database's file, or every row of PostgreSQL's tables.
    fileprivate func storedBytes() throws -> Data {
        guard store.hasPrefix("postgresql") else {
            return try Data(contentsOf: URL(fileURLWithPath: folder.path("hub.sqlite")))
        }
        let schema = store.components(separatedBy: "%3D").last ?? ""
        let rows = try Command.run(["pg_dump", "--data-only", "--inserts", "--schema", schema, store])
        #expect(rows.contains("Wang"))
        return Data(rows.utf8)
    }
}
