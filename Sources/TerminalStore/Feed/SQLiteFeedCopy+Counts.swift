internal import GRDB
internal import HubProtocol
internal import Pricing
public import Retail

/// What a till could do about people and offers without its hub.
public struct FeedCopyCounts: Hashable, Sendable {
    public let cashiers: Int
    /// Cashiers without a PIN that could be checked: their rows cannot be read.
    public let unreadableCashiers: Int
    public let members: Int
    public let promotions: Int
    /// Of ``promotions`` those that are given without the hub.
    public let offlinePromotions: Int
    public let coupons: Int
}

extension SQLiteFeedCopy {
    public func counts() async throws(CatalogueError) -> FeedCopyCounts {
        let kept = holdings
        let (members, coupons) = try await database.catalogueRead { connection in
            (try Self.count("member", in: connection), try Self.count("coupon", in: connection))
        }
        return FeedCopyCounts(
            cashiers: kept.pinHashes.count, unreadableCashiers: kept.pinHashes.count { $0.value.isEmpty },
            members: members, promotions: kept.promotions.count,
            offlinePromotions: kept.promotions.count { $0.worksOffline }, coupons: coupons)
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
