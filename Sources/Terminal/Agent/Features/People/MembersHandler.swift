internal import AgentAPI
internal import Retail

/// Members whom this terminal makes.
struct MembersHandler: RequestHandler {
    let members: Members

    var routes: [AgentRoute] {
        [AgentRoute("POST", AgentRoutes.members, add)]
    }

    private func add(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing({ (error: MemberRefusal) in TerminalError(error) }) {
            let call = try AddMemberCall(body: request.body)
            let added = try await members.add(
                phone: call.phone, name: call.name, by: PersonClaim(call.person))
            return AgentResponse(AddMemberCall.Response(added))
        }
    }
}

extension AddMemberCall.Response {
    fileprivate init(_ added: Members.Added) {
        self.init(memberId: added.member.id, name: added.member.name, isNew: added.isNew)
    }
}
