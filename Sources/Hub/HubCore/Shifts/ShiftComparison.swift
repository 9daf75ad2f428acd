internal import Base
package import HubProtocol

/// What of a terminal's journal belongs to a closed shift, and what it comes to: decided the same way for
/// every store.
///
/// A shift lies in one epoch of the journal unless a restored database or a clone began another one while it
/// was open; then it has a part in each of them.
package enum ShiftComparison {
    /// The shift's entries in one epoch.
    package struct Part: Hashable, Sendable {
        package let epoch: Int64
        /// Its first sequence that belongs to the shift.
        package let from: Int64
        /// The last one.
        package let to: Int64

        /// How many entries it has.
        package var count: Int64 { to - from + 1 }

        /// What lies in front of it, behind `sequence`; nil: nothing.
        package func front(behind sequence: Int64) -> Part? {
            sequence + 1 < from ? Part(epoch: epoch, from: sequence + 1, to: from - 1) : nil
        }

        /// The part from an earlier entry of the shift on: the shift is measured by what carries its id, and
        /// not by where its closing says that it began.
        package func beginning(at sequence: Int64) -> Part {
            Part(epoch: epoch, from: min(from, sequence), to: to)
        }
    }

    /// What the hub has in an epoch behind `sequence`; nil: nothing.
    package static func part(of epoch: JournalEpoch, behind sequence: Int64) -> Part? {
        let from = max(epoch.firstSequence, sequence + 1)
        return from <= epoch.highest ? Part(epoch: epoch.epoch, from: from, to: epoch.highest) : nil
    }

    /// An entry of a part, as the hub has it.
    package struct Entry: Hashable, Sendable {
        /// The mutation's id.
        package let id: String
        /// Its place in the epoch.
        package let sequence: Int64
        package let type: String
        /// Its hash as the terminal computed it.
        package let hash: String
        /// Whether the hub applied it.
        package let isApplied: Bool
        /// What it says.
        package let payload: JSONValue
        /// Whether it replaces another one; then it may lie behind the end of its shift.
        package let isEdit: Bool
        /// What a refused entry counts by; nil: it counts as nothing.
        package var edit: Edit?

        /// The mutation that counts for the entry; nil: none does.
        package var counted: Edit? { isApplied ? Edit(id: id, type: type, payload: payload) : edit }

        package init(
            id: String, sequence: Int64, type: String, hash: String, isApplied: Bool, payload: JSONValue,
            isEdit: Bool = false, edit: Edit? = nil
        ) {
            self.isEdit = isEdit
            self.id = id
            self.sequence = sequence
            self.type = type
            self.hash = hash
            self.isApplied = isApplied
            self.payload = payload
            self.edit = edit
        }
    }

    /// Where entries of other shifts lie among those of a shift: no till writes any but edits there. The
    /// shift that they name is compared with them, too.
    package struct Strays: Hashable, Sendable {
        /// By the ids of the shifts that they name, the first and the last sequence.
        package private(set) var found: [String: ClosedRange<Int64>] = [:]
        /// Whether there were more shifts than are noted.
        package private(set) var isOverfull = false

        /// Shifts that are noted for one part. A till writes none: half would do as well, and twice as many
        /// let a terminal that hides something make the hub write twice as much. A part with more is
        /// disputed itself.
        package static let most = 64

        /// Nothing found yet.
        package init() {}

        /// Notes an entry where it names another shift than `shiftId`.
        package mutating func note(_ entry: Entry, among shiftId: String) {
            guard !entry.isEdit, let other = EntryMembers(shown: entry.payload).shiftId, other != shiftId
            else {
                return
            }
            guard let known = found[other] else {
                if found.count < Self.most {
                    found[other] = entry.sequence...entry.sequence
                } else {
                    isOverfull = true
                }
                return
            }
            found[other] =
                min(known.lowerBound, entry.sequence)...max(known.upperBound, entry.sequence)
        }
    }

    /// An accepted mutation that replaces a refused one, directly or through other edits; or the refused one
    /// or its last edit that was discarded. Its money moved all the same: to discard it takes nothing out of
    /// the drawer, and the terminal counted it when it was made.
    package struct Edit: Hashable, Sendable {
        /// The mutation's id.
        package let id: String
        package let type: String
        /// What it says.
        package let payload: JSONValue
        /// Whether it was refused and a person gave it up: the hub has it in no figure of sales.
        package let isDiscarded: Bool

        package init(id: String, type: String, payload: JSONValue, isDiscarded: Bool = false) {
            self.id = id
            self.type = type
            self.payload = payload
            self.isDiscarded = isDiscarded
        }
    }

    /// A discarded mutation that counts in a shift.
    package struct Discarded: Hashable, Sendable {
        package let mutation: Edit
        /// The payload of the sale that it voids; nil: it voids none, or one that nobody knows.
        package let voided: JSONValue?
    }

    /// The parts of a closed shift; nil while the hub does not have everything up to its end.
    ///
    /// - Parameters:
    ///   - epochs: of the terminal's journal, in their order.
    ///   - epoch: in which the shift was closed.
    ///   - opened: the epochs in which the entry at the closing's `from` is the shift's opening.
    package static func parts(
        of closing: ShiftClosing, closedIn epoch: Int64, epochs: [JournalEpoch], opened: Set<Int64>
    ) -> [Part]? {
        guard let last = epochs.first(where: { $0.epoch == epoch }),
            last.acknowledgedThrough >= closing.to || PlantedBug.statementOverGap.isPlanted
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
package struct ShiftPartTally: Sendable {
    private let opening: ShiftOpening
    private var tally = ShiftTally()
    private var received: Int64 = 0
    private var head = ""
    /// What its accepted entries say of a card machine.
    package private(set) var cardMachine = ShiftCardMachine()
    /// What counts in it and is in no document of the journal feed.
    package private(set) var discarded: [ShiftComparison.Discarded] = []

    /// Nothing added yet.
    package init(of opening: ShiftOpening) { self.opening = opening }

    /// What its entries come to.
    package var sums: ShiftSums { tally.sums }

    /// Adds an entry; the entries come in the order of their sequences. A refused entry counts by its
    /// accepted edit, wherever that is, and as it was written once it was discarded.
    ///
    /// - Parameters:
    ///   - counted: the ids of mutations that count already, here or in a part of an earlier epoch: an entry
    ///     that was sent again, and an edit that an entry before brought. Grows by this one.
    ///   - sales: the payloads of sales that voids reverse, by the orders' ids.
    package mutating func add(
        _ entry: ShiftComparison.Entry, counted: inout Set<String>, sales: [String: JSONValue]
    ) {
        received += 1
        head = entry.hash
        guard let mutation = entry.counted, counted.insert(mutation.id).inserted,
            EntryMembers(shown: mutation.payload).shiftId == opening.shiftId
        else { return }
        let voided = ShiftTally.voidedOrder(by: mutation.type, mutation.payload).flatMap { sales[$0] }
        tally.add(id: mutation.id, type: mutation.type, payload: mutation.payload, voided: voided)
        if !mutation.isDiscarded { cardMachine.add(mutation.type, mutation.payload) }
        if mutation.isDiscarded { discarded.append(.init(mutation: mutation, voided: voided)) }
    }

    /// What the hub has of the part, not signed yet.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func statement(
        of terminalId: String, in part: ShiftComparison.Part, at now: Int64
    ) -> ShiftStatement {
        ShiftStatement(
            terminalId: terminalId, epoch: part.epoch, shiftId: opening.shiftId, from: part.from,
            to: part.to, head: head, received: received, currency: opening.currency,
            sums: sums, issuedAt: now)
    }
}
