import Base

internal import HubCore
internal import HubProtocol
internal import HubStore

/// Slips and photos come in here, in pieces, and go on where they broke off (http.md section 5).
struct AttachmentRoutes: Sendable {
    let ledger: any Ledger
    let authorizer: Authorizer
    let limits: IntakeLimits
    /// `http` or `https`, for the URL that a terminal is given.
    let scheme: String
    /// How long an upload's URL holds, in milliseconds.
    let urlLifetime: Int64

    var routes: [Route] {
        [
            Route(.post, Routes.attachments, response: open),
            Route(.put, Routes.attachmentContent, .signed, response: put),
        ]
    }

    @Sendable private func open(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let info = try Self.info(try await request.json())
        let now = authorizer.now()
        switch try await ledger.openAttachment(info, of: device.terminalId, at: now, within: limits) {
        case .pastQuota:
            throw Problem.quotaExceeded(
                retryAfterMilliseconds: TerminalUsage.milliseconds(toTheNextDayAt: now))
        case .differs: throw Problem.attachmentDiffers
        case .tooMany: throw Problem.tooManyUploads
        case .open(let stored):
            let expiresAt = now + urlLifetime
            let ticket = UploadTicket(
                terminalId: device.terminalId, attachmentId: info.id, expiresAt: expiresAt)
            let grant = UploadGrant(
                uploadURL: try url(of: ticket, queried: request),
                expiresAt: Timestamp.text(milliseconds: expiresAt))
            var members = grant.json.object ?? [:]
            members["received"] = .integer(stored.received)
            return .json(.object(members), status: 201)
        }
    }

    private static func info(_ json: JSONValue) throws(Problem) -> AttachmentInfo {
        if let size = json["size"]?.integer, size > AttachmentInfo.maximumSize { throw .attachmentTooLarge }
        return try Problem.reading(AttachmentInfo(json: json))
    }

    private func url(of ticket: UploadTicket, queried request: HubRequest) throws(Problem) -> String {
        let path = Routes.attachmentContent.split(separator: "/").map {
            $0 == "{id}" ? ticket.attachmentId : String($0)
        }
        let host = request.authority ?? "localhost"
        let grant = try ticket.text(signedBy: authorizer.keys)
        return "\(scheme)://\(host)/\(path.joined(separator: "/"))?grant=\(grant)"
    }

    @Sendable private func put(_ request: HubRequest) async throws -> HubResponse {
        let ticket = try admit(request)
        guard let range = request.header("Content-Range").flatMap(ContentRange.init) else {
            throw Problem.malformed(
                "Content-Range is `bytes a-b/total`, or `bytes */total` to query the progress.")
        }
        guard let stored = try await ledger.attachment(ticket.attachmentId, of: ticket.terminalId) else {
            throw Problem.notFound("This attachment was never announced, or is forgotten.")
        }
        switch range {
        case .query(let total), .part(_, let total):
            guard total == stored.info.size else {
                throw Problem.malformed("The attachment was announced with \(stored.info.size) bytes.")
            }
        }
        guard case .part(let part, _) = range, !stored.isComplete else {
            return try await response(to: stored)
        }
        let bytes = try await chunk(of: part, in: request)
        guard part.lowerBound == stored.received else { return Self.progress(of: stored) }
        let after = try await ledger.appendChunk(
            bytes, at: part.lowerBound, to: ticket.attachmentId, of: ticket.terminalId)
        guard let after else { throw Problem.notFound("This attachment is forgotten.") }
        return try await response(to: after)
    }

    /// The signature in the URL is the credential. Another terminal's token beside it is refused. A valid
    /// signature counts against its terminal's limit, an invalid one against the sender's address.
    private func admit(_ request: HubRequest) throws(Problem) -> UploadTicket {
        guard let ticket = UploadTicket(request.query("grant") ?? "", keys: authorizer.keys),
            ticket.attachmentId == request.parameters["id"]
        else {
            try authorizer.countOpen(request)
            throw .uploadInvalid
        }
        try authorizer.count(ticket.terminalId)
        guard !authorizer.revocations.contains(ticket.terminalId) else { throw .terminalRevoked }
        guard authorizer.now() < ticket.expiresAt else { throw .uploadExpired }
        if let device = try? authorizer.device(of: request), device.terminalId != ticket.terminalId {
            throw .uploadInvalid
        }
        return ticket
    }

    private func chunk(of part: ClosedRange<Int64>, in request: HubRequest) async throws -> [UInt8] {
        let length = part.upperBound - part.lowerBound + 1
        guard length <= UploadGrant.chunkSize else {
            throw Problem.bodyTooLarge(Int(UploadGrant.chunkSize))
        }
        let bytes = try await request.body(.chunk)
        guard Int64(bytes.count) == length else {
            throw Problem.malformed("The body has \(bytes.count) bytes, Content-Range says \(length).")
        }
        return bytes
    }

    private func response(to stored: StoredAttachment) async throws -> HubResponse {
        guard let settled = try await AttachmentCheck(ledger: ledger, now: authorizer.now).settled(stored)
        else {
            throw Problem.digestMismatch
        }
        return Self.progress(of: settled)
    }

    private static func progress(of stored: StoredAttachment) -> HubResponse {
        guard !stored.isComplete else { return .json(stored.info.json) }
        let response = HubResponse(status: 308).with("Cache-Control", "no-store")
        return ReceivedRange.text(received: stored.received).map { response.with("Range", $0) } ?? response
    }
}

extension BodyLimits {
    /// For a chunk of an attachment: over a slow line it takes longer than a document.
    static let chunk = BodyLimits(maximumBytes: Int(UploadGrant.chunkSize), deadline: .seconds(120))
}

extension Problem {
    fileprivate static let attachmentDiffers = Problem(
        status: 409, code: .attachmentDiffers, title: "This id is another attachment's",
        detail: "Another content was announced under this id. Mint a new one.")

    fileprivate static let attachmentTooLarge = Problem(
        status: 413, code: .attachmentTooLarge, title: "The attachment is too large",
        detail: "An attachment has at most \(AttachmentInfo.maximumSize) bytes.")

    fileprivate static let tooManyUploads = Problem(
        status: 429, code: .tooManyUploads, title: "Too many uploads are unfinished",
        detail: "Finish those that were begun first.")

    fileprivate static let uploadInvalid = Problem(
        status: 403, code: .uploadInvalid, title: "This URL gives no leave to upload",
        detail: "Announce the attachment and use the URL that comes back.")

    fileprivate static let uploadExpired = Problem(
        status: 410, code: .uploadExpired, title: "The upload's URL has expired",
        detail: "Announce the attachment again; the upload goes on where it stood.")

    fileprivate static let digestMismatch = Problem(
        status: 422, code: .digestMismatch, title: "These are not the announced bytes",
        detail: "The digest of the whole is another. Nothing was kept; start again from the first byte.")
}
