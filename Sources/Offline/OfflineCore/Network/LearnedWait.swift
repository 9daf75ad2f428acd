import Base

/// How long to wait before a silence counts as an outage, and how long before a restored network is trusted:
/// the waits with the least cost for the silences and returns that the till has stored.
///
/// A silence shorter than the wait costs its length, because the till shows online while the network is dead.
/// A longer one costs the wait, a pair of switches, and the hold after the network is back. A return that
/// ends before the hold costs its length, because the till shows offline while the network works. One that
/// lasts costs the hold; if it ends later, it also costs another pair of switches and the time to detect it.
/// All costs are seconds of a cashier: 0.3 for each second of a wrong display, 5 for each switch. Typical
/// outages are added to the till's own, so that few observations change little.
///
/// Everything is computed in whole milliseconds and tenths of a cashier's millisecond, so that every machine
/// learns the same. Of equal costs the smaller choice wins.
struct LearnedWait: Hashable, Codable, Sendable {
    private static let waits: [Int64] = [4_000, 6_000, 9_000, 13_000, 20_000]
    private static let holds: [Int64] = [4_000, 6_000, 10_000, 16_000, 25_000, 40_000, 60_000]
    private static let priorSilences: [Int64] = [4_000, 8_000, 60_000, 120_000, 300_000, 600_000]
    private static let priorReturns: [Int64] = [600_000, 600_000, 600_000]
    /// For each millisecond of a wrong display.
    private static let wrong: Int64 = 3
    /// For going offline and coming back.
    private static let switches: Int64 = 2 * 50_000

    private(set) var memory: SilenceMemory
    /// Counted from when the probe without a response was sent, in milliseconds.
    private(set) var wait: Int64 = 9_000
    /// Counted from the first response after an outage, in milliseconds.
    private(set) var hold: Int64 = 10_000
    /// Half the time between probes of an idle till, in milliseconds: how late a silence is noticed.
    private let notice: Int64

    init(memory: SilenceMemory = SilenceMemory(), pingInterval: Duration) {
        self.memory = memory
        notice = pingInterval.wholeMilliseconds / 2
        learn()
    }

    mutating func note(silence: Duration) {
        memory.note(silence: silence)
        learn()
    }

    mutating func note(return good: Duration) {
        memory.note(return: good)
        learn()
    }

    private mutating func learn() {
        wait = Self.best(
            of: Self.waits, on: memory.silences + Self.priorSilences,
            exceeded: Self.switches + Self.wrong * (2_000 + hold))
        hold = Self.best(
            of: Self.holds, on: memory.returns + Self.priorReturns,
            exceeded: Self.switches + Self.wrong * (notice + wait))
    }

    /// The choice with the least cost: a length up to the choice costs itself, a longer one costs the choice
    /// and `exceeded`.
    private static func best(of choices: [Int64], on lengths: [Int64], exceeded: Int64) -> Int64 {
        var best = (choice: choices[0], cost: Int64.max)
        for choice in choices {
            let cost = lengths.reduce(0) { $0 + ($1 <= choice ? wrong * $1 : wrong * choice + exceeded) }
            if cost < best.cost { best = (choice, cost) }
        }
        return best.choice
    }
}

/// When faults of the network were confirmed lately; repeated flaps lengthen the recovery hold.
struct FlapHistory: Hashable, Codable, Sendable {
    /// Enough to reach the longest hold from any allowed one.
    private static let capacity = 16
    private var confirmations: [Instant] = []

    mutating func note(at now: Instant) {
        if confirmations.count == Self.capacity { confirmations.removeFirst() }
        confirmations.append(now)
    }

    /// T2, half as long again for each confirmed fault beyond two within the window, up to the cap.
    func hold(at now: Instant, settings: NetworkSettings) -> Duration {
        let since = now - settings.flapWindow
        let recent = confirmations.count { $0 > since }
        var hold = settings.recoveryHold
        for _ in 0..<max(0, recent - 2) {
            hold = min(settings.recoveryHoldCap, hold + hold / 2)
        }
        return hold
    }
}
