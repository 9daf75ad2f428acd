import Foundation
import Pricing
import Testing

/// The offers of recorded sales: what a shop's till took off by the customer's card and by coupons is what
/// the rules take off. `HOLDFAST_BASKETS` names the file, as for the baskets of the programs.
@Suite struct RecordedOfferTests {
    private static var file: String? {
        ProcessInfo.processInfo.environment["HOLDFAST_BASKETS"].flatMap {
            FileManager.default.fileExists(atPath: $0) ? $0 : nil
        }
    }

    /// A line as it was recorded, in minor units.
    private struct Recorded {
        let product: String
        let quantity: Int64
        let gross: Int64
        /// Off with the customer's card: the price for members.
        let byCard: Int64
        let byCoupon: Int64

        init?(_ cells: [String: String]) {
            func number(_ name: String) -> Int64 { cells[name].flatMap { Int64($0) } ?? 0 }
            product = cells["product_id"] ?? ""
            (quantity, gross) = (number("quantity"), number("gross_cents"))
            byCard = number("retail_disc_cents") + number("coupon_match_disc_cents")
            byCoupon = number("coupon_disc_cents")
            // What was returned, weighed or given below nothing is another test's.
            guard number("unit_exact") == 1, quantity > 0, byCard >= 0, byCoupon >= 0,
                gross - byCard >= byCoupon
            else { return nil }
        }

        /// A whole number of minor units for one piece, where the record has one.
        var memberPrice: Int64? {
            byCard > 0 && (gross - byCard) % quantity == 0 && gross > byCard
                ? (gross - byCard) / quantity : nil
        }
    }

    /// Baskets whose lines are all readable and of different articles, with a card or coupon in use.
    private static func baskets() throws -> [[Recorded]] {
        let text = try String(contentsOfFile: file ?? "", encoding: .utf8)
        var rows = text.split(separator: "\n").makeIterator()
        let columns = (rows.next() ?? "").split(separator: ",").map(String.init)
        var byId: [(id: String, lines: [Recorded?])] = []
        while let row = rows.next() {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let record = Dictionary(uniqueKeysWithValues: zip(columns, cells))
            let id = record["basket_id"] ?? ""
            if byId.last?.id != id { byId.append((id, [])) }
            byId[byId.count - 1].lines.append(Recorded(record))
        }
        return byId.compactMap { basket in
            let lines = basket.lines.compactMap(\.self)
            let isReadable =
                lines.count == basket.lines.count && Set(lines.map(\.product)).count == lines.count
            return isReadable && lines.contains { $0.byCard + $0.byCoupon > 0 } ? lines : nil
        }
    }

    private static func offers(of lines: [Recorded]) -> ([Promotion], [Coupon]) {
        var (promotions, coupons): ([Promotion], [Coupon]) = ([], [])
        func add(_ id: String, _ reduction: Promotion.Reduction, _ sku: String, isCoupon: Bool) {
            promotions.append(
                Promotion(
                    id: id, name: id, reduction: reduction, sku: sku, department: nil,
                    minimumQuantityMilli: 0, startsAt: nil, endsAt: nil, worksOffline: true,
                    needsCoupon: isCoupon, audience: isCoupon ? .everyone : .members))
            guard isCoupon else { return }
            coupons.append(
                Coupon(
                    code: id, promotionId: id, memberId: nil, maximumUses: nil, uses: 0, expiresAt: nil,
                    worksOffline: true))
        }
        for line in lines {
            if let price = line.memberPrice {
                add("card-\(line.product)", .price(price), line.product, isCoupon: false)
            } else if line.byCard > 0 {
                add("card-\(line.product)", .amount(line.byCard), line.product, isCoupon: false)
            }
            if line.byCoupon > 0 {
                add("coupon-\(line.product)", .amount(line.byCoupon), line.product, isCoupon: true)
            }
        }
        return (promotions, coupons)
    }

    @Test(
        "Recorded customers pay what they paid, by prices for members and coupons, and less is off without a card",
        .enabled(
            if: RecordedOfferTests.file != nil,
            "set HOLDFAST_BASKETS to a CSV file of recorded retail baskets"))
    func recorded() throws {
        let all = try Self.baskets()
        // Every one with coupons, and enough of the others for a minute.
        let baskets = all.filter { $0.contains { $0.byCoupon > 0 } } + all.prefix(2_000)
        #expect(baskets.count > 1_000)
        // The promotions of other sales lie beside those of this one, as in a shop.
        let others = all.prefix(20).flatMap { Self.offers(of: $0).0 }
        for lines in baskets {
            let (promotions, coupons) = Self.offers(of: lines)
            let skus = Set(lines.map(\.product))
            let all = promotions + others.filter { !skus.contains($0.sku ?? "") }
            let offers = Offers(promotions: all, coupons: coupons)
            func off(isMember: Bool) throws -> [Int64] {
                let basket = Basket(
                    lines: lines.map {
                        Basket.Line(
                            sku: $0.product, department: "", quantityMilli: 1_000 * $0.quantity,
                            price: $0.gross)
                    }, coupons: coupons.map(\.code), memberId: isMember ? "m" : nil,
                    membership: isMember ? .init(tier: nil) : nil, moment: 0, isOffline: true)
                return try offers.reductions(for: basket).lines.map { $0.reduce(0) { $0 + $1.amount } }
            }
            #expect(try off(isMember: true) == lines.map { $0.byCard + $0.byCoupon })
            #expect(try off(isMember: false) == lines.map(\.byCoupon))
        }
    }
}
