/// The last decision of QoS on one service that was applied, with what is needed to judge the next one.
struct FollowedWord: Hashable, Codable, Sendable {
    let issuer: String?
    let generation: Int64
    let state: ServiceDecision.State
    let source: ServiceStatus.Source
    /// When the question was sent that this word, or its last renewal, answered.
    var sentAt: Instant
    var expiresAt: Instant
    /// The pace last passed on for this word.
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

    /// What a decision is to the word followed so far.
    enum Standing {
        case new
        case renewal
        case stale
    }

    /// A new issuer is taken whatever its generation, an older generation is ignored, a repeated one renews.
    /// An answer that was overtaken by a later question's can do neither of the first and the last.
    func standing(of decision: ServiceDecision, issuer: String?, sentAt: Instant) -> Standing {
        if issuer != self.issuer { return sentAt >= self.sentAt ? .new : .stale }
        if decision.generation > generation { return .new }
        return decision.generation == generation && sentAt >= self.sentAt ? .renewal : .stale
    }

    mutating func renew(by decision: ServiceDecision, sentAt: Instant) {
        self.sentAt = sentAt
        expiresAt = sentAt + decision.validity.clamped(to: Self.validity)
    }

    /// Values from a peer are clamped: a word holds at least 1 s and at most a day.
    private static let validity: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
}

extension Duration {
    /// The nearest duration inside `range`.
    func clamped(to range: ClosedRange<Duration>) -> Duration {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
