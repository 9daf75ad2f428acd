public import OfflineCore

/// Lets terminals with full outboxes back one after another, at the pace that the store bears.
///
/// Terminals stand in a line, in the order of a hash of their ids, so that every process of the hub has the
/// same line without keeping it. A terminal's turn comes when the work of those before it is done:
/// `after = work ahead / capacity`. Nobody knows how much a silent terminal holds, so it counts as the mean
/// of those that have reported; each response to a poll is computed anew, and what was wrong at first is put
/// right on the way. Those that were let in share the capacity evenly, but for those that hold more than the
/// others. Who does not come although it is its turn, and who is not heard of any more, leaves the line, or
/// everybody behind would wait for work that never comes.
///
/// A terminal's own number is a claim. What the hub measured replaces it (its journal's head less what is
/// acknowledged), and either counts ``factor`` times the median at most, since a head may lie as well. It
/// never grows again within one recovery, and a terminal is waited for no longer than that work takes at the
/// slowest pace: so whoever claims what it does not have delays the others by a known amount.
public struct RecoveryAdmission: Hashable, Sendable {
    private struct TerminalState: Hashable, Sendable {
        /// What its outbox still holds by its claim or by measure; nil while nothing is known.
        var pending: Int64?
        /// The hub measured it, so that claims are not listened to.
        var isMeasured = false
        /// It has pushed since the fault, so it is not sent back into the line.
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

    /// A stretch of the line.
    private struct Interval: Hashable, Sendable {
        var pending: Int64 = 0
        var silent: Int64 = 0
        /// Terminals that still have something, silent ones included.
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

    /// A silent terminal counts as so much until others have reported.
    private static let assumedBacklog: Int64 = 50
    /// How many medians one terminal can count. In honest chains one in a hundred outboxes holds ten times
    /// the usual. With 5 these would come in slower than they could, with 20 a liar costs twice the wait.
    private static let factor: Int64 = 10
    /// Before so many have reported, the mean counts the others as ``assumedBacklog``. With 2 the first one
    /// to report would be half of it, with 20 a small chain's own numbers would hardly count.
    private static let fewestKnown = 5
    /// Over how long those whose turn it is are reckoned to be at work together.
    private static let turn = Duration.seconds(2)
    /// Nobody is let in at less a minute: what a request costs besides its mutations would eat the capacity.
    private static let lowestRate: Int64 = 600
    private static let longest = Duration.seconds(3_600)
    /// Polls of the whole herd a second. What they cost the hub is missing to the pushes.
    private static let polls: Int64 = 700
    /// More are not remembered; they come last.
    private static let maximumTerminals = 100_000
    /// A median of so many is that of all; with more, each new one would cost the hub more to place.
    private static let maximumKnown = 10_000
    /// More in one outbox is not believed.
    private static let maximumPending: Int64 = 1_000_000

    /// - Parameter memory: a terminal that gives no sign for so long leaves the line; several times the poll.
    ///   Default 60 s.
    public init(memory: Duration = .seconds(60)) {
        self.memory = memory
    }

    /// Whether nobody is known to have anything left.
    public var isOver: Bool { line.allSatisfy { $0.waiting == 0 } }

    /// A terminal was heard of during the fault; what it holds is not known yet.
    public mutating func expect(_ id: String, at now: Instant) {
        change(id) {
            $0.lastSign = now
        } or: {
            TerminalState(lastSign: now)
        }
    }

    /// A terminal asked while terminals are let back.
    ///
    /// - Parameter capacity: mutations a minute that the store bears from all.
    public mutating func noteAsking(_ id: String, capacity: Int64, at now: Instant) {
        let isCalled = pace(for: id, capacity: capacity).after < .seconds(1)
        change(id) { status in
            if !status.isCalled { status.lastSign = now }
            if isCalled { status.calledAt = status.calledAt ?? now }
        } or: {
            TerminalState(lastSign: now)
        }
    }

    /// A terminal reported how much its outbox holds. That comes with a push and was true before it.
    public mutating func note(_ id: String, pending: Int64, at now: Instant) {
        guard terminals[id]?.isMeasured != true else { return }
        note(id, holding: pending, isMeasured: false, at: now)
    }

    /// The hub measured how much a terminal's outbox holds.
    public mutating func note(_ id: String, measured: Int64, at now: Instant) {
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
    ///   - isEmpty: it held none, which says that there is nothing to send.
    public mutating func tookIn(_ id: String, _ count: Int, isEmpty: Bool, at now: Instant) {
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
    /// - Parameter capacity: mutations a minute that the store bears from all.
    public func pace(for id: String, capacity: Int64) -> ResumePace {
        // All of it, though sales are made meanwhile: what was promised too early corrects itself, since work
        // that is not done yet holds the others back.
        let capacity = max(1, capacity)
        let after =
            terminals[id]?.isIn == true
            ? .zero : min(.milliseconds(ahead(of: id) * 60_000 / capacity), Self.longest)
        let share = capacity / max(1, inside, atOnce(capacity)) * weight(of: id) / 1_000
        return ResumePace(after: after, ratePerMinute: min(capacity, max(share, Self.lowestRate)))
    }

    /// In thousandths of an even share. Who holds more than the others gets more, so that it is through when
    /// they are: the last of a herd would be a few full outboxes otherwise, each at one terminal's share.
    private func weight(of id: String) -> Int64 {
        max(1_000, (terminals[id].flatMap(counted) ?? 0) * 1_000 / mean)
    }

    /// When a terminal is to ask again: the fewer wait, the sooner, so that a small herd need not wait for
    /// news and a large one does not drown the hub in questions. From 1 to 10 s; nil for one that has nothing
    /// left to come back with.
    public func askAgain(_ id: String) -> Duration? {
        if let status = terminals[id], status.pending == 0 { return nil }
        let waiting = line.reduce(0) { $0 + $1.waiting }
        return min(max(.milliseconds(waiting * 1_000 / Self.polls), .seconds(1)), .seconds(10))
    }

    /// What counts of its outbox; nil for a silent one.
    private func counted(_ status: TerminalState) -> Int64? { status.pending.map { min($0, limit) } }

    private func work(_ interval: Interval) -> Int64 { interval.pending + interval.silent * mean }

    /// Mutations before the terminal's place in the line.
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
    public var deadline: Instant? { isOver ? nil : lastSweep.map { $0 + memory / 6 } }

    /// Lets those go who gave no sign for a while, and those whose turn has been long enough for what they
    /// hold. It looks at all of them, so only now and then.
    public mutating func sweep(at now: Instant) {
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

    /// Whether a terminal has had twice the time that the most that counts of one takes at the slowest pace,
    /// and the time to give a sign besides. With half of it an honest terminal on a slow connection would
    /// no longer be counted while it still drains; what it lacks is the others' waiting alone.
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

/// A number for an id that every process makes alike.
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
