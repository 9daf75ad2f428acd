/// The kinds of notes whose bodies this version reads. Others are kept and passed on as they are.
package enum NoteKind: String, Hashable, Sendable, CaseIterable {
    case cartParked
    case cartGranted
    case cartEnded
    case refundMade
    case refundGranted
    case leaseGiven
    case released
    case checkpoint
}

/// The body of `cartParked`: a cart that its till can sell. Its lines stay there, and so does its member.
package struct ParkedCart: Fact {
    package var id = ""
    /// As the cashier named it, printable; empty without a name.
    package var name = ""
    /// The number of its lines.
    package var count: Int64 = 0
    /// Minor units of the store's currency.
    package var total: Int64 = 0
    /// Of its ownership, from 1: one more with each change of the cart and of its owner.
    package var turn: Int64 = 0
    /// The till that had it first; nil: the note's maker.
    package var origin: String?
    /// The first cart that it is a copy of; nil: it is none.
    package var copiedFrom: String?

    /// What a screen would act on is replaced in `name`, and what is above ``TextBound/entered`` is cut.
    package init(id: String, name: String, count: Int64, total: Int64, turn: Int64) {
        self.id = id
        self.name = name.printable
        while self.name.utf8.count > TextBound.entered { self.name.removeLast() }
        self.count = count
        self.total = total
        self.turn = turn
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.name("copiedFrom", &copiedFrom)
        try m.number("count", &count, in: 0...JSONValue.exactIntegers.upperBound)
        try m.name("id", &id)
        try m.text("name", &name)
        // Escapes of control characters would take six times their bytes in a checkpoint's parts.
        try m.check(
            name.utf8.count <= TextBound.entered && name == name.printable, "name",
            "at most \(TextBound.entered) printable bytes")
        try m.name("origin", &origin)
        try m.number("total", &total)
        try m.number("turn", &turn, in: 1...JSONValue.exactIntegers.upperBound)
    }
}

/// The body of `cartEnded`: a cart that nobody sells any more, whatever is heard of it later.
package struct EndedCart: Fact {
    /// How it ended.
    package enum End: String, Hashable, Sendable, CaseIterable {
        case sold
        case dropped
    }

    package var id = ""
    package var end = End.sold

    package init(id: String, end: End) {
        self.id = id
        self.end = end
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.word("end", &end, of: "`sold` or `dropped`")
        try m.name("id", &id)
    }
}

/// The body of `refundMade`: an amount of a receipt that was given back.
package struct NotedRefund: Fact {
    package var refundId = ""
    /// The number of the order on whose receipt the amount was given back.
    package var orderId = ""
    /// Minor units, above 0.
    package var amount: Int64 = 0
    /// Milliseconds since 1970 by its maker's clock.
    package var madeAt: Int64 = 0

    package init(refundId: String, orderId: String, amount: Int64, madeAt: Int64) {
        self.refundId = refundId
        self.orderId = orderId
        self.amount = amount
        self.madeAt = madeAt
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: 1...JSONValue.exactIntegers.upperBound)
        try m.moment("madeAt", &madeAt)
        try m.name("orderId", &orderId)
        try m.name("refundId", &refundId)
    }
}

/// A copy of a cart that its maker sold: whoever has the first cart has to know of it, after the notes of the
/// copy itself are dropped, too.
package struct SoldCopy: Fact {
    package private(set) var id = ""
    /// The first cart that it is a copy of.
    package private(set) var copiedFrom = ""
    /// Milliseconds since 1970 by its maker's clock.
    package private(set) var soldAt: Int64 = 0

    package init(id: String, copiedFrom: String, soldAt: Int64) {
        (self.id, self.copiedFrom, self.soldAt) = (id, copiedFrom, soldAt)
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.name("copiedFrom", &copiedFrom)
        try m.name("id", &id)
        try m.moment("soldAt", &soldAt)
    }
}

/// The body of `checkpoint`: one part of what a till's list says up to a note. The parts are notes that
/// follow each other; the list begins anew with the first of them once the last is there.
package struct CheckpointPart: Fact {
    /// The last note that the checkpoint covers: the one before its first part.
    package var number: Int64 = 0
    /// The hash of that note.
    package var hash = ""
    /// From 1.
    package var part: Int64 = 0
    package var parts: Int64 = 0
    /// What lies before the checkpoint is dropped when the hub has acknowledged the journal up to here.
    package var journal = JournalMark()
    /// Open carts.
    package var carts: [ParkedCart] = []
    /// What was granted within ``NeighbourLimits/refundsKept``.
    package var grants: [GrantedRight] = []
    /// Refunds of ``NeighbourLimits/refundsKept``.
    package var refunds: [NotedRefund] = []
    /// What was released within the same time.
    package var releases: [ReleasedRight] = []
    /// Copies that were sold within the same time; those that are open are among the carts.
    package var copies: [SoldCopy] = []

    package init(number: Int64, hash: String, journal: JournalMark) {
        self.number = number
        self.hash = hash
        self.journal = journal
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.list("carts", &carts)
        try m.list("copies", &copies, .valid)
        try m.list("grants", &grants, .valid)
        try m.text("hash", &hash)
        try m.check(Digest.isSHA256Hex(hash), "hash", "64 lower-case hexadecimal characters")
        try m.part("journal", &journal)
        try m.number("number", &number, in: 1...JSONValue.exactIntegers.upperBound)
        try m.number("part", &part, in: 1...JSONValue.exactIntegers.upperBound)
        try m.number("parts", &parts, in: 1...JSONValue.exactIntegers.upperBound)
        try m.list("refunds", &refunds)
        try m.list("releases", &releases, .valid)
    }
}
