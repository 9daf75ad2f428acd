import HubProtocol

/// Compares the epochs of a terminal's journal with each other: what lies before an entry, and is in none of
/// them, is missing. For the response to a push, and for the audit.
package struct EpochComparison<Store: IntakeTransaction> {
    /// Entries that are missing before one that is here.
    package struct Gap: Hashable, Sendable {
        /// The epoch of the entry behind them.
        package let epoch: Int64
        /// At least these.
        package let sequences: ClosedRange<Int64>
        /// The hash of the last of them, as the entry behind it names it.
        let hash: String

        /// The last of them, by which a terminal that has it knows it.
        var end: JournalMark { JournalMark(epoch: epoch, sequence: sequences.upperBound, hash: hash) }
    }

    private let store: Store
    private let terminalId: String
    private let terminalIds: [String]
    private let journalStart: Int64?

    /// - Parameters:
    ///   - terminalIds: the terminal, and those under which the same device was enrolled before.
    ///   - journalStart: the first sequence that belongs to this hub; nil: the first that the hub has.
    package init(store: Store, terminalId: String, terminalIds: [String], journalStart: Int64?) {
        self.store = store
        self.terminalId = terminalId
        self.terminalIds = terminalIds
        self.journalStart = journalStart
    }

    /// Gaps within the epochs before the last one, and those before the first entry of each epoch; the last
    /// one's own gaps are in the response to every push.
    ///
    /// - Parameter epochs: of the terminal, the last one last.
    package func gaps(among epochs: [JournalEpoch]) throws -> [Gap] {
        var found: [Gap] = []
        for epoch in epochs {
            let place = JournalPlace(terminalId: terminalId, epoch: epoch.epoch)
            let begins = journalStart ?? epochs.first?.firstSequence ?? 1
            let before = epoch.firstSequence - 1
            if before >= begins, let hash = try missing(before, in: place) {
                found.append(Gap(epoch: epoch.epoch, sequences: before...before, hash: hash))
            }
            guard epoch.hasGap, epoch.epoch != epochs.last?.epoch else { continue }
            for gap in try store.gaps(above: epoch.acknowledgedThrough, below: epoch.highest, in: place) {
                guard let hash = try missing(gap.upperBound, in: place) else { continue }
                found.append(Gap(epoch: epoch.epoch, sequences: gap, hash: hash))
            }
        }
        return found
    }

    /// Epochs before the last one of which nothing is here; at most ``JournalEpoch/maximumLeap``.
    ///
    /// - Parameter epochs: of the terminal, the last one last.
    package static func skipped(among epochs: [JournalEpoch]) -> [Int64] {
        guard let last = epochs.last?.epoch else { return [] }
        let known = Set(epochs.map(\.epoch))
        return (max(1, last - JournalEpoch.maximumLeap)..<last).filter { !known.contains($0) }
    }

    /// The hash of the entry at `sequence`, when it is in none of the epochs. Nil also where the entry behind
    /// it is not here: that one is missing, too, and then a gap of its epoch.
    private func missing(_ sequence: Int64, in place: JournalPlace) throws -> String? {
        guard let next = try store.link(at: sequence + 1, in: place),
            try store.held(sequence, hash: next.previousHash, by: terminalIds) == nil
        else { return nil }
        return next.previousHash
    }
}
