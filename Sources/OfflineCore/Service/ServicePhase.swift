/// What the terminal believes of one service.
enum ServicePhase: Hashable, Codable, Sendable {
    /// Calls go to the hub. Leaves to `suspect` when evidence trips (to `overruled` while QoS's answer to
    /// such evidence is still fresh), to `faulty` by QoS's word.
    case healthy
    /// Evidence has tripped and QoS is asked. Leaves to `healthy` when the evidence goes, to `overruled` or
    /// `faulty` by QoS's word, to `leased` after too many failed questions or at `confirmation`.
    case suspect(failedQueries: Int, confirmation: Instant)
    /// Evidence has tripped and QoS says that the service is well. Leaves to `healthy` when the evidence
    /// goes, to `faulty` by QoS's word, to `suspect` when QoS falls silent.
    case overruled
    /// QoS says faulty. Leaves to `recovering` when it takes its word back or its word expires.
    case faulty
    /// A local fault, QoS being silent. Leaves to `recovering` at `until`, or as QoS says once it answers.
    case leased(until: Instant)
    /// Canaries try the service. Leaves to `healthy` after enough good ones, to `faulty` by QoS's word; a
    /// local fault's trial also to `leased` after a bad one and to `overruled` when QoS says healthy.
    case recovering(CanaryTrial)

    /// Whether the fault is in force; it is until the canaries have cleared it.
    var isFault: Bool {
        switch self {
        case .healthy, .suspect, .overruled: false
        case .faulty, .leased, .recovering: true
        }
    }

    var shown: ServiceStatus.State {
        switch self {
        case .healthy: .healthy
        case .suspect, .overruled: .suspect
        case .faulty, .leased: .faulty
        case .recovering: .recovering
        }
    }
}

/// The canary calls that stand between a fault and its end.
struct CanaryTrial: Hashable, Codable, Sendable {
    enum Step: Hashable, Codable, Sendable {
        /// The hub lets this terminal back only then (`resume.afterMs`); its later answers can bring that
        /// forward. Leaves to `calling`.
        case paced(until: Instant)
        /// The next canary goes out then; a person's retry brings it forward. Leaves to `calling`.
        case due(at: Instant)
        /// A canary is out. Leaves by its answer, which is bad if none came by `until`.
        case calling(tag: UInt64, until: Instant)
    }

    /// Whether the fault was this terminal's own, without a word of QoS.
    let isLocal: Bool
    /// Good canaries in a row still wanted.
    var remaining: Int
    var step: Step

    /// When the trial acts by itself.
    var deadline: Instant {
        switch step {
        case .paced(let until), .calling(_, let until): until
        case .due(let at): at
        }
    }
}
