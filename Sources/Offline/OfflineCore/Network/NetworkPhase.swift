import Base

/// The detector's state. Every phase has a deadline, so the machine cannot get stuck in one.
enum NetworkPhase: Hashable, Codable, Sendable {
    /// The network works. Leaves to `suspect` on the first failure.
    case reachable(Watch)
    /// Something failed, or nothing was observed yet. Leaves to `reachable` on a success, to `unreachable` or
    /// `backendDown` when T1 is over and a full confirmation round has failed.
    case suspect(Suspicion)
    /// The fault is confirmed: the `network` cause holds. Leaves to `recovering` when the hub responds, to
    /// `backendDown` when only the independent address does.
    case unreachable(Outage)
    /// The network works and the hub is dark: the `service` cause holds. Leaves to `recovering` when the hub
    /// responds, to `suspect` when the path is lost or the independent address becomes silent too.
    case backendDown(Outage)
    /// The hub responds again; the cause still holds. Leaves to `reachable` after T2, or back to the phase
    /// that it came from.
    case recovering(Recovery)
}

/// The idle schedule while the network works. Every response of the hub postpones both.
struct Watch: Hashable, Codable, Sendable {
    var nextPing: Instant
    var nextProbe: Instant
    /// Nanoseconds from a response to the next ping and probe, jitter included.
    var pingSpan: Int64
    var probeSpan: Int64
    /// The pending idle ping; its silence counts only if no response came after it was sent.
    var ping: UInt64?
    /// The hub probe of a suspicion that a ping has ended; its silence opens a suspicion that no ping ends.
    var trailingProbe: ProbeInFlight?
}

/// A pending probe, and when it counts as failed.
struct ProbeInFlight: Hashable, Codable, Sendable {
    let sequence: UInt64
    let failsAt: Instant
}

/// An unbroken run of failures, or the verification before the network first counts as reachable.
struct Suspicion: Hashable, Codable, Sendable {
    /// Which timers of the run came too late.
    enum Lateness: Hashable, Codable, Sendable {
        case punctual
        /// One came too late and T1 started again; it does so once in a run.
        case restarted
        /// A second one came too late: T1 is kept, a new round decides.
        case pressed
    }

    var kinds: SuspicionKinds
    let openedAt: Instant
    /// T1's end; nil while nothing has failed yet in this run.
    var commitsAt: Instant?
    var step: ProbeStep
    /// A full round of the present path id has failed.
    var roundFailed = false
    /// The independent address responded in the last full round.
    var internetResponded = false
    /// A ping of the last full round got a response.
    var echoResponded = false
    var lateness = Lateness.punctual
    /// The `service` cause of a silent hub still holds meanwhile.
    let isBackendDown: Bool

    var isVerifying: Bool { commitsAt == nil }

    /// Whether its only evidence is missing or failed responses.
    var isOfSilence: Bool { kinds.isSubset(of: [.echo, .silence, .refusal]) }

    /// Whether a response to a ping ends it: only missing pings opened it.
    var endsWithPing: Bool { kinds.isSubset(of: .echo) }
}

/// A confirmed fault, and the probes that test whether it is over.
struct Outage: Hashable, Codable, Sendable {
    let since: Instant
    /// It comes from the last run: one success ends it.
    let isTakenOver: Bool
    var step: ProbeStep
    /// Probes sent since the last reset of the backoff.
    var tries = 0
}

/// The hold before the network counts as reachable again.
struct Recovery: Hashable, Codable, Sendable {
    /// The last four probes, the newest in the lowest bit, set when good.
    var results: UInt8
    /// How many of them were sent, at most four.
    var made: Int
    let firstGoodAt: Instant
    let holdEnds: Instant
    var nextProbe: Instant
    /// The pending probe.
    var probe: ProbeInFlight?
    /// The `service` cause of a silent hub holds, else the `network` cause.
    let isBackendDown: Bool

    var good: Int { results.nonzeroBitCount }
    var bad: Int { made - good }

    mutating func note(good isGood: Bool) {
        results = (results << 1 | (isGood ? 1 : 0)) & 0b1111
        made = min(4, made + 1)
    }
}
