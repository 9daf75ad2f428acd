/// How long to wait before a silence counts as an outage, and before a network that came back is trusted:
/// what would have cost least on the silences and returns that the till remembers.
///
/// A silence shorter than the wait costs its length, shown online though dead. A longer one costs the wait
/// and a pair of switches, and that the till stays offline for the hold after the way is back. Likewise a
/// return that breaks off before the hold is over costs its length, offline though fine; one that lasts costs
/// the hold, and, should it break off later, another pair of switches and the finding of it. All costs are
/// seconds of a cashier: 0.3 for each second shown wrongly either way, 5 for each switch. Outages that every
/// till must reckon with stand beside its own, so that few observations do not lead far.
///
/// Everything is reckoned in whole milliseconds and tenths of a cashier's millisecond, so that every machine
/// learns the same. Of equal costs the smaller choice wins.
struct LearnedWait: Hashable, Codable, Sendable {
    private static let waits: [Int64] = [4_000, 6_000, 9_000, 13_000, 20_000]
    private static let holds: [Int64] = [4_000, 6_000, 10_000, 16_000, 25_000, 40_000, 60_000]
    private static let priorSilences: [Int64] = [4_000, 8_000, 60_000, 120_000, 300_000, 600_000]
    private static let priorReturns: [Int64] = [600_000, 600_000, 600_000]
    /// For each millisecond shown wrongly.
    private static let wrong: Int64 = 3
    /// For going offline and coming back.
    private static let switches: Int64 = 2 * 50_000

    private(set) var memory: SilenceMemory
    /// From the sending of the question that stayed unanswered, in milliseconds.
    private(set) var wait: Int64 = 9_000
    /// From the first answer after an outage, in milliseconds.
    private(set) var hold: Int64 = 10_000
    /// Half the time between questions of an idle till, in milliseconds: how late a silence is noticed.
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

    /// The choice that costs least: each of `lengths` costs itself where the choice outlasts it, and the
    /// choice and `exceeded` where it does not.
    private static func best(of choices: [Int64], on lengths: [Int64], exceeded: Int64) -> Int64 {
        var best = (choice: choices[0], cost: Int64.max)
        for choice in choices {
            let cost = lengths.reduce(0) { $0 + ($1 <= choice ? wrong * $1 : wrong * choice + exceeded) }
            if cost < best.cost { best = (choice, cost) }
        }
        return best.choice
    }
}
