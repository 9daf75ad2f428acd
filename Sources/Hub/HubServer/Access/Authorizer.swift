internal import HubCore
internal import HubProtocol

/// Decides who may call a route, in one place for every route: nothing behind it looks at a credential for
/// itself, but for the routes whose access leaves it to them.
struct Authorizer: Sendable {
    let keys: HubKeys
    let revocations: Revocations
    let terminals: KnownTerminals
    /// Reads a terminal that this process does not know yet from the store, and remembers it.
    let lookUp: @Sendable (_ terminalId: String) async throws -> Void
    let operators: Operators
    /// Reads an operator that this process does not know yet, by the digest of the token, and remembers it.
    let lookUpOperator: @Sendable (_ tokenDigest: String) async throws -> Void
    /// How many unknown tokens of operators this process looks up.
    let operatorLookUps: RateGate
    let hosts: HostCheck
    let sessions: SessionSigner
    let log: OperatorLog
    let schemas: SchemaSupport
    let rates: RateGate
    let openRates: OpenRateGate
    let now: @Sendable () -> Int64

    /// Reads what the process with the order store published.
    func pull() {
        revocations.pull()
        terminals.pull()
        operators.pull()
    }

    /// Admits a request to a route, or refuses it.
    ///
    /// - Parameter access: who may call the route.
    /// - Returns: the request with its caller, where the route has one.
    /// - Throws: the ``Problem`` that the caller gets; an error of the store when that has to be queried.
    func admit(_ request: HubRequest, to access: Access) async throws -> HubRequest {
        var admitted = request
        switch access {
        case .probe, .signed: break
        case .open: try countOpen(request)
        case .newcomer:
            try countOpen(request)
            try admitSchema(of: request)
        case .device: admitted.device = try await self.admitted(request, mustBeConfirmed: false)
        case .confirmedDevice: admitted.device = try await self.admitted(request, mustBeConfirmed: true)
        case .operator(let action):
            try await lookUpNewOperator(of: request)
            admitted.operatorIdentity = try self.operator(of: request, for: action)
        case .page:
            try admitHost(of: request)
            try countOpen(request)
        case .owner: admitted.operatorIdentity = .local
        }
        return admitted
    }

    /// The device of a request, also of one that was enrolled at another process a moment ago.
    ///
    /// - Parameter mustBeConfirmed: whether an unconfirmed terminal is refused.
    private func admitted(
        _ request: HubRequest, mustBeConfirmed: Bool
    ) async throws -> DeviceIdentity {
        let device: DeviceIdentity
        do throws(Problem) {
            device = try self.device(of: request)
        } catch {
            guard error.code == .terminalUnknown, let token = bearer(of: request).flatMap(keys.token) else {
                throw error
            }
            try await lookUp(token.device.terminalId)
            device = try self.device(of: request)
        }
        if mustBeConfirmed, !isConfirmed(device.terminalId) { throw Problem.terminalUnconfirmed }
        return device
    }

    /// Finds an operator who was added at another process a moment ago. Past the limit, and while the store
    /// cannot be read, the list that is read every few seconds decides alone: nobody who guesses tokens costs
    /// more than that, or learns anything.
    private func lookUpNewOperator(of request: HubRequest) async throws {
        guard let token = bearer(of: request) else { return }
        let digest = Digest.sha256Hex(Array(token.utf8))
        guard operators.entry(tokenDigest: digest) == nil, operatorLookUps.count("") == nil else { return }
        try? await lookUpOperator(digest)
    }

    func isConfirmed(_ terminalId: String) -> Bool { terminals.state(of: terminalId) == .confirmed }

    /// The device that a request's token names. Token, schema and rate are looked at in this order, and all
    /// of them before the body.
    func device(of request: HubRequest) throws(Problem) -> DeviceIdentity {
        let device = try authorized(request)
        try admitSchema(of: request)
        try count(device.terminalId)
        return device
    }

    /// Counts one call of a terminal.
    func count(_ terminalId: String) throws(Problem) {
        if let wait = rates.count(terminalId) { throw .rateLimited(wait) }
    }

    /// Counts one call of a route that needs no token, by the caller's address. A caller that shows a valid
    /// one all the same is counted by its terminal instead, once the address is past its limit.
    func countOpen(_ request: HubRequest) throws(Problem) {
        guard let wait = openRates.count(request.peer()) else { return }
        guard let device = try? authorized(request) else { throw .addressRateLimited(wait) }
        try count(device.terminalId)
    }

    private func authorized(_ request: HubRequest) throws(Problem) -> DeviceIdentity {
        guard let text = bearer(of: request), let token = keys.token(text) else {
            throw .tokenInvalid
        }
        guard !revocations.contains(token.device.terminalId) else { throw .terminalRevoked }
        guard now() < token.expiresAt else { throw .tokenExpired }
        guard terminals.state(of: token.device.terminalId) != nil else { throw .terminalUnknown }
        return token.device
    }

    /// Lets a request on whose terminal does not speak too old a schema.
    private func admitSchema(of request: HubRequest) throws(Problem) {
        let schema = try request.integerHeader(HeaderNames.schema, in: 0...(1 << 31))
        guard schemas.status(of: schema) != .refused else { throw .upgradeRequired(schemas.minimum) }
    }

    /// The schema notice of a response; nil while the request's schema is not deprecated.
    func notice(for request: HubRequest) -> SchemaNotice? {
        let schema = request.header(HeaderNames.schema).flatMap { Int64($0) }
        guard case .retiring(let retirement) = schemas.status(of: schema) else { return nil }
        return SchemaNotice(deprecatedAt: retirement.deprecatedAt, sunsetAt: retirement.sunsetAt)
    }

    /// The operator whose token or session a request shows, when the role may do `action`.
    func `operator`(
        of request: HubRequest, for action: ProtectedAction
    ) throws(Problem) -> OperatorIdentity {
        try admitHost(of: request)
        let entry = try operatorEntry(of: request)
        let person = OperatorIdentity(name: entry.name, role: entry.role.caller)
        guard AuthorizationTable.allows(action, by: person.role) else {
            log.refuse(action, to: person)
            throw .operatorForbidden
        }
        return person
    }

    /// Refuses a request to the operators' pages under a name that is not this hub's.
    private func admitHost(of request: HubRequest) throws(Problem) {
        guard hosts.allows(request.authority) else { throw .hostRefused }
    }

    /// The operator of a request's session; nil without a valid one.
    func session(of request: HubRequest) -> (session: OperatorSession, entry: Operators.Entry)? {
        guard let cookie = OperatorSession.cookie(sessions.cookieName, in: request.header("Cookie")),
            let session = sessions.session(of: cookie),
            let entry = operators.entry(named: session.name), session.isValid(for: entry, at: now())
        else { return nil }
        return (session, entry)
    }

    private func operatorEntry(of request: HubRequest) throws(Problem) -> Operators.Entry {
        if let text = bearer(of: request) {
            guard let entry = operators.entry(tokenDigest: Digest.sha256Hex(Array(text.utf8))) else {
                throw .operatorRequired
            }
            guard entry.tokenExpiresAt.map({ now() < $0 }) ?? true else { throw .operatorTokenExpired }
            return entry
        }
        guard let (session, entry) = session(of: request) else { throw .operatorRequired }
        guard request.isRead || request.header("X-CSRF-Token") == sessions.csrfToken(of: session) else {
            throw .csrfRefused
        }
        return entry
    }

    private func bearer(of request: HubRequest) -> String? {
        guard let header = request.header("Authorization") else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
