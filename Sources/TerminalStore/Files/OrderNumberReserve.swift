internal import Dispatch
internal import Synchronization

/// Gives out order numbers that never repeat, not after a power cut, not after a restored database and not
/// after a clock that was set back.
///
/// Numbers are reserved in blocks: the high-water file is raised by a whole block before the first number of
/// it is used, so one sync serves many sales. After a crash the rest of the block is skipped. Near a block's
/// end the next one is reserved in the background, so that hardly any sale waits for the file.
final class OrderNumberReserve: Sendable {
    private struct State {
        /// Numbers up to here may be in use, whatever the database says.
        var floor: OrderMark
        /// Numbers up to here are reserved in the file.
        var reserved: OrderMark
        var isToppingUp = false
        /// This run wrote the file; who only looks leaves it as it is.
        var hasReserved = false
    }

    /// The numbers of a block.
    static let block: Int64 = 128
    /// Skipped when the file is lost, spoilt or a copy while the database holds sales: nobody can tell how
    /// many numbers were used since that database was copied.
    static let leap: Int64 = 10_000

    private let file: HighWaterFile
    private let queue = DispatchQueue(label: "order-numbers", qos: .utility)
    private let state: Mutex<State>
    /// Held while the file is written, so that two reservations do not pass each other.
    private let writing = Mutex(())

    /// - Parameter last: the mark in the database.
    init(home: String, last: OrderMark) throws(FileError) {
        file = HighWaterFile(home: home)
        let floor: OrderMark
        switch file.load() {
        case .mark(let mark): floor = max(mark, last)
        case .copied(let mark): floor = Self.leapt(max(mark, last))
        case .absent: floor = Self.leapt(last)
        case .corrupt:
            try QuarantineFolder(home: home).moveIn(file.path)
            floor = Self.leapt(last)
        }
        state = Mutex(State(floor: floor, reserved: floor))
    }

    private static func leapt(_ mark: OrderMark) -> OrderMark {
        mark == .none ? mark : OrderMark(day: mark.day, counter: mark.counter + leap)
    }

    /// The number after `last`, the mark in the database, on `day` or on the last day used if that is later.
    func next(after last: OrderMark, on day: Int64) throws(FileError) -> OrderMark {
        let (mark, isReserved) = state.withLock { state in
            let base = max(last, state.floor)
            let mark = OrderMark(day: max(day, base.day), counter: day > base.day ? 1 : base.counter + 1)
            return (mark, mark <= state.reserved)
        }
        if !isReserved { try reserve(from: mark) }
        topUpIfNeeded(at: mark)
        return mark
    }

    /// Never gives out a number up to `mark` any more.
    func lift(above mark: OrderMark) {
        state.withLock { $0.floor = max($0.floor, mark) }
    }

    /// Gives back what is reserved and unused, when the database is closed with `last` as its mark.
    func seal(at last: OrderMark) throws(FileError) {
        queue.sync {}
        guard state.withLock({ $0.hasReserved }) else { return }
        let exact = state.withLock { max(last, min($0.floor, $0.reserved)) }
        try writing.withLock { (_: inout ()) throws(FileError) in try file.save(exact) }
    }

    private func reserve(from mark: OrderMark) throws(FileError) {
        let target = OrderMark(day: mark.day, counter: mark.counter + Self.block - 1)
        try writing.withLock { (_: inout ()) throws(FileError) in
            guard state.withLock({ $0.reserved < target }) else { return }
            try file.save(target)
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
