internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode

/// What QoS says of each service beside what this terminal believes.
struct ServicesView {
    let parts: AgentParts

    func document() async -> JSONValue {
        let believed = parts.offline.status.services
        let answer = await parts.qos.decisions(for: believed.map(\.service), timeout: .seconds(3))
        let said = Dictionary(
            (answer?.decisions ?? []).map { ($0.service, $0) }, uniquingKeysWith: { first, _ in first })
        return [
            "answered": .bool(answer != nil), "issuer": JSONValue(answer?.issuer),
            "services": .array(believed.map { service($0, said[$0.service]) }),
        ]
    }

    private func service(_ believed: ServiceStatus, _ said: ServiceDecision?) -> JSONValue {
        [
            "service": .string(believed.service), "core": .bool(believed.isCore),
            "state": .string(believed.state.rawValue), "source": .string(believed.source.rawValue),
            "generation": .integer(believed.generation),
            "qos": said.map { decision in
                [
                    "state": .string(decision.state.rawValue), "scope": .string(decision.scope.rawValue),
                    "source": .string(decision.source.rawValue), "reason": JSONValue(decision.reason),
                    "generation": .integer(decision.generation),
                ]
            } ?? .null,
        ]
    }
}
