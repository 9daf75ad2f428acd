internal import HubProtocol
internal import OfflineCore

/// Reads the responses of the QoS service.
extension QoSResponse {
    /// Of two decisions on one service the first is valid. A decision with a value that this version does not
    /// have is left out, since a guess could take a terminal offline.
    init(_ shape: QoSResponseShape) {
        var decisions: [ServiceDecision] = []
        for decision in shape.decisions {
            guard let decision = ServiceDecision(decision, issuedAt: shape.issuedAt),
                !decisions.contains(where: { $0.service == decision.service })
            else { continue }
            decisions.append(decision)
        }
        self.init(issuer: shape.issuer, decisions: decisions)
    }
}

extension ServiceDecision {
    fileprivate init?(_ shape: QoSDecisionShape, issuedAt: Int64) {
        // Numbers of the contract are below 2⁵³.
        guard (0..<(1 << 53)).contains(shape.generation), let state = State(rawValue: shape.state),
            let scope = Scope(rawValue: shape.scope),
            let source = Source(rawValue: shape.source)
        else { return nil }
        self.init(
            service: shape.service, state: state, scope: scope, generation: shape.generation,
            reason: shape.reason, source: source,
            validity: .milliseconds(shape.validity(issuedAt: issuedAt)), pollAfter: .milliseconds(shape.poll),
            resume: shape.resume.map {
                ResumePace(after: .milliseconds($0.afterMilliseconds), ratePerMinute: $0.ratePerMinute)
            })
    }
}
