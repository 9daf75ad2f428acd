package import HubCore
import HubProtocol

/// The read model of sales: what the intake writes of every accepted sale, void and refund, in the
/// transaction that accepts it.
///
/// A sale counts on its business day, a void and a refund on their own, for the terminal and the cashier that
/// made them. So a day that was closed does not change any more, and what a terminal's entries come to is
/// what its journal says. A discount belongs to no tender and the tax of a receipt to no product: tenders
/// share both by what they paid, products and rates the tax by what their lines have in it.
extension Ledger {
    /// The figures of the entries that `filter` leaves, by one dimension. The sums, and what documents behind
    /// them add, of one moment.
    package func sales(
        by dimension: SalesDimension, _ filter: SalesFilter
    ) async throws(LedgerError) -> [SalesRow] {
        try await snapshot { session in
            var report = SalesReport(by: dimension)
            for row in try session.run([SalesQuery.sums(by: dimension, filter)]) {
                try report.add(row, of: dimension)
            }
            try session.addEntries(to: &report, dimension, filter)
            return report.rows
        }
    }

    /// Adds documents of the journal feed to the sums that ``sales(by:_:)`` reads; figures are the same
    /// before and after. Documents are read and added up beside the pushes. One transaction writes what
    /// ``foldedAtOnce`` of them come to, unless another hub did it meanwhile.
    ///
    /// - Returns: how many were looked at; 0: none was left.
    package func foldSales() async throws(LedgerError) -> Int {
        // Each statement sees what is there when it begins: what is settled is there for the next one.
        let part = try await read { [memory] session in try session.unfoldedSales(memory.sales) }
        guard part.end > part.begin else { return 0 }
        return try await write { session in
            try session.lock(.sums)
            guard try session.foldedThrough() == part.begin else { return .undo(1) }
            try session.fold(part)
            return .keep(Int(part.end - part.begin))
        }
    }

    /// Computes the read model again out of the journals, a portion at a time beside the pushes. It is equal
    /// afterwards unless something was wrong with it. One transaction for each portion.
    ///
    /// - Returns: how many entries it has.
    package func rebuildSales() async throws(LedgerError) -> Int {
        var (last, count): (String?, Int) = ("", 0)
        while let place = last {
            let portion = try await perform(.frozen, isLong: true) { session in
                .keep(try session.rebuildSales(after: place))
            }
            last = portion.last
            count += portion.entries
        }
        try await write { session in
            try session.lock(.sums)
            try session.run("DELETE FROM sales_sums")
            try session.run("DELETE FROM meta WHERE key = '\(SalesQuery.through)'")
            return .keep(())
        }
        while try await foldSales() > 0 {}
        return count
    }
}

/// What people and back offices look at.
extension Ledger {
    /// The rows of a query that has few of them, each of some kilobytes. One statement, a snapshot of its
    /// own.
    package func rows(of query: StoreQuery) async throws(LedgerError) -> [StoreRow] {
        try await read { session in try session.run([query]) }
    }

    /// The first rows of a query, as many as ``PageLimit`` takes: nothing behind them is held. What lies
    /// behind the page is not held.
    ///
    /// - Parameters:
    ///   - query: it has an order, and ``StoreQuery/texts``.
    ///   - count: how many rows at most; the query itself gives one more where there is one.
    package func page(of query: StoreQuery, rows count: Int) async throws(LedgerError) -> StorePage {
        try await read { session in try session.page(of: query, rows: count, behind: nil).page }
    }

    /// Runs changes in one transaction, which is undone when the first of them changes nothing. One
    /// transaction.
    ///
    /// - Parameters:
    ///   - changes: the first one returns the rows that it changed.
    ///   - documents: what they are in the journal feed.
    /// - Returns: whether it changed something.
    package func change(
        by changes: [StoreQuery], appending documents: [JournalDocument] = []
    ) async throws(LedgerError) -> Bool {
        try await write { session in
            for (index, change) in changes.enumerated() {
                let rows = try session.run([change])
                if index == 0, rows.isEmpty { return .undo(false) }
            }
            try session.append(documents)
            return .keep(true)
        }
    }
}

/// Documents that are added to the sums at once. Halved, popular keys are written twice as often.
private let foldedAtOnce = 1_000

/// Rows of the sums that one transaction writes, besides those of its last document: ten milliseconds of the
/// writer. Doubled, a push waits twice as long behind sales of a thousand articles each.
private let keysAtOnce = 3_000

/// Rows of one statement. SQLite looks for the name of each mark among all of them, so that a statement of a
/// hundred rows takes as long as the intake of its sales; fewer than ten are prepared as often as they run.
private let rowsAtOnce = 10

/// What documents behind ``begin``, up to ``end``, add to the sums.
private struct UnfoldedSales {
    let begin: Int64
    let end: Int64
    let sums: [(key: SalesKey, value: SalesHalves)]
}

/// Entries that one portion of a rebuild looks at: some milliseconds' worth, so that pushes go between.
private let portion = 500

/// An entry of the figures with its document.
private struct SalesEntry {
    let number: Int64
    let kind: SaleEntry.Kind
    let day: String
    let storeId: String
    let terminalId: String
    let cashierId: String?
    let currency: String
    let figures: SaleFigures

    /// - Parameter row: of ``SalesQuery/entries(behind:through:_:rows:)``.
    init(_ row: StoreRow, _ recent: RecentSales?) throws {
        number = try row[0]
        kind = .init(rawValue: try row[3]) ?? .sale
        (day, storeId, terminalId) = (try row[4], try row[5], try row[6])
        (cashierId, currency) = (try row[7], try row[8])
        let text: String = try row[1]
        let document = try recent?.take(row[2], as: text)
        figures = SaleFigures(
            of: document ?? SaleDocument(shown: JournalDocument.shown(text).content), kind)
    }

    /// What it adds to each row of the sums.
    var additions: [(key: SalesKey, amounts: SaleAmounts)] {
        let whole = SalesKey(
            dimension: SalesQuery.whole, day: day, storeId: storeId, terminalId: terminalId,
            key: SalesKey.stored(cashierId), currency: currency)
        let parts = SalePart.Dimension.allCases.flatMap(figures.parts).map { part in
            let key = SalesKey(
                dimension: part.dimension.rawValue, day: day, storeId: storeId,
                key: SalesKey.stored(part.key), currency: currency)
            return (key: key, amounts: part.amounts)
        }
        return [(whole, figures.amounts)] + parts
    }

    func keys(of dimension: SalesDimension) -> [(key: [String?], amounts: SaleAmounts)] {
        switch dimension {
        case .day: [([day], figures.amounts)]
        case .store: [([storeId], figures.amounts)]
        case .terminal: [([storeId, terminalId], figures.amounts)]
        case .cashier: [([cashierId], figures.amounts)]
        case .tender: figures.parts(by: .tender).map { ([$0.key], $0.amounts) }
        case .tax: figures.parts(by: .tax).map { ([$0.key], $0.amounts) }
        case .product: figures.parts(by: .product).map { ([$0.key], $0.amounts) }
        }
    }
}

extension StoreSession {
    /// Through which document the sums are.
    func foldedThrough() throws -> Int64 {
        let text: String? = try first("SELECT value FROM meta WHERE key = '\(SalesQuery.through)'")?[0]
        return text.flatMap { Int64($0) } ?? 0
    }

    /// Adds what no hub has added to the sums yet.
    fileprivate func addEntries(
        to report: inout SalesReport, _ dimension: SalesDimension, _ filter: SalesFilter
    ) throws {
        var place: Int64? = try foldedThrough()
        while let behind = place {
            let found = try entries(behind: behind, filter)
            for entry in found.entries {
                for (key, amounts) in entry.keys(of: dimension) { report.add(key, entry.currency, amounts) }
            }
            place = found.hasMore ? found.entries.last?.number : nil
        }
    }

    /// At most ``foldedAtOnce``, and what fits into a page: documents of a hostile terminal are large.
    private func entries(
        behind number: Int64, through end: Int64? = nil, _ filter: SalesFilter = SalesFilter(),
        _ recent: RecentSales? = nil
    ) throws -> (entries: [SalesEntry], hasMore: Bool) {
        let query = SalesQuery.entries(behind: number, through: end, filter, rows: foldedAtOnce + 1)
        let page = try page(of: query, rows: foldedAtOnce, behind: nil).page
        return (try page.rows.map { try SalesEntry($0, recent) }, page.hasMore)
    }

    /// The next documents, as far as no open transaction can still write one between them.
    fileprivate func unfoldedSales(_ recent: RecentSales) throws -> UnfoldedSales {
        let begin = try foldedThrough()
        var end = min(try settledNumber(), begin + Int64(foldedAtOnce))
        guard end > begin else { return UnfoldedSales(begin: begin, end: begin, sums: []) }
        var sums: [SalesKey: SalesHalves] = [:]
        let found = try entries(behind: begin, through: end, SalesFilter(), recent)
        if found.hasMore, let last = found.entries.last { end = last.number }
        for entry in found.entries {
            for (key, amounts) in entry.additions { sums[key, default: SalesHalves()].add(amounts) }
            if sums.count > keysAtOnce {
                end = entry.number
                break
            }
        }
        return UnfoldedSales(begin: begin, end: end, sums: sums.sorted { $0.key < $1.key })
    }

    /// Moves what documents come to from the sums of the feed to those of archives.
    func archiveSums(behind begin: Int64, through end: Int64) throws {
        var sums: [SalesKey: SalesHalves] = [:]
        var place: Int64? = begin
        while let behind = place {
            let found = try entries(behind: behind, through: end)
            for (key, amounts) in found.entries.flatMap(\.additions) {
                sums[key, default: SalesHalves()].add(amounts)
            }
            place = found.hasMore ? found.entries.last?.number : nil
        }
        let moved = sums.map { (key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
        try run(
            stride(from: 0, to: moved.count, by: rowsAtOnce).flatMap { start in
                let rows = Array(moved[start...].prefix(rowsAtOnce))
                return [
                    SalesQuery.additions(rows, to: .archived),
                    SalesQuery.additions(rows.map { ($0.key, $0.value.negated) }),
                ]
            })
    }

    fileprivate func fold(_ part: UnfoldedSales) throws {
        try run(
            stride(from: 0, to: part.sums.count, by: rowsAtOnce).map { start in
                SalesQuery.additions(Array(part.sums[start...].prefix(rowsAtOnce)))
            })
        try run(
            "INSERT INTO meta (key, value) VALUES ('\(SalesQuery.through)', $1) "
                + "ON CONFLICT (key) DO UPDATE SET value = excluded.value", ["\(part.end)"])
    }

    /// Computes a portion again without what is in archives, and removes what belongs to no accepted
    /// mutation of it, within a transaction with one snapshot: what is pushed meanwhile is not looked at and
    /// not removed.
    ///
    /// - Parameter last: the id behind which the portion begins.
    /// - Returns: the id of its last mutation, nil at the end; and how many entries it has.
    package func rebuildSales(after last: String) throws -> (last: String?, entries: Int) {
        let rows = try rows(
            "SELECT m.id, m.type, m.terminal_id, m.received_at, m.document, "
                + "COALESCE(o.store_id, t.store_id, '') FROM mutations m "
                + "LEFT JOIN orders o ON o.mutation_id = m.id LEFT JOIN terminals t ON t.id = m.terminal_id "
                + "WHERE m.id > $1 AND m.outcome = 'applied' AND m.type \(dialect.isOne("$2")) "
                + "AND m.archive IS NULL ORDER BY m.id LIMIT $3",
            [last, StoreValue.texts(SaleEntry.types), portion])
        let end: String? = rows.count < portion ? nil : try rows.last?[0]
        let insertions = try rows.compactMap { row in
            try saleEntry(of: row).map {
                try $0.insertion(of: row[0], storeId: row[5], terminalId: row[2], at: row[3])
            }
        }
        try run(
            [
                StoreQuery(
                    "DELETE FROM sales WHERE mutation_id > $1 "
                        + "AND (CAST($2 AS TEXT) IS NULL OR mutation_id <= $2) "
                        + "AND NOT EXISTS (SELECT 1 FROM mutations a WHERE a.id = sales.mutation_id "
                        + "AND a.archive IS NOT NULL)", of: [last, end])
            ] + insertions)
        return (end, insertions.count)
    }

    private func saleEntry(of row: StoreRow) throws -> SaleEntry? {
        let document = JSONValue.stored(try row[4])
        let id: String = try row[0]
        return try SaleEntry.entry(
            id: id, type: try row[1], entityId: document["entityId"]?.string ?? "",
            document["payload"] ?? .null
        ) { orderId throws(any Error) in
            let voided: String? = try first(
                "SELECT order_id FROM orders o WHERE \(EntryRows.isOrder("o", mintedAs: "$1")) "
                    + "AND voided_by = $2", [orderId, id])?[0]
            return try refundable(.id(voided ?? orderId), isLocked: false)
        }
    }
}

extension SaleEntry {
    /// Of the table `sales`, behind `mutation_id`.
    package static let columns = [
        "kind", "order_id", "day", "store_id", "terminal_id", "cashier_id", "currency", "orders", "gross",
        "discounts", "refunds", "tax",
    ]

    /// A row of the same mutation is replaced: after a restore of the store's tables from another moment none
    /// may stop the intake.
    package static let replacing =
        " ON CONFLICT (mutation_id) DO UPDATE SET "
        + columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

    private static let insertion =
        "INSERT INTO sales (mutation_id, \(columns.joined(separator: ", "))) VALUES ("
        + (0...columns.count).map { "$\($0 + 1)" }.joined(separator: ", ") + ")" + replacing

    fileprivate func insertion(
        of mutationId: String, storeId: String, terminalId: String, at receivedAt: Int64
    ) -> StoreQuery {
        StoreQuery(
            Self.insertion,
            of: [
                mutationId, kind.rawValue, orderId, day(receivedAt: receivedAt), storeId, terminalId,
                cashierId, currency, amounts.orders, amounts.gross, amounts.discounts, amounts.refunds,
                amounts.tax,
            ])
    }
}
