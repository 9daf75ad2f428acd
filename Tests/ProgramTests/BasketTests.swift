import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Baskets through the stream, to the cent.
@Suite("Baskets to the cent", .onStage)
struct BasketTests {
    @Test("Two hundred made-up baskets have the totals, tax and change that their lines come to")
    func madeUpBaskets() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        var random = SplitMix64(seed: 2026)
        let baskets = (0..<200).map { _ in MadeUpBasket(&random) }
        let end = try shop.pos("sell", "--stdin", "--json", input: baskets.map(\.request.canonicalText))
        #expect(end.exitCode == 0)
        try #require(end.output.count == baskets.count)
        for (basket, line) in zip(baskets, end.output) {
            let sale = try JSONParser.parse(line.utf8)
            #expect(sale["total"]?["amount"]?.integer == basket.total)
            #expect(sale["tax"]?["amount"]?.integer == basket.tax)
            #expect(sale["change"]?["amount"]?.integer == basket.tendered - basket.total)
            #expect(sale["lines"]?.array?.map { $0["total"]?.integer } == basket.lines.map(\.total))
        }
        try shop.waitUntilDrained(within: 60)
        let audit = try shop.audit()
        #expect(audit.orders == 200)
        #expect(audit.total == baskets.reduce(0) { $0 + $1.total })
    }

    @Test("Cash is rounded to the smallest coin on a line of its own")
    func cashRounding() throws {
        let shop = try ShopUnderTest(settings: .hurried.with(["POS_CASH_ROUNDING_MINOR": "5"]))
        let due: [(article: Int, rounding: Int64)] = [(0, 0), (1, 1), (2, -1), (5, 2), (6, -2)]
        for (index, rounding) in due {
            let article = Article.assortment[index]
            let sale = try shop.document("sell", "--line", article.barcode, "--pay", "cash:100000")
            #expect(sale["total"]?["amount"]?.integer == article.price)
            #expect(sale["cashRounding"]?["amount"]?.integer == rounding)
            #expect(sale["change"]?["amount"]?.integer == 100_000 - article.price - rounding)
        }
    }

    @Test(
        "Real baskets have the totals that their customers paid",
        .enabled(
            if: RecordedBaskets.file != nil, "set HOLDFAST_BASKETS to a CSV file of recorded retail baskets"))
    func recordedBaskets() throws {
        let baskets = try RecordedBaskets.read(first: 400)
        let shop = try ShopUnderTest(articles: RecordedBaskets.articles(of: baskets))
        _ = try shop.document("offline", "on", "--reason", "baskets")
        let end = try shop.pos("sell", "--stdin", "--json", input: baskets.map(\.request.canonicalText))
        #expect(end.exitCode == 0)
        try #require(end.output.count == baskets.count)
        for (basket, line) in zip(baskets, end.output) {
            let sale = try JSONParser.parse(line.utf8)
            #expect(
                sale["total"]?["amount"]?.integer == basket.paid, "basket \(basket.id): \(line.prefix(200))")
        }
        _ = try shop.document("offline", "off")
        try shop.startAgent()
        try shop.waitUntilDrained(within: 60)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(baskets.count))
        #expect(audit.total == baskets.reduce(0) { $0 + $1.paid })
        #expect(audit.isComplete)
    }
}

/// One to nine lines of the assortment with quantities, discounts and a round tender.
private struct MadeUpBasket {
    let lines: [SaleLineRequest]
    let tendered: Int64

    init(_ random: inout SplitMix64) {
        lines = (0...random.below(9)).map { _ in
            let article = Article.assortment[Int(random.below(UInt64(Article.assortment.count)))]
            let quantity =
                article.isDivisible
                ? Int64(1 + random.below(7999)) : 1000 * Int64(1 + random.below(5))
            var line = SaleLineRequest(article: article, quantityMilli: quantity)
            if random.below(3) == 0 { line.discountMinor = Int64(random.below(UInt64(line.total + 1))) }
            return line
        }
        let total = lines.reduce(0) { $0 + $1.total }
        tendered = (total + 9999) / 10_000 * 10_000
    }

    var total: Int64 { lines.reduce(0) { $0 + $1.total } }

    /// Taken out of what is paid at each rate, rounded half up once a rate.
    var tax: Int64 {
        Dictionary(grouping: lines, by: \.article.taxBasisPoints).reduce(0) { sum, group in
            let paid = group.value.reduce(0) { $0 + $1.total }
            let divisor = 10_000 + group.key
            return sum + (2 * paid * group.key + divisor) / (2 * divisor)
        }
    }

    var request: JSONValue {
        [
            "key": .string(SaleRequests.key()), "lines": .array(lines.map(\.json)),
            "payments": [["method": "cash", "amountMinor": .integer(tendered)]],
        ]
    }
}
