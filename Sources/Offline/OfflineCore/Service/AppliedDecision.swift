import Base

/// The last applied decision of QoS on one service, with what is needed to compare the next one.
struct AppliedDecision: Hashable, Codable, Sendable {
    let issuer: String?
    let generation: Int64
    let state: ServiceDecision.State
    let source: ServiceStatus.Source
    /// When the query was sent whose response brought this decision, or renewed it last.
    var sentAt: Instant
    var expiresAt: Instant
    /// The pace that was last passed on for this decision.
    var resume: ResumePace?

    init(_ decision: ServiceDecision, issuer: String?, sentAt: Instant) {
        self.issuer = issuer
        generation = decision.generation
        state = decision.state
        source =
            switch decision.source {
            case .operator: .operator
            case .reports, .probe: .qos
            }
        self.sentAt = sentAt
        expiresAt = sentAt + decision.validity.clamped(to: Self.validity)
    }

    /// How a decision relates to the applied one.
    enum Freshness {
        case new
        case renewal
        case stale
    }

    /// A decision of a new issuer is applied whatever its generation. An older generation is ignored. A
    /// repeated one renews the decision, or changes `recovering` to `healthy`. A response to an earlier query
    /// than the last applied one can neither bring a new issuer nor end `recovering`.
    ///
    /// Generations come from a peer, and an absurd number must not make every later decision an older one.
    /// So a generation that jumps too far is ignored, and one that was not renewed for ``lapse`` blocks none.
    func freshness(of decision: ServiceDecision, issuer: String?, sentAt: Instant) -> Freshness {
        if PlantedBug.olderGenerationTaken.isPlanted { return .new }
        if PlantedBug.serviceStaysFaulty.isPlanted, state == .faulty, decision.state != .faulty {
            return .stale
        }
        if issuer != self.issuer { return sentAt >= self.sentAt ? .new : .stale }
        if decision.generation == generation {
            guard sentAt >= self.sentAt else { return .stale }
            // The one step that a repeated generation may make: the end of what it was recovering from.
            return (state, decision.state) == (.recovering, .healthy) ? .new : .renewal
        }
        if sentAt >= self.sentAt + Self.lapse { return .new }
        let (jump, overflows) = decision.generation.subtractingReportingOverflow(generation)
        return !overflows && (1...Self.longestJump).contains(jump) ? .new : .stale
    }

    /// A service that changed its state each second for eleven days would need as many. Half of it or double
    /// would do as well.
    private static let longestJump: Int64 = 1_000_000
    /// Twice the longest interval between two polls (300 s), so that a decision whose renewal was lost once
    /// is not overtaken by an older one.
    private static let lapse = Duration.seconds(600)

    mutating func renew(by decision: ServiceDecision, sentAt: Instant) {
        self.sentAt = sentAt
        expiresAt = sentAt + decision.validity.clamped(to: Self.validity)
    }

    /// Values from a peer are clamped: a decision is valid for at least 1 s and at most a day.
    static let validity: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
}

extension Duration {
    /// The nearest duration inside `range`.
    func clamped(to range: ClosedRange<Duration>) -> Duration {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
