internal import HubCore
internal import HubProtocol
internal import HubServer
internal import Pricing

extension ProductFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .products }
    static func list(of records: [ProductRecord]) -> ImportedList { .products(records) }
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

extension CouponFormat: ImportableFormat {
    static var kind: ImportedList.Kind { .coupons }
    static func list(of records: [Coupon]) -> ImportedList { .coupons(records) }

    static func warning(about records: [Coupon]) -> String? {
        let short = records.count { $0.code.count { !$0.isWhitespace } < shortestSafeCode }
        guard short > 0 else { return nil }
        return "\(short) codes have fewer than \(shortestSafeCode) characters: "
            + "whoever has a terminal's disk can find them by trying"
    }
}
