package import Base
package import HubProtocol

/// A neighbour that could keep pieces of this till's journal.
package struct PossibleKeeper: Hashable, Sendable {
    package let terminalId: String
    /// Within the store.
    package let number: Int64
    /// Of its agent's present start: what it keeps is on its disk, and another start may have another disk.
    package let run: String
    /// Up to which entry of this till's journal it said that it keeps what waits
    /// (``PieceCopies/reach(of:_:in:)``); 0: nothing.
    package let through: Int64
    /// When it did.
    package let heardAt: Instant

    package init(terminalId: String, number: Int64, run: String, through: Int64, heardAt: Instant) {
        (self.terminalId, self.number, self.run) = (terminalId, number, run)
        (self.through, self.heardAt) = (through, heardAt)
    }
}

/// Which entries of a till that wait for the hub go to which neighbours, and which have a copy there.
///
/// An entry goes when it has waited through one whole tick. Each keeper gets one piece at a time.
package struct PieceCopies: Hashable, Sendable {
    /// How far the journal has come.
    package struct Extent: Hashable, Sendable {
        package let epoch: Int64
        /// The last sequence.
        package let last: Int64
        /// The hub has results for all entries up to this sequence.
        package let acknowledgedThrough: Int64

        package init(epoch: Int64, last: Int64, acknowledgedThrough: Int64) {
            (self.epoch, self.last, self.acknowledgedThrough) = (epoch, last, acknowledgedThrough)
        }
    }

    /// A piece that is due; followed by `ended`.
    package struct Order: Hashable, Sendable {
        package let keeper: String
        /// Its first entry is the one behind this sequence.
        package let after: Int64
        /// Its last one at most.
        package let through: Int64
    }

    /// What became of an order.
    package enum End: Hashable, Sendable {
        /// The keeper has all entries up to this sequence on its disk.
        case kept(through: Int64)
        /// It has no room for this till.
        case full
        /// It did not respond, or the piece could not be made.
        case failed
    }

    private struct Copy: Hashable {
        var run: String
        var through: Int64
        var isUnderWay = false
        /// What is under way is of an epoch before: another list.
        var isOutdated = false
        /// When the keeper took the last piece.
        var keptAt: Instant?
        /// Nothing goes there before.
        var waitsUntil: Instant?
    }

    private let number: Int64
    private var epoch: Int64 = 0
    /// Where the journal ended at the tick before.
    private var waited: Int64 = 0
    private var copies: [String: Copy] = [:]

    /// - Parameter number: this till's own within its store.
    package init(number: Int64) { self.number = number }

    /// - Parameter keepers: the neighbours that can be reached.
    /// - Returns: what is due now.
    package mutating func tick(
        _ extent: Extent, keepers: [PossibleKeeper], at now: Instant
    ) -> [Order] {
        if extent.epoch != epoch {
            (epoch, waited, copies) = (extent.epoch, 0, copies.filter { $0.value.isUnderWay })
            copies = copies.mapValues { Copy(run: $0.run, through: 0, isUnderWay: true, isOutdated: true) }
        }
        defer { waited = extent.last }
        let able = keepers.filter { keeper in copies[keeper.terminalId]?.waitsUntil.map { $0 <= now } ?? true
        }
        return Keepers.of(number, reachable: able.map(\.number)).compactMap { chosen in
            guard let keeper = able.first(where: { $0.number == chosen }) else { return nil }
            var copy = copies[keeper.terminalId] ?? Copy(run: keeper.run, through: keeper.through)
            if copy.run != keeper.run { copy = Copy(run: keeper.run, through: keeper.through) }
            // What it says later than its last receipt counts: it may have deleted for others what it took.
            let receipt = copy.keptAt.map { $0 + NeighbourLimits.exchange }
            if !copy.isUnderWay, receipt.map({ $0 < keeper.heardAt }) ?? true {
                copy.through = keeper.through
            }
            let after = max(copy.through, extent.acknowledgedThrough)
            let isDue = !copy.isUnderWay && after < waited
            copy.isUnderWay = copy.isUnderWay || isDue
            copies[keeper.terminalId] = copy
            return isDue ? Order(keeper: keeper.terminalId, after: after, through: waited) : nil
        }
    }

    /// The end of the one order of a keeper that is under way.
    package mutating func ended(_ keeper: String, _ end: End, at now: Instant) {
        guard var copy = copies[keeper] else { return }
        defer { copies[keeper] = copy }
        copy.isUnderWay = false
        if copy.isOutdated { return copy.isOutdated = false }
        switch end {
        case .kept(let through):
            (copy.through, copy.keptAt, copy.waitsUntil) = (max(copy.through, through), now, nil)
        case .full: copy.waitsUntil = now + NeighbourLimits.longestRetry
        case .failed: copy.waitsUntil = now + NeighbourLimits.pieceExchange
        }
    }

    /// Up to which entry a keeper has what waits, without a gap; 0: nothing of it.
    ///
    /// - Parameters:
    ///   - runs: what it says that it keeps of this till.
    ///   - coverages: what this till's journal has of them. Entries that another disk of it had are no copies
    ///     of those that it has now.
    package static func reach(
        of runs: [KeptRun], _ coverages: [RunCoverage], in extent: Extent
    ) -> Int64 {
        let own = Set(coverages.filter { $0.through != nil }.map(\.hash))
        var reached = extent.acknowledgedThrough
        for run in runs.sorted(by: { $0.first < $1.first })
        where run.end.epoch == extent.epoch && own.contains(run.end.hash) && run.first <= reached + 1 {
            reached = max(reached, run.end.sequence)
        }
        return reached > extent.acknowledgedThrough ? reached : 0
    }

    /// How many entries that wait have a copy at a neighbour at least.
    package func copied(beyond acknowledgedThrough: Int64) -> Int64 {
        max(0, (copies.values.map(\.through).max() ?? 0) - acknowledgedThrough)
    }
}
