package import OfflineMode

/// Wrong PINs in a row of one cashier at this terminal, and how long the next one has to wait for.
///
/// The wait ends when both clocks agree that it has passed, so that neither a restart nor a changed clock
/// shortens it.
package struct FailedPINs: Hashable, Sendable {
    /// How many in a row, from 1; a right PIN removes the counter.
    package let count: Int64
    /// When the last one was given.
    package let last: MachineMoment

    /// Wrong PINs in a row without a wait: 5. Half of it locks people who mistype; twice of it gives a
    /// guesser twice as many tries a day.
    package static let free: Int64 = 5
    /// The first wait, 60 s, in milliseconds; each further wrong PIN doubles it.
    package static let firstWait: Int64 = 60_000
    /// The longest wait, 15 min, in milliseconds: about a hundred guesses a day, so that four digits last
    /// months at this terminal, and no cashier is locked out for a shift.
    package static let longestWait: Int64 = 900_000

    /// Makes a counter; it makes the next try wait from ``free`` on.
    package init(count: Int64, last: MachineMoment) {
        self.count = count
        self.last = last
    }

    /// How long this cashier waits yet, in milliseconds; nil: may try.
    package func wait(at now: MachineMoment) -> Int64? {
        let left = Self.wait(after: count) - last.leastPassed(until: now)
        return left > 0 ? left : nil
    }

    /// The total wait after `count` wrong PINs in a row, in milliseconds.
    static func wait(after count: Int64) -> Int64 {
        guard count >= free else { return 0 }
        return min(longestWait, firstWait << min(count - free, 8))
    }
}

/// The counters of everybody who gave a wrong PIN here. Of ids that no cashier of this terminal has, a
/// bounded number is kept.
package struct FailedPINTable: Hashable, Sendable {
    /// The counters by cashier id, unknown ids included; an id without a wrong PIN is missing.
    package private(set) var rows: [String: FailedPINs]

    /// How many unknown ids are kept: 100, a few kilobytes on disk. Such an id can only be right at the hub,
    /// which has its own count.
    package static let maximumUnknown = 100

    /// Makes a table from what the store kept. Default: empty.
    package init(_ rows: [String: FailedPINs] = [:]) {
        self.rows = rows
    }

    /// Counts one more wrong PIN of `cashierId`.
    ///
    /// - Parameter isKnown: whether the terminal has a cashier of that id; called for every id in the table.
    /// - Returns: unknown ids that are removed to make room, the oldest first.
    package mutating func noteWrong(
        _ cashierId: String, at now: MachineMoment, isKnown: (String) -> Bool
    ) -> [String] {
        let before = rows[cashierId]?.count ?? 0
        rows[cashierId] = FailedPINs(count: min(before, 1 << 32) + 1, last: now)
        let unknown = rows.filter { $0.key != cashierId && !isKnown($0.key) }
        let room = Self.maximumUnknown - (isKnown(cashierId) ? 0 : 1)
        guard unknown.count > room else { return [] }
        let forgotten = unknown.sorted { ($0.value.last.wall, $0.key) < ($1.value.last.wall, $1.key) }
            .prefix(unknown.count - room).map(\.key)
        for id in forgotten { rows[id] = nil }
        return forgotten
    }

    /// Restores the row from before a try without a result; nil after a right PIN.
    package mutating func restore(_ failed: FailedPINs?, of cashierId: String) {
        rows[cashierId] = failed
    }
}

/// Where the counters are between runs.
package protocol FailedPINStore: Sendable {
    func failedPINs() async throws(StorageError) -> [String: FailedPINs]

    /// Keeps the counter of `cashierId`, nil for none any more, and forgets those of `others`. Durable when
    /// it returns.
    func keep(
        _ failed: FailedPINs?, of cashierId: String, forgetting others: [String]
    ) async throws(StorageError)
}
