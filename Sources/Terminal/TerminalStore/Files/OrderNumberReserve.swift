internal import Base
internal import Dispatch
internal import Synchronization

/// Gives out order numbers that never repeat, not after a power cut, not after a restored database and not
/// after a clock that was set back.
///
/// Numbers are reserved in blocks: the high-water file is raised by a complete block before the first number
/// of it is used, so one sync serves many sales. After a crash the rest of the block is skipped. Near a
/// block's end the next one is reserved in the background, and so is a day's first one ahead of its first
/// sale, so that hardly any sale waits for the file.
final class OrderNumberReserve: Sendable {
    private struct State {
        /// Numbers up to here may be in use, whatever the database has.
        var floor: OrderMark
        /// Numbers up to here are reserved in the file.
        var reserved: OrderMark
        var isToppingUp = false
        /// The latest business day whose first sale finds its number in the file.
        var preparedDay: Int64 = 0
        /// Through this day a new day begins behind ``apart``, not at 1: another life of the copy that this
        /// data folder is may have sold on it.
        var sharedThrough: Int64 = 0
        var apart: Int64 = 0
        /// What the file has of leases.
        var leases = LeaseMarks()
        /// This run wrote the file; who only looks leaves it as it is.
        var hasReserved = false
    }

    static let block: Int64 = 128
    /// The file's mark at the start; nil without a plausible one.
    let found: OrderMark?
    private let file: HighWaterFile
    private let queue = DispatchQueue(label: "order-numbers", qos: .utility)
    private let state: Mutex<State>
    /// Held while the file is written, so that two reservations do not pass each other.
    private let writing = Mutex(())

    /// Without the file's mark one leap is made, from the database's mark or by its repair: after a clean end
    /// a refused mark is in the file as well.
    ///
    /// - Parameters:
    ///   - mark: the database's mark.
    ///   - now: the wall clock in milliseconds since 1970.
    init(home: String, recovered mark: RecoveredMark, at now: Int64) throws(FileError) {
        let last = mark.last
        let chance = Int64.random(in: 0..<OrderMark.drawn)
        let behindLeap = mark.hasLeapt ? last : last.leaptApart(at: now, chance: chance)
        file = HighWaterFile(home: home)
        // Before a corrupt file is moved away.
        let leases = file.leaseMarks()
        let floor: OrderMark
        var isShared = true
        switch file.load(latestDay: mark.latestDay) {
        case .mark(let mark): (floor, found, isShared) = (max(mark, last), mark, false)
        case .copied(let mark):
            (floor, found) = (max(mark.leaptApart(at: now, chance: chance), behindLeap), mark)
        case .absent: (floor, found) = (behindLeap, nil)
        case .corrupt:
            try QuarantineFolder(home: home).moveIn(file.path)
            (floor, found) = (behindLeap, nil)
        }
        var state = State(floor: floor, reserved: floor, leases: leases)
        if isShared, floor != .none {
            state.sharedThrough = OrderMark.latestDay(at: now)
            state.apart = OrderMark.leap + OrderMark.apart(at: now, chance: chance)
        }
        self.state = Mutex(state)
    }

    /// The number after `last`, the mark in the database, on `day` or on the last day used if that is later.
    ///
    /// - Throws: `.refused` at the end of the numbers of a day, and when the file cannot be written.
    func next(after last: OrderMark, on day: Int64) throws(StoreFailure) -> OrderMark {
        let mark = try following(last, on: day)
        if state.withLock({ mark > $0.reserved }) {
            do throws(FileError) {
                try reserve(from: mark)
            } catch {
                throw .refused(detail: error.description)
            }
        }
        topUpIfNeeded(at: mark)
        return mark
    }

    /// Reserves the number after `last` on `day` in the background. Fails silently: the sale that needs it
    /// reserves it then, and reports why it cannot.
    func prepare(after last: OrderMark, on day: Int64) {
        guard let mark = try? following(last, on: day) else { return }
        queue.async {
            if self.state.withLock({ mark > $0.reserved }) {
                guard (try? self.reserve(from: mark)) != nil else { return }
            }
            self.state.withLock { $0.preparedDay = max($0.preparedDay, day) }
        }
    }

    /// Whether ``prepare(after:on:)`` has nothing to do for `day`.
    func isPrepared(for day: Int64) -> Bool { state.withLock { $0.preparedDay >= day } }

    private func following(_ last: OrderMark, on day: Int64) throws(StoreFailure) -> OrderMark {
        let base = highest(last)
        let (following, overflows) = base.counter.addingReportingOverflow(1)
        let first = state.withLock { day <= $0.sharedThrough ? $0.apart + 1 : 1 }
        let mark = OrderMark(day: max(day, base.day), counter: day > base.day ? first : following)
        guard day > base.day || !overflows, mark.counter <= OrderMark.ceiling else {
            throw .refused(detail: "the order numbers of the business day \(base.day) are used up")
        }
        return mark
    }

    /// The last number that may be in use when `last` is the mark in the database.
    func highest(_ last: OrderMark) -> OrderMark {
        state.withLock { PlantedBug.orderNumberReused.isPlanted ? last : max(last, $0.floor) }
    }

    /// Numbers up to here are reserved in the file.
    var reserved: OrderMark { state.withLock { $0.reserved } }

    /// Gives back what is reserved and unused, when the database is closed with `last` as its mark.
    func seal(at last: OrderMark) throws(FileError) {
        queue.sync {}
        guard state.withLock({ $0.hasReserved }) else { return }
        let exact = state.withLock { max(last, min($0.floor, $0.reserved)) }
        try writing.withLock { (_: inout ()) throws(FileError) in
            try file.save(exact, leases: leaseMarks)
        }
    }

    /// What the file has of leases.
    var leaseMarks: LeaseMarks { state.withLock { $0.leases } }

    /// Makes counters durable that a sale is about to write, and which leases are about to be given up; lower
    /// counters than before change nothing.
    func note(_ marks: LeaseMarks) throws(StoreFailure) {
        do throws(FileError) {
            try writing.withLock { (_: inout ()) throws(FileError) in
                let (mark, all) = state.withLock { state in
                    state.leases.spent.merge(marks.spent) { max($0, $1) }
                    state.leases.mostSpent.merge(marks.mostSpent) { max($0, $1) }
                    state.leases.givenUp.formUnion(marks.givenUp)
                    return (state.reserved, state.leases)
                }
                try file.save(mark, leases: all)
                state.withLock { $0.hasReserved = true }
            }
        } catch {
            throw .refused(detail: error.description)
        }
    }

    /// Takes counters over that a committed void lowered. What cannot be written stays higher in the file.
    func lower(spent: [String: Int64]) {
        writing.withLock { _ in
            let (mark, all, isLower) = state.withLock { state in
                let before = state.leases
                for (id, count) in spent { state.leases.lower(id, to: count) }
                return (state.reserved, state.leases, state.leases != before)
            }
            guard isLower, (try? file.save(mark, leases: all)) != nil else { return }
            state.withLock { $0.hasReserved = true }
        }
    }

    /// Drops what it has of leases that are gone; the file follows with its next write.
    func forget(leases leaseIds: [String]) {
        state.withLock { state in
            for id in leaseIds { (state.leases.spent[id], state.leases.mostSpent[id]) = (nil, nil) }
            state.leases.givenUp.subtract(leaseIds)
        }
    }

    private func reserve(from mark: OrderMark) throws(FileError) {
        // Behind the ceiling no number is given out, so that none has to be reserved there.
        let counter = min(mark.counter, OrderMark.ceiling) + Self.block - 1
        let target = OrderMark(day: mark.day, counter: min(counter, OrderMark.ceiling))
        try writing.withLock { (_: inout ()) throws(FileError) in
            guard state.withLock({ $0.reserved < target }) else { return }
            try file.save(target, leases: leaseMarks)
            state.withLock {
                $0.reserved = max($0.reserved, target)
                $0.hasReserved = true
            }
        }
    }

    private func topUpIfNeeded(at mark: OrderMark) {
        let isNeeded = state.withLock { state in
            let isNear =
                state.reserved.day == mark.day && state.reserved.counter - mark.counter < Self.block / 2
                && state.reserved.counter < OrderMark.ceiling
            guard isNear, !state.isToppingUp else { return false }
            state.isToppingUp = true
            return true
        }
        guard isNeeded else { return }
        queue.async {
            // What fails here is tried again by the sale that needs it.
            try? self.reserve(from: OrderMark(day: mark.day, counter: mark.counter + Self.block / 2 + 1))
            self.state.withLock { $0.isToppingUp = false }
        }
    }
}
