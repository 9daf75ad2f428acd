/// A statement that both stores understand.
package struct StoreQuery: Hashable, Sendable {
    /// With `$1`, `$2`, … for the values.
    package let sql: String
    package let values: [StoreValue]
    /// The columns whose texts have no bound of the hub's own, and so count for a page.
    package let texts: [String]

    package init(_ sql: String, _ values: [StoreValue] = [], texts: [String] = []) {
        self.sql = sql
        self.values = values
        self.texts = texts
    }

    package init(_ sql: String, of values: [any StoreConvertible]) {
        self.init(sql, values.map(\.storeValue))
    }
}

/// The first rows of a query.
package struct StorePage: Hashable, Sendable {
    /// In the order of the query.
    package let rows: [StoreRow]
    package let hasMore: Bool

    package init(rows: [StoreRow], hasMore: Bool) {
        self.rows = rows
        self.hasMore = hasMore
    }
}

/// Where a page of the change feed or of a list ends besides its number of rows: so that no row, however it
/// came into a table, makes a page that its reader cannot hold, and no request makes the hub hold more than
/// this.
package enum PageLimit {
    /// 2 MiB, an eighth of what terminals read at once (16 MiB). Half of it makes a new terminal request
    /// twice as often; twice as much lets 1,000 requests at once hold 4 GiB.
    package static let bytes: Int64 = 2 << 20

    /// The bytes of a row besides its texts: the names of its members, version, times and position.
    package static let rowOverhead: Int64 = 256

    /// Whether a row still belongs to a page: one row does, whatever its size, so that every page goes on
    /// behind the one before.
    ///
    /// - Parameters:
    ///   - before: the bytes of the rows before it.
    ///   - bytes: its own.
    package static func takes(_ bytes: Int64, behind before: Int64) -> Bool {
        before == 0 || before + bytes <= Self.bytes
    }
}
