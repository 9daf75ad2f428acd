internal import HubProtocol
internal import OfflineMode
internal import Retail

/// All that can be read of a damaged database.
///
/// Every page is read separately, and every entry of the journal is proven by its hash: nothing that the
/// damage made is taken for a sale. Where two versions of a row are found, the one that SQLite would show is
/// taken.
struct SalvagedJournal {
    /// In order of their sequences.
    private(set) var entries: [SalvagedEntry] = []
    /// Entries of which there is a row with another content than what was written: sequence and id.
    private(set) var changed: [Int64: String?] = [:]
    private var tables: [SalvagedTable: [[SalvagedValue]: [SalvagedValue]]] = [:]

    /// - Parameter path: the database; its log is `path` and `-wal`.
    init(path: String) {
        self.init(
            database: DamagedPages.contents(of: path), log: DamagedPages.contents(of: path + "-wal"))
    }

    init(database: [UInt8], log: [UInt8]) {
        let pages = DamagedPages(database: database, log: log)
        var found: [Int64: SalvagedEntry] = [:]
        for view in pages.views {
            let records = DamagedRecords(pages: pages, view: view)
            var suspects: [Int] = []
            for number in view.numbers {
                let page = records.records(of: number)
                for record in page.records { add(record, to: &found) }
                if page.isDamaged { suspects.append(number) }
            }
            for number in suspects {
                guard let page = pages.page(number, in: view) else { continue }
                for entry in EntrySearch(records: records).entries(in: page)
                where found[entry.sequence] == nil {
                    found[entry.sequence] = entry
                }
            }
        }
        entries = found.values.sorted { $0.sequence < $1.sequence }
        for entry in entries { changed[entry.sequence] = nil }
    }

    private mutating func add(_ record: SalvagedRecord, to found: inout [Int64: SalvagedEntry]) {
        switch SalvagedEntry.read(record) {
        case .entry(let entry): if found[entry.sequence] == nil { found[entry.sequence] = entry }
        case .changed(let sequence, let id): if changed[sequence] == nil { changed[sequence] = .some(id) }
        case nil:
            guard let table = SalvagedTable.owner(of: record) else { return }
            var values = record.values
            // The column that is the row's id.
            if let rowId = record.rowId { values[0] = .integer(rowId) }
            let key = Array(values.prefix(table.key))
            if tables[table]?[key] == nil { tables[table, default: [:]][key] = values }
        }
    }

    /// The rows of `table`, each as long as the table is wide.
    func rows(of table: SalvagedTable) -> [[SalvagedValue]] {
        let width = table.columns.count
        return (tables[table] ?? [:]).values.map { row in
            row + Array(repeating: .null, count: max(0, width - row.count))
        }
    }

    /// The terminal's own row; nil where it cannot be read.
    var terminal: [String: SalvagedValue]? {
        rows(of: .terminal).first.map {
            Dictionary(uniqueKeysWithValues: zip(SalvagedTable.terminal.columns, $0))
        }
    }

    /// The last order number that is known to be used.
    var orderMark: OrderMark {
        let kept = OrderMark(
            day: terminal?["business_day"]?.integer ?? 0, counter: terminal?["order_counter"]?.integer ?? 0)
        let used = rows(of: .orders).compactMap { $0[3].text.flatMap(OrderNumber.init) }.map {
            OrderMark(day: $0.businessDay.number, counter: $0.counter)
        }
        return used.reduce(kept, max)
    }
}

extension SalvagedJournal {
    /// What was read, and what was not.
    var report: SalvageReport {
        let orders = Dictionary(
            rows(of: .orders).compactMap { row in row[0].integer.map { ($0, row[3].text) } },
            uniquingKeysWith: { first, _ in first })
        let known = Set(entries.map(\.sequence))
        let end = terminal?["sequence"]?.integer
        let settled = terminal?["acknowledged_through"]?.integer
        let limit = (known.max() ?? settled ?? 0) + Self.plausibleTail
        let seen = (Array(known) + orders.keys + changed.keys).filter { (1...limit).contains($0) }
        let first = min(seen.min() ?? limit, settled.map { $0 + 1 } ?? limit)
        let last = max(seen.max() ?? 0, min(end ?? 0, limit))
        var lost: [SalvageReport.Lost] = []
        if first <= last {
            for sequence in first...last where !known.contains(sequence) {
                lost.append(
                    SalvageReport.Lost(
                        sequence: sequence, id: changed[sequence] ?? nil,
                        orderNumber: orders[sequence] ?? nil, wasChanged: changed[sequence] != nil,
                        isAtHub: settled.map { sequence <= $0 } ?? false))
            }
        }
        return SalvageReport(
            entries: entries.count, pending: entries.count { $0.state == .pending },
            refused: entries.count { $0.state.isRefused }, lost: lost,
            isEndKnown: end != nil, terminalId: terminal?["terminal_id"]?.text,
            unreadablePending: terminal?["pending"]?.integer.map { pending in
                max(0, pending - Int64(entries.count { $0.state == .pending }))
            })
    }

    /// The most entries after the last known one that are listed: those of a busy week. A higher number in
    /// the terminal's row is damage.
    private static let plausibleTail: Int64 = 100_000
}

/// What was read of a damaged journal, and exactly what was not.
package struct SalvageReport: Hashable, Sendable {
    /// An entry that cannot be read.
    package struct Lost: Hashable, Sendable {
        /// Its number in the journal, from 1.
        package let sequence: Int64
        /// A ULID; nil where it cannot be read either.
        package let id: String?
        /// Of a sale whose entry is lost and whose number is not.
        package let orderNumber: String?
        /// There is a row, and the damage changed it.
        package let wasChanged: Bool
        /// The hub had acknowledged it.
        package let isAtHub: Bool
    }

    /// Entries that were read and are proven.
    package let entries: Int
    /// Of them, those without a result.
    package let pending: Int
    /// Of them, those that the hub refused and no person has settled.
    package let refused: Int
    /// In the order of their sequences.
    package let lost: [Lost]
    /// False where the terminal's own row cannot be read: entries after the last one may be lost, too.
    package let isEndKnown: Bool
    /// Nil where the terminal's own row cannot be read, and before the first enrolment.
    package let terminalId: String?
    /// How many entries without a result are lost; nil where that is unknown.
    package let unreadablePending: Int64?
}
