internal import HubProtocol
internal import HubStore

/// Holds an attachment with all its bytes against its digest.
///
/// Apart from the intake of its last piece, so that hashing keeps no writer waiting. A hub that ended in
/// between leaves it with all its bytes and not complete; the next request checks it again.
struct AttachmentCheck: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64

    /// The attachment's status after the check; nil when its bytes were wrong and were deleted.
    func settled(_ stored: StoredAttachment) async throws -> StoredAttachment? {
        guard !stored.isComplete, stored.received == stored.info.size else { return stored }
        let isRight = try await digest(of: stored) == stored.info.sha256
        let after = try await ledger.settleAttachment(
            stored.info.id, of: stored.terminalId, isRight: isRight, at: now())
        return isRight ? after : nil
    }

    private func digest(of stored: StoredAttachment) async throws -> String {
        var digest = RunningDigest()
        var position: Int64 = 0
        while position < stored.received,
            let piece = try await ledger.attachmentPiece(
                stored.info.id, of: stored.terminalId, at: position), !piece.isEmpty
        {
            digest.add(piece)
            position += Int64(piece.count)
        }
        return digest.hex
    }
}
