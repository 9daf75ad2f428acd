import Base
public import HubProtocol
internal import OfflineMode
internal import MachineRuntime

/// How the terminal gets and renews its device token.
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
    /// When the clock is off, it signs once more with the hub's time, no further ahead of its own than
    /// ``SignedRequest/maximumLeadMilliseconds``.
    ///
    /// - Parameters:
    ///   - readmission: the proof for a hub that has no record of the terminal; nil: none.
    ///   - isBound: whether host and terminal are signed too; false for a hub of the version before.
    ///   - sign: gives the Ed25519 signature of the bytes in base64, or nil when there is no key.
    public func renewToken(
        terminalId: String, readmission: ReadmissionRequest? = nil, isBound: Bool = true,
        sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> TokenGrant {
        let order = RenewalOrder(
            terminalId: terminalId, body: readmission?.json.canonicalBytes ?? [],
            host: isBound ? configuration.hub.host.lowercased() : nil)
        let here = time.wallMilliseconds()
        do {
            return try await renewToken(order, date: Timestamp.text(milliseconds: here), sign: sign)
        } catch .refused(let problem) where problem.code == .clockSkew {
            guard let offered = problem.extensions["hubTime"]?.string.flatMap(Timestamp.milliseconds(of:))
            else { throw .notContract(detail: "`clock_skew` without `hubTime`") }
            guard offered - here <= SignedRequest.maximumLeadMilliseconds else {
                throw .notContract(
                    detail:
                        "the hub's clock is at \(Timestamp.text(milliseconds: offered)), more than a day "
                        + "ahead of this machine's clock; set the clock")
            }
            return try await renewToken(order, date: Timestamp.text(milliseconds: offered), sign: sign)
        }
    }

    /// What does not change between two tries of a renewal.
    private struct RenewalOrder {
        let terminalId: String
        let body: [UInt8]
        /// Nil for a hub of the version before.
        let host: String?

        func signedBytes(date: String) -> [UInt8] {
            guard let host else {
                return SignedRequest.signedBytes(
                    method: "POST", path: Routes.tokenRenewal, date: date, body: body)
            }
            return SignedRequest.signedBytes(
                method: "POST", path: Routes.tokenRenewal, date: date, body: body, host: host,
                terminalId: terminalId)
        }
    }

    private func renewToken(
        _ order: RenewalOrder, date: String, sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> TokenGrant {
        let bytes = order.signedBytes(date: date)
        guard let signature = await sign(bytes) else {
            throw .notContract(detail: "the device's key cannot sign")
        }
        let call = HubCall(
            .post, template: Routes.tokenRenewal,
            headers: [
                HTTPHeader(HeaderNames.terminal, order.terminalId), HTTPHeader(HeaderNames.date, date),
                HTTPHeader(HeaderNames.signature, signature),
            ] + (order.host.map { [HTTPHeader(HeaderNames.host, $0)] } ?? []), body: order.body,
            isAuthorized: false)
        return try await result(of: call, TokenGrant.init(json:))
    }
}

/// The `200` of `POST /v1/terminals/self/token`.
public struct TokenGrant: Hashable, Sendable {
    /// The new device token, sent as `Authorization: Bearer`.
    public let token: String
    /// RFC 3339.
    public let tokenExpiresAt: String
    /// The terminal's number from now on; nil from a hub of before.
    public let terminalNumber: Int64?
    /// Nil from a hub of before.
    public let hubKeys: HubKeyList?

    /// By default the members that an older hub does not send are nil.
    public init(
        token: String, tokenExpiresAt: String, terminalNumber: Int64? = nil, hubKeys: HubKeyList? = nil
    ) {
        self.terminalNumber = terminalNumber
        self.token = token
        self.tokenExpiresAt = tokenExpiresAt
        self.hubKeys = hubKeys
    }

    /// Throws when a required member is missing or one has another shape.
    public init(json: JSONValue) throws(ShapeError) {
        token = try json.requiredString("token")
        tokenExpiresAt = try json.requiredString("tokenExpiresAt")
        terminalNumber = try json.optionalInteger("terminalNumber", in: 1...(1 << 31))
        hubKeys = try HubKeyList(ofResponse: json)
    }
}
