internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import Synchronization
internal import TerminalStore

/// Wakes the uploader, which is made after the outbox that notifies it.
final class UploadRelay: Sendable {
    private let target = Mutex<AttachmentUploader?>(nil)

    func connect(to uploader: AttachmentUploader) {
        target.withLock { $0 = uploader }
    }

    func nudge() {
        target.withLock { $0 }?.nudge()
    }
}

/// The outbox on disk, whose `deferred` rows may have attachments that go once more.
struct RelayingOutbox: OutboxStorage {
    let outbox: SQLiteOutbox
    let uploads: UploadRelay
    let facts: SQLiteTerminalFacts
    let logger: Logger

    func pending(after sequence: Int64, limit: Int) async throws(OutboxStorageError) -> [OutboxItem] {
        try await outbox.pending(after: sequence, limit: limit)
    }

    func depth() async throws(OutboxStorageError) -> OutboxDepth { try await outbox.depth() }

    func record(
        _ results: [PushResult], acknowledgedThrough: Int64?
    ) async throws(OutboxStorageError) -> Int {
        let reopened = try await outbox.record(results, acknowledgedThrough: acknowledgedThrough)
        if results.contains(where: { $0.outcome == .deferred }) { uploads.nudge() }
        return reopened
    }

    func reopen(sequences: [Int64]) async throws(OutboxStorageError) {
        try await outbox.reopen(sequences: sequences)
    }

    func note(problem: String, of id: String) async throws(OutboxStorageError) {
        try await outbox.note(problem: problem, of: id)
    }

    func adopt(epoch: Int64, headSequence: Int64, headOrderNumber: String?) async throws(OutboxStorageError) {
        let before = try? await facts.orderNumberLeap()
        try await outbox.adopt(epoch: epoch, headSequence: headSequence, headOrderNumber: headOrderNumber)
        guard let leap = try? await facts.orderNumberLeap(), leap != before else { return }
        logger.warning("\(leap.message)")
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
