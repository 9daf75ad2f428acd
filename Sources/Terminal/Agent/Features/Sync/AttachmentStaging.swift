internal import AgentAPI
internal import HubProtocol
internal import OfflineMode
internal import TerminalStore

/// Brings the files that a request names into the home, before the mutation that carries them is written.
struct AttachmentStaging {
    let attachments: SQLiteAttachments
    let files: AttachedFiles

    /// Does `work` with durable copies; when it fails they are removed again.
    ///
    /// - Parameter isUrgent: for a request that does not name it.
    func with<Value>(isUrgent: Bool, _ work: ([Attachment]) async throws -> Value) async throws -> Value {
        let staged = try await copies(isUrgent: files.isUrgent ?? isUrgent)
        do {
            return try await work(staged)
        } catch {
            await forget(staged)
            throw error
        }
    }

    private func copies(isUrgent: Bool) async throws(TerminalError) -> [Attachment] {
        let paths = files.paths
        guard paths.count <= AttachmentInfo.maximumPerMutation, paths.allSatisfy({ $0.hasPrefix("/") }) else {
            throw TerminalError(.usage, code: "malformed_request") {
                $0.attachForm(AttachmentInfo.maximumPerMutation)
            }
        }
        var staged: [Attachment] = []
        for path in paths {
            do throws(TerminalError) {
                staged.append(try await copy(of: path, isUrgent: isUrgent))
            } catch {
                await forget(staged)
                throw error
            }
        }
        return staged
    }

    private func copy(of path: String, isUrgent: Bool) async throws(TerminalError) -> Attachment {
        let id: String
        do throws(OutboxStorageError) {
            id = try await attachments.mintId()
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable") { $0.nothingChanged("\(error)") }
        }
        do throws(AttachmentFolder.Failure) {
            let copy = try await attachments.folder.take(path, as: id)
            return Attachment(
                id: id, sha256: copy.sha256, size: copy.size, contentType: copy.contentType, name: copy.name,
                isUrgent: isUrgent)
        } catch {
            throw TerminalError(error)
        }
    }

    private func forget(_ staged: [Attachment]) async {
        for attachment in staged { await attachments.folder.remove(attachment.id) }
    }
}

extension TerminalError {
    /// Why a file was not attached.
    fileprivate init(_ failure: AttachmentFolder.Failure) {
        switch failure {
        case .unreadable(let path, let reason):
            self.init(.usage, code: "file_not_readable") { $0.notAttached(path, reason) }
        case .empty(let path):
            self.init(.usage, code: "file_empty") { $0.fileEmpty(path) }
        case .tooLarge(let path, let size):
            self.init(.refused, code: "file_too_large") {
                $0.fileTooLarge(path, size, limit: AttachmentInfo.maximumSize)
            }
        case .diskFull(let path):
            self.init(.notDurable, code: "disk_full") { $0.diskFull(path) }
        case .notKept(let error):
            self.init(.notDurable, code: "home_not_writable") { $0.nothingRecorded("\(error)") }
        }
    }
}

extension AttachmentRecord {
    init(_ attachment: Attachment) {
        self.init(
            id: attachment.id, name: attachment.name, sha256: attachment.sha256, size: attachment.size,
            contentType: attachment.contentType, isUrgent: attachment.isUrgent)
    }
}
