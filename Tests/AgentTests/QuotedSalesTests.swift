import AgentAPI
import Base
import Foundation
import HubCore
import HubProtocol
import OfflineMode
import Pricing
import TestKit
import Testing

@testable import Agent

@Suite("A quote and the sale that follows", .timeLimit(.minutes(5)))
struct QuotedSalesTests {
    @Test("are equal to the cent, and the hub finds no sum that differs", arguments: [1, 2, 3] as [UInt64])
    func generated(seed: UInt64) async throws {
        var shop = GeneratedShop(seed: seed)
        let baskets = (0..<60).map { _ in shop.basket() }
        #expect(try await sold(baskets, in: GeneratedShop.feed) >= 40)
    }

    @Test(
        "are equal for recorded baskets too", .timeLimit(.minutes(5)),
        .enabled(if: RecordedSales.file != nil, "HOLDFAST_BASKETS names no file of recorded baskets"))
    func recorded() async throws {
        let recorded = try RecordedSales.read(first: 400)
        let count = try await sold(recorded.baskets, in: recorded.feed)
        print(
            "recorded baskets: \(count) of \(recorded.baskets.count) sold, the others refused by quote and sale"
        )
        #expect(count > recorded.baskets.count / 2)
    }

    /// Quotes and sells each basket, compares the two, then gives what was recorded to the hub's rules.
    ///
    /// - Returns: how many were sold.
    private func sold(_ baskets: [SellCall], in feed: [Change]) async throws -> Int {
        let till = try await AgentUnderTest(feed: feed)
        var count = 0
        for basket in baskets where try await isSold(basket, at: till) { count += 1 }
        await till.stop()
        let entries = try await till.pending()
        #expect(entries.count == count)
        for entry in entries {
            let mutation = try Mutation(json: JSONParser.parse(entry.body))
            guard case .accepted(let flags, _) = IntakeRules.assess(mutation) else {
                Issue.record("the hub refuses \(mutation.payload)")
                continue
            }
            #expect(flags.isEmpty, "\(mutation.payload)")
        }
        return count
    }

    private func isSold(_ basket: SellCall, at till: AgentUnderTest) async throws -> Bool {
        let quoting = QuoteCall(basket)
        let quoted = await till.agent.handler.handle(quoting.request)
        let selling = await till.agent.handler.handle(basket.request)
        #expect(quoted.error?.code == selling.error?.code, "\(basket)")
        guard quoted.error == nil, selling.error == nil else { return false }
        let quote = try quoting.response(in: quoted)
        let sale = try basket.response(in: selling).sale
        #expect(quote.lines.map(\.json) == sale.lines.map(\.json))
        #expect(quote.total == sale.total && quote.tax == sale.tax, "\(basket)")
        #expect(quote.cashRounding == sale.cashRounding)
        #expect(quote.lines.reduce(0) { $0 + $1.total } == quote.total.amount)
        return true
    }
}

/// A shop with pieces, weighed articles, promotions of every kind, coupons and a member.
struct GeneratedShop {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    private static let departments = ["food", "drinks", "fruit", ""]

    static var feed: [Change] {
        let member: JSONValue = ["id": "M1", "name": "Li", "phone": "13800138000", "points": 0]
        var feed = (0..<24).map { RecordedSales.change("product", "S\($0)", product($0).json) }
        feed += promotions.map { RecordedSales.change("promotion", $0.id, $0.json) }
        feed += coupons.map { RecordedSales.change("coupon", $0.code, $0.json) }
        feed.append(RecordedSales.change("member", "M1", member))
        return feed
    }

    private static func product(_ number: Int) -> ProductRecord {
        let price = Int64(number) * Int64(number) * 37 + Int64(number)
        let rates: [Int64] = [0, 700, 1900]
        return ProductRecord(
            sku: "S\(number)", barcode: "A\(number)", name: "Article \(number)",
            department: departments[number % 4], priceMinor: price, currency: "EUR",
            taxBasisPoints: rates[number % 3], unit: number % 4 == 2 ? .milli : .each,
            stockMilli: number % 2 == 0 ? 5000 : nil, openPrice: isOpen(number),
            furtherBarcodes: ["B\(number)", "C\(number)"])
    }

    /// Pieces and weighed articles whose price is entered; 0 now and then, which quote and sale refuse.
    private static func isOpen(_ number: Int) -> Bool { number % 5 == 4 }

    private static let promotions = [
        promotion("P1", .percent(basisPoints: 1_250), department: "food"),
        promotion("P2", .amount(333), minimum: 3_000),
        promotion("P3", .bundle(77), sku: "S5", minimum: 2_000),
        promotion("P4", .percent(basisPoints: 3_333), department: "fruit"),
        promotion("P5", .amount(501), needsCoupon: true),
        promotion("P6", .percent(basisPoints: 1_000), sku: "S7", needsCoupon: true),
    ]

    private static let given: [(String, String, String?)] = [
        ("FIVE", "P5", nil), ("SEVEN", "P6", nil), ("MINE", "P5", "M1"),
    ]

    private static let coupons = given.map {
        Coupon(
            code: $0.0, promotionId: $0.1, memberId: $0.2, maximumUses: nil, uses: 0, expiresAt: nil,
            worksOffline: true)
    }

    private static func promotion(
        _ id: String, _ reduction: Promotion.Reduction, sku: String? = nil, department: String? = nil,
        minimum: Int64 = 0, needsCoupon: Bool = false
    ) -> Promotion {
        Promotion(
            id: id, name: "Offer \(id)", reduction: reduction, sku: sku, department: department,
            minimumQuantityMilli: minimum, startsAt: nil, endsAt: nil, worksOffline: true,
            needsCoupon: needsCoupon)
    }

    mutating func basket() -> SellCall {
        let lines = (0...random.below(7)).map { _ in line() }
        var basket = SellCall(lines: lines)
        if random.below(3) == 0 { basket.memberId = random.below(2) == 0 ? "M1" : "nobody" }
        if random.below(3) == 0 { basket.coupons = [["FIVE", "SEVEN", "MINE"][Int(random.below(3))]] }
        return basket
    }

    private mutating func line() -> EnteredLine {
        let number = random.below(24)
        let quantity = number % 4 == 2 ? Int64(1 + random.below(3_000)) : Int64(1000 * (1 + random.below(4)))
        var line = EnteredLine(
            barcode: ["A", "B", "C"][Int(random.below(3))] + "\(number)", quantityMilli: quantity)
        if random.below(5) == 0 || Self.isOpen(Int(number)) && random.below(25) > 0 {
            line.unitPriceMinor = Int64(random.below(2_000))
        }
        if random.below(6) == 0 { line.discountMinor = Int64(random.below(300)) }
        return line
    }
}

/// Baskets as they were recorded at a shop's tills, from the file that the environment names.
private struct RecordedSales {
    let baskets: [SellCall]
    let feed: [Change]

    /// The path in `HOLDFAST_BASKETS`; nil when it names no file.
    static var file: String? {
        ProcessInfo.processInfo.environment["HOLDFAST_BASKETS"].flatMap {
            FileManager.default.fileExists(atPath: $0) ? $0 : nil
        }
    }

    static func change(_ entity: String, _ id: String, _ value: JSONValue) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil, value: value)
    }

    /// The first baskets of the file, each line at its recorded price and discount. Every third product is in
    /// a department with a promotion.
    static func read(first count: Int) throws -> RecordedSales {
        let text = try String(contentsOfFile: file ?? "", encoding: .utf8)
        var rows = text.split(separator: "\n", maxSplits: count * 40).dropLast().makeIterator()
        let columns = (rows.next() ?? "").split(separator: ",").map(String.init)
        var baskets: [(id: String, lines: [EnteredLine])] = []
        var prices: [String: Int64] = [:]
        while let row = rows.next(), baskets.count <= count {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let record = Dictionary(uniqueKeysWithValues: zip(columns, cells))
            func number(_ name: String) -> Int64 { record[name].flatMap { Int64($0) } ?? 0 }
            let (id, product) = (record["basket_id"] ?? "", record["product_id"] ?? "")
            if baskets.last?.id != id { baskets.append((id, [])) }
            let isExact = number("unit_exact") == 1 && number("quantity") > 0
            let price = isExact ? number("unit_price_cents") : number("gross_cents")
            var line = EnteredLine(
                barcode: product, quantityMilli: isExact ? 1000 * number("quantity") : 1000)
            if let listed = prices[product], listed != price { line.unitPriceMinor = price }
            prices[product] = prices[product] ?? price
            line.discountMinor = number("gross_cents") - number("customer_paid_cents")
            baskets[baskets.count - 1].lines.append(line)
        }
        let products = prices.sorted { $0.key < $1.key }.enumerated().map { place, product in
            ProductRecord(
                sku: product.key, barcode: product.key, name: "Product \(product.key)",
                department: place % 3 == 0 ? "offer" : "", priceMinor: product.value, currency: "USD",
                taxBasisPoints: [0, 600][place % 2], unit: .each, stockMilli: nil)
        }
        let tenth = Promotion(
            id: "P", name: "A tenth", reduction: .percent(basisPoints: 1_000), sku: nil, department: "offer",
            minimumQuantityMilli: 0, startsAt: nil, endsAt: nil, worksOffline: true, needsCoupon: false)
        return RecordedSales(
            baskets: baskets.prefix(count).map { SellCall(lines: $0.lines) },
            feed: products.map { change("product", $0.sku, $0.json) } + [change("promotion", "P", tenth.json)]
        )
    }
}
