import HubProtocol
import TestKit
import Testing

@testable import HubCLI

@Suite("Imports by command")
struct ImportCommandTests {
    private static let products = "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit\n"

    @Test("Each kind is imported, and the same file again changes nothing", arguments: HubStoreKind.all)
    func kinds(_ kind: HubStoreKind) async throws {
        let hub = try HubCommands(on: kind)
        let files = [
            ("members", "id,phone,name,points,tier\nm1,+86 138-0013 8000,Li,120,gold\nm2,,Wang,,\n"),
            ("cashiers", "id,name,pin,role\nc1,Kim,471147,manager\nc2,Lee,0000,cashier\n"),
            (
                "promotions",
                "id,name,kind,sku,department,percent_basis_points,amount_minor\n"
                    + "p1,Five off,amount,tea,,,500\np2,Ten percent,percent,,drinks,1000,\n"
            ),
            ("coupons", "code,promotion_id,max_uses\nTEA5,p1,1\n"),
            ("products", Self.products + "tea,1,Tea,drinks,1250,CNY,0,each\n"),
        ]
        for (kind, text) in files {
            let first = try await hub.imported(kind, text)
            #expect(first.exitCode == 0, "\(first.errors)")
            // The same file again changes nothing, PINs included.
            let count = text.split(separator: "\n").count - 1
            let noun = count == 1 ? String(kind.dropLast()) : kind
            #expect(
                try await hub.imported(kind, text).output
                    == ["\(count) \(noun): 0 new, 0 changed, \(count) as they were"])
        }
    }

    @Test(
        "A file is imported completely or not at all; an error names its line, also one that only the hub finds"
    )
    func refusals() async throws {
        let hub = try HubCommands()
        let early = try await hub.imported("coupons", "code,promotion_id\n\n\"A\",\"p\n1\"\nB,p2\n")
        #expect(early.exitCode == 4)
        #expect(
            early.errors.first?.contains("coupons.csv, line 3: the coupon \"A\" names the promotion \"p 1\"")
                == true, "\(early.errors)")
        #expect(early.errors.map { $0.contains("line 5: the coupon \"B\"") } == [false, true, false])
        #expect(early.errors.last?.hasSuffix("has 2 mistakes; nothing was imported") == true)
        let pin = try await hub.imported(
            "cashiers", "id,name,pin,role\nc1,Kim,471147,manager\nc2,Lee,99x9,cashier\n")
        #expect(pin.exitCode == 4)
        let words = pin.errors.joined()
        #expect(words.contains("cashiers.csv, line 3: the pin") && !words.contains("99x9"))
        // Nothing of it is there: both are new afterwards.
        let right = "id,name,pin,role\nc1,Kim,471147,manager\nc2,Lee,9949,cashier\n"
        #expect(try await hub.imported("cashiers", right).output.first?.contains("2 new") == true)
        #expect(await hub.run("import", "coupons", hub.folder.path("none.csv")).exitCode == 3)
    }

    @Test("All mistakes of a file are reported in one run with their lines, and nothing of it is imported")
    func mistakes() async throws {
        let hub = try HubCommands()
        let rows = "a,1,A,d,x,CNY,0,each\nb,2,B,d,1,CNY,0,each\nc,3,C,d,1,CNY,0,piece\nd,2,D,d,1,CNY,0,each\n"
        let end = try await hub.imported("products", Self.products + rows)
        #expect(end.exitCode == 4)
        let lines = ["line 2: price_minor", "line 4: unit", "line 5: the barcode", "has 3 mistakes; nothing"]
        #expect(zip(end.errors, lines).allSatisfy { $0.contains($1) }, "\(end.errors)")
        #expect(end.errors.count == lines.count)
        let document = try await hub.json("import", "products", hub.folder.path("products.csv"))
        #expect(document["error"]?["mistakes"]?.array?.count == 3)
        let one = try await hub.imported("products", Self.products + "b,2,B,d,1,CNY,0,each\n")
        #expect(one.output.first?.contains("1 new") == true)
        // What only the catalogue contradicts has its line as well.
        let other = try await hub.imported(
            "products", Self.products + "x,7,X,d,1,USD,0,each\ny,2,Y,d,1,USD,0,each\n")
        #expect(other.errors.map { $0.contains("products.csv, line ") } == [true, true, true, false])
    }

    @Test(
        "A promotion of an unknown article and a telephone number of two members are imported with a warning")
    func warnings() async throws {
        let hub = try HubCommands()
        let promotions = "id,name,kind,sku,amount_minor\np1,Off,amount,TAE,500\n"
        let end = try await hub.imported("promotions", promotions)
        #expect(end.exitCode == 0)
        #expect(end.errors.first?.contains("the sku \"TAE\", which the catalogue does not have") == true)
        #expect(try await hub.imported("members", "id,phone\nm1,+86 138-0013 8000\n").errors == [])
        let twice = try await hub.imported("members", "id,phone\nm2,8613800138000\n")
        #expect(twice.exitCode == 0)
        #expect(twice.errors.first?.contains("\"m1\" and \"m2\" have one telephone number") == true)
    }

    @Test("What is withdrawn is gone once, and an unknown one is refused")
    func withdrawn() async throws {
        let hub = try HubCommands()
        _ = try await hub.imported("products", Self.products + "tea,1,Tea,d,1,CNY,0,each\n")
        #expect(await hub.run("withdraw", "product", "tea").exitCode == 0)
        #expect(await hub.run("withdraw", "product", "tea").exitCode == 4)
        #expect(await hub.run("erase", "member", "m9").exitCode != 0)
    }
}
