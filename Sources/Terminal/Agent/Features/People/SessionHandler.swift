import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import Retail

/// Who is signed in.
struct SessionHandler: RequestHandler {
    let authority: Authority
    /// What can be done now depends on who is there.
    let revisions: StatusRevisions

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.session, show), AgentRoute("POST", AgentRoutes.session, signIn),
            AgentRoute("POST", AgentRoutes.sessionEnd, signOut),
        ]
    }

    private func show(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        do throws(AuthorityRefusal) {
            return AgentResponse(try await authority.session())
        } catch {
            throw TerminalError(error)
        }
    }

    private func signIn(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        guard case .signIn(let id, let pin)? = try? SessionCall(signIn: request.body) else {
            throw TerminalError(SessionCall.malformed)
        }
        do throws(AuthorityRefusal) {
            _ = try await authority.signIn(id, pin: pin)
        } catch {
            throw TerminalError(error)
        }
        revisions.advance()
        return try await show(request, path)
    }

    private func signOut(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        do throws(AuthorityRefusal) {
            try await authority.signOut()
        } catch {
            throw TerminalError(error)
        }
        revisions.advance()
        return try await show(request, path)
    }
}

extension Authority {
    /// Who is signed in, as the API names it.
    func session() async throws(AuthorityRefusal) -> SessionResponse {
        guard let (signIn, expiresAt) = try await signedIn() else {
            return SessionResponse(nil)
        }
        return SessionResponse(
            SessionResponse.Cashier(
                id: signIn.cashier.id, name: signIn.cashier.name, role: signIn.cashier.role.rawValue,
                signedInAt: Timestamp.text(milliseconds: signIn.signedInAt),
                expiresAt: Timestamp.text(milliseconds: expiresAt)))
    }

    /// Lets the sender of a request do `actions`.
    func authorize(
        _ person: AgentPerson, _ actions: [ApprovalAction]
    ) async throws(TerminalError) -> Authorization {
        do throws(AuthorityRefusal) {
            return try await authorize(PersonClaim(person), actions)
        } catch {
            throw TerminalError(error)
        }
    }
}
