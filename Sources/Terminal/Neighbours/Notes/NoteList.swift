internal import Base
package import HubProtocol

/// Which list: that of one maker in one epoch.
package struct NoteListKey: Hashable, Comparable, Sendable {
    package let terminalId: String
    package let epoch: Int64

    package init(_ terminalId: String, _ epoch: Int64) {
        self.terminalId = terminalId
        self.epoch = epoch
    }

    /// By maker, then by epoch.
    package static func < (left: NoteListKey, right: NoteListKey) -> Bool {
        (left.terminalId, left.epoch) < (right.terminalId, right.epoch)
    }
}

extension NeighbourNote {
    package var list: NoteListKey { NoteListKey(terminalId, epoch) }
}

extension NoteHead {
    package var list: NoteListKey { NoteListKey(terminalId, epoch) }
}

/// The list of one maker in one epoch as far as this till has it: gapless from ``first`` on.
///
/// It holds the hashes of the notes and what they say; the notes themselves are in the store.
package struct NoteList: Hashable, Sendable {
    /// Where a note of the list stands beside what is there.
    enum Place: Hashable {
        /// It is the next one.
        case next
        /// It begins the list anew above what is there: the first part of a checkpoint.
        case anew
        /// It is there.
        case known
        /// Another note is there under its number: its maker signed both.
        case fork
        /// It continues another note than the one that is there.
        case branch
        /// Notes between are missing, or it lies before what is kept.
        case apart
    }

    /// A checkpoint whose parts are all there.
    struct Checkpoint: Hashable {
        /// The number of its first part.
        let start: Int64
        /// What lies before it is dropped when the hub has acknowledged this entry.
        let journal: JournalMark
        /// Whether it has all that was known before its first part. One that has not is kept as the notes
        /// that it is, and what lies before it stays too.
        let isCovering: Bool
    }

    /// The parts of a checkpoint that came one after the other.
    private struct OpenCheckpoint: Hashable {
        let start: Int64
        let opening: CheckpointPart
        /// Of its first part, in milliseconds since 1970.
        let madeAt: Int64
        /// What was known before its first part.
        let before: NoteState
        /// What its parts say, and nothing else.
        var state = NoteState()
        var parts: Int64 = 0
    }

    /// The number of the first note that is kept; 1 until a checkpoint began the list anew.
    package private(set) var first: Int64 = 1
    /// The number of the first note that the store has; below ``first`` after a list began anew above what
    /// was there, until its checkpoint is complete.
    private(set) var storedFirst: Int64 = 1
    /// The hash of each note from ``first`` on.
    private var hashes: [NoteHash] = []
    /// The hash of the note before ``first``.
    private var before = NoteHash.genesis
    /// The number under which the maker signed two notes.
    package private(set) var forkedAt: Int64?
    /// What all notes say that were ever added, those before ``first`` included.
    package private(set) var state = NoteState()
    /// The last note's.
    private(set) var madeAt: Int64 = 0
    private var open: OpenCheckpoint?
    /// The newest one, until the list began anew with it.
    private(set) var checkpoint: Checkpoint?
    /// The number of the first part of the last checkpoint that is complete; 0 without one.
    private(set) var lastCheckpoint: Int64 = 0

    /// The number of the last note; one less than ``first`` when there is none.
    package var last: Int64 { first + Int64(hashes.count) - 1 }
    /// How many notes are kept.
    package var count: Int { hashes.count }
    /// The hash of the last note.
    package var lastHash: String { (hashes.last ?? before).hex }

    /// The hash of the note `number`; nil for one that is not kept.
    func hash(at number: Int64) -> String? {
        number >= first && number <= last ? hashes[Int(number - first)].hex : nil
    }

    /// Where `note` stands; of a note that is signed and belongs to this list.
    func place(of note: NeighbourNote) -> Place {
        if let known = hash(at: note.number) { return known == note.hash ? .known : .fork }
        if note.number == last + 1 { return note.previousHash == lastHash ? .next : .branch }
        return note.number > last && beginsAnew(note) ? .anew : .apart
    }

    private func beginsAnew(_ note: NeighbourNote) -> Bool {
        guard note.kind == NoteKind.checkpoint.rawValue, let part = try? CheckpointPart(json: note.body)
        else {
            return false
        }
        return part.part == 1 && part.number == note.number - 1 && part.hash == note.previousHash
    }

    /// Adds a note whose place is `next` or `anew`.
    mutating func add(_ note: NeighbourNote) {
        if note.number != last + 1 {
            if hashes.isEmpty { storedFirst = note.number }
            first = note.number
            before = NoteHash(note.previousHash)
            hashes = []
            open = nil
            checkpoint = nil
        }
        hashes.append(NoteHash(note.hash))
        madeAt = note.madeAt
        let completed = follow(note)
        state.add(note)
        if let completed { complete(completed) }
    }

    /// Keeps that the maker signed two notes under one number; of several numbers the first that was seen.
    mutating func fork(at number: Int64) { forkedAt = forkedAt ?? number }

    /// Follows the parts of a checkpoint. One whose parts do not fit each other is none.
    ///
    /// - Returns: the checkpoint whose last part this is.
    private mutating func follow(_ note: NeighbourNote) -> OpenCheckpoint? {
        guard note.kind == NoteKind.checkpoint.rawValue, let part = try? CheckpointPart(json: note.body)
        else {
            open = nil
            return nil
        }
        if part.part == 1 {
            let fits = part.number == note.number - 1 && part.hash == note.previousHash
            open =
                fits
                ? OpenCheckpoint(start: note.number, opening: part, madeAt: note.madeAt, before: state) : nil
        }
        guard var going = open, part.part == going.parts + 1, part.parts == going.opening.parts,
            part.number == going.opening.number, part.hash == going.opening.hash,
            part.journal == going.opening.journal
        else {
            open = nil
            return nil
        }
        going.parts += 1
        going.state.add(note)
        open = going.parts < part.parts ? going : nil
        return open == nil ? going : nil
    }

    private mutating func complete(_ going: OpenCheckpoint) {
        lastCheckpoint = going.start
        let since = going.madeAt - NeighbourLimits.refundsKept.wholeMilliseconds
        checkpoint = Checkpoint(
            start: going.start, journal: going.opening.journal,
            isCovering: going.before.isCovered(by: going.state, since: since))
        state.endCarts(openIn: going.before, notIn: going.state)
    }

    /// Whether the newest checkpoint takes something away of what is known: its maker lost notes, or lies.
    var hasLoweringCheckpoint: Bool { checkpoint.map { !$0.isCovering } ?? false }

    /// Begins the list anew with the newest checkpoint when the hub has acknowledged the journal entry that
    /// it names and it takes nothing away of what is known. A list with two notes under one number stays.
    ///
    /// - Parameters:
    ///   - epoch: of the list.
    ///   - acknowledged: the journal of that epoch up to this sequence has results.
    /// - Returns: the number of the first note that is kept now; nil: nothing changed.
    mutating func beginAnew(epoch: Int64, acknowledged: Int64) -> Int64? {
        guard let checkpoint, forkedAt == nil, checkpoint.isCovering, checkpoint.journal.epoch == epoch,
            checkpoint.journal.sequence <= acknowledged
        else { return nil }
        self.checkpoint = nil
        guard checkpoint.start > storedFirst else { return nil }
        let dropped = Int(checkpoint.start - first)
        if dropped > 0 {
            before = hashes[dropped - 1]
            hashes.removeFirst(dropped)
        }
        (first, storedFirst) = (checkpoint.start, checkpoint.start)
        return first
    }
}

/// SHA-256 in 32 bytes: a list has thousands of them, and their texts would take four times as much.
private struct NoteHash: Hashable, Sendable {
    static let genesis = NoteHash(NeighbourNote.genesisHash)

    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter hex: 64 hexadecimal characters, as a note that was read has them.
    init(_ hex: String) {
        let digits = Array(hex.utf8)
        func word(_ index: Int) -> UInt64 {
            digits[16 * index..<16 * index + 16].reduce(0) { word, digit in
                word << 4 | UInt64(digit < 0x60 ? digit - 0x30 : digit - 0x57)
            }
        }
        words = (word(0), word(1), word(2), word(3))
    }

    var hex: String {
        [words.0, words.1, words.2, words.3].map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    static func == (left: NoteHash, right: NoteHash) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
