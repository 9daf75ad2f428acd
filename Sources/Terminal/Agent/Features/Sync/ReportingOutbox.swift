internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore

/// The outbox on disk, which reports what it learns: `deferred` rows, whose attachments go once more, and a
/// leap of the order numbers.
final class ReportingOutbox: OutboxStorage, Sendable {
    private let outbox: SQLiteOutbox
    private let facts: SQLiteTerminalFacts
    private let absences: HubAbsences
    private let revisions: StatusRevisions
    private let logger: Logger
    private let deferrals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        outbox: SQLiteOutbox, facts: SQLiteTerminalFacts, absences: HubAbsences, revisions: StatusRevisions,
        logger: Logger
    ) {
        (self.outbox, self.facts, self.absences) = (outbox, facts, absences)
        (self.revisions, self.logger) = (revisions, logger)
    }

    /// Notifies `uploader` of attachments that go once more, until the task is cancelled. To be called once.
    func deliver(to uploader: AttachmentUploader) async {
        for await _ in deferrals.stream { uploader.nudge() }
    }

    func pending(after sequence: Int64, limit: Int) async throws(OutboxStorageError) -> [OutboxItem] {
        try await outbox.pending(after: sequence, limit: limit)
    }

    func depth() async throws(OutboxStorageError) -> OutboxDepth { try await outbox.depth() }

    func record(
        _ results: [PushResult], acknowledgedThrough: Int64?
    ) async throws(OutboxStorageError) -> Int {
        let reopened = try await outbox.record(results, acknowledgedThrough: acknowledgedThrough)
        revisions.resultsArrived(
            isOneRefused: results.contains { [.rejected, .conflict].contains($0.outcome) })
        if results.contains(where: { $0.outcome == .deferred }) {
            deferrals.continuation.yield()
        }
        // The response to this push was compared with the disk before.
        return reopened + absences.takeReopened()
    }

    func reopen(sequences: [Int64]) async throws(OutboxStorageError) {
        try await outbox.reopen(sequences: sequences)
    }

    func note(problem: String, of id: String) async throws(OutboxStorageError) {
        try await outbox.note(problem: problem, of: id)
    }

    func adopt(
        epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?
    ) async throws(OutboxStorageError) {
        let before = try? await facts.orderNumberLeap()
        try await outbox.adopt(
            epoch: epoch, headSequence: headSequence, headHash: headHash, headOrderNumber: headOrderNumber)
        guard let leap = try? await facts.orderNumberLeap(), leap != before else { return }
        logger.warning("\(leap.message)")
    }

    func keep(_ journal: SupersedingJournal) async throws(OutboxStorageError) {
        try await outbox.keep(journal)
    }
}

extension OrderNumberLeap {
    /// For people: what happened and that nothing is to be done.
    var message: String {
        let what =
            switch reason {
            case .headNotBelieved: "the hub named the order number"
            case .recovered: "this disk held the order number"
            }
        return "\(what) \(number.printable), which cannot be this terminal's; "
            + "the counter leapt ahead, so that no number repeats, and sales go on"
    }
}
