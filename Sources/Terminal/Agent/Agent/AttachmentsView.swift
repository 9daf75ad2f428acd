import Base

internal import AgentAPI
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore

/// The attachments that the hub does not have whole, as `pos sync` shows them.
struct AttachmentsView {
    let parts: AgentParts
    var isRunning = true

    /// How long `sync now` waits for uploads; behind it they go on by themselves.
    private static let waitBudget: Duration = .seconds(90)

    /// Each with how far it has come and what it waits for.
    func unfinished() async throws(TerminalError) -> [AttachmentState] {
        let entries: [SQLiteAttachments.Entry]
        do throws(OutboxStorageError) {
            entries = try await parts.attachments.unfinishedEntries()
        } catch {
            throw unreadable(error)
        }
        guard !entries.isEmpty else { return [] }
        let views = isRunning ? await parts.uploader.views : []
        let known = Dictionary(views.map { ($0.id, $0.state) }) { first, _ in first }
        let policy = parts.permissions.current
        return entries.map { document(of: $0, known[$0.attachment.id], policy) }
    }

    /// The unfinished attachments of each mutation.
    func waits() async throws(TerminalError) -> [String: [String]] {
        do throws(OutboxStorageError) {
            return try await parts.attachments.waits()
        } catch {
            throw unreadable(error)
        }
    }

    /// Uploads what may go now.
    ///
    /// - Returns: how many became whole.
    func syncNow() async -> Int {
        guard let unfinished = try? await parts.attachments.unfinished(), !unfinished.isEmpty else {
            return 0
        }
        await awaitConnection()
        return await parts.uploader.syncNow(within: Self.waitBudget)
    }

    /// A command that is its own agent has only just found the hub.
    private func awaitConnection() async {
        for _ in 0..<30 {
            let obstacles = parts.permissions.current.obstacles(toUpload: true, isAsked: true)
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
            let wall = parts.offline.wallMilliseconds(of: until)
            return AttachmentState(
                attachment: record, state: "waiting", nextAttemptAt: Timestamp.text(milliseconds: wall),
                problem: problem)
        case .held?:
            let obstacles = policy.obstacles(toUpload: entry.attachment.isUrgent)
            return AttachmentState(
                attachment: record, state: "held", heldBy: obstacles.map(\.rawValue), problem: problem)
        case .queued?, nil: return AttachmentState(attachment: record, state: "queued", problem: problem)
        }
    }

    private func unreadable(_ error: OutboxStorageError) -> TerminalError {
        TerminalError(.notDurable, code: "store_unavailable", "the attachments cannot be read: \(error)")
    }
}

extension AgentParts {
    /// What the hub took in is kept as long as the journal: 90 days.
    private static let retention: Int64 = 90 * 86_400_000

    /// Removes what no mutation needs any more. Before anything runs, so that no copy is on its way in.
    func tidyAttachments() async {
        do throws(OutboxStorageError) {
            try await attachments.tidy(retention: Self.retention)
        } catch {
            logger.warning("old attachments were not removed: \(error)")
        }
    }
}
