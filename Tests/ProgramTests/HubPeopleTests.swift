import Foundation
import HubProtocol
import Pricing
import TestKit
import Testing

/// Cashiers, members and offers from a file to a till's query, through the built program.
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

    @Test("Each kind is imported, and the same file again changes nothing")
    func kinds() throws {
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

    @Test("Look-ups of members are limited for each terminal and counted, by phone and id alike")
    func memberReads() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"limits":{"memberReadsPerMinute":3}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder)
        let (till, other) = (try hub.enrol(), try hub.enrol())
        let client = try hub.client()
        func read(_ path: String, by till: TillOverHTTP) throws -> LoopbackResponse {
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
