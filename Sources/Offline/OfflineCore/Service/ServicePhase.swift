import Base

/// The terminal's state of one service.
enum ServicePhase: Hashable, Codable, Sendable {
    /// Calls go to the hub. Leaves to `suspect` when evidence trips (to `overruled` while the decision of QoS
    /// on such evidence is still valid), to `faulty` by a decision of QoS.
    case healthy
    /// Evidence has tripped and QoS is queried. Leaves to `healthy` when the evidence ends, to `overruled` or
    /// `faulty` by a decision of QoS, to `leased` after too many failed queries or at `confirmation`.
    case suspect(failedQueries: Int, confirmation: Instant)
    /// Evidence has tripped and QoS reports the service as healthy. Leaves to `healthy` when the evidence
    /// ends, to `faulty` by a decision of QoS, to `suspect` when QoS becomes silent.
    case overruled
    /// QoS reports the service as faulty. Leaves to `recovering` when it changes its decision or that
    /// expires.
    case faulty
    /// A local fault while QoS is silent. Leaves to `recovering` at `until`, or by a decision of QoS.
    case leased(until: Instant)
    /// Canaries test the service. Leaves to `healthy` after enough good ones, to `faulty` by a decision of
    /// QoS. A local fault's trial also leaves to `leased` after a bad one, and to `overruled` when QoS
    /// reports the service as healthy.
    case recovering(CanaryTrial)

    /// Whether the fault is in force; it stays until the canaries have cleared it.
    var isFault: Bool {
        switch self {
        case .healthy, .suspect, .overruled: false
        case .faulty, .leased, .recovering: true
        }
    }

    /// When the fault is tested next; nil: it is tested now, or its end is decided elsewhere.
    ///
    /// - Parameter holdEnds: the expiry of the decision that set the hold; nil: no decision did.
    func testedAt(holdEnds: Instant?) -> Instant? {
        switch self {
        case .healthy, .suspect, .overruled, .faulty: return nil
        case .leased(let until): return until
        case .recovering(let trial):
            switch trial.step {
            case .paced: return trial.deadline(holdEnds: holdEnds)
            case .due, .calling: return nil
            }
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

/// The canary calls that a fault needs to end.
struct CanaryTrial: Hashable, Codable, Sendable {
    enum Step: Hashable, Codable, Sendable {
        /// The hub allows this terminal to resume only then (`resume.afterMs`); its later responses can make
        /// it earlier, and the hold ends with the decision that it came from. Leaves to `calling`.
        case paced(until: Instant)
        /// The next canary is sent then, or at once after a person's retry. Leaves to `calling`.
        case due(at: Instant)
        /// A canary is pending. Leaves with its result, which is bad if none came by `until`.
        case calling(tag: UInt64, until: Instant)
    }

    /// Whether the fault was decided by this terminal, without QoS.
    let isLocal: Bool
    /// Good canaries in a row that are still needed.
    var remaining: Int
    var step: Step

    /// When the trial acts by itself.
    ///
    /// - Parameter holdEnds: the expiry of the decision that set the hold; nil: no decision did.
    func deadline(holdEnds: Instant?) -> Instant {
        switch step {
        case .paced(let until): holdEnds.map { min(until, $0) } ?? until
        case .calling(_, let until): until
        case .due(let at): at
        }
    }
}
