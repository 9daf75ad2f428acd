import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import Retail

/// Answers the requests below `/v1/session`: who is signed in.
struct SignInView {
    let parts: AgentParts
    let request: AgentRequest

    static func answers(_ request: AgentRequest) -> Bool { request.path.hasPrefix(AgentRoutes.session) }

    func answer() async throws(TerminalError) -> AgentAnswer {
        do throws(AuthorityRefusal) {
            switch (request.method, request.path) {
            case ("GET", AgentRoutes.session): break
            case ("POST", AgentRoutes.session):
                guard case .signIn(let id, let pin)? = try? SessionCall(signIn: request.body) else {
                    return AgentAnswer(TerminalError(SessionCall.malformed))
                }
                _ = try await parts.authority.signIn(id, pin: pin)
            case ("POST", AgentRoutes.sessionEnd): try await parts.authority.signOut()
            case (_, _):
                return AgentAnswer(
                    TerminalError(
                        .usage, code: "unknown_request",
                        "the agent has no \(request.method) \(request.path); are the versions equal?"))
            }
            return AgentAnswer(try await document().json)
        } catch {
            throw TerminalError(error)
        }
    }

    private func document() async throws(AuthorityRefusal) -> SessionResponse {
        guard let (signIn, expiresAt) = try await parts.authority.signedIn() else {
            return SessionResponse(nil)
        }
        return SessionResponse(
            SessionResponse.Cashier(
                id: signIn.cashier.id, name: signIn.cashier.name, role: signIn.cashier.role.rawValue,
                signedInAt: Timestamp.text(milliseconds: signIn.signedInAt),
                expiresAt: Timestamp.text(milliseconds: expiresAt)))
    }
}

extension AgentParts {
    /// Lets the sender of a request do `actions`.
    func authorize(
        _ person: AgentPerson, _ actions: [ApprovalAction]
    ) async throws(TerminalError) -> Authorization {
        do throws(AuthorityRefusal) {
            return try await authority.authorize(PersonClaim(person), actions)
        } catch {
            throw TerminalError(error)
        }
    }
}
