import Base

internal import HubProtocol
internal import OfflineCore
internal import OfflineMode

/// An entry of the journal that was read from a damaged database and is proven: its hash is that of its body.
struct SalvagedEntry {
    let mutation: Mutation
    let body: [UInt8]
    let orderingKey: String
    let madeAt: Int64
    let state: SyncState
    let result: String?
    let attempts: Int64
    let settledBy: Int64?
    let stockMoves: String?

    var sequence: Int64 { mutation.sequence }

    /// The result of reading a row of the journal.
    enum Reading {
        case entry(SalvagedEntry)
        /// There is a row, and its body was changed by the damage.
        case changed(sequence: Int64, id: String?)
    }

    /// Nil for a row of another table.
    static func read(_ record: SalvagedRecord) -> Reading? {
        guard let sequence = record.rowId, sequence > 0, record.values.first == .null else { return nil }
        // A damaged text is no UTF-8 and reads as bytes, too: the body is the one with the right hash.
        let places = record.values.indices.dropFirst(5).filter { record.values[$0].isBytes }
        for place in places {
            guard case .blob(let body) = record.values[place],
                let mutation = (try? JSONParser.parse(body)).flatMap({ try? Mutation(json: $0) }),
                mutation.sequence == sequence, mutation.hash == mutation.computedHash
            else { continue }
            return .entry(SalvagedEntry(mutation, body, record.values, at: place))
        }
        guard !places.isEmpty, let id = record.values.dropFirst().first?.text, ULID(id) != nil else {
            return nil
        }
        return .changed(sequence: sequence, id: id)
    }

    /// The other columns are used where they are valid: without them the entry is sent again, and the hub
    /// reports it as a duplicate.
    private init(_ mutation: Mutation, _ body: [UInt8], _ values: [SalvagedValue], at place: Int) {
        self.mutation = mutation
        self.body = body
        func value(_ offset: Int) -> SalvagedValue {
            values.indices.contains(place + offset) ? values[place + offset] : .null
        }
        let orderingKey = value(-3).text.flatMap { ULID($0) == nil ? nil : $0 }
        let own = [ShiftOpening.entity, CashMove.entity].contains(mutation.entity) ? mutation.entityId : nil
        self.orderingKey = orderingKey ?? own ?? mutation.dependsOn.first ?? mutation.id
        let hubTime = EntryMembers(shown: mutation.payload).hubTime.flatMap(Timestamp.milliseconds(of:))
        madeAt = value(-2).integer ?? hubTime ?? Timestamp.milliseconds(of: mutation.clientGeneratedAt) ?? 0
        state = SyncState(column: value(1).text)
        result = value(2).text
        attempts = value(3).integer ?? 0
        settledBy = value(4).integer
        stockMoves = value(5).text.flatMap { (try? StockMoves(column: $0))?.column }
    }
}

extension SalvagedValue {
    fileprivate var isBytes: Bool {
        guard case .blob = self else { return false }
        return true
    }
}

/// Finds entries in pages whose structure is destroyed: a row of the journal begins with its size, its number
/// and a header whose first columns are NULL and a text of 26 bytes.
struct EntrySearch {
    let records: DamagedRecords

    /// Serial types of the first two columns: NULL, and a text of 26 bytes.
    private static let mark: [UInt8] = [0, 26 * 2 + 13]

    func entries(in page: ArraySlice<UInt8>) -> [SalvagedEntry] {
        var found: [SalvagedEntry] = []
        for place in page.indices.dropFirst(3).dropLast(2)
        where page[place + 1] == Self.mark[0] && page[place + 2] == Self.mark[1] {
            // Two numbers of one to nine bytes each precede the header.
            for start in max(page.startIndex, place - 12)..<place - 1 {
                var reader = VarintReader(bytes: page, position: start)
                guard reader.next() != nil, reader.next() != nil, reader.position == place,
                    let record = records.cell(in: page, at: start, hasRowId: true),
                    case .entry(let entry)? = SalvagedEntry.read(record)
                else { continue }
                found.append(entry)
            }
        }
        return found
    }
}
