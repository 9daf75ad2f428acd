package import Retail

internal import Credentials
internal import Dispatch
internal import GRDB
package import HubProtocol
internal import Pricing
internal import Synchronization

/// The terminal's own copy of people and offers, from the change feed's generation in use.
///
/// What every sale needs is kept in memory and read from the disk by ``refresh()``; members and coupons are
/// read when a sale names one.
package final class SQLiteFeedCopy: Sendable {
    /// What every sale needs.
    struct Holdings {
        /// By id.
        var cashiers: [String: Cashier] = [:]
        var promotions = PromotionIndex([])
        /// By the terminal's id.
        var terminalKeys: [String: TerminalKey] = [:]
        var hasMembers = false
        var hasCoupons = false
        /// By which coupons are looked up; nil: by their codes, as a hub of before sends them.
        var couponKey: LookupKey?
        /// By which members are looked up; nil: by the digits of their phones.
        var phoneKey: LookupKey?
    }

    let database: TerminalDatabase
    /// Members whom this terminal made and the feed does not have yet.
    let newMembers = Mutex(NewMembers())
    /// PINs are hashed here, one at a time: that takes some hundredths of a second.
    let hashing = DispatchQueue(label: "holdfast.pins")
    /// Unix milliseconds.
    let now: @Sendable () -> Int64
    private let kept = Mutex(Holdings())

    /// Empty until ``refresh()``.
    package init(_ database: TerminalDatabase, now: @escaping @Sendable () -> Int64) {
        self.database = database
        self.now = now
    }

    var holdings: Holdings { kept.withLock { $0 } }

    /// Takes what the disk has into memory; to be called at start and after every pull.
    ///
    /// A promotion that this version cannot read is left out: the hub may still give it.
    package func refresh() async throws(CatalogueError) {
        let fresh = try await database.catalogueRead { connection in
            var holdings = Holdings()
            var promotions: [Promotion] = []
            for row in try Self.rows(
                "entity IN ('cashier', 'promotion', 'storeConfig', 'terminalKey') ORDER BY version",
                in: connection)
            { holdings.take(row, &promotions) }
            holdings.promotions = PromotionIndex(promotions)
            holdings.hasMembers = try Self.has("member", in: connection)
            holdings.hasCoupons = try Self.has("coupon", in: connection)
            return holdings
        }
        kept.withLock { $0 = fresh }
        try await refreshNewMembers()
    }

    /// The rows in use that are not deleted.
    ///
    /// - Parameter index: the index to go by where SQLite, which has no statistics here, would read every
    ///   row of the entity.
    static func rows(
        _ condition: String, _ arguments: StatementArguments = [], index: String? = nil,
        in connection: Database
    ) throws -> [Row] {
        try Row.fetchAll(
            connection,
            sql: """
                SELECT entity, entity_id, value FROM feed_entities \(index.map { "INDEXED BY " + $0 } ?? "")
                WHERE generation = (SELECT generation FROM feed) AND value IS NOT NULL AND \(condition)
                """, arguments: arguments)
    }

    static func value(_ row: Row) -> JSONValue? {
        try? JSONParser.parse((row["value"] as String).utf8)
    }

    private static func has(_ entity: String, in connection: Database) throws -> Bool {
        try Bool.fetchOne(
            connection,
            sql: """
                SELECT EXISTS (SELECT 1 FROM feed_entities WHERE generation = (SELECT generation FROM feed)
                    AND entity = ? AND value IS NOT NULL)
                """, arguments: [entity]) ?? false
    }

    func responding<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(InquiryError) -> Value {
        do throws(StoreFailure) {
            return try await database.read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}

extension SQLiteFeedCopy.Holdings {
    /// Adds a row that every sale needs.
    fileprivate mutating func take(_ row: Row, _ promotions: inout [Promotion]) {
        let value = SQLiteFeedCopy.value(row)
        switch row["entity"] as String {
        case "cashier":
            let id: String = row["entity_id"]
            cashiers[id] = Cashier(
                id: id, name: value?["name"]?.string ?? id, role: CashierRole(value?["role"]?.string),
                verifier: value?["pinVerifier"]?.string)
        case TerminalKey.entity:
            guard let key = value.flatMap({ try? TerminalKey(json: $0) }) else { return }
            terminalKeys[key.terminalId] = key
        case "storeConfig":
            let keys = StoreLookupKeys(storeConfig: value)
            couponKey = keys.flatMap { LookupKey(base64: $0.couponKey) }
            phoneKey = keys.flatMap { LookupKey(base64: $0.phoneKey) }
        default:
            if let promotion = value.flatMap({ try? Promotion(json: $0) }) { promotions.append(promotion) }
        }
    }
}

/// The people and offers that a terminal has without its hub.
package struct FeedCopyCounts: Hashable, Sendable {
    /// Cashiers in the copy, those in ``unreadableCashiers`` included.
    package let cashiers: Int
    /// Cashiers without a PIN that could be checked: their rows cannot be read.
    package let unreadableCashiers: Int
    /// Ids of cashiers whose verifier is weaker than that of a PIN that is imported today, sorted.
    package let cheapCashiers: [String]
    package let members: Int
    /// Promotions that this version can read.
    package let promotions: Int
    /// Of ``promotions`` those that are given without the hub.
    package let offlinePromotions: Int
    package let coupons: Int
}

extension SQLiteFeedCopy {
    /// When the newest change of each entity was made at the hub, in Unix milliseconds; without those that
    /// the copy does not have. It reads every row.
    package func newestChanges() async throws(CatalogueError) -> [String: Int64] {
        try await database.catalogueRead { connection in
            let rows = try Row.fetchAll(
                connection,
                sql: """
                    SELECT entity, MAX(hlc) AS hlc FROM feed_entities
                    WHERE generation = (SELECT generation FROM feed) AND hlc IS NOT NULL GROUP BY entity
                    """)
            var newest: [String: Int64] = [:]
            for row in rows {
                // The first 13 digits of the hub's clock are milliseconds (http.md section 1).
                newest[row["entity"]] = Int64((row["hlc"] as String).prefix(13))
            }
            return newest
        }
    }

    /// Counts members and coupons on the disk and the rest in memory, as of the latest ``refresh()``.
    package func counts() async throws(CatalogueError) -> FeedCopyCounts {
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
            offlinePromotions: kept.promotions.offlineCount, coupons: coupons)
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

extension SQLiteFeedCopy: ReceiptKeys {
    /// As of the latest ``refresh()``.
    package func key(of terminalId: String) -> TerminalKey? { holdings.terminalKeys[terminalId] }

    /// The keys of all terminals of the store `storeId` that were not withdrawn, as of the latest
    /// ``refresh()``.
    package func terminalKeys(of storeId: String) -> [TerminalKey] {
        holdings.terminalKeys.values.filter { $0.storeId == storeId }
    }
}
