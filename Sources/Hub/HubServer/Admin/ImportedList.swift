package import HubCore
package import HubProtocol
package import Pricing

/// What an import brings, of one kind.
package enum ImportedList: Hashable, Sendable {
    case products([ProductRecord])
    case members([MemberEntry])
    /// With their PINs, which go no further than the hub that hashes them.
    case cashiers([CashierEntry])
    case promotions([Promotion])
    case coupons([Coupon])
    case prices([PriceRecord])
    case listings([ListingRecord])
    case stocks([StockRecord])

    /// The raw value is the kind's name on the command line.
    package enum Kind: String, Sendable, CaseIterable {
        case products
        case members
        case cashiers
        case promotions
        case coupons
        case prices
        case listings
        case stocks

        /// One of them: the name of the feed's entity, `cashier` for cashiers.
        package var entity: String { String(rawValue.dropLast()) }

        /// The kind with this name, or with this name of one: `cashiers` and `cashier`.
        package init?(name: String) {
            guard let kind = Self.allCases.first(where: { $0.rawValue == name || $0.entity == name }) else {
                return nil
            }
            self = kind
        }

        /// The name of the call that imports it.
        var call: String { "import-" + rawValue }

        /// The kind of the call with this name; nil for another call.
        init?(call name: String) {
            guard let kind = Self.allCases.first(where: { $0.call == name }) else { return nil }
            self = kind
        }
    }

    /// The kind of all its records; a list never mixes kinds.
    package var kind: Kind {
        switch self {
        case .products: .products
        case .members: .members
        case .cashiers: .cashiers
        case .promotions: .promotions
        case .coupons: .coupons
        case .prices: .prices
        case .listings: .listings
        case .stocks: .stocks
        }
    }

    var count: Int { records.count }

    var json: JSONValue { [kind.rawValue: .array(records)] }

    private var records: [JSONValue] {
        switch self {
        case .products(let list): list.map(\.json)
        case .members(let list): list.map(\.json)
        case .cashiers(let list): list.map(\.json)
        case .promotions(let list): list.map(\.json)
        case .coupons(let list): list.map(\.json)
        case .prices(let list): list.map(\.json)
        case .listings(let list): list.map(\.json)
        case .stocks(let list): list.map(\.json)
        }
    }

    init(emptyOf kind: Kind) {
        switch kind {
        case .products: self = .products([])
        case .members: self = .members([])
        case .cashiers: self = .cashiers([])
        case .promotions: self = .promotions([])
        case .coupons: self = .coupons([])
        case .prices: self = .prices([])
        case .listings: self = .listings([])
        case .stocks: self = .stocks([])
        }
    }

    init(_ kind: Kind, json: JSONValue) throws(ShapeError) {
        let records = try json.requiredArray(kind.rawValue)
        switch kind {
        case .products: self = .products(try Self.read(records, by: ProductRecord.init(json:)))
        case .members: self = .members(try Self.read(records, by: MemberEntry.init(json:)))
        case .cashiers: self = .cashiers(try Self.read(records, by: CashierEntry.init(json:)))
        case .promotions: self = .promotions(try Self.read(records, by: Promotion.init(json:)))
        case .coupons: self = .coupons(try Self.read(records, by: Coupon.init(json:)))
        case .prices: self = .prices(try Self.read(records, by: PriceRecord.init(json:)))
        case .listings: self = .listings(try Self.read(records, by: ListingRecord.init(json:)))
        case .stocks: self = .stocks(try Self.read(records, by: StockRecord.init(json:)))
        }
    }

    private static func read<Record>(
        _ records: [JSONValue], by reader: (JSONValue) throws(ShapeError) -> Record
    ) throws(ShapeError) -> [Record] {
        var list: [Record] = []
        list.reserveCapacity(records.count)
        for record in records { list.append(try reader(record)) }
        return list
    }
}
