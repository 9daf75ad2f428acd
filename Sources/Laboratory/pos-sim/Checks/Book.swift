/// What was sold, kept by arithmetic of its own: what the customers paid and got back, whatever tills and
/// hub say.
@MainActor
final class Book {
    /// An article of the shop.
    struct Article {
        let sku: String
        let barcode: String
        /// Minor units of a whole unit.
        let price: Int64
    }

    /// A sale that a till confirmed.
    struct Sold {
        let till: Int
        let key: String
        let orderId: String
        let number: String
        let total: Int64
        var isVoid = false
        var refunded: Int64 = 0
        /// What came back, by the refund's key.
        var refunds: [String: Int64] = [:]
    }

    static let articles = (1...24).map { index in
        Article(
            sku: "S\(index)", barcode: String(4_000_000_000_000 + index * 10 + checkDigit(index)),
            price: Int64(25 + index * 37 % 900))
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

    func void(_ key: String) { if let place = places[key] { sold[place].isVoid = true } }

    func refund(_ key: String, _ amount: Int64, by refund: String) {
        guard let place = places[key], sold[place].refunds[refund] == nil else { return }
        sold[place].refunds[refund] = amount
        sold[place].refunded += amount
    }

    /// Sales that are not void, less what came back.
    func net(of till: Int? = nil) -> Int64 {
        sold.reduce(0) { sum, sale in
            guard till == nil || sale.till == till, !sale.isVoid else { return sum }
            return sum + sale.total - sale.refunded
        }
    }
}
