import Base

/// The network works: idle pings and probes, postponed by every response.
extension NetworkFaultDetector {
    /// Enters `reachable`. `trailingProbe` is a hub probe that is pending; the silence of earlier ones is
    /// old.
    mutating func becomeReachable(trailingProbe: ProbeInFlight? = nil, at now: Instant) {
        trail.clear()
        probes.becameReachable(trailingProbe: trailingProbe?.sequence)
        silences.silenceEnded(at: now)
        var watch = Watch(
            nextPing: now, nextProbe: now, pingSpan: 0, probeSpan: 0, ping: nil, trailingProbe: trailingProbe)
        drawSpans(of: &watch)
        watch.postpone(from: now)
        enter(.reachable(watch), at: now)
    }

    /// Computes new random waits, because pings and probes change places as the frequent check. With the old
    /// waits an idle till would go unchecked for the longer of both.
    mutating func drawSpans(of watch: inout Watch) {
        watch.pingSpan = drawSpan(idlePingInterval)
        watch.probeSpan = drawSpan(idleProbeInterval)
    }

    /// A response arrived while reachable: nothing must be sent for one interval.
    mutating func postpone(_ watch: Watch, at now: Instant) {
        var watch = watch
        watch.ping = nil
        watch.trailingProbe = nil
        watch.postpone(from: now)
        phase = .reachable(watch)
    }

    /// Sends what is due while reachable.
    mutating func watchDue(_ watch: Watch, at now: Instant, _ effects: inout [NetworkEffect]) {
        if let trailing = watch.trailingProbe, now >= trailing.failsAt {
            return openSuspicion(.probeFailed(.silent), at: now, &effects)
        }
        var watch = watch
        if now >= watch.nextProbe {
            effects.append(.sendProbe(probes.next(), .hub, timeout: settings.probeTimeout))
            watch.probeSpan = drawSpan(idleProbeInterval)
            watch.nextProbe = now.advanced(by: watch.probeSpan)
        }
        if isPinging, now >= watch.nextPing {
            let tag = probes.next()
            effects.append(.sendPing(tag))
            watch.ping = tag.sequence
            watch.pingSpan = drawSpan(idlePingInterval)
            watch.nextPing = now.advanced(by: watch.pingSpan)
        }
        phase = .reachable(watch)
    }

    /// Sends a probe and a ping at once. The silence of QoS alone is no evidence on the network: a suspicion
    /// would freeze the service detector each time.
    mutating func queryWithoutResponse(startedAt: Instant, at now: Instant) -> [NetworkEffect] {
        guard probes.includes(startedAt), case .reachable(var watch) = phase else { return [] }
        var effects: [NetworkEffect] = []
        watch.nextProbe = now
        // Where pings get responses they show a dead network 2 s sooner than the probe.
        if pingsWatch { watch.nextPing = now }
        watchDue(watch, at: now, &effects)
        return effects
    }

    /// When a working network is probed next.
    func deadline(of watch: Watch) -> Instant {
        let next = isPinging ? min(watch.nextPing, watch.nextProbe) : watch.nextProbe
        return watch.trailingProbe.map { min(next, $0.failsAt) } ?? next
    }

    /// Probes again once the changed path has settled.
    mutating func lookAgain(_ watch: Watch, at moment: Instant) {
        var watch = watch
        watch.ping = nil
        watch.trailingProbe = nil
        watch.nextPing = moment
        watch.nextProbe = moment
        phase = .reachable(watch)
    }

    /// Where pings get responses they are the frequent check and probes are rare; elsewhere it is the
    /// reverse.
    private var idleProbeInterval: Duration {
        pingsWatch ? settings.probeInterval : min(settings.pingInterval, settings.probeInterval)
    }

    private var idlePingInterval: Duration {
        pingsWatch ? settings.pingInterval : max(settings.pingInterval, settings.probeInterval)
    }

    private var pingsWatch: Bool { pings == .responded && isPinging }

    private mutating func drawSpan(_ interval: Duration) -> Int64 {
        random.jittered(interval, perMille: settings.intervalJitterPerMille).wholeNanoseconds
    }
}

extension Watch {
    fileprivate mutating func postpone(from now: Instant) {
        nextPing = now.advanced(by: pingSpan)
        nextProbe = now.advanced(by: probeSpan)
    }
}
