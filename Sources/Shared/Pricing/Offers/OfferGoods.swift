/// The lines of a sale in an order of their own, so that the same goods give the same amounts in whatever
/// order they were scanned.
struct OfferGoods {
    let lines: [Basket.Line]
    /// Places in ``lines``: by article, department, quantity and price.
    let order: [Int]
    /// Places in ``order``'s order.
    private(set) var bySKU: [String: [Int]] = [:]
    /// Likewise; lines without a department are not in it.
    private(set) var byDepartment: [String: [Int]] = [:]
    /// What all lines cost, as far as money can hold it.
    let worth: Int64

    init(_ lines: [Basket.Line]) {
        self.lines = lines
        order = lines.indices.sorted { Self.precedes(lines[$0], lines[$1]) ?? ($0 < $1) }
        worth = (try? MoneyRange.sum(lines.lazy.map { max(0, $0.price) })) ?? MoneyRange.maximum
        for place in order {
            bySKU[lines[place].sku, default: []].append(place)
            guard !lines[place].department.isEmpty else { continue }
            byDepartment[lines[place].department, default: []].append(place)
        }
    }

    /// Nil: they are alike.
    private static func precedes(_ one: Basket.Line, _ other: Basket.Line) -> Bool? {
        if one.sku != other.sku { return one.sku < other.sku }
        if one.department != other.department { return one.department < other.department }
        if one.quantityMilli != other.quantityMilli { return one.quantityMilli < other.quantityMilli }
        return one.price == other.price ? nil : one.price < other.price
    }

    /// The places of the lines that `promotion` reaches, in ``order``.
    func reached(by promotion: Promotion) -> [Int] {
        guard let sku = promotion.sku else {
            return promotion.department.map { byDepartment[$0] ?? [] } ?? order
        }
        let places = bySKU[sku] ?? []
        guard let department = promotion.department else { return places }
        return places.filter { lines[$0].department == department }
    }
}
