import Foundation
import HubProtocol

/// A basket as it was recorded at a till: each line with what it cost and what the customer paid for it.
struct RecordedBasket {
    struct Line {
        let product: String
        /// Whole pieces; 1 where the record has no exact unit price, with the line's gross as its price.
        let pieces: Int64
        let unitPrice: Int64
        let paid: Int64

        var discount: Int64 { pieces * unitPrice - paid }
    }

    let id: String
    var lines: [Line] = []

    var paid: Int64 { lines.reduce(0) { $0 + $1.paid } }

    var request: JSONValue {
        [
            "key": .string(SaleRequests.key()),
            "lines": .array(
                lines.map {
                    [
                        "barcode": .string($0.product), "quantityMilli": .integer(1000 * $0.pieces),
                        "unitPriceMinor": .integer($0.unitPrice), "discountMinor": .integer($0.discount),
                        "discountReason": "as recorded",
                    ]
                }),
        ]
    }
}

/// Reads recorded baskets from the file that the environment names.
enum RecordedBaskets {
    /// The path in `HOLDFAST_BASKETS`; nil when it names no file.
    static var file: String? {
        ProcessInfo.processInfo.environment["HOLDFAST_BASKETS"].flatMap {
            FileManager.default.fileExists(atPath: $0) ? $0 : nil
        }
    }

    /// The first baskets of the file. One with a coupon above its line is left out: a till refuses that.
    static func read(first count: Int) throws -> [RecordedBasket] {
        let text = try String(contentsOfFile: file ?? "", encoding: .utf8)
        var rows = text.split(separator: "\n", maxSplits: count * 40).dropLast().makeIterator()
        let columns = (rows.next() ?? "").split(separator: ",").map(String.init)
        var baskets: [RecordedBasket] = []
        while let row = rows.next(), baskets.count <= 2 * count {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let record = Dictionary(uniqueKeysWithValues: zip(columns, cells))
            let id = record["basket_id"] ?? ""
            if baskets.last?.id != id { baskets.append(RecordedBasket(id: id)) }
            baskets[baskets.count - 1].lines.append(line(record))
        }
        let whole = baskets.dropLast().filter { $0.lines.allSatisfy { $0.discount >= 0 && $0.paid >= 0 } }
        return Array(whole.prefix(count))
    }

    /// An article for every product of `baskets`.
    static func articles(of baskets: [RecordedBasket]) -> [Article] {
        Set(baskets.flatMap(\.lines).map(\.product)).sorted().enumerated().map { index, product in
            Article(index, price: 100, barcode: product)
        }
    }

    private static func line(_ record: [String: String]) -> RecordedBasket.Line {
        func number(_ name: String) -> Int64 { record[name].flatMap { Int64($0) } ?? 0 }
        let isExact = number("unit_exact") == 1 && number("quantity") > 0
        return RecordedBasket.Line(
            product: record["product_id"] ?? "", pieces: isExact ? number("quantity") : 1,
            unitPrice: isExact ? number("unit_price_cents") : number("gross_cents"),
            paid: number("customer_paid_cents"))
    }
}
