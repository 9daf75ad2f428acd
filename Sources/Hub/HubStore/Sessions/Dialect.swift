/// What the two databases say differently; each store has one, in a file of its own. Everything else is SQL
/// that both understand.
package struct Dialect: Sendable {
    /// Behind a `SELECT`: its rows change no more before the transaction ends. SQLite has one writer, and so
    /// nothing to say.
    package let forUpdate: String
    /// The same, without the rows that another transaction holds.
    package let forUpdateOfFree: String
    /// Whether an expression is one of ``StoreValue/texts(_:)``: what follows the expression. The parameter
    /// is the mark of that value.
    package let isOne: @Sendable (_ mark: String) -> String
    /// An expression of text, ordered by its bytes.
    package let inBytes: @Sendable (_ text: String) -> String
    /// Where a text is in another one, from 1; 0 where it is not. Both are expressions.
    package let place: @Sendable (_ text: String, _ whole: String) -> String
    /// Within a transaction: its statements are planned for their values. A plan that was kept from a small
    /// table would read a large one whole.
    package let planning: StoreQuery?
    /// Waits for ``StoreLock``; nil where there is nobody to wait for.
    package let locking: @Sendable (StoreLock) -> StoreQuery?
    /// How documents of the journal feed become visible in the order of their numbers.
    package let numbering: JournalNumbering

    package init(
        forUpdate: String, forUpdateOfFree: String, isOne: @escaping @Sendable (String) -> String,
        inBytes: @escaping @Sendable (String) -> String,
        place: @escaping @Sendable (String, String) -> String, planning: StoreQuery?,
        locking: @escaping @Sendable (StoreLock) -> StoreQuery?, numbering: JournalNumbering
    ) {
        self.forUpdate = forUpdate
        self.forUpdateOfFree = forUpdateOfFree
        self.isOne = isOne
        self.inBytes = inBytes
        self.place = place
        self.planning = planning
        self.locking = locking
        self.numbering = numbering
    }

    /// ``forUpdate``, for the rows of one table of the `SELECT`.
    package func forUpdate(of table: String) -> String { forUpdate.isEmpty ? "" : "\(forUpdate) OF \(table)" }
}

/// What keeps a reader of the journal feed from passing a number that an open transaction can still fill.
package struct JournalNumbering: Sendable {
    /// Ahead of every insertion, in its transaction; nil where transactions write one after another.
    package let announcement: StoreQuery?
    /// The last number that was given.
    package let last: StoreQuery
    /// Of a last number, its only value, the one up to which no open transaction can fill any; nil: itself.
    package let settled: StoreQuery?

    package init(announcement: StoreQuery?, last: StoreQuery, settled: StoreQuery?) {
        self.announcement = announcement
        self.last = last
        self.settled = settled
    }
}

/// What hubs that share a database do one after another, each to the end of its transaction.
package enum StoreLock: Hashable, Sendable {
    /// Making the tables.
    case schema
    /// Giving positions of the change feed: they become visible in their own order, so no reader's cursor
    /// passes one that is still being written.
    case feed
    /// Adding documents to the sums of sales.
    case sums
    /// Exchanging what terminals reported.
    case reports
    /// Changing the hub's keys.
    case keys
    /// Appending to the operators' log.
    case operatorLog
    /// Enrolling a terminal, whose key is compared with those of the other stores.
    case enrolments
    /// Changing a terminal's journal.
    case journal(of: String)
    /// A sale and the refund by the number of its receipt, which two terminals can bring to two hubs at once:
    /// whichever is second finds the first.
    case receipt(String)
    /// The decisions about one terminal's refunds, which count what it has open.
    case refunds(of: String)
}
