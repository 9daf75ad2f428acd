/// What the detector believes of the way to the hub. Every phase owns a deadline, so none can stick.
enum NetworkPhase: Hashable, Codable, Sendable {
    /// The way works. Leaves to `suspect` on the first failure.
    case reachable(Watch)
    /// Something failed, or nothing was seen yet. Leaves to `reachable` on a success, to `unreachable` or
    /// `backendDown` when T1 is over and a full confirmation round has failed.
    case suspect(Suspicion)
    /// Convicted: the `network` cause holds. Leaves to `recovering` when the hub answers, to `backendDown`
    /// when only the independent address does.
    case unreachable(Outage)
    /// The way works and the hub is dark: the `service` cause holds. Leaves to `recovering` when the hub
    /// answers, to `suspect` when the path is lost or the independent address goes silent too.
    case backendDown(Outage)
    /// The hub answers again; the cause still holds. Leaves to `reachable` after T2, or back where it came
    /// from.
    case recovering(Recovery)
}

/// The idle schedule while the way works. Every answer of the hub postpones both.
struct Watch: Hashable, Codable, Sendable {
    var nextPing: Instant
    var nextProbe: Instant
    /// Nanoseconds from an answer to the next ping and probe, jitter included.
    var pingSpan: Int64
    var probeSpan: Int64
    /// The idle ping that is out; its silence counts only while no answer came after it was sent.
    var ping: UInt64?
    /// The hub probe of a suspicion that a ping has ended; its silence opens one that no ping ends.
    var trailingProbe: ProbeInFlight?
}

/// A probe that is out, and when it counts as failed.
struct ProbeInFlight: Hashable, Codable, Sendable {
    let sequence: UInt64
    let failsAt: Instant
}

/// An unbroken run of failures, or the look before the first belief.
struct Suspicion: Hashable, Codable, Sendable {
    /// How the run stands with timers that came too late.
    enum Lateness: Hashable, Codable, Sendable {
        case punctual
        /// One came too late and T1 began anew; it does so once in a run.
        case restarted
        /// A second one came too late: T1 stands, a fresh round decides.
        case pressed
    }

    var doubt: Doubt
    let openedAt: Instant
    /// T1's end; nil while nothing has failed yet in this run.
    var commitsAt: Instant?
    var step: ProbeStep
    /// A full round of this epoch has failed.
    var roundFailed = false
    /// The independent address answered in the last full round.
    var internetAnswered = false
    /// A ping of the last full round was answered.
    var echoAnswered = false
    var lateness = Lateness.punctual
    /// The `service` cause of a silent hub still holds meanwhile.
    let isBackendDown: Bool

    var isVerifying: Bool { commitsAt == nil }

    /// Whether nothing but missing answers speaks against the way.
    var isOfSilence: Bool { doubt.isSubset(of: [.echo, .silence, .refusal]) }

    /// Whether a ping answer ends it: nothing but missing pings opened it.
    var endsWithPing: Bool { doubt.isSubset(of: .echo) }
}

/// Being offline, and the probes that look for the way back.
struct Outage: Hashable, Codable, Sendable {
    let since: Instant
    /// Taken over from the last run: one success ends it.
    let isTakenOver: Bool
    var step: ProbeStep
    /// Probes sent since the last reset of the backoff.
    var tries = 0
}

/// The hold before the hub is believed again.
struct Recovery: Hashable, Codable, Sendable {
    /// The last four probes, the newest in the lowest bit, set when good.
    var results: UInt8
    /// How many of them were really made, at most four.
    var made: Int
    let firstGoodAt: Instant
    let holdEnds: Instant
    var nextProbe: Instant
    /// The probe that is out, and when it counts as failed.
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
