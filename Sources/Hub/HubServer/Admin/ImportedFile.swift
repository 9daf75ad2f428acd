internal import HubCore
internal import HubProtocol

/// A file of master data as a list of its kind, with the lines of its records.
struct ImportedFile {
    let list: ImportedList
    /// The ids of the records that the file withdraws.
    let withdrawn: [String]
    /// The line of each record of the list.
    let lines: [Int]

    init(_ bytes: [UInt8], of kind: ImportedList.Kind) throws(ImportMistakes) {
        switch kind {
        case .products: self = try Self.read(bytes, ProductFormat.self, ImportedList.products)
        case .members: self = try Self.read(bytes, MemberFormat.self, ImportedList.members)
        case .cashiers: self = try Self.read(bytes, CashierFormat.self, ImportedList.cashiers)
        case .promotions: self = try Self.read(bytes, PromotionFormat.self, ImportedList.promotions)
        case .coupons: self = try Self.read(bytes, CouponFormat.self, ImportedList.coupons)
        case .prices: self = try Self.read(bytes, PriceFormat.self, ImportedList.prices)
        case .listings: self = try Self.read(bytes, ListingFormat.self, ImportedList.listings)
        case .stocks: self = try Self.read(bytes, StockFormat.self, ImportedList.stocks)
        }
    }

    private init(list: ImportedList, withdrawn: [String], lines: [Int]) {
        self.list = list
        self.withdrawn = withdrawn
        self.lines = lines
    }

    private static func read<Format: ImportFormat>(
        _ bytes: [UInt8], _ format: Format.Type, _ list: ([Format.Record]) -> ImportedList
    ) throws(ImportMistakes) -> ImportedFile {
        let content = try ImportContent(bytes, as: format)
        return ImportedFile(
            list: list(content.records), withdrawn: content.withdrawn, lines: content.lines)
    }
}
