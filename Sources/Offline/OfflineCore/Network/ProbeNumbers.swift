import Base

/// Numbers the pings and probes and decides which of their results count.
///
/// A number consists of the path id (`epoch`) and a sequence that never starts again. A result counts once,
/// and only while its path id is the present one. There is one state; a new path id makes everything that
/// was sent or started before void.
struct ProbeNumbers: Hashable, Codable, Sendable {
    /// The present path id.
    private(set) var epoch: UInt64 = 0
    /// Failures of probes up to this one are from before the network last became reachable.
    private(set) var voidThrough: UInt64 = 0
    private var epochBeganAt: Instant
    private var sequence: UInt64 = 0
    private var responses = ResponseWindow()

    init(at now: Instant) {
        epochBeganAt = now
    }

    /// The number of a ping or probe that is sent now.
    mutating func next() -> ProbeTag {
        sequence += 1
        return ProbeTag(epoch: epoch, sequence: sequence)
    }

    /// From here on, results of earlier probes are void.
    mutating func beginEpoch(at now: Instant) {
        epoch += 1
        epochBeganAt = now
    }

    /// The network became reachable: silence of probes sent before is old, except of the pending
    /// `trailingProbe` and those after it.
    mutating func becameReachable(trailingProbe: UInt64?) {
        voidThrough = trailingProbe.map { $0 - 1 } ?? sequence
    }

    /// Whether a result counts: of a probe of the present path id, and reported for the first time.
    mutating func counts(_ tag: ProbeTag) -> Bool {
        tag.epoch == epoch && responses.book(tag.sequence)
    }

    /// Whether the failure of a probe is newer than the last moment at which the network became reachable.
    func isFresh(_ tag: ProbeTag) -> Bool { tag.sequence > voidThrough }

    /// Whether `moment` lies within the present path id.
    func includes(_ moment: Instant) -> Bool { moment >= epochBeganAt }
}

/// Which pings and probes got a response: a response counts once, however often it is reported.
///
/// A window over the last 64 probes, as IPsec keeps against replayed packets (RFC 4303, section 3.4.3). A
/// response to an earlier one comes too late to count.
struct ResponseWindow: Hashable, Codable, Sendable {
    private var newest: UInt64 = 0
    /// Bit 0 stands for `newest`, bit n for the probe n before it.
    private var responded: UInt64 = 0

    /// Records the response to the probe `sequence`.
    ///
    /// - Returns: whether it is the first one.
    mutating func book(_ sequence: UInt64) -> Bool {
        if sequence > newest {
            let distance = sequence - newest
            responded = distance < 64 ? responded << distance : 0
            newest = sequence
        }
        let age = newest - sequence
        guard age < 64 else { return false }
        let bit = UInt64(1) << age
        defer { responded |= bit }
        return responded & bit == 0
    }
}
