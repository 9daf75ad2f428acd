internal import Foundation
internal import HubCore
package import HubProtocol
internal import HubStore

/// What this machine's commands do with attachments.
extension LedgerService {
    func listAttachments(_ terminal: String?) async throws -> JSONValue {
        ["attachments": .array(try await ledger.attachments(terminal: terminal).map(\.json))]
    }

    /// One piece of an attachment, in base64; `bytes` is null behind the last one.
    func readAttachment(_ id: String, of terminalId: String, at firstByte: Int64) async throws -> JSONValue {
        guard let stored = try await ledger.attachment(id, of: terminalId) else {
            throw Problem.notFound(
                "The terminal \(terminalId) has no attachment \(id); `pos-hub attachments list` names them.")
        }
        guard stored.isComplete else {
            throw Problem.conflict(
                "The attachment is not whole: \(stored.received) of \(stored.info.size) bytes are here.")
        }
        let piece = try await ledger.attachmentPiece(id, of: terminalId, at: firstByte)
        return [
            "attachment": stored.json, "bytes": JSONValue(piece.map { Data($0).base64EncodedString() }),
        ]
    }

    /// One piece of an attachment out of a dead till's export; what is known stays as it is.
    func ingestAttachment(_ part: AttachmentPart) async throws -> JSONValue {
        guard try await ledger.terminal(part.terminalId) != nil else {
            throw Problem.notFound(
                "No terminal has the id \(part.terminalId); it was enrolled at another hub.")
        }
        guard
            case .open(let stored) = try await ledger.openAttachment(
                part.info, of: part.terminalId, at: now(), within: IntakeLimits().withoutQuotas)
        else { throw Problem.conflict("The attachment \(part.info.id) cannot be ingested.") }
        let after = try await ledger.appendChunk(
            part.bytes, at: part.firstByte, to: part.info.id, of: part.terminalId)
        guard let settled = try await AttachmentCheck(ledger: ledger, now: now).settled(after ?? stored)
        else {
            throw Problem.conflict("The bytes of the attachment \(part.info.id) are not the announced ones.")
        }
        return settled.json
    }
}

/// One piece of an attachment in an exported journal.
package struct AttachmentPart: Fact {
    /// The terminal that exported the journal; the hub has to know it.
    package private(set) var terminalId = ""
    /// The announcement of the complete attachment, the same in all of its chunks.
    package private(set) var info = AttachmentInfo()
    /// Where the chunk begins, from 0; ``LedgerService`` accepts the chunks of an attachment in order alone.
    package private(set) var firstByte: Int64 = 0
    /// At least one byte; in base64 on the local socket.
    package private(set) var bytes: [UInt8] = []

    /// Makes one chunk of an attachment; nothing is checked before the call is performed.
    package init(terminalId: String, info: AttachmentInfo, firstByte: Int64, bytes: [UInt8]) {
        self.terminalId = terminalId
        self.info = info
        self.firstByte = firstByte
        self.bytes = bytes
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var text = Data(bytes).base64EncodedString()
        try m.number("at", &firstByte, in: 0...AttachmentInfo.maximumSize)
        try m.part("attachment", &info)
        try m.text("bytes", &text)
        bytes = Array(Data(base64Encoded: text) ?? Data())
        try m.check(!bytes.isEmpty, "bytes", "bytes in base64")
        try m.text("terminalId", &terminalId)
    }
}
