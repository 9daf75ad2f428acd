internal import HubCore
internal import HubProtocol
internal import HubServer
internal import Pricing

extension ProductFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .products }
    static func list(of records: [ProductRecord]) -> ImportedList { .products(records) }

    /// No country taxes more than what is sold is worth; a percent that was entered as basis points of
    /// basis points does.
    static func warning(about records: [ProductRecord]) -> String? {
        let high = records.filter { $0.taxBasisPoints > 10_000 }
        guard let first = high.first else { return nil }
        return
            "\(high.count) articles are taxed above 100 %, \(first.sku) first: the column counts hundredths of a "
            + "percent"
    }
}

extension MemberFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .members }
    static func list(of records: [MemberEntry]) -> ImportedList { .members(records) }
}

extension CashierFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .cashiers }
    static func list(of records: [CashierEntry]) -> ImportedList { .cashiers(records) }
}

extension PromotionFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .promotions }
    static func list(of records: [Promotion]) -> ImportedList { .promotions(records) }
}

extension PriceFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .prices }
    static func list(of records: [PriceRecord]) -> ImportedList { .prices(records) }
}

extension ListingFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .listings }
    static func list(of records: [ListingRecord]) -> ImportedList { .listings(records) }
}

extension StockFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .stocks }
    static func list(of records: [StockRecord]) -> ImportedList { .stocks(records) }
}

extension CouponFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .coupons }
    static func list(of records: [Coupon]) -> ImportedList { .coupons(records) }

    static func warning(about records: [Coupon]) -> String? {
        let short = records.count { $0.code.count { !$0.isWhitespace } < shortestSafeCode }
        guard short > 0 else { return nil }
        return "\(short) \(short == 1 ? "code has" : "codes have") fewer than "
            + "\(shortestSafeCode) characters: "
            + "whoever has a terminal's disk can find them by trying"
    }
}
