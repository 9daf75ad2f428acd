public import HubProtocol
internal import OfflineMode

/// How the terminal gets and renews its right to speak.
extension HubClient {
    /// Trades an enrolment code for an identity and a token.
    ///
    /// - Throws: `.refused` with code `enrolment_refused` for a used, unknown or expired code.
    public func enrol(_ request: EnrolmentRequest) async throws(HubCallError) -> EnrolmentGrant {
        let call = HubCall(
            .post, template: Routes.terminals, body: request.json.canonicalBytes, isAuthorized: false)
        return try await result(of: call, EnrolmentGrant.init(json:))
    }

    /// Gets a new token by signing a request with the device's key.
    ///
    /// Told that the clock is off, it signs once more with the hub's time.
    ///
    /// - Parameter sign: gives the Ed25519 signature of the bytes in base64, or nil when there is no key.
    public func renewToken(
        terminalId: String, sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> TokenGrant {
        let here = Timestamp.text(milliseconds: time.wallMilliseconds())
        do {
            return try await renewToken(terminalId: terminalId, date: here, sign: sign)
        } catch .refused(let problem) where problem.code == .clockSkew {
            guard let hubTime = problem.extensions["hubTime"]?.string else {
                throw .notContract(detail: "`clock_skew` without `hubTime`")
            }
            return try await renewToken(terminalId: terminalId, date: hubTime, sign: sign)
        }
    }

    private func renewToken(
        terminalId: String, date: String, sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> TokenGrant {
        let bytes = SignedRequest.signedBytes(
            method: "POST", path: Routes.tokenRenewal, date: date, body: [])
        guard let signature = await sign(bytes) else {
            throw .notContract(detail: "the device's key cannot sign")
        }
        let call = HubCall(
            .post, template: Routes.tokenRenewal,
            headers: [
                HTTPHeader(HeaderNames.terminal, terminalId), HTTPHeader(HeaderNames.date, date),
                HTTPHeader(HeaderNames.signature, signature),
            ], body: [], isAuthorized: false)
        return try await result(of: call, TokenGrant.init(json:))
    }
}

/// The `200` of `POST /v1/terminals/self/token`.
public struct TokenGrant: Hashable, Sendable {
    public let token: String
    /// RFC 3339.
    public let tokenExpiresAt: String
    /// Nil from a hub of before.
    public let hubKeys: HubKeyList?

    public init(token: String, tokenExpiresAt: String, hubKeys: HubKeyList? = nil) {
        self.token = token
        self.tokenExpiresAt = tokenExpiresAt
        self.hubKeys = hubKeys
    }

    public init(json: JSONValue) throws(ShapeError) {
        token = try json.requiredString("token")
        tokenExpiresAt = try json.requiredString("tokenExpiresAt")
        hubKeys = try HubKeyList(ofAnswer: json)
    }
}
