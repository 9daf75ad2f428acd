public import HubProtocol

/// What of a terminal's journal belongs to a closed shift, and what it comes to: decided the same way for
/// every store.
///
/// A shift lies in one epoch of the journal unless a restored database or a clone began another one while it
/// was open; then it has a part in each of them.
public enum ShiftComparison {
    /// A stretch of one epoch.
    public struct Part: Hashable, Sendable {
        /// The epoch.
        public let epoch: Int64
        /// Its first sequence that belongs to the shift.
        public let from: Int64
        /// The last one.
        public let to: Int64
    }

    /// An entry of a part, as the hub has it.
    public struct Entry: Hashable, Sendable {
        /// The mutation's id.
        public let id: String
        /// Its place in the epoch.
        public let sequence: Int64
        /// Its type.
        public let type: String
        /// Its hash as the terminal computed it.
        public let hash: String
        /// Whether the hub applied it.
        public let isApplied: Bool
        /// What it says.
        public let payload: JSONValue
        /// The accepted edit of a refused entry, with its payload; nil: there is none.
        public let edit: Edit?

        /// Makes an entry as it was read.
        public init(
            id: String, sequence: Int64, type: String, hash: String, isApplied: Bool, payload: JSONValue,
            edit: Edit? = nil
        ) {
            self.id = id
            self.sequence = sequence
            self.type = type
            self.hash = hash
            self.isApplied = isApplied
            self.payload = payload
            self.edit = edit
        }
    }

    /// An accepted mutation that replaces a refused one.
    public struct Edit: Hashable, Sendable {
        /// Its place in the same epoch; it counts by itself where it lies within the part.
        public let sequence: Int64
        /// What it says.
        public let payload: JSONValue

        /// Makes an edit as it was read.
        public init(sequence: Int64, payload: JSONValue) {
            self.sequence = sequence
            self.payload = payload
        }
    }

    /// The parts of a closed shift; nil while the hub does not have everything up to its end.
    ///
    /// - Parameters:
    ///   - epochs: of the terminal's journal, in their order.
    ///   - epoch: in which the shift was closed.
    ///   - opened: the epochs in which the entry at the closing's `from` is the shift's opening.
    public static func parts(
        of closing: ShiftClosing, closedIn epoch: Int64, epochs: [JournalEpoch], opened: Set<Int64>
    ) -> [Part]? {
        guard let last = epochs.first(where: { $0.epoch == epoch }), last.acknowledgedThrough >= closing.to
        else { return nil }
        let first = opened.filter { $0 <= epoch }.min() ?? epoch
        return epochs.filter { (first...epoch).contains($0.epoch) }.compactMap { known in
            let from = max(closing.from, known.firstSequence)
            let to = known.epoch == epoch ? closing.to : known.highest
            return from <= to ? Part(epoch: known.epoch, from: from, to: to) : nil
        }
    }
}

/// Adds up one part of a shift.
public struct ShiftPartTally: Sendable {
    private let part: ShiftComparison.Part
    private let closing: ShiftClosing
    private var tally = ShiftTally()
    private var received: Int64 = 0
    private var head = ""

    /// Nothing added yet.
    public init(_ part: ShiftComparison.Part, of closing: ShiftClosing) {
        self.part = part
        self.closing = closing
    }

    /// Adds an entry; the entries come in the order of their sequences.
    ///
    /// - Parameters:
    ///   - isCounted: whether a part of an earlier epoch has it too: it was sent again, and counts there.
    ///   - sale: the payload of a sale that a void reverses, by the order's id.
    public mutating func add(
        _ entry: ShiftComparison.Entry, isCounted: Bool, sale: (String) throws -> JSONValue?
    ) throws {
        received += 1
        head = entry.hash
        guard !isCounted, let payload = counted(entry),
            payload["shiftId"]?.string == closing.opening.shiftId
        else { return }
        try tally.add(type: entry.type, payload: payload, sale: sale)
    }

    /// An entry that the hub refused counts by its accepted edit, unless that lies within the part and comes
    /// by itself.
    private func counted(_ entry: ShiftComparison.Entry) -> JSONValue? {
        if entry.isApplied { return entry.payload }
        guard let edit = entry.edit, !(part.from...part.to).contains(edit.sequence) else { return nil }
        return edit.payload
    }

    /// What the hub has of the part, not signed yet.
    ///
    /// - Parameter now: milliseconds since 1970.
    public func statement(of terminalId: String, at now: Int64) -> ShiftStatement {
        ShiftStatement(
            terminalId: terminalId, epoch: part.epoch, shiftId: closing.opening.shiftId, from: part.from,
            to: part.to, head: head, received: received, currency: closing.opening.currency,
            sums: tally.sums, issuedAt: now)
    }
}
