/// Which connections are open, and which one gives way to the next: a value without a socket or a clock.
///
/// A connection is *unknown* until a request on it shows a valid token, *known* from then on. Unknown ones
/// are limited for each address. When an address, or the table, is full, the new connection is accepted and
/// the oldest unknown one closed, so that a terminal behind the same address always gets to show its token.
/// Where none is unknown, the one that is idle for longest gives way; one that is being handled never does.
package struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
    /// What becomes of a new connection.
    package enum Admission: Hashable, Sendable {
        /// It is in the table; those that gave way are not any more.
        case admitted(closing: [ID])
        /// Every other connection is a known one that is being handled.
        case refused
    }

    private struct Row {
        /// Nil where the address does not count, and for known ones.
        var address: String?
        var isKnown = false
        /// Changes with each move between the lists below, whose entries with another stamp are void.
        var stamp: UInt64
        /// Requests without a whole response.
        var requests = 0
    }

    private struct Address {
        var count = 0
        var ages = AgeList()
    }

    /// Entries in order of time. An entry is void once its connection moved on.
    private struct AgeList {
        struct Entry {
            let id: ID
            let stamp: UInt64
        }

        private var entries: [Entry] = []
        private var first = 0

        mutating func append(_ id: ID, _ stamp: UInt64) {
            entries.append(Entry(id: id, stamp: stamp))
        }

        /// Takes out the oldest entry that is not void.
        mutating func popOldest(in rows: [ID: Row]) -> ID? {
            while first < entries.count {
                let entry = entries[first]
                first += 1
                if rows[entry.id]?.stamp == entry.stamp {
                    tidy()
                    return entry.id
                }
            }
            entries = []
            first = 0
            return nil
        }

        /// Drops void entries once they are most of the list, so that it stays as long as what it lists.
        mutating func compact(above limit: Int, in rows: [ID: Row]) {
            guard entries.count - first > 2 * limit + 64 else { return }
            entries = entries[first...].filter { rows[$0.id]?.stamp == $0.stamp }
            first = 0
        }

        private mutating func tidy() {
            guard first > 64, first * 2 > entries.count else { return }
            entries.removeFirst(first)
            first = 0
        }
    }

    private let maximum: Int
    private let perAddress: Int
    private var rows: [ID: Row] = [:]
    private var addresses: [String: Address] = [:]
    private var unknown = AgeList()
    private var idle = AgeList()
    private var stamps: UInt64 = 0

    /// - Parameters:
    ///   - maximum: connections in all.
    ///   - perAddress: unknown connections of one address.
    package init(maximum: Int, perAddress: Int) {
        self.maximum = max(1, maximum)
        self.perAddress = max(1, perAddress)
    }

    /// How many connections are in the table.
    package var count: Int { rows.count }

    /// - Parameter address: by which unknown connections are counted; nil where none counts.
    package mutating func opened(_ id: ID, from address: String?) -> Admission {
        var closing: [ID] = []
        if let address, let full = addresses[address], full.count >= perAddress,
            let oldest = popOldest(of: address)
        {
            closing.append(oldest)
        }
        if rows.count >= maximum {
            guard let oldest = popOldest() else { return .refused }
            closing.append(oldest)
        }
        let stamp = nextStamp()
        rows[id] = Row(address: address, stamp: stamp)
        unknown.append(id, stamp)
        if let address {
            addresses[address, default: Address()].count += 1
            addresses[address]?.ages.append(id, stamp)
        }
        unknown.compact(above: rows.count, in: rows)
        return .admitted(closing: closing)
    }

    /// A request on it showed a valid token.
    package mutating func becameKnown(_ id: ID) {
        guard var row = rows[id], !row.isKnown else { return }
        uncount(row)
        row.isKnown = true
        row.address = nil
        row.stamp = nextStamp()
        rows[id] = row
        if row.requests == 0 { idle.append(id, row.stamp) }
    }

    package mutating func requestBegan(_ id: ID) {
        guard var row = rows[id] else { return }
        row.requests += 1
        if row.isKnown { row.stamp = nextStamp() }
        rows[id] = row
    }

    /// A response ended on it.
    package mutating func requestEnded(_ id: ID) {
        guard var row = rows[id] else { return }
        row.requests = max(0, row.requests - 1)
        let isIdle = row.isKnown && row.requests == 0
        if isIdle { row.stamp = nextStamp() }
        rows[id] = row
        guard isIdle else { return }
        idle.append(id, row.stamp)
        idle.compact(above: rows.count, in: rows)
    }

    package mutating func closed(_ id: ID) {
        guard let row = rows.removeValue(forKey: id) else { return }
        uncount(row)
    }

    private mutating func popOldest(of address: String) -> ID? {
        guard let id = addresses[address]?.ages.popOldest(in: rows) else { return nil }
        closed(id)
        return id
    }

    private mutating func popOldest() -> ID? {
        guard let id = unknown.popOldest(in: rows) ?? idle.popOldest(in: rows) else { return nil }
        closed(id)
        return id
    }

    private mutating func uncount(_ row: Row) {
        guard let address = row.address, var entry = addresses[address] else { return }
        entry.count -= 1
        entry.ages.compact(above: entry.count, in: rows)
        addresses[address] = entry.count > 0 ? entry : nil
    }

    private mutating func nextStamp() -> UInt64 {
        stamps += 1
        return stamps
    }
}
