internal import Base
package import HubCore

/// A file that days went into, or are about to go.
package struct Archive: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// Nothing was removed. It goes to `written`, or another one takes its place.
        case writing
        /// The file is complete, and what it has is being removed. It goes to `done`.
        case written
        case done
    }

    package let id: Int64
    /// As it was named.
    package let file: String
    package let state: State
    /// `YYYY-MM-DD`: the first day that is not in it.
    package let before: String
    /// The documents of the feed above the first number, up to the second.
    package let above: Int64
    package let through: Int64
    /// Entries without a document that is a sale, void or refund came before this moment.
    package let arrivedBefore: Int64
    /// Milliseconds since 1970.
    package let begunAt: Int64
    /// Of the file's last line; nil while it is written.
    package let hash: String?
    package let entries: Int64
    package let documents: Int64
    /// The hub's life of now.
    package let journal: String

    /// The first line of the file.
    package var header: ArchiveHeader {
        var header = ArchiveHeader()
        (header.number, header.journal, header.before) = (id, journal, before)
        (header.above, header.through) = (above, through)
        header.arrivedBefore = Timestamp.text(milliseconds: arrivedBefore)
        header.madeAt = Timestamp.text(milliseconds: begunAt)
        return header
    }
}

/// What a new archive would have.
package struct Archivable: Hashable, Sendable {
    package let decision: ArchiveDecision
    /// The last number that earlier archives have.
    package let above: Int64
    /// The last number that may go; ``above`` where nothing may.
    package let through: Int64

    package var isEmpty: Bool { through <= above }
}

/// The place of an entry in the journals of all terminals.
package struct ArchivePlace: Hashable, Sendable {
    package let terminalId: String
    package let epoch: Int64
    package let sequence: Int64

    package init(terminalId: String, epoch: Int64, sequence: Int64) {
        (self.terminalId, self.epoch, self.sequence) = (terminalId, epoch, sequence)
    }
}
