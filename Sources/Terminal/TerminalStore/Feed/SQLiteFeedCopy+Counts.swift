internal import Credentials
internal import GRDB
internal import HubProtocol
internal import Pricing
public import Retail

/// The people and offers that a terminal has without its hub.
public struct FeedCopyCounts: Hashable, Sendable {
    /// Cashiers in the copy, those in ``unreadableCashiers`` included.
    public let cashiers: Int
    /// Cashiers without a PIN that could be checked: their rows cannot be read.
    public let unreadableCashiers: Int
    /// Ids of cashiers whose verifier is weaker than that of a PIN that is imported today, sorted.
    public let cheapCashiers: [String]
    /// Members in the copy.
    public let members: Int
    /// Promotions that this version can read.
    public let promotions: Int
    /// Of ``promotions`` those that are given without the hub.
    public let offlinePromotions: Int
    /// Coupons in the copy.
    public let coupons: Int
}

extension SQLiteFeedCopy {
    /// Counts members and coupons on the disk and the rest in memory, as of the latest ``refresh()``.
    public func counts() async throws(CatalogueError) -> FeedCopyCounts {
        let kept = holdings
        let (members, coupons) = try await database.catalogueRead { connection in
            (try Self.count("member", in: connection), try Self.count("coupon", in: connection))
        }
        return FeedCopyCounts(
            cashiers: kept.cashiers.count,
            unreadableCashiers: kept.cashiers.count { Self.work(of: $0.value) == nil },
            cheapCashiers: kept.cashiers.values.filter { cashier in
                Self.work(of: cashier).map { $0 < SealedPIN.fullWork } ?? false
            }.map(\.id).sorted(),
            members: members, promotions: kept.promotions.count,
            offlinePromotions: kept.promotions.count { $0.worksOffline }, coupons: coupons)
    }

    private static func work(of cashier: Cashier) -> Int64? {
        cashier.verifier.flatMap { SealedPIN(text: $0).work }
    }

    private static func count(_ entity: String, in connection: Database) throws -> Int {
        try Int.fetchOne(
            connection,
            sql: """
                SELECT count(*) FROM feed_entities WHERE generation = (SELECT generation FROM feed)
                    AND entity = ? AND value IS NOT NULL
                """, arguments: [entity]) ?? 0
    }
}
