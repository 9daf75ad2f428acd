package import HubProtocol

/// Handles the requests of this machine's commands.
package protocol AdminService: Sendable {
    /// - Returns: the response as `--json` prints it.
    /// - Throws: the ``Problem`` that the command shows.
    func perform(_ call: AdminCall) async throws -> JSONValue
}

/// The service's calls as routes of a local socket.
struct AdminRoutes: Sendable {
    let service: any AdminService

    static let prefix = "/admin/"

    var routes: [Route] {
        [Route(.post, Self.prefix + "{call}", .owner, response: perform)]
    }

    @Sendable private func perform(_ request: HubRequest) async throws -> HubResponse {
        let json = try await request.reportedJSON()
        let call = try Problem.reading(AdminCall(name: request.parameters["call"] ?? "", json: json))
        guard let call else { throw Problem.notFound("There is no such call.") }
        let response = HubResponse.json(try await service.perform(call))
        // A catalogue of 100,000 articles is 25 MB of JSON and many times that as values.
        if case .importList = call { MemoryReturn.afterLargeWork() }
        return response
    }
}
