/// A store's promotions, so that a sale reads those alone that can reach it.
package struct PromotionIndex: Sendable {
    /// In the order of their turns.
    let promotions: [Promotion]
    /// Whether any is given of itself, without a coupon.
    package let hasFreePromotions: Bool
    /// Whether any is for members.
    package let concernsMembers: Bool
    /// How many there are.
    package var count: Int { promotions.count }
    /// How many a till without its hub may give.
    package let offlineCount: Int
    /// Places in ``promotions`` of those that are given of themselves, by the one article that they reach.
    private var bySKU: [String: [Int]] = [:]
    /// Of the others, by their one department.
    private var byDepartment: [String: [Int]] = [:]
    /// Those that reach every line, by the amount from which on they are given.
    private var general: [(minimum: Int64, place: Int)] = []
    private var byId: [String: Int] = [:]

    /// - Parameter promotions: all that may be given, in any order; their ids differ.
    package init(_ promotions: [Promotion]) {
        self.promotions = promotions.sorted { $0.precedes($1) }
        hasFreePromotions = promotions.contains { !$0.needsCoupon }
        offlineCount = promotions.count { $0.worksOffline }
        concernsMembers = promotions.contains { $0.audience != .everyone }
        for (place, promotion) in self.promotions.enumerated() {
            byId[promotion.id] = place
            guard !promotion.needsCoupon else { continue }
            if let sku = promotion.sku {
                bySKU[sku, default: []].append(place)
            } else if let department = promotion.department {
                byDepartment[department, default: []].append(place)
            } else {
                general.append((promotion.minimumAmount, place))
            }
        }
        general.sort { ($0.minimum, $0.place) < ($1.minimum, $1.place) }
    }

    /// The promotion with this id; nil: there is none.
    func promotion(_ id: String) -> Promotion? { byId[id].map { promotions[$0] } }

    /// Those given of themselves that can reach a line of `goods`, in the order of their turns. A general one
    /// that wants more than the whole sale costs is left out.
    func reaching(_ goods: OfferGoods) -> [Promotion] {
        var places: [Int] = []
        for sku in goods.bySKU.keys { places += bySKU[sku] ?? [] }
        for department in goods.byDepartment.keys { places += byDepartment[department] ?? [] }
        for (minimum, place) in general {
            guard minimum <= goods.worth else { break }
            places.append(place)
        }
        places.sort()
        return places.map { promotions[$0] }
    }
}
