package import Base
package import OfflineCore

/// Admits terminals with full outboxes one after another, at the rate that the store can process.
///
/// Terminals form a queue in the order of a hash of their ids, so that every process of the hub has the same
/// queue without storing it. A terminal is admitted when the work of those before it is done:
/// `after = work ahead / capacity`. The backlog of a silent terminal is not known; it counts as the mean of
/// those that have reported. Each poll computes the time anew, so early estimates correct themselves.
/// Admitted terminals share the capacity evenly; those with fuller outboxes get more. A terminal that was
/// admitted and does not push, or that sends nothing any more, leaves the queue: otherwise all behind it
/// would wait for work that never comes.
///
/// A terminal's own number is a claim. What the hub measured replaces it (its journal's head less what is
/// acknowledged). Either counts ``factor`` times the median at most, since a head can be false as well. It
/// never grows again within one recovery, and the others wait for a terminal no longer than that work takes
/// at the slowest rate. So a terminal with a false claim delays the others by a known amount.
package struct RecoveryAdmission: Hashable, Sendable {
    private struct TerminalState: Hashable, Sendable {
        /// Mutations in its outbox, claimed or measured; nil while nothing is known.
        var pending: Int64?
        /// The hub measured it, so claims are ignored.
        var isMeasured = false
        /// It has pushed since the fault, so it does not return to the queue.
        var isIn = false
        var hasReported = false
        /// Mutations that it got results for since it reported.
        var taken: Int64 = 0
        /// The last sign that it will push: a poll before its turn, its turn itself, a push.
        var lastSign: Instant
        /// When its turn came; nil before.
        var calledAt: Instant?

        var isCalled: Bool { calledAt != nil }
    }

    /// An interval of the admission queue.
    private struct Interval: Hashable, Sendable {
        var pending: Int64 = 0
        var silent: Int64 = 0
        /// Terminals with something in their outboxes, silent ones included.
        var waiting: Int64 = 0
    }

    private var terminals: [String: TerminalState] = [:]
    private var line = [Interval](repeating: Interval(), count: 256)
    private var inside: Int64 = 0
    private let memory: Duration
    private var lastSweep: Instant?
    /// What terminals held when that was first known, in order.
    private var firstKnown: [Int64] = []
    /// The most that counts of one terminal, and what a silent one counts as; they follow ``firstKnown``.
    private var limit = Self.assumedBacklog * Self.factor
    private var mean = Self.assumedBacklog

    /// A silent terminal counts as so much until others have reported: an hour of a busy till. It only shifts
    /// the first responses, since each poll computes anew; half of it admits twice as many in the first
    /// second, twice as much half as many.
    private static let assumedBacklog: Int64 = 50
    /// How many medians one terminal can count. In honest chains one in a hundred outboxes is ten times as
    /// full as usual. With 5 these would drain slower than they could; with 20 a false claim delays twice.
    private static let factor: Int64 = 10
    /// Until so many have reported, the mean counts the missing ones as ``assumedBacklog``. With 2 the first
    /// report would be half of it, with 20 a small chain's own numbers would hardly count.
    private static let fewestKnown = 5
    /// Terminals whose work the store does within this time have their turn together and share its capacity.
    /// With half of it fewer terminals share, so each starts at a higher rate; with twice as much at a lower.
    private static let turn = Duration.seconds(2)
    /// The lowest rate, in mutations a minute: below it the fixed cost of requests would use up the capacity.
    private static let lowestRate: Int64 = 600
    /// The longest wait that a terminal is sent, and the longest that terminals accept. With half of it the
    /// last terminals of a large chain would come while others still drain.
    private static let longest = Duration.seconds(3_600)
    /// Polls per second from all waiting terminals together. Each poll takes hub time from the pushes. With
    /// half of it 7,000 waiting terminals poll every 20 s instead of every 10 s and learn later that their
    /// slot has come; with twice as many the polls take as much of a core again.
    private static let polls: Int64 = 700
    /// More terminals are not remembered; they come last. At some 200 bytes each they take 20 MB; twice as
    /// many would let a chain with many false terminals take twice as much, half would still hold 50,000
    /// tills.
    private static let maximumTerminals = 100_000
    /// A median of so many is that of all; with more, each new one would cost the hub more to place.
    private static let maximumKnown = 10_000
    /// A claim of more is cut to this: more than a year of a busy till. It keeps the sums of all terminals
    /// far from 64 bits; what one claim can delay is bounded by ``factor``, whatever this is.
    private static let maximumPending: Int64 = 1_000_000

    /// - Parameter memory: a terminal that sends nothing for so long leaves the queue; several times the
    ///   poll. Default 60 s.
    package init(memory: Duration = .seconds(60)) {
        self.memory = memory
    }

    /// Whether no terminal is known to have anything left.
    package var isOver: Bool { line.allSatisfy { $0.waiting == 0 } }

    /// A terminal sent a request during the fault; its backlog is not known yet.
    package mutating func expect(_ id: String, at now: Instant) {
        change(id) {
            $0.lastSign = now
        } or: {
            TerminalState(lastSign: now)
        }
    }

    /// A terminal polled during the recovery.
    ///
    /// - Parameter capacity: the store's capacity for all terminals, in mutations a minute.
    package mutating func noteQuery(_ id: String, capacity: Int64, at now: Instant) {
        let isCalled = pace(for: id, capacity: capacity).after < .seconds(1)
        change(id) { status in
            if !status.isCalled { status.lastSign = now }
            if isCalled { status.calledAt = status.calledAt ?? now }
        } or: {
            TerminalState(lastSign: now)
        }
    }

    /// A terminal reported how much its outbox holds. That comes with a push and was true before it.
    package mutating func note(_ id: String, pending: Int64, at now: Instant) {
        guard terminals[id]?.isMeasured != true else { return }
        note(id, holding: pending, isMeasured: false, at: now)
    }

    /// The hub measured how much a terminal's outbox holds.
    package mutating func note(_ id: String, measured: Int64, at now: Instant) {
        note(id, holding: measured, isMeasured: true, at: now)
    }

    private mutating func note(_ id: String, holding count: Int64, isMeasured: Bool, at now: Instant) {
        let count = min(max(count, 0), Self.maximumPending)
        if terminals[id]?.hasReported != true, count > 0 { learn(count) }
        change(id) { status in
            let held = isMeasured ? count : max(0, count - status.taken)
            // What is claimed later may correct what was claimed first downwards alone. What is measured
            // replaces a claim once.
            let mayReplace =
                !status.hasReported || (isMeasured && !status.isMeasured && status.pending != 0)
            status.pending = mayReplace ? held : min(held, status.pending ?? held)
            status.taken = 0
            status.hasReported = true
            status.isMeasured = status.isMeasured || isMeasured
        } or: {
            TerminalState(lastSign: now)
        }
    }

    /// What an outbox held when that was first known moves median and mean.
    private mutating func learn(_ count: Int64) {
        guard firstKnown.count < Self.maximumKnown else { return }
        firstKnown.insert(count, at: firstKnown.firstIndex { $0 > count } ?? firstKnown.count)
        bound()
    }

    /// Computes limit and mean anew. In the median all others that are queued count as ``assumedBacklog``, so
    /// that a few who report first are not the median.
    private mutating func bound() {
        let silent = max(terminals.count, Self.fewestKnown) - firstKnown.count
        let below = firstKnown.firstIndex { $0 >= Self.assumedBacklog } ?? firstKnown.count
        let middle = (firstKnown.count + max(0, silent) - 1) / 2
        let median =
            middle < below
            ? firstKnown[middle]
            : middle < below + max(0, silent) ? Self.assumedBacklog : firstKnown[middle - max(0, silent)]
        let limit = max(1, median) * Self.factor
        let missing = max(0, Self.fewestKnown - firstKnown.count)
        let sum = firstKnown.reduce(Int64(missing) * Self.assumedBacklog) { $0 + min($1, limit) }
        mean = max(1, sum / Int64(firstKnown.count + missing))
        guard limit != self.limit else { return }
        self.limit = limit
        countAnew()
    }

    /// A terminal's push came back.
    ///
    /// - Parameters:
    ///   - count: how many of its mutations have a result.
    ///   - isEmpty: it held none, so there is nothing to send.
    package mutating func tookIn(_ id: String, _ count: Int, isEmpty: Bool, at now: Instant) {
        let mean = mean
        change(id) { status in
            status.isIn = true
            status.calledAt = status.calledAt ?? now
            status.lastSign = now
            status.taken += Int64(count)
            status.pending = isEmpty ? 0 : max(0, (status.pending ?? mean) - Int64(count))
        } or: {
            TerminalState(lastSign: now)
        }
    }

    /// How the terminal may come back.
    ///
    /// - Parameter capacity: the store's capacity for all terminals, in mutations a minute.
    package func pace(for id: String, capacity: Int64) -> ResumePace {
        // All of it, though sales are made meanwhile: what was promised too early corrects itself, since work
        // that is not done yet holds the others back.
        let capacity = max(1, capacity)
        let after =
            terminals[id]?.isIn == true
            ? .zero : min(.milliseconds(ahead(of: id) * 60_000 / capacity), Self.longest)
        let share = capacity / max(1, inside, atOnce(capacity)) * weight(of: id) / 1_000
        return ResumePace(after: after, ratePerMinute: min(capacity, max(share, Self.lowestRate)))
    }

    /// In thousandths of an even share. A terminal with a fuller outbox gets a larger share, so that all
    /// finish together: otherwise a few full outboxes would remain at the end, each at one terminal's share.
    private func weight(of id: String) -> Int64 {
        max(1_000, (terminals[id].flatMap(counted) ?? 0) * 1_000 / mean)
    }

    /// After what time a terminal polls again. The fewer terminals wait, the shorter it is: a small number
    /// gets its decision soon, a large one does not overload the hub with polls. From 1 to 10 s; nil for a
    /// terminal with an empty outbox.
    package func queryAgain(_ id: String) -> Duration? {
        if let status = terminals[id], status.pending == 0 { return nil }
        let waiting = line.reduce(0) { $0 + $1.waiting }
        return min(max(.milliseconds(waiting * 1_000 / Self.polls), .seconds(1)), .seconds(10))
    }

    /// What counts of its outbox; nil for a silent one.
    private func counted(_ status: TerminalState) -> Int64? { status.pending.map { min($0, limit) } }

    private func work(_ interval: Interval) -> Int64 { interval.pending + interval.silent * mean }

    /// Mutations before the terminal's place in the queue.
    private func ahead(of id: String) -> Int64 {
        let place = Self.place(of: id)
        let whole = line[..<place.interval].reduce(0) { $0 + work($1) }
        return whole + work(line[place.interval]) * place.within / 256
    }

    /// Terminals that have their turn together.
    private func atOnce(_ capacity: Int64) -> Int64 {
        var left = capacity * Self.turn.wholeMilliseconds / 60_000
        var count: Int64 = 0
        for interval in line where left > 0 && interval.waiting > 0 {
            let work = max(1, work(interval))
            count += work <= left ? interval.waiting : max(1, interval.waiting * left / work)
            left -= work
        }
        return count
    }

    private mutating func change(
        _ id: String, _ body: (inout TerminalState) -> Void, or fresh: () -> TerminalState
    ) {
        let before = terminals[id]
        guard before != nil || terminals.count < Self.maximumTerminals else { return }
        let interval = Self.place(of: id).interval
        if let before { count(before, in: interval, -1) }
        var status = before ?? fresh()
        body(&status)
        terminals[id] = status
        count(status, in: interval, 1)
    }

    /// When ``sweep(at:)`` is due; nil while nobody is waited for.
    package var deadline: Instant? { isOver ? nil : lastSweep.map { $0 + memory / 6 } }

    /// Removes terminals that sent nothing for a while, and those whose turn was long enough for what they
    /// have. It visits all terminals, so it runs at most six times in ``memory``.
    package mutating func sweep(at now: Instant) {
        if let last = lastSweep, now < last + memory / 6 { return }
        lastSweep = now
        bound()
        let start = now - memory
        for (id, status) in terminals where status.pending != 0 {
            guard status.lastSign <= start || isOverdue(status, at: now) else { continue }
            change(id) {
                $0.pending = 0
                $0.hasReported = true
            } or: {
                status
            }
        }
    }

    /// Whether a terminal's turn lasted for twice the time that the largest counted outbox needs at the
    /// slowest rate, plus ``memory``. With half of it an honest terminal on a slow connection would no longer
    /// be counted while it still drains; it would lose nothing but that the others wait for it.
    private func isOverdue(_ status: TerminalState, at now: Instant) -> Bool {
        guard let calledAt = status.calledAt else { return false }
        return now - calledAt >= memory + .milliseconds(2 * limit * 60_000 / Self.lowestRate)
    }

    private mutating func count(_ status: TerminalState, in interval: Int, _ sign: Int64) {
        line[interval].pending += sign * (counted(status) ?? 0)
        line[interval].silent += status.pending == nil ? sign : 0
        guard status.pending != 0 else { return }
        line[interval].waiting += sign
        if status.isIn { inside += sign }
    }

    private mutating func countAnew() {
        line = Array(repeating: Interval(), count: line.count)
        inside = 0
        for (id, status) in terminals { count(status, in: Self.place(of: id).interval, 1) }
    }

    private static func place(of id: String) -> (interval: Int, within: Int64) {
        let mixed = Mixing.mixed(id)
        return (Int(mixed >> 56), Int64(mixed >> 48 & 0xFF))
    }
}

/// A number for an id, the same in every process.
enum Mixing {
    /// FNV-1a (Fowler, Noll, Vo) over the text, its high bits mixed as those of SplitMix64 are: ids that
    /// differ in their last letters alone would share them otherwise.
    static func mixed(_ text: String) -> UInt64 {
        let hash: UInt64 = text.utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        var generator = SplitMix64(seed: hash)
        return generator.next()
    }
}
