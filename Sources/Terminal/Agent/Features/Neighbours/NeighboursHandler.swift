internal import AgentAPI
internal import Base
internal import HubProtocol
internal import PinnedTLS

/// The other tills of the store, for people.
struct NeighboursHandler: RequestHandler {
    let neighbours: NeighboursFeature

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.neighbours, show),
            AgentRoute("POST", AgentRoutes.neighbours + "/try", tryOne),
        ]
    }

    private func show(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(await neighbours.document())
    }

    private func tryOne(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try TryNeighbourCall(body: request.body)
        }
        guard let address = SocketAddress(call.address, defaultPort: NeighbourLimits.port), address.port > 0
        else {
            throw TerminalError(.usage, code: "address_malformed") {
                $0.addressMalformed(call.address.printable)
            }
        }
        guard call.isAny || address.isPrivate || address.isLoopback else {
            throw TerminalError(.usage, code: "address_not_private") { $0.addressNotPrivate("\(address)") }
        }
        guard let run = neighbours.run else {
            throw TerminalError(.refused, code: "neighbours_off") { $0.neighboursOff }
        }
        return AgentResponse(Self.response(address, await run.attempt(address)))
    }

    private static func response(
        _ address: SocketAddress, _ attempt: NeighbourRun.Attempt
    ) -> TryNeighbourCall.Response {
        var response = TryNeighbourCall.Response()
        response.address = address.description
        response.terminalId = attempt.claim?.name.printable
        response.number = attempt.hello?.number
        response.version = attempt.hello?.version
        let isLate = attempt.failure == .timedOut
        let steps: [(step: TryNeighbourCall.Step, isDone: Bool, reason: String)] = [
            (.connect, attempt.isConnected, isLate ? "timed_out" : "not_connected"),
            (.handshake, attempt.claim != nil, isLate ? "timed_out" : "no_till"),
            (
                .key, attempt.isKnown && ![.broken, .handshakeFailed].contains(attempt.failure),
                attempt.isKnown ? "not_taken" : "other_store"
            ),
            (.version, attempt.hello != nil, isLate ? "timed_out" : "unreadable"),
        ]
        for (step, isDone, reason) in steps {
            guard isDone else {
                (response.failedAt, response.reason) = (step, reason)
                break
            }
            response.steps.append(step)
        }
        return response
    }
}
