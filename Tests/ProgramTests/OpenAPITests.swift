import Foundation
import HubProtocol
import TestKit
import Testing

/// `docs/openapi.yaml` and the running hub, in both directions.
@Suite(
    "The hub and docs/openapi.yaml", .onStage, .serialized,
    .enabled(if: ContractTools.isAvailable, "\(ContractTools.obstacle)"))
struct OpenAPITests {
    @Test("The hub serves what the document names, and nothing else")
    func routes() throws {
        let hub = try HubUnderTest()
        let socket = LoopbackClient(.unix(path: hub.folder.path("hub.sqlite.sock")))
        let listed = try socket.request("GET", Routes.servedRoutes)
        try #require(listed.status == 200)
        let check = try ContractTools.validate("routes", listed.text, in: hub.folder)
        #expect(check.exitCode == 0, "\(check.text)")
        // Only the owner of this machine is notified.
        #expect(try hub.client().request("GET", Routes.servedRoutes).status == 404)
    }

    @Test("A schema has known keywords alone, and describes each member that it requires")
    func schemas() throws {
        let folder = try TemporaryFolder()
        func check(_ document: String) throws -> (exitCode: Int32, text: String) {
            let end = try ContractTools.run(
                "python", [ContractTools.folder + "/validate.py", document, "schemas"], in: folder.path("."))
            return (end.exitCode, end.text)
        }
        let good = try check(ContractTools.document)
        #expect(good.exitCode == 0, "\(good.text)")
        // A comma that ends a description without quotes, and a member that is required and nowhere else.
        let schema = "{type: object, required: [gone], properties: {a: {description: One, or two}}}"
        let file = folder.path("wrong.yaml")
        try "paths: {}\ncomponents: {schemas: {Wrong: \(schema)}}\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let wrong = try check(file)
        #expect(wrong.exitCode == 1)
        #expect(wrong.text.contains("'or two' is no keyword") && wrong.text.contains("member gone is not"))
    }

    @Test("Every JSON body of a request and of a good response has an example that fits its schema")
    func examples() throws {
        let folder = try TemporaryFolder()
        let check = try ContractTools.run(
            "python", [ContractTools.folder + "/validate.py", ContractTools.document, "examples"],
            in: folder.path("."))
        #expect(check.exitCode == 0, "\(check.text)")
    }

    @Test(
        "Two generators make clients of the document, and one of them does a round trip with the hub",
        .enabled(if: ContractTools.hasGenerators, "\(ContractTools.obstacle)"))
    func generatedClients() throws {
        let hub = try HubUnderTest()
        let code = try #require(try hub.json("enrol-code", "--store-id", "S1")["code"]?.string)
        let clients = hub.folder.path("clients")
        try FileManager.default.createDirectory(atPath: clients, withIntermediateDirectories: false)
        let end = try ContractTools.run(
            "python",
            [ContractTools.folder + "/generated.py", ContractTools.document, clients, hub.url, code],
            in: hub.folder.path("."))
        #expect(end.exitCode == 0, "\(end.text)")
    }

    @Test("What a till and a hub send to each other in a day fits the document")
    func day() throws {
        let shop = try ShopUnderTest(.front, serving: ["--payments", "simulator"])
        let front = try #require(shop.front)
        let barcode = Article.assortment[0].barcode
        let sale = try shop.document("sell", "--line", barcode)
        let card = try shop.document("sell", "--line", barcode, "--pay", "card")
        _ = try shop.document("orders", "void", try #require(card["orderId"]?.string))
        _ = try shop.document("offline", "on")
        for _ in 0..<3 { _ = try shop.document("sell", "--line", barcode) }
        _ = try shop.document("offline", "off")
        let note = try #require(try shop.document("note", "add", "wet floor")["id"]?.string)
        _ = try shop.document("sync", "now")
        _ = try shop.document("note", "delete", note)
        let slip = shop.folder.path("slip.png")
        try "a slip".write(toFile: slip, atomically: true, encoding: .utf8)
        _ = try shop.document("note", "add", "returned goods", "--attach", slip)
        _ = try shop.document("sync", "now")
        #expect(front.exchanges.contains { $0.request.method == "PUT" && $0.status == 200 })
        try lookUp(sale, of: shop, at: front)
        try contradict(sale, at: front)
        let lines = front.exchanges.map(\.json.canonicalText)
        let statuses = Set(front.exchanges.map(\.status))
        #expect(statuses.isSuperset(of: [200, 201, 400, 401, 404, 409, 410, 413, 422, 426]), "\(statuses)")
        let check = try ContractTools.validate(
            "exchanges", lines.joined(separator: "\n"), in: shop.folder)
        #expect(check.exitCode == 0, "\(check.text)")
        let members = try ContractTools.validate("members", lines.joined(separator: "\n"), in: shop.folder)
        #expect(members.exitCode == 0, "\(members.text)")
    }

    /// Requests that a good till never sends, by another one over the same front.
    private func contradict(_ sale: JSONValue, at front: HubFront) throws {
        let client = LoopbackClient(.tcp(port: front.port))
        let hub = try HubUnderTest(["--payments", "simulator"])
        let other = try HubFront(target: try #require(UInt16(hub.url.split(separator: ":")[2])))
        defer { other.stop() }
        // Each PIN that is checked takes a core some tenths of a second, many times that on a busy machine.
        let direct = LoopbackClient(.tcp(port: other.port), timeout: 60)
        var till = try hub.enrol()
        let first = till.sale()
        var clone = till
        _ = try till.push(first, on: direct)
        _ = try till.push(first, on: direct)
        _ = try till.push(till.sale(total: -1), on: direct)
        _ = try till.push([first, till.sale()], on: direct)
        try query(hub, over: direct, as: till)
        try self.till(of: hub, over: direct, reading: till)
        let old = try HubUnderTest(["--config", try tooNew(hub.folder)])
        let closed = try HubFront(target: try #require(UInt16(old.url.split(separator: ":")[2])))
        defer { closed.stop() }
        let refused = try old.enrol()
        _ = try LoopbackClient(.tcp(port: closed.port)).request(
            "GET", Routes.changes, headers: refused.headers)
        _ = try clone.push(clone.sale(), on: direct)
        let headers = till.headers
        _ = try direct.request("GET", Routes.changes + "?cursor=x", headers: headers)
        _ = try direct.request("GET", "/v1/products/nothing", headers: headers)
        _ = try direct.request("POST", Routes.mutationBatch, headers: headers, body: "{")
        _ = try direct.request(
            "POST", Routes.mutationBatch, headers: headers,
            body: MutationBatch(mutations: (0..<201).map { _ in till.sale() }, epoch: 1, lowSequence: 1).json
                .canonicalText)
        _ = try client.request("GET", Routes.changes)
        try office(of: hub, over: direct)
        front.add(other.exchanges + closed.exchanges)
    }

    /// What a back office and operators read and decide over HTTP.
    private func office(of hub: HubUnderTest, over client: LoopbackClient) throws {
        func token(_ name: String) throws -> [String: String] {
            let made = try hub.json("operator", "add", name, "--role", "manager")
            return ["Authorization": "Bearer \(made["token"]?.string ?? "")"]
        }
        let (kim, lee) = (try token("kim"), try token("lee"))
        func send(_ method: String, _ path: String, _ body: String? = nil, as person: [String: String]? = nil)
            throws
            -> JSONValue
        {
            let response = try client.request(method, path, headers: person ?? kim, body: body)
            #expect(response.status < 300, "\(method) \(path): \(response.text)")
            return try response.json()
        }
        let lists = [
            Routes.journal, Routes.flags, Routes.terminals, Routes.statements, Routes.stock,
            Routes.qosServices,
            "/v1/debts?state=all", "/v1/qos/services?scope=all",
        ]
        for path in lists { _ = try send("GET", path) }
        for dimension in ["day", "store", "terminal", "cashier", "tender", "tax", "product"] {
            _ = try send("GET", "/v1/sales?by=\(dimension)")
        }
        for order in try send("GET", Routes.orders)["orders"]?.array ?? [] {
            _ = try send("GET", "/v1/orders/\(order["orderId"]?.string ?? "")")
        }
        for shift in try send("GET", Routes.shifts)["shifts"]?.array ?? [] {
            _ = try send("GET", "/v1/shifts/\(shift["shiftId"]?.string ?? "")")
        }
        let debt = try #require(try send("GET", Routes.debts)["debts"]?.array?.first?["id"]?.string)
        _ = try send("POST", "/v1/debts/\(debt)/settlement", #"{"by":"paid","reason":"a test"}"#)
        let alarm = try #require(try send("GET", Routes.alarms)["alarms"]?.array?.first?["id"]?.string)
        _ = try send("POST", "/v1/alarms/\(alarm)/acknowledgement", #"{"note":"looked at"}"#)
        let refused = try #require(try send("GET", Routes.refusals)["refused"]?.array?.first?["id"]?.string)
        _ = try send("GET", "/v1/refusals/\(refused)")
        _ = try send("POST", "/v1/refusals/\(refused)/resolution", #"{"keep":"server","reason":"a test"}"#)
        _ = try send("PUT", "/v1/imports/prices", "sku,price_minor,store_id\ntea,5,S1\n")
        _ = try send("POST", Routes.enrolmentCodes, #"{"storeId":"S1","count":2}"#)
        let override = "/v1/qos/services/order/override"
        let proposed = try send("PUT", override, #"{"state":"faulty","reason":"a test"}"#)
        let id = try #require(proposed["proposal"]?["id"]?.string)
        _ = try send("GET", Routes.qosServices)
        _ = try send("POST", override + "/confirmation", #"{"id":"\#(id)"}"#, as: lee)
        _ = try send("DELETE", override)
        _ = try send("PUT", override, #"{"state":"faulty","reason":"a test","storeId":"S1"}"#)
        _ = try send("DELETE", override + "?storeId=S1")
    }

    /// People and offers: what is there, what is not, and what is refused.
    private func query(_ hub: HubUnderTest, over client: LoopbackClient, as till: TillOverHTTP) throws {
        let files = [
            ("members", "id,phone,name,tier\nm1,139,Li,gold\n"),
            ("cashiers", "id,name,pin,role\nc1,Kim,471147,manager\n"),
            (
                "promotions",
                "id,name,kind,amount_minor,offline\np1,Five off,amount,500,true\np2,One off,amount,100,\n"
            ),
            (
                "coupons",
                "code,promotion_id,max_uses,expires_at,offline\nTEA5,p1,100,2090-01-01T00:00:00Z,true\n"
            ),
        ]
        for (kind, text) in files {
            let file = hub.folder.path(kind + ".csv")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            _ = try hub.json("import", kind, file)
        }
        func post(_ path: String, _ body: String) throws -> Int {
            try client.request("POST", path, headers: till.headers, body: body).status
        }
        func get(_ path: String) throws -> Int {
            try client.request("GET", path, headers: till.headers).status
        }
        #expect(try post(Routes.sessions, #"{"cashierId":"c1","pin":"471147"}"#) == 201)
        for _ in 0..<6 { #expect(try post(Routes.sessions, #"{"cashierId":"c1","pin":"1"}"#) == 422) }
        #expect(try get("/v1/members/m1") == 200)
        #expect(try get("/v1/members/none") == 404)
        #expect(try get("/v1/members?phone=139") == 200)
        #expect(try get("/v1/members?phone=x") == 400)
        let line = #"{"sku":"tea","quantityMilli":1000,"unitPrice":1250,"discount":"#
        let basket = #"{"coupons":["TEA5","NO"],"lines":[\#(line)"#
        #expect(try post(Routes.promotionEvaluation, basket + "0}]}") == 200)
        #expect(try post(Routes.promotionEvaluation, basket + "2000}]}") == 422)
        #expect(try get(Routes.changes) == 200)
        let newer = till.headers.merging([HeaderNames.schema: "2"]) { $1 }
        #expect(try client.request("GET", Routes.changes, headers: newer).status == 200)
    }

    private func tooNew(_ folder: TemporaryFolder) throws -> String {
        let file = folder.path("schemas.json")
        try #"{"schemas":{"minimum":2}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    @Test("schemathesis finds nothing with all its checks on")
    func schemathesis() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("limits.json")
        // Its many queries about members come from one terminal within a minute.
        try #"{"limits":{"memberReadsPerMinute":100000}}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file, "--payments", "simulator"], in: folder)
        let till = try hub.enrol()
        let kim = try #require(try hub.json("operator", "add", "kim")["token"]?.string)
        let end = try ContractTools.run(
            "schemathesis",
            [
                "--config-file", ContractTools.folder + "/schemathesis.toml", "run", ContractTools.document,
                "--url", hub.url, "--max-examples", "10", "--seed", "1", "--no-color", "--checks", "all",
            ],
            environment: [
                "HOLDFAST_DEVICE_TOKEN": till.grant.token, "HOLDFAST_OPERATOR_TOKEN": kim,
                "HOLDFAST_HOOKS": ContractTools.folder + "/hooks.py",
            ], in: hub.folder.path("."))
        #expect(end.exitCode == 0, "\(end.text)")
        #expect(try hub.client().request("GET", Routes.ready).status == 200)
    }
}
