import Base
import HubProtocol

/// One line of a sale as a test requests it, and its expected amount.
struct SaleLineRequest {
    let article: Article
    var quantityMilli: Int64 = 1000
    var discountMinor: Int64 = 0

    /// Unit price times quantity, rounded half away from zero, less the discount.
    var total: Int64 { (article.price * quantityMilli + 500) / 1000 - discountMinor }

    var json: JSONValue {
        var members: JSONObject = ["barcode": .string(article.barcode)]
        if quantityMilli != 1000 { members["quantityMilli"] = .integer(quantityMilli) }
        if discountMinor != 0 { members["discountMinor"] = .integer(discountMinor) }
        return .object(members)
    }
}

/// Keys and requests for sales.
enum SaleRequests {
    /// A key that no other sale has.
    static func key() -> String {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: 1_790_000_000_000, using: &generator).description
    }

    static func request(_ lines: [SaleLineRequest], key: String? = nil) -> JSONValue {
        ["key": .string(key ?? Self.key()), "lines": .array(lines.map(\.json))]
    }

    /// A sale of one piece of article `index` of the assortment, wrapped around.
    static func piece(_ index: Int = 0, key: String? = nil) -> JSONValue {
        let pieces = Article.assortment.filter { !$0.isDivisible }
        return request([SaleLineRequest(article: pieces[index % pieces.count])], key: key)
    }
}
