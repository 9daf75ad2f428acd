package import Base
internal import HubProtocol

/// Which connections of others may begin a handshake, so that strangers on the shop's network cannot keep the
/// tills of the store out.
///
/// Addresses where tills of the store are expected share all of it, each up to its own part. All others
/// together get half: a till whose address is new comes in by it. A connection whose key is proven is no
/// part of this any more.
package struct HandshakeBudget: Hashable, Sendable {
    /// What one address uses.
    private struct Use: Hashable {
        var begun = 0
        var open = 0
        /// Of an address where no till of the store is expected.
        var isStranger = false
    }

    private var second: Instant
    private var uses: [[UInt8]: Use] = [:]

    /// - Parameter now: the present.
    package init(at now: Instant) { second = now }

    /// Whether one more may begin; then it counts until ``end(from:)``.
    ///
    /// - Parameters:
    ///   - source: the address, 4 or 16 bytes.
    ///   - isExpected: whether a till of the store is expected there.
    package mutating func begin(from source: [UInt8], isExpected: Bool, at now: Instant) -> Bool {
        if now - second >= .seconds(1) { beginSecond(at: now) }
        var use = uses[source] ?? Use()
        use.isStranger = !isExpected
        guard use.begun < NeighbourLimits.handshakesOfAddressASecond,
            use.open < NeighbourLimits.handshakesOfAddressAtOnce
        else { return false }
        let others = isExpected ? Array(uses.values) : uses.values.filter(\.isStranger)
        let part = isExpected ? 1 : 2
        guard others.reduce(0, { $0 + $1.begun }) < NeighbourLimits.handshakesASecond / part,
            others.reduce(0, { $0 + $1.open }) < NeighbourLimits.handshakesAtOnce / part
        else { return false }
        use.begun += 1
        use.open += 1
        uses[source] = use
        return true
    }

    /// One that began is over, either way.
    package mutating func end(from source: [UInt8]) {
        guard var use = uses[source], use.open > 0 else { return }
        use.open -= 1
        uses[source] = use
    }

    /// Addresses are forgotten when nothing of them is under way: strangers do not fill the memory.
    private mutating func beginSecond(at now: Instant) {
        second = now
        uses = uses.filter { $0.value.open > 0 }
        for source in uses.keys { uses[source]?.begun = 0 }
    }
}
