/// An entry that a terminal's journal had in one of its epochs, by its place and its hash.
package struct JournalMark: Hashable, Sendable {
    /// From 1.
    package let epoch: Int64
    /// From 1.
    package let sequence: Int64
    /// The hash of the entry at ``sequence``, 64 lower-case hexadecimal characters.
    package let hash: String

    package init(epoch: Int64, sequence: Int64, hash: String) {
        self.epoch = epoch
        self.sequence = sequence
        self.hash = hash
    }

    /// Reads `{"epoch","sequence","hash"}`.
    package init(json: JSONValue) throws(ShapeError) {
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        sequence = try json.requiredInteger("sequence", in: 1...(1 << 53 - 1))
        hash = try json.requiredString("hash")
        guard Digest.isSHA256Hex(hash) else {
            throw ShapeError(path: "hash", expected: "64 lower-case hexadecimal characters")
        }
    }

    /// `{"epoch","sequence","hash"}`.
    package var json: JSONValue {
        ["epoch": .integer(epoch), "sequence": .integer(sequence), "hash": .string(hash)]
    }
}

/// Where a terminal's journal and its present epoch began, and what is known of its earlier epochs beyond the
/// entries on its disk. It is kept when the epoch is opened, and part of every signed head.
///
/// A hub that was restored from a backup begins an epoch that it does not know where it began, and a hub
/// that does not have an end that is named here has lost entries which this terminal cannot send again.
package struct JournalOrigin: Hashable, Sendable {
    /// The sequence at which the present epoch began.
    package var epochStart: Int64
    /// The first sequence that belongs to this hub: entries before it were another store's.
    package var journalStart: Int64
    /// How far earlier epochs came, where this disk does not have their last entry; the newest last.
    package var ends: [JournalMark]

    /// How many ends are kept, the newest ones. Each is one restored copy or one damaged database, and takes
    /// some 120 bytes of a head, which has ``SignedHead/maximumBytes``; twice as many would not fit.
    package static let maximumEnds = 4

    /// Makes an origin; of `ends` the last ``maximumEnds`` are kept.
    package init(epochStart: Int64, journalStart: Int64, ends: [JournalMark] = []) {
        self.epochStart = epochStart
        self.journalStart = journalStart
        self.ends = Array(ends.suffix(Self.maximumEnds))
    }

    /// Reads `{"epochStart","journalStart","ends"}`; missing `ends` are none.
    package init(json: JSONValue) throws(ShapeError) {
        let sequences: ClosedRange<Int64> = 1...(1 << 53 - 1)
        var ends: [JournalMark] = []
        for end in json["ends"]?.array ?? [] { ends.append(try JournalMark(json: end)) }
        self.init(
            epochStart: try json.requiredInteger("epochStart", in: sequences),
            journalStart: try json.requiredInteger("journalStart", in: sequences), ends: ends)
    }

    /// `{"epochStart","journalStart","ends"}`, without `ends` where there are none.
    package var json: JSONValue {
        var members: JSONObject = [
            "epochStart": .integer(epochStart), "journalStart": .integer(journalStart),
        ]
        if !ends.isEmpty { members["ends"] = .array(ends.map(\.json)) }
        return .object(members)
    }
}
