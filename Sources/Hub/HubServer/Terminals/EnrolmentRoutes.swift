import Base

internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore

/// Terminals come in by a code and keep themselves in by their key (http.md section 2).
struct EnrolmentRoutes: Sendable {
    let ledger: any Ledger
    let authorizer: Authorizer
    /// How long a token holds, in milliseconds.
    let tokenLifetime: Int64
    /// The names of this hub that an enrolment or a renewal may be signed for; empty: any.
    let hosts: Set<String>
    /// Publishes to the hub's other processes which terminals are enrolled.
    let publish: @Sendable (TerminalRecord) async throws -> Void

    var routes: [Route] {
        [
            Route(.post, Routes.terminals, .newcomer, response: enrol),
            Route(.post, Routes.tokenRenewal, .newcomer, response: renew),
        ]
    }

    private var keys: HubKeys { authorizer.keys }

    @Sendable private func enrol(_ request: HubRequest) async throws -> HubResponse {
        let body = try await request.body()
        let wanted = try Self.request(try HubRequest.bounded(body))
        let time = authorizer.now()
        // The code, which is looked up after it, stays unused.
        guard let proof = KeyProof(enrolment: request, body: body), proof.isMeant(for: hosts),
            proof.isSigned(by: wanted.publicKey)
        else { throw Problem.enrolmentUnproven }
        try proof.date(at: time, after: nil)
        let digests = EnrolmentCode.digests(of: wanted.enrolmentCode, keys: keys)
        // By a read first: a sender that guesses codes never enters the writer's queue.
        guard try await ledger.isEnrolmentCodeOpen(digests, at: time) else { throw Problem.enrolmentRefused }
        var generator = SystemRandomNumberGenerator()
        let id = ULID(milliseconds: UInt64(max(0, time)), using: &generator).description
        let applicant = EnrolmentApplicant(
            terminalId: id, codeDigests: digests, name: wanted.name, publicKey: wanted.publicKey,
            tokenExpiresAt: time + tokenLifetime)
        guard let terminal = try await ledger.enrol(applicant, at: time) else {
            throw Problem.enrolmentRefused
        }
        await letIn(terminal)
        let grant = EnrolmentGrant(
            terminalId: terminal.id, storeId: terminal.storeId, terminalNumber: terminal.number,
            token: try keys.token(of: terminal, expiresAt: terminal.tokenExpiresAt),
            tokenExpiresAt: Timestamp.text(milliseconds: terminal.tokenExpiresAt), epoch: 1,
            hubTime: Timestamp.text(milliseconds: time), hubKeys: keys.offered)
        return .json(grant.json, status: 201)
    }

    /// The terminal is enrolled, whether or not the other processes get it now; they read again.
    private func letIn(_ terminal: TerminalRecord) async {
        authorizer.terminals.note(terminal)
        try? await publish(terminal)
    }

    private static func request(_ json: JSONValue) throws(Problem) -> EnrolmentRequest {
        let request = try Problem.reading(EnrolmentRequest(json: json))
        try Problem.reading(check(publicKey: request.publicKey, name: request.name))
        return request
    }

    private static func check(publicKey: String, name: String) throws(ShapeError) {
        guard let key = Data(base64Encoded: publicKey), key.count == 32 else {
            throw ShapeError(path: "publicKey", expected: "32 bytes in base64")
        }
        guard (1...100).contains(name.unicodeScalars.count) else {
            throw ShapeError(path: "name", expected: "a text of 1 to 100 characters")
        }
        guard !name.unicodeScalars.contains(where: \.isUnprintable) else {
            throw ShapeError(path: "name", expected: "a text without control characters")
        }
    }

    @Sendable private func renew(_ request: HubRequest) async throws -> HubResponse {
        let body = try await request.body()
        guard let id = request.header(HeaderNames.terminal),
            let proof = KeyProof(renewal: request, of: id, body: body)
        else { throw Problem.tokenInvalid }
        guard proof.isMeant(for: hosts) else { throw Problem.hostMismatch }
        if let terminal = try await ledger.terminal(id) { return try await renew(terminal, by: proof) }
        return try await readmit(id, by: proof, body: body)
    }

    private func renew(_ terminal: TerminalRecord, by proof: KeyProof) async throws -> HubResponse {
        guard proof.isSigned(by: terminal.publicKey) else { throw Problem.tokenInvalid }
        guard terminal.revokedAt == nil else { throw Problem.terminalRevoked }
        let time = authorizer.now()
        let date = try proof.date(at: time, after: terminal.renewalDate)
        guard time < terminal.tokenExpiresAt + TerminalRecord.renewalGraceMilliseconds else {
            throw Problem.tokenExpired
        }
        let expiresAt = time + tokenLifetime
        guard try await ledger.renew(terminal.id, tokenExpiresAt: expiresAt, date: date) else {
            // Another process granted one of this date meanwhile.
            throw Problem.clockSkew(hubTime: max(time, date + 1))
        }
        return try grant(terminal, expiresAt: expiresAt)
    }

    /// A terminal that this store does not know: enrolled after the backup that the store was restored from.
    /// What counts is the token, which this hub signed, and the device key that the token names.
    private func readmit(_ id: String, by proof: KeyProof, body: [UInt8]) async throws -> HubResponse {
        guard !body.isEmpty else { throw Problem.terminalUnknown }
        let wanted = try Self.readmission(try HubRequest.bounded(body))
        guard let token = keys.token(wanted.token), token.device.terminalId == id,
            proof.isSigned(by: wanted.publicKey),
            token.fingerprint == DeviceToken.fingerprint(of: wanted.publicKey)
        else { throw Problem.tokenInvalid }
        guard !authorizer.revocations.contains(id) else { throw Problem.terminalRevoked }
        let time = authorizer.now()
        let date = try proof.date(at: time, after: nil)
        guard time < token.expiresAt + TerminalRecord.renewalGraceMilliseconds else {
            throw Problem.tokenExpired
        }
        let terminal = try await ledger.readmit(
            TerminalRecord(
                id: id, storeId: token.device.storeId, number: token.number, name: wanted.name,
                publicKey: wanted.publicKey, enrolledAt: time, revokedAt: nil,
                tokenExpiresAt: time + tokenLifetime, unconfirmedSince: time, renewalDate: date))
        try await ledger.raise(Alarm(kind: .terminalUnconfirmed, terminalId: terminal.id, at: time))
        await letIn(terminal)
        return try grant(terminal, expiresAt: terminal.tokenExpiresAt)
    }

    private static func readmission(_ json: JSONValue) throws(Problem) -> ReadmissionRequest {
        let request = try Problem.reading(ReadmissionRequest(json: json))
        try Problem.reading(check(publicKey: request.publicKey, name: request.name))
        return request
    }

    private func grant(_ terminal: TerminalRecord, expiresAt: Int64) throws(Problem) -> HubResponse {
        .json([
            "token": .string(try keys.token(of: terminal, expiresAt: expiresAt)),
            "tokenExpiresAt": .string(Timestamp.text(milliseconds: expiresAt)),
            "terminalNumber": .integer(terminal.number), "hubKeys": keys.offered.json,
        ])
    }
}
