package import Base
package import HubProtocol

/// A neighbour that could keep pieces of this till's journal.
package struct PossibleKeeper: Hashable, Sendable {
    package let terminalId: String
    /// Within the store.
    package let number: Int64
    /// Of its agent's present start: what it keeps is on its disk, and another start may have another disk.
    package let run: String
    /// What it says that it keeps of this till; nil: nothing.
    package let kept: NeighbourKept?

    package init(terminalId: String, number: Int64, run: String, kept: NeighbourKept?) {
        (self.terminalId, self.number, self.run, self.kept) = (terminalId, number, run, kept)
    }

    /// The last entry of an epoch that it says it keeps; 0: none.
    fileprivate func through(of epoch: Int64) -> Int64 {
        kept.flatMap { $0.epoch == epoch ? $0.through : nil } ?? 0
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
            // Pieces of an epoch before are another list.
            (epoch, waited, copies) = (extent.epoch, 0, copies.filter { $0.value.isUnderWay })
        }
        defer { waited = extent.last }
        let able = keepers.filter { keeper in copies[keeper.terminalId]?.waitsUntil.map { $0 <= now } ?? true
        }
        return Keepers.of(number, reachable: able.map(\.number)).compactMap { chosen in
            guard let keeper = able.first(where: { $0.number == chosen }) else { return nil }
            var copy = copies[keeper.terminalId] ?? Copy(run: keeper.run, through: keeper.through(of: epoch))
            if copy.run != keeper.run { copy = Copy(run: keeper.run, through: keeper.through(of: epoch)) }
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
        copy.isUnderWay = false
        switch end {
        case .kept(let through): (copy.through, copy.waitsUntil) = (max(copy.through, through), nil)
        case .full: copy.waitsUntil = now + NeighbourLimits.longestRetry
        case .failed: copy.waitsUntil = now + NeighbourLimits.pieceExchange
        }
        copies[keeper] = copy
    }

    /// How many entries that wait have a copy at a neighbour at least.
    package func copied(beyond acknowledgedThrough: Int64) -> Int64 {
        max(0, (copies.values.map(\.through).max() ?? 0) - acknowledgedThrough)
    }
}
