/// How far one epoch of a terminal's journal has come at the hub.
package struct JournalEpoch: Hashable, Sendable {
    /// 1 at enrolment, one more after every fork.
    package let epoch: Int64
    /// The sequence that the epoch begins with; its link to what was before is not checked.
    package private(set) var firstSequence: Int64
    /// The highest sequence such that it and all before it in the epoch have a result.
    package private(set) var acknowledgedThrough: Int64
    /// The highest sequence with a result; below ``firstSequence`` when there is none.
    package private(set) var highest: Int64
    /// The smallest sequence without a result on the terminal's disk, as it last reported; nil before it did.
    package var lowSequence: Int64?

    /// An epoch without entries that starts at `firstSequence`.
    package init(epoch: Int64, firstSequence: Int64) {
        self.epoch = epoch
        self.firstSequence = firstSequence
        acknowledgedThrough = firstSequence - 1
        highest = firstSequence - 1
    }

    /// An epoch as it was stored.
    package init(
        epoch: Int64, firstSequence: Int64, acknowledgedThrough: Int64, highest: Int64, lowSequence: Int64?
    ) {
        self.epoch = epoch
        self.firstSequence = firstSequence
        self.acknowledgedThrough = acknowledgedThrough
        self.highest = highest
        self.lowSequence = lowSequence
    }

    /// Whether something before the highest entry is not there.
    package var hasGap: Bool { acknowledgedThrough < highest }

    /// Lets the epoch begin earlier, at `sequence`; what lies between is missing. Nothing for a later one.
    package mutating func extend(to sequence: Int64) {
        guard sequence < firstSequence else { return }
        if highest < firstSequence { highest = sequence - 1 }
        firstSequence = sequence
        acknowledgedThrough = sequence - 1
    }

    /// How many epochs after the last known one a terminal may open, each a repair or a restored copy that
    /// this hub does not know of, since it was restored from a backup. Half would do for any honest one;
    /// double lets a stolen key fill the list of epochs twice as fast.
    package static let maximumLeap: Int64 = 100
    /// A larger distance from an epoch's start to its first entry is worth an alarm, `epoch_gap`: more
    /// than a busy till sells in a month. Half of it would report honest backups of a month.
    static let plausibleGap: Int64 = 10_000
    /// How far back an epoch is extended at once when the entry before its first one is not here, and where
    /// no earlier epoch shows how much. The entries come in one batch; half takes twice the rounds, double
    /// sends twice as many again that the hub has.
    static let stepBack: Int64 = 64

    /// How many entries of a device's other journals one push counts in this one, too. Each is a look-up of
    /// some
    /// 0.1 ms in the transaction; half or double only changes how many pushes fill a gap.
    static let maximumAdopted = 200

    /// How many gaps of earlier epochs a response names at most, in some 120 bytes each. What a terminal
    /// sends of the first ones closes them; half or double changes nothing but the rounds.
    static let listedGaps = 20

    /// Notes a result for `sequence`.
    ///
    /// - Parameter endOfRun: called when the entry closes the gap before others: the last sequence of the
    ///   unbroken run that begins right behind the one given (that one itself when there is none).
    package mutating func occupy<Failure: Error>(
        _ sequence: Int64, endOfRun: (Int64) throws(Failure) -> Int64
    ) throws(Failure) {
        let isBelowHighest = sequence < highest
        highest = max(highest, sequence)
        guard sequence == acknowledgedThrough + 1 else { return }
        acknowledgedThrough = isBelowHighest ? try endOfRun(sequence) : sequence
    }

    /// How many entries are read in search of gaps, or of the last order number, while others wait: enough to
    /// name ``maximumMissing`` sequences of which every other one is missing. Half of it would name fewer;
    /// more costs the others time, and what is found later is named with a later push.
    package static let entriesSearched: Int64 = 2_000

    /// How many missing sequences a response names at most: five of the largest batches, and some 10 kB of a
    /// response. With half as many a terminal fills a large gap in twice as many rounds; with twice as many
    /// each response of a damaged journal is twice as long.
    private static let maximumMissing = 1_000

    /// The first missing sequences (at most ``maximumMissing``), from the intervals that are missing.
    package static func listed(_ gaps: [ClosedRange<Int64>]) -> [Int64] {
        var missing: [Int64] = []
        for gap in gaps {
            missing.append(contentsOf: gap.prefix(maximumMissing - missing.count))
            if missing.count == maximumMissing { break }
        }
        return missing
    }
}
