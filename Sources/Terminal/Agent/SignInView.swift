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
                let body = request.body
                guard let id = body?["cashierId"]?.string, let pin = body?["pin"]?.string else {
                    return AgentAnswer(RequestFields.malformed("cashierId and pin", "strings"))
                }
                _ = try await parts.authority.signIn(id, pin: pin)
            case ("POST", AgentRoutes.sessionEnd): try await parts.authority.signOut()
            case (_, _):
                return AgentAnswer(
                    TerminalError(
                        .usage, code: "unknown_request",
                        "the agent has no \(request.method) \(request.path); are the versions equal?"))
            }
            return AgentAnswer(try await document())
        } catch {
            throw TerminalError(error)
        }
    }

    private func document() async throws(AuthorityRefusal) -> JSONValue {
        guard let (signIn, expiresAt) = try await parts.authority.signedIn() else {
            return ["cashierId": .null]
        }
        return [
            "cashierId": .string(signIn.cashier.id), "name": .string(signIn.cashier.name),
            "role": .string(signIn.cashier.role.rawValue),
            "signedInAt": .string(Timestamp.text(milliseconds: signIn.signedInAt)),
            "expiresAt": .string(Timestamp.text(milliseconds: expiresAt)),
        ]
    }
}

extension AgentParts {
    /// Lets whoever sent a request with `body` do `actions`.
    func authorize(
        _ body: JSONValue?, _ actions: [ApprovalAction]
    ) async throws(TerminalError) -> Authorization {
        let claim = try PersonClaim(json: body, of: .request)
        do throws(AuthorityRefusal) {
            return try await authority.authorize(claim, actions)
        } catch {
            throw TerminalError(error)
        }
    }
}
