internal import HubCore
internal import HubProtocol
internal import HubStore

/// The member service (http.md section 6).
struct MemberRoutes: Sendable {
    let ledger: any Ledger
    /// Nil: nobody counts.
    let reads: MemberReadCounter?
    let leases: LeaseService

    /// Members of one response; nobody picks one out of more.
    private static let most = 20

    var routes: [Route] {
        [
            Route(.get, Routes.members, .confirmedDevice, response: search),
            Route(.get, Routes.member, .confirmedDevice, response: show),
        ]
    }

    @Sendable private func search(_ request: HubRequest) async throws -> HubResponse {
        try count(request)
        let forms = request.query("phone").map(MemberRecord.lookupForms) ?? []
        guard !forms.isEmpty else {
            throw Problem.malformed("phone is a telephone number; its digits count.")
        }
        var members: [MemberRecord] = []
        for digits in forms where members.isEmpty {
            members = try await ledger.members(lookup: digits, limit: Self.most)
        }
        // Nobody is picked out of several.
        if members.count == 1 { try await lend(members[0].id, request) }
        return .json(["members": .array(members.map(\.json))])
    }

    private func count(_ request: HubRequest) throws(Problem) {
        if let wait = reads?.count(try request.requireDevice().terminalId) { throw .rateLimited(wait) }
    }

    @Sendable private func show(_ request: HubRequest) async throws -> HubResponse {
        try count(request)
        let (id, value) = try await ledger.memberOfPerson(request.parameters["id"] ?? "")
        guard let value, MemberState(value).isKnown else {
            throw Problem.notFound("No member has this id.")
        }
        try await lend(id, request)
        return .json(MemberRecord(id: id, value: value).json)
    }

    /// Whoever is looked up may buy something after the network is gone.
    private func lend(_ memberId: String, _ request: HubRequest) async throws(Problem) {
        guard request.knowsLeases else { return }
        await leases.lendShare(of: memberId, to: try request.requireDevice())
    }
}
