/// The last decision of QoS on one service that was applied, with what is needed to judge the next one.
struct AppliedDecision: Hashable, Codable, Sendable {
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
    enum TerminalState {
        case new
        case renewal
        case stale
    }

    /// A new issuer is taken whatever its generation, an older generation is ignored, a repeated one renews,
    /// or says `healthy` after `recovering`.
    /// An answer that was overtaken by a later question's can do neither of the first and the last.
    ///
    /// Generations come from a peer: one that jumps too far is no successor, and one that nobody has renewed
    /// for ``lapse`` keeps no other away, or an absurd number would make every later decision an older one.
    func status(of decision: ServiceDecision, issuer: String?, sentAt: Instant) -> TerminalState {
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

    /// A service that changed its state each second for eleven days would need as many. Half of it is as
    /// good; doubled, it does no harm either.
    private static let longestJump: Int64 = 1_000_000
    /// Twice the longest interval between two polls (300 s), so that a decision whose renewal was lost once
    /// is not overtaken by an older one.
    private static let lapse = Duration.seconds(600)

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
