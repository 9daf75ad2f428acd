import Base

internal import AgentAPI
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore

/// The attachments that the hub does not have whole, as `pos sync` shows them.
struct UnfinishedAttachments: Sendable {
    let attachments: SQLiteAttachments
    let uploader: AttachmentUploader
    let permissions: SyncPermissions
    /// Turns a moment of the machine into Unix milliseconds.
    let wall: @Sendable (Instant) -> Int64
    /// Whether the uploader runs. In a process that only reads the disk it does not.
    let isRunning: Bool

    /// How long `sync now` waits for uploads; behind it they go on by themselves.
    private static let waitBudget: Duration = .seconds(90)

    /// Each with how far it has come and what it waits for.
    func unfinished() async throws(TerminalError) -> [AttachmentState] {
        let entries: [SQLiteAttachments.Entry]
        do throws(OutboxStorageError) {
            entries = try await attachments.unfinishedEntries()
        } catch {
            throw unreadable(error)
        }
        guard !entries.isEmpty else { return [] }
        let views = isRunning ? await uploader.views : []
        let known = Dictionary(views.map { ($0.id, $0.state) }) { first, _ in first }
        let policy = permissions.current
        return entries.map { document(of: $0, known[$0.attachment.id], policy) }
    }

    /// The unfinished attachments of each mutation.
    func waits() async throws(TerminalError) -> [String: [String]] {
        do throws(OutboxStorageError) {
            return try await attachments.waits()
        } catch {
            throw unreadable(error)
        }
    }

    /// Uploads what may go now.
    ///
    /// - Returns: how many became whole.
    func syncNow() async -> Int {
        guard let unfinished = try? await attachments.unfinished(), !unfinished.isEmpty else {
            return 0
        }
        await awaitConnection()
        return await uploader.syncNow(within: Self.waitBudget)
    }

    /// A command that is its own agent has only just found the hub.
    private func awaitConnection() async {
        for _ in 0..<30 {
            let obstacles = permissions.current.obstacles(toUpload: true, isRequested: true)
            guard obstacles == [.connecting] else { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func document(
        of entry: SQLiteAttachments.Entry, _ state: UploadView.State?, _ policy: SyncPolicy
    ) -> AttachmentState {
        let record = AttachmentRecord(entry.attachment)
        let problem = entry.problem
        switch state {
        case .sending(let received)?:
            return AttachmentState(
                attachment: record, state: "sending", received: received, problem: problem)
        case .waiting(let until)?:
            let wall = wall(until)
            return AttachmentState(
                attachment: record, state: "waiting", nextAttemptAt: Timestamp.text(milliseconds: wall),
                problem: problem)
        case .held?:
            let obstacles = policy.obstacles(toUpload: entry.attachment.isUrgent)
            return AttachmentState(
                attachment: record, state: "held", heldBy: obstacles, problem: problem)
        case .queued?, nil: return AttachmentState(attachment: record, state: "queued", problem: problem)
        }
    }

    private func unreadable(_ error: OutboxStorageError) -> TerminalError {
        TerminalError(.notDurable, code: "store_unavailable") { $0.unreadable(.attachments, "\(error)") }
    }
}
