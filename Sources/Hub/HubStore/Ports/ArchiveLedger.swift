internal import Base
package import HubCore

/// Moves closed days out of the store into a file. Of each entry stays what ``ArchiveStub`` makes of it.
///
/// Nothing goes before ``keepWritten(_:hash:counts:)`` noted that the complete file is on a disk. What then
/// goes is named by what is read from that file, some rows in each transaction, so that pushes go between
/// and a kill leaves every row either in both places or in the file.
package protocol ArchiveLedger: Sendable {
    /// Archives in their order, also one that is not finished.
    func archives() async throws(LedgerError) -> [Archive]

    /// What keeps days from an archive, and up to where the journal feed may go.
    ///
    /// - Parameters:
    ///   - before: the first day that is wanted to stay.
    ///   - now: the hub's wall clock, in milliseconds since 1970.
    func archivable(before: String, at now: Int64) async throws(LedgerError) -> Archivable

    /// Begins an archive, in place of one that nothing was removed for.
    ///
    /// - Returns: nil, and nothing is begun, where another one is being removed.
    func begin(_ archivable: Archivable, file: String, at now: Int64) async throws(LedgerError) -> Archive?

    /// Entries of an archive that is being written, of the next ones in the order of terminals, epochs and
    /// sequences.
    ///
    /// - Parameter place: where the part before ended; nil: the beginning.
    /// - Returns: some or none, and where to go on; nil at the end.
    func entries(
        of archive: Archive, after place: ArchivePlace?
    ) async throws(LedgerError) -> (entries: [ArchivedEntry], next: ArchivePlace?)

    /// Its documents behind a number, as many as a page takes; none at the end.
    func documents(
        of archive: Archive, after number: Int64
    ) async throws(LedgerError) -> [(number: Int64, text: String)]

    /// Notes that its file is complete, and on a disk. From then on the journal feed has nothing before its
    /// end.
    func keepWritten(_ id: Int64, hash: String, counts: ArchiveCounts) async throws(LedgerError)

    /// Takes the documents of entries out of the store; those that are gone stay so. One transaction.
    func removeEntries(_ keys: [String], of id: Int64) async throws(LedgerError)

    /// Takes documents out of the journal feed, and moves what they come to from the sums of the feed to
    /// those of archives. One transaction.
    ///
    /// - Parameter numbers: all between the first and the last.
    func removeDocuments(_ numbers: [Int64], of id: Int64) async throws(LedgerError)

    /// Notes that all of it was removed.
    func finish(_ id: Int64) async throws(LedgerError)
}

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
