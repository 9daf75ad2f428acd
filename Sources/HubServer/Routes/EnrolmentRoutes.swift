internal import Crypto
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore

/// Terminals come in by a code and keep themselves in by their key (http.md section 2).
struct EnrolmentRoutes: Sendable {
    let ledger: any TerminalLedger
    let keys: HubKeys
    /// How long a token holds, in milliseconds.
    let tokenLifetime: Int64
    let now: @Sendable () -> Int64
    /// Makes known to the hub's other processes who is let in.
    let publish: @Sendable () async throws -> Void

    var routes: [Route] {
        [
            Route(.post, Routes.terminals, .newcomer, answer: enrol),
            Route(.post, Routes.tokenRenewal, .newcomer, answer: renew),
        ]
    }

    @Sendable private func enrol(_ request: HubRequest) async throws -> Answer {
        let wanted = try Self.request(try await request.json())
        let time = now()
        var generator = SystemRandomNumberGenerator()
        let id = ULID(milliseconds: UInt64(max(0, time)), using: &generator).description
        let applicant = EnrolmentApplicant(
            terminalId: id, codeDigest: EnrolmentCode.digest(of: wanted.enrolmentCode), name: wanted.name,
            publicKey: wanted.publicKey, tokenExpiresAt: time + tokenLifetime)
        guard let terminal = try await ledger.enrol(applicant, at: time) else {
            throw Problem.enrolmentRefused
        }
        try await publish()
        let grant = EnrolmentGrant(
            terminalId: terminal.id, storeId: terminal.storeId, terminalNumber: terminal.number,
            token: try keys.token(of: terminal, expiresAt: terminal.tokenExpiresAt),
            tokenExpiresAt: Timestamp.text(milliseconds: terminal.tokenExpiresAt), epoch: 1,
            hubTime: Timestamp.text(milliseconds: time), hubKeys: keys.offered)
        return .json(grant.json, status: 201)
    }

    private static func request(_ json: JSONValue) throws(Problem) -> EnrolmentRequest {
        do throws(ShapeError) {
            let request = try EnrolmentRequest(json: json)
            guard let key = Data(base64Encoded: request.publicKey), key.count == 32 else {
                throw ShapeError(path: "publicKey", expected: "32 bytes in base64")
            }
            guard (1...100).contains(request.name.unicodeScalars.count) else {
                throw ShapeError(path: "name", expected: "a text of 1 to 100 characters")
            }
            return request
        } catch {
            throw .malformed(error)
        }
    }

    @Sendable private func renew(_ request: HubRequest) async throws -> Answer {
        let body = try await request.body()
        guard let id = request.header(HeaderNames.terminal), let date = request.header(HeaderNames.date),
            let signature = request.header(HeaderNames.signature).flatMap({ Data(base64Encoded: $0) }),
            let terminal = try await ledger.terminal(id),
            isSigned(body, request, terminal, date: date, signature: signature)
        else { throw Problem.tokenInvalid }
        guard terminal.revokedAt == nil else { throw Problem.terminalRevoked }
        let time = now()
        try Self.refuseSkew(date, now: time)
        guard time < terminal.tokenExpiresAt + TerminalRecord.renewalGraceMilliseconds else {
            throw Problem.tokenExpired
        }
        let expiresAt = time + tokenLifetime
        try await ledger.renew(id, tokenExpiresAt: expiresAt)
        return .json([
            "token": .string(try keys.token(of: terminal, expiresAt: expiresAt)),
            "tokenExpiresAt": .string(Timestamp.text(milliseconds: expiresAt)),
            "hubKeys": keys.offered.json,
        ])
    }

    private func isSigned(
        _ body: [UInt8], _ request: HubRequest, _ terminal: TerminalRecord, date: String, signature: Data
    ) -> Bool {
        let signed = SignedRequest.signedBytes(method: "POST", path: request.path, date: date, body: body)
        guard let raw = Data(base64Encoded: terminal.publicKey),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signature, for: signed)
    }

    private static func refuseSkew(_ date: String, now: Int64) throws(Problem) {
        let skew = Timestamp.milliseconds(of: date).map { abs($0 - now) }
        guard let skew, skew <= SignedRequest.maximumSkewMilliseconds else {
            throw Problem(
                status: 401, code: .clockSkew, title: "The clocks disagree",
                detail: "Pos-Date is more than 5 minutes off. Sign again with hubTime.",
                extensions: ["hubTime": .string(Timestamp.text(milliseconds: now))])
        }
    }
}
