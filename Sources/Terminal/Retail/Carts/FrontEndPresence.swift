package import Base

/// Which front ends are there. Each holds one request that lasts; when that is cut off, its cart is left, and
/// after an agent's restart a front end has some seconds to come back.
package struct FrontEndPresence: Machine, Sendable {
    /// What happened.
    package enum Event: Hashable, Sendable {
        /// The agent has started, and these had a cart on their screens.
        case restarted([FrontEnd])
        /// The front end began to wait.
        case watchBegan(FrontEnd)
        /// It got its response, and will wait again.
        case watchEnded(FrontEnd)
        /// Its connection closed.
        case watchCutOff(FrontEnd)
        /// It sent a cart.
        case cartKept(FrontEnd)
        case timeAdvanced
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// Its cart is left.
        case leaveCart(of: FrontEnd)
    }

    /// How long a front end may be away without its connection having closed: `pos` tries twice a second.
    /// Halved, a busy machine would offer a cart that is still on a screen; doubled, the next cashier waits
    /// for it as long.
    package static let grace = Duration.seconds(10)

    private enum Presence {
        /// It holds so many requests; ends when the last of them does.
        case watching(Int)
        /// It holds none and has to be back until then.
        case away(Instant)
    }

    private var frontEnds: [FrontEnd: Presence] = [:]

    /// Nobody is there.
    package init() {}

    /// The first moment at which one of those that are away is given up.
    package var deadline: Instant? {
        frontEnds.values.compactMap { if case .away(let end) = $0 { end } else { nil } }.min()
    }

    /// Notes who is there; an effect for each that is gone.
    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .restarted(let known):
            for frontEnd in known { awaits(frontEnd, at: now) }
        case .watchBegan(let frontEnd):
            frontEnds[frontEnd] = .watching(watches(of: frontEnd) + 1)
        case .watchEnded(let frontEnd):
            let left = watches(of: frontEnd) - 1
            frontEnds[frontEnd] = left > 0 ? .watching(left) : .away(now + Self.grace)
        case .watchCutOff(let frontEnd):
            let left = watches(of: frontEnd) - 1
            guard left <= 0 else {
                frontEnds[frontEnd] = .watching(left)
                break
            }
            frontEnds[frontEnd] = nil
            return [.leaveCart(of: frontEnd)]
        case .cartKept(let frontEnd): awaits(frontEnd, at: now)
        case .timeAdvanced: break
        }
        return expired(at: now)
    }

    private func watches(of frontEnd: FrontEnd) -> Int {
        if case .watching(let count)? = frontEnds[frontEnd] { count } else { 0 }
    }

    /// One that holds no request has to come back.
    private mutating func awaits(_ frontEnd: FrontEnd, at now: Instant) {
        guard watches(of: frontEnd) == 0 else { return }
        frontEnds[frontEnd] = .away(now + Self.grace)
    }

    private mutating func expired(at now: Instant) -> [Effect] {
        let gone = frontEnds.filter { if case .away(let end) = $0.value { end <= now } else { false } }
        for frontEnd in gone.keys { frontEnds[frontEnd] = nil }
        return gone.keys.sorted { $0.text < $1.text }.map(Effect.leaveCart)
    }
}
