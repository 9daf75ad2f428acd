/// What was sold, kept by arithmetic of its own: what the customers paid and got back, whatever tills and
/// hub say.
@MainActor
final class Book {
    /// An article of the shop.
    struct Article {
        let sku: String
        let barcode: String
        /// Minor units of a whole unit, on the first day.
        let price: Int64
        /// Sold by weight rather than by the piece.
        let isWeighed: Bool
    }

    /// A line of a sale.
    struct Line {
        let barcode: String
        let quantityMilli: Int64
        let total: Int64
        /// What of its quantity came back.
        var backMilli: Int64 = 0

        var leftMilli: Int64 { quantityMilli - backMilli }

        /// What comes back for a part of what is left.
        func worth(of part: Int64) -> Int64 {
            func through(_ quantity: Int64) -> Int64 {
                (2 * total * quantity + quantityMilli) / (2 * quantityMilli)
            }
            return through(backMilli + part) - through(backMilli)
        }
    }

    /// A sale that a till confirmed.
    struct Sold {
        let till: Int
        let key: String
        /// When it was confirmed, in milliseconds of the world.
        let at: Int64
        let orderId: String
        let number: String
        /// Who sold it; nil: nobody had to sign in.
        let person: String?
        let total: Int64
        /// The card machine's code of its charge; nil: it was paid in cash.
        let card: String?
        var lines: [Line]
        var isVoid = false
        /// Its till does not have it any more, or knows less of it.
        var isLostAtTill = false
        var refunded: Int64 = 0
        /// What came back, by the refund's key.
        var refunds: [String: Int64] = [:]
    }

    static let articles = (1...24).map { index in
        Article(
            sku: "S\(index)", barcode: String(4_000_000_000_000 + index * 10 + checkDigit(index)),
            price: Int64(25 + index * 37 % 900), isWeighed: index % 3 == 0)
    }

    /// The prices that each article has had, the newest last.
    private var prices = articles.map { [$0.price] }

    /// The price of an article now, by its place.
    func price(_ place: Int) -> Int64 { prices[place].last ?? 0 }

    /// Whether an article has ever had a price.
    func hasHad(_ price: Int64, _ barcode: String) -> Bool {
        Self.articles.firstIndex { $0.barcode == barcode }.map { prices[$0].contains(price) } ?? false
    }

    func change(_ place: Int, at now: Int64) {
        prices[place].append(price(place) + 1 + now % 50)
        changed = place
    }

    /// The place of the article whose price changed last.
    private var changed = 23

    /// The articles with their prices of now, as a hub imports them. What changed last is the last: who loses
    /// the end of a feed's page shows it.
    var priceList: String {
        let header = "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli\n"
        let places = Self.articles.indices.map { (changed + 1 + $0) % Self.articles.count }
        return places.reduce(header) { text, place in
            let article = Self.articles[place]
            return text
                + "\(article.sku),\(article.barcode),Article \(article.sku),D1,\(price(place)),CNY,900,"
                + (article.isWeighed ? "milli,\n" : "each,\n")
        }
    }

    /// Only for the form of a barcode: 40000000000NN and its check digit.
    private static func checkDigit(_ index: Int) -> Int {
        let digits = String(400_000_000_000 + index).compactMap(\.wholeNumberValue)
        let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
        return (10 - sum % 10) % 10
    }

    private(set) var sold: [Sold] = []
    private var places: [String: Int] = [:]

    /// Price times quantity, half away from zero.
    static func amount(_ price: Int64, _ quantityMilli: Int64) -> Int64 {
        (price * quantityMilli + 500) / 1000
    }

    func add(_ sale: Sold) {
        places[sale.key] = sold.count
        sold.append(sale)
    }

    subscript(key: String) -> Sold? { places[key].map { sold[$0] } }

    func loseAtTill(_ till: Int) {
        for place in sold.indices where sold[place].till == till { sold[place].isLostAtTill = true }
    }

    func void(_ key: String) { if let place = places[key] { sold[place].isVoid = true } }

    /// - Parameter parts: what came back of each line.
    func refund(_ key: String, _ parts: [Int64], _ amount: Int64, by refund: String) {
        guard let place = places[key], sold[place].refunds[refund] == nil else { return }
        sold[place].refunds[refund] = amount
        sold[place].refunded += amount
        for (line, part) in parts.enumerated() { sold[place].lines[line].backMilli += part }
    }

    /// Sales that are not void, less what came back.
    func net(of till: Int? = nil) -> Int64 {
        sold.reduce(0) { sum, sale in
            guard till == nil || sale.till == till, !sale.isVoid else { return sum }
            return sum + sale.total - sale.refunded
        }
    }
}
