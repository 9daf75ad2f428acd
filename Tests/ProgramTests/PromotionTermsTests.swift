import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Promotions by amount, hours, members and groups, from the hub's import to the receipt.
@Suite("Terms of promotions in sales", .onStage)
struct PromotionTermsTests {
    private static let (tea, cup, cake) = (
        Article.assortment[0], Article.assortment[1], Article.assortment[5]
    )

    /// `HH:MM` in Shanghai, so many minutes from now.
    private static func shanghai(in minutes: Int64) -> String {
        let minute = (Int64(Date().timeIntervalSince1970) / 60 + 480 + minutes) % 1_440
        return String(format: "%02d:%02d", Int(minute / 60), Int(minute % 60))
    }

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        try shop.posHub("store-config", "set", "--store-id", "S1", "store.timeZone=Asia/Shanghai")
        try shop.importRows(.members, "M1,13800138000,Li,0,gold", "M2,13800138001,Wu,0,")
        let (from, until) = (Self.shanghai(in: -120), Self.shanghai(in: 120))
        let rows = [
            "id,name,kind,sku,percent_basis_points,amount_minor,starts_at,ends_at,offline,min_amount_minor,"
                + "from_time,until_time,member_tiers,group,exclusive",
            "A1,Thirty off,amount,\(Self.cup.sku),,30,,,true,,,,,cups,",
            "A2,Ten percent,percent,\(Self.cup.sku),1000,,,,true,,,,,cups,",
            "E,Expired,amount,,,50,,2020-01-01T00:00:00Z,true,,,,,,",
            "G,Gold price,price,\(Self.tea.sku),,1000,,,true,,,,gold,,",
            "H,Happy hour,amount,,,7,,,true,,\(from),\(until),,,",
            "N,Closed now,percent,,5000,,,,true,,\(until),\(from),,,",
            "T,Ten off ninety,amount,,,1000,,,true,9000,,,,,",
            "X,Alone,amount,\(Self.cake.sku),,200,,,true,,,,,,true",
        ]
        try importPromotions(rows, into: shop)
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    private func importPromotions(_ rows: [String], into shop: ShopUnderTest) throws {
        let file = shop.folder.path("terms.csv")
        try rows.joined(separator: "\n").appending("\n").write(
            toFile: file, atomically: true, encoding: .utf8)
        try shop.posHub("import", "promotions", file)
        _ = try shop.document("sync", "now")
    }

    private static let carts: [(arguments: [String], total: Int64, names: Set<String>)] = [
        (["--line", tea.barcode + ":8"], 8_993, ["Happy hour", "Ten off ninety"]),
        (["--line", tea.barcode + ":8", "--member", "M1"], 7_993, ["Gold price", "Happy hour"]),
        (["--line", tea.barcode + ":8", "--member", "M2"], 8_993, ["Happy hour", "Ten off ninety"]),
        (["--line", tea.barcode + ":7"], 8_743, ["Happy hour"]),
        (["--line", cup.barcode], 352, ["Happy hour", "Ten percent"]),
        (["--line", cake.barcode], 133, ["Alone"]),
    ]

    private func total(_ document: JSONValue) -> Int64? { document["total"]?["amount"]?.integer }

    private func names(_ sale: JSONValue) -> Set<String> {
        Set(
            (sale["lines"]?.array ?? []).flatMap { $0["offers"]?.array ?? [] }.compactMap {
                $0["name"]?.string
            })
    }

    @Test("Give the same with the hub and without, name it on the receipt, and stop when it is withdrawn")
    func terms() throws {
        let shop = try shop()
        var sold: Int64 = 0
        for mode in ["online", "offline"] {
            if mode == "offline" { _ = try shop.document("offline", "on") }
            for cart in Self.carts {
                let quote = try ProgramUnderTest.document(shop, ["quote"] + cart.arguments)
                #expect(total(quote) == cart.total, "\(mode): \(cart.arguments)")
                let sale = try ProgramUnderTest.document(shop, ["sell"] + cart.arguments)
                #expect(total(sale) == cart.total && names(sale) == cart.names, "\(mode): \(names(sale))")
                #expect(sale["mode"]?.string == mode)
                for name in cart.names { #expect(sale["receipt"]?.string?.contains(name) == true) }
                sold += cart.total
            }
        }
        _ = try shop.document("offline", "off")
        try shop.posHub("withdraw", "promotion", "T")
        try shop.waitUntilDrained(within: 30)
        #expect(total(try shop.document("quote", "--line", Self.tea.barcode + ":8")) == 9_993)
        _ = try shop.document("sync", "now")
        _ = try shop.document("offline", "on")
        #expect(total(try shop.document("quote", "--line", Self.tea.barcode + ":8")) == 9_993)
        let audit = try shop.audit()
        #expect(audit.total == sold && audit.rejected == 0)
    }

    /// Promotions of every kind, limit and competition, as rows of a file.
    private func drawnPromotions(_ random: inout SplitMix64) -> [String] {
        let hours = [("", ""), ("", ""), (Self.shanghai(in: -120), Self.shanghai(in: 120))]
        return (0..<60).map { number in
            func drawn(_ choices: String...) -> String { choices[Int(random.below(UInt64(choices.count)))] }
            let kind = drawn("percent", "amount", "bundle", "price")
            let sku = Article.assortment[Int(random.below(7))].sku
            let sum = kind == "price" ? "" : drawn("", "", "2000", "6000")
            let (from, until) = hours[Int(random.below(3))]
            return [
                "D\(number)", "Drawn \(number)", kind, kind == "price" ? sku : drawn("", sku),
                kind == "percent" ? "\(100 + random.below(900))" : "",
                kind == "percent" ? "" : "\(1 + random.below(200))",
                kind == "bundle" && sum.isEmpty ? "2000" : drawn("", "1000"), "true", sum, from, until,
                drawn("", "", "gold"), drawn("", "", "g0", "g1"), "",
            ].joined(separator: ",")
        }
    }

    @Test("Give drawn carts the same under drawn promotions, with the hub and without")
    func drawn() throws {
        let shop = try shop()
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SplitMix64(seed: seed)
        let header =
            "id,name,kind,sku,percent_basis_points,amount_minor,min_quantity_milli,offline,min_amount_minor,"
            + "from_time,until_time,member_tiers,group,exclusive"
        try importPromotions([header] + drawnPromotions(&random), into: shop)
        let carts: [String] = (0..<60).map { number in
            let lines = (0...random.below(6)).map { _ in
                SaleLineRequest(
                    article: Article.assortment[Int(random.below(7))],
                    quantityMilli: 1000 * Int64(1 + random.below(4)))
            }
            var cart: JSONObject = ["lines": .array(lines.map(\.json))]
            if number % 3 > 0 { cart["memberId"] = number % 3 == 1 ? "M1" : "M2" }
            return JSONValue.object(cart).canonicalText
        }
        func sell(_ mode: JSONValue) throws -> [JSONValue] {
            let end = try shop.pos("sell", "--stdin", "--json", input: carts)
            try #require(end.output.count == carts.count, "\(end.errors)")
            let sales = try end.output.map { try JSONParser.parse($0.utf8) }
            #expect(sales.allSatisfy { $0["mode"] == mode })
            return sales
        }
        let online = try sell("online")
        _ = try shop.document("offline", "on")
        var names: Set<String> = []
        for (here, there) in zip(online, try sell("offline")) {
            for figure in ["total", "tax", "lines", "points"] {
                #expect(here[figure] == there[figure], "\(figure), seed \(seed)")
            }
            names.formUnion(self.names(here))
        }
        #expect(names.count > 10, "\(names)")
    }
}

extension ProgramUnderTest {
    /// The one document of a command of `pos`.
    fileprivate static func document(_ shop: ShopUnderTest, _ arguments: [String]) throws -> JSONValue {
        let end = try shop.pos(arguments + ["--json"])
        #expect(end.exitCode == 0, "\(arguments): \(end.errors)")
        return try end.document()
    }
}
