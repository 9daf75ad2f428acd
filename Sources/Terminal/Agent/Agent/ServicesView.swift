internal import AgentAPI
internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode

/// QoS's decision on each service beside the terminal's own state.
struct ServicesView {
    let parts: AgentParts

    func document() async -> ServicesCall.Response {
        let own = parts.offline.status.services
        let answer = await parts.qos.decisions(for: own.map(\.service), timeout: .seconds(3))
        let decisions = Dictionary(
            (answer?.decisions ?? []).map { ($0.service, $0) }, uniquingKeysWith: { first, _ in first })
        return ServicesCall.Response(
            isAnswered: answer != nil, issuer: answer?.issuer,
            services: own.map { service($0, decisions[$0.service]) })
    }

    private func service(_ own: ServiceStatus, _ decision: ServiceDecision?) -> ServicesCall.Service {
        ServicesCall.Service(
            service: own.service, isCore: own.isCore, state: own.state.rawValue,
            source: own.source.rawValue, generation: own.generation,
            qos: decision.map {
                ServicesCall.Service.Decision(
                    state: $0.state.rawValue, scope: $0.scope.rawValue, source: $0.source.rawValue,
                    reason: $0.reason, generation: $0.generation)
            })
    }
}
