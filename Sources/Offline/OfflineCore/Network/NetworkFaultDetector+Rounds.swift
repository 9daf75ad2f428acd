import Base

/// Sending probes and rounds of them.
extension NetworkFaultDetector {
    /// Begins a round: the hub's probe, the independent address's, and `pingCount` pings later.
    ///
    /// - Parameter hubTimeout: how long the hub's probe runs; it counts as failed after `probeTimeout`.
    mutating func beginRound(
        pings pingCount: Int, hubTimeout: Duration, at now: Instant, _ effects: inout [NetworkEffect]
    ) -> ProbeRound {
        let hub = probes.next()
        effects.append(.sendProbe(hub, .hub, timeout: hubTimeout))
        var internet: UInt64?
        if settings.probesInternet {
            let tag = probes.next()
            internet = tag.sequence
            effects.append(.sendProbe(tag, .internet, timeout: settings.probeTimeout))
        }
        let lastPing = pingCount > 0 ? (settings.roundPings.last ?? .zero) + settings.pingTimeout : .zero
        return ProbeRound(
            startedAt: now, hubFailsAt: now + settings.probeTimeout,
            expiresAt: now + max(settings.probeTimeout, lastPing) + settings.clockTolerance,
            hubSequence: hub.sequence, internetSequence: internet,
            internet: internet == nil ? .notQueried : .awaited, pingsLeft: pingCount)
    }

    /// Sends the pings of `round` that are due.
    mutating func sendDuePings(
        of round: inout ProbeRound, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        guard isPinging else { return round.stopPinging() }
        while let due = nextPing(of: round), due <= now {
            effects.append(.sendPing(probes.next()))
            round.pingsLeft -= 1
            round.pingsAwaited += 1
        }
    }

    /// When the next ping of `round` is due; nil when all are sent.
    func nextPing(of round: ProbeRound) -> Instant? {
        guard round.pingsLeft > 0 else { return nil }
        return round.startedAt + settings.roundPings[settings.roundPings.count - round.pingsLeft]
    }
}

extension ProbeResult {
    /// Whether the target itself responded, with whatever status.
    var isResponse: Bool {
        switch self {
        case .good, .respondedBadly: true
        case .failed, .portal: false
        }
    }
}
