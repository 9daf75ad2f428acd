/// An entry that a terminal's journal had in one of its epochs, by its place and its hash.
package struct JournalMark: Fact {
    /// From 1.
    package private(set) var epoch: Int64 = 0
    /// From 1.
    package private(set) var sequence: Int64 = 0
    /// The hash of the entry at ``sequence``, 64 lower-case hexadecimal characters.
    package private(set) var hash = ""

    package init(epoch: Int64, sequence: Int64, hash: String) {
        self.epoch = epoch
        self.sequence = sequence
        self.hash = hash
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("epoch", &epoch, in: 1...(1 << 31))
        try m.text("hash", &hash)
        try m.check(Digest.isSHA256Hex(hash), "hash", "64 lower-case hexadecimal characters")
        try m.number("sequence", &sequence, in: 1...JSONValue.exactIntegers.upperBound)
    }
}

/// Where a terminal's journal and its present epoch began, and what is known of its earlier epochs beyond the
/// entries on its disk. It is kept when the epoch is opened, and part of every signed head.
///
/// A hub that was restored from a backup begins an epoch that it does not know where it began, and a hub
/// that does not have an end that is named here has lost entries which this terminal cannot send again.
package struct JournalOrigin: Fact {
    /// The sequence at which the present epoch began.
    package var epochStart: Int64 = 0
    /// The first sequence that belongs to this hub: entries before it were another store's.
    package var journalStart: Int64 = 0
    /// How far earlier epochs came, where this disk does not have their last entry; the newest last.
    package var ends: [JournalMark] = []

    /// How many ends are kept, the newest ones. Each is one restored copy or one damaged database, and takes
    /// some 120 bytes of a head, which has ``SignedHead/maximumBytes``; twice as many would not fit.
    package static let maximumEnds = 4

    /// Makes an origin; of `ends` the last ``maximumEnds`` are kept.
    package init(epochStart: Int64, journalStart: Int64, ends: [JournalMark] = []) {
        self.epochStart = epochStart
        self.journalStart = journalStart
        self.ends = Array(ends.suffix(Self.maximumEnds))
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var known = ends.isEmpty ? nil : ends
        try m.list("ends", &known, .optional)
        try m.number("epochStart", &epochStart, in: 1...JSONValue.exactIntegers.upperBound)
        try m.number("journalStart", &journalStart, in: 1...JSONValue.exactIntegers.upperBound)
        ends = Array((known ?? []).suffix(Self.maximumEnds))
    }
}
