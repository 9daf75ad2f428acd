import Base

internal import Dashboard
internal import HubCore
internal import HubProtocol
internal import HubStore

/// `/login` and `/logout` of the operators' pages.
struct LoginRoutes: Sendable {
    let authorizer: Authorizer
    /// Nil in a process without the order store: there people sign in with a token.
    let ledger: (any Ledger)?
    let passwords: PasswordCheck
    let pages: DashboardPages

    var routes: [Route] {
        [
            Route(.get, "/login", .page) { request in page(request, status: 200, refusal: nil) },
            Route(.post, "/login", .page, response: signIn),
            Route(.post, "/logout", .page, response: signOut),
        ]
    }

    @Sendable private func signIn(_ request: HubRequest) async throws -> HubResponse {
        try Self.requireOwnPage(request)
        let fields = FormFields(try await request.body())
        let session: OperatorSession
        do throws(Refusal) {
            session = try await self.session(for: fields, of: request)
        } catch {
            // Only names that exist: anybody can invent others.
            if let entry = fields["name"].flatMap({ authorizer.operators.entry(named: $0) }) {
                authorizer.log.refuse(.signIn, to: entry.identity)
            }
            let response = page(request, status: error.status, refusal: error.reason)
            return error.retryAfter.map { response.with(HeaderNames.retryAfter, String($0)) } ?? response
        }
        if let entry = authorizer.operators.entry(named: session.name) {
            await authorizer.log.record(
                fields["loginCode"] == nil ? .signIn : .setPassword, by: entry.identity)
        }
        let response = HubResponse(status: 303).with("Location", "/").with("Cache-Control", "no-store")
        let browser = browser(of: session.name, in: request) ?? KnownBrowser(of: session.name)
        let mark = browser.setCookie(
            authorizer.sessions.cookie(of: browser), isSecure: authorizer.sessions.isSecure)
        return response.with("Set-Cookie", mark).with("Set-Cookie", cookie(session))
    }

    /// The mark that the browser got when the person signed in before.
    private func browser(of name: String, in request: HubRequest) -> KnownBrowser? {
        authorizer.sessions.browser(of: name, in: request.header("Cookie"))
    }

    private func page(_ request: HubRequest, status: Int, refusal: LoginRefusal?) -> HubResponse {
        HTMLText.response(
            status: status, pages.login(DashboardRoutes.language(of: request), refusal: refusal))
    }

    @Sendable private func signOut(_ request: HubRequest) async throws -> HubResponse {
        try Self.requireOwnPage(request)
        let fields = FormFields(try await request.body())
        if let (session, entry) = authorizer.session(of: request) {
            guard fields["csrf"] == authorizer.sessions.csrfToken(of: session) else {
                throw Problem.csrfRefused
            }
            await authorizer.log.record(.signOut, by: entry.identity)
        }
        return HubResponse(status: 303).with("Location", "/login").with("Cache-Control", "no-store")
            .with(
                "Set-Cookie", OperatorSession.setCookie("", maxAge: 0, isSecure: authorizer.sessions.isSecure)
            )
    }

    private func cookie(_ session: OperatorSession) -> String {
        OperatorSession.setCookie(
            authorizer.sessions.cookie(of: session), maxAge: OperatorSession.lifetime / 1000,
            isSecure: authorizer.sessions.isSecure)
    }

    /// Why a sign-in is refused.
    private struct Refusal: Error {
        let status: Int
        let reason: LoginRefusal
        var retryAfter: Int64?

        static let wrong = Refusal(status: 401, reason: .wrong)
    }

    private func session(
        for fields: FormFields, of request: HubRequest
    ) async throws(Refusal) -> OperatorSession {
        if let token = fields["token"] {
            let digest = Digest.sha256Hex(Array(token.utf8))
            guard let entry = authorizer.operators.entry(tokenDigest: digest),
                entry.tokenExpiresAt.map({ authorizer.now() < $0 }) ?? true
            else { throw .wrong }
            return begun(entry.name, stamp: digest)
        }
        guard let ledger else {
            throw Refusal(status: 409, reason: .withoutStore)
        }
        guard let name = fields["name"], name.utf8.count <= 64 else { throw .wrong }
        if let code = fields["loginCode"] { return try await setPassword(name, code, fields, ledger) }
        let browser = browser(of: name, in: request)
        return try await checkPassword(
            name, fields["password"] ?? "", from: browser.map { .browser($0.id) } ?? .peer(request.peer()),
            ledger)
    }

    private func checkPassword(
        _ name: String, _ password: String, from place: PasswordCheck.Place, _ ledger: any Ledger
    ) async throws(Refusal) -> OperatorSession {
        let kept = try await record(of: name, in: ledger)?.passwordHash
        switch await passwords.check(password, of: name, from: place, against: kept) {
        case .right:
            return begun(name, stamp: Operators.Entry.stamp(of: kept ?? ""))
        case .wrong: throw .wrong
        case .wait(let seconds):
            throw Refusal(status: 429, reason: .tooMany(seconds: seconds), retryAfter: seconds)
        }
    }

    private func setPassword(
        _ name: String, _ code: String, _ fields: FormFields, _ ledger: any Ledger
    ) async throws(Refusal) -> OperatorSession {
        let password = fields["newPassword"] ?? ""
        guard password.count >= PasswordCheck.shortest, password.utf8.count <= 200 else {
            throw Refusal(status: 422, reason: .password(shortest: PasswordCheck.shortest))
        }
        let digest = LoginCode.digest(of: code)
        // Looked at before the hash is made: a guess costs the hub no scrypt.
        guard let record = try await record(of: name, in: ledger), record.loginCodeDigest == digest,
            authorizer.now() < record.addedAt + LoginCode.lifetime
        else { throw .wrong }
        guard let hash = await passwords.hash(password, of: name) else { throw Self.busy }
        let isSet: Bool
        do {
            isSet = try await ledger.setOperatorPassword(name: name, hash: hash, loginCodeDigest: digest)
            try authorizer.operators.publish(try await ledger.operators())
        } catch { throw Self.busy }
        guard isSet else { throw .wrong }
        return begun(name, stamp: Operators.Entry.stamp(of: hash))
    }

    private static let busy = Refusal(status: 503, reason: .busy, retryAfter: 5)

    private func record(of name: String, in ledger: any Ledger) async throws(Refusal) -> OperatorRecord? {
        do {
            return try await ledger.operators().first { $0.name == name }
        } catch { throw Self.busy }
    }

    private func begun(_ name: String, stamp: String) -> OperatorSession {
        OperatorSession(name: name, expiresAt: authorizer.now() + OperatorSession.lifetime, stamp: stamp)
    }

    /// Refuses a form that a page of another site sent. Browsers name the page's origin; programs name none.
    private static func requireOwnPage(_ request: HubRequest) throws(Problem) {
        guard let origin = request.header("Origin") else { return }
        let host = origin.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init)
        guard let host, host == request.authority else { throw .csrfRefused }
    }
}
