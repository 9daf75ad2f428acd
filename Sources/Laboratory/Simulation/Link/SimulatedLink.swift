package import Base
import OfflineCore

/// The links of the till's probes: one link for all of them, or one each where they were recorded separately.
package struct Ways: Sendable {
    package var echo: SimulatedLink
    /// For probes of the hub and business calls.
    package var hub: SimulatedLink
    /// For probes of the independent address.
    package var internet: SimulatedLink

    package init(echo: SimulatedLink, hub: SimulatedLink, internet: SimulatedLink) {
        self.echo = echo
        self.hub = hub
        self.internet = internet
    }

    /// Makes one link for all probes: they fail at the same times.
    package init(_ link: SimulatedLink) {
        self.init(echo: link, hub: link, internet: link)
    }
}

/// A link to one target as a function of time: when it is dead, and what it loses while it is not.
package struct SimulatedLink: Sendable {
    /// When the link is dead; times are those of the simulated clock.
    package enum Outage: Sendable {
        case none
        /// Every packet is lost from `start` until `end`.
        case blackhole(start: Instant, end: Instant)
        /// Works for `up`, is dead for `down`, and so on.
        case flapping(up: Duration, down: Duration)
        /// As recorded, with the round trips and losses of the recording.
        case recorded(LinkTrace)
    }

    /// What an outage drops.
    package enum Darkness: Sendable, CaseIterable {
        /// Every packet.
        case everything
        /// Packets to the hub's port; its machine still responds to echoes.
        case port
        /// The port accepts, and no TLS handshake ends.
        case handshake
        /// The port accepts, and no request gets a response.
        case response

        /// Whether the hub's machine still responds to echoes.
        var respondsToEchoes: Bool { self != .everything }

        /// How many exchanges of a new connection succeed before nothing does any more. With TLS or without,
        /// a detector without the hub's certificate observes only the handshake of TCP.
        var exchanges: Int {
            switch self {
            case .everything, .port: 0
            case .handshake, .response: 1
            }
        }
    }

    /// When the link is dead.
    package var outage: Outage
    /// What is lost during ``outage``. Default: every packet.
    package var darkness = Darkness.everything
    /// How many of a thousand round trips lose a packet, each independently.
    package var lossPerMille: UInt64
    /// Whether echoes get responses.
    package var respondsToPing: Bool
    /// The round trip where none was measured.
    package static let usualRoundTrip = Duration.milliseconds(20)

    /// Makes a link; by default it never fails, loses nothing and responds to echoes.
    package init(outage: Outage = .none, lossPerMille: UInt64 = 0, respondsToPing: Bool = true) {
        self.outage = outage
        self.lossPerMille = lossPerMille
        self.respondsToPing = respondsToPing
    }

    /// How long a round trip takes that begins at `now`.
    package func roundTrip(at now: Instant) -> Duration {
        guard case .recorded(let trace) = outage else { return Self.usualRoundTrip }
        return trace.row(at: now)?.roundTrip ?? Self.usualRoundTrip
    }

    /// When `roundTrips` exchanges, one after the other, are complete, with TCP's retransmissions: a first
    /// wait of 1 s while connecting and of 200 ms afterwards, doubled each time. Nil after `timeout`.
    package func finish(
        of roundTrips: Int, connecting: Bool, from start: Instant, timeout: Duration,
        using random: inout SplitMix64
    ) -> Instant? {
        var now = start
        for exchange in 0..<roundTrips {
            var wait = connecting && exchange == 0 ? Duration.seconds(1) : .milliseconds(200)
            let isAccepted = connecting && exchange < darkness.exchanges
            while !passes(at: now, dark: isAccepted, using: &random) {
                now = now + wait
                wait *= 2
                guard now - start < timeout else { return nil }
            }
            now = now + roundTrip(at: now)
        }
        return now - start < timeout ? now : nil
    }

    /// Whether the link carries an echo that is sent at `now`, both ways.
    package func echoPasses(at now: Instant, using random: inout SplitMix64) -> Bool {
        passes(at: now, dark: darkness.respondsToEchoes, using: &random)
    }

    /// Whether one round trip that begins at `now` succeeds.
    ///
    /// - Parameter dark: whether it succeeds during an outage too, except for the link's losses.
    private func passes(at now: Instant, dark: Bool, using random: inout SplitMix64) -> Bool {
        let (isUp, loss) = state(at: now)
        return (isUp || dark) && random.below(1_000) >= loss
    }

    /// Whether the link works at `now`, except for single losses.
    package func isUp(at now: Instant) -> Bool { state(at: now).isUp }

    private func state(at now: Instant) -> (isUp: Bool, lossPerMille: UInt64) {
        switch outage {
        case .none: return (true, lossPerMille)
        case .blackhole(let start, let end): return (now < start || now >= end, lossPerMille)
        case .flapping(let up, let down):
            let period = (up + down).wholeNanoseconds
            return (now.nanoseconds % period < up.wholeNanoseconds, lossPerMille)
        case .recorded(let trace):
            let row = trace.row(at: now)
            return (row?.isUp ?? true, max(lossPerMille, row?.lossPerMille ?? 0))
        }
    }
}
