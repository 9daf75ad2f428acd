internal import Base
internal import MachineRuntime
internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore

/// Runs the machine that decides which time of the hub is followed, and keeps that time over a restart.
final class HubTimeKeeper: HubClock {
    private let time: any SystemTime
    private let machine = Mutex(HubTimeMachine())
    private let keeping = Mutex(Keeping())

    /// Where the time is kept, one after the other.
    private struct Keeping {
        var facts: SQLiteTerminalFacts?
        var calendar: (@Sendable () -> BusinessCalendar)?
        var last: Task<Void, Never>?
    }

    init(time: any SystemTime) {
        self.time = time
    }

    /// Goes on with what the last run kept. To be called once, before responses come.
    ///
    /// - Parameter calendar: the store's, which may change while the terminal runs.
    func start(
        _ facts: SQLiteTerminalFacts, calendar: @escaping @Sendable () -> BusinessCalendar
    ) async {
        let known = (try? await facts.hubTime()) ?? nil
        keeping.withLock { ($0.facts, $0.calendar) = (facts, calendar) }
        handle(.started(known))
    }

    /// A response of the verified hub named its time, in Unix milliseconds.
    @Sendable func note(_ milliseconds: Int64) {
        guard let calendar = keeping.withLock({ $0.calendar }) else { return }
        handle(.received(milliseconds, calendar: calendar()))
    }

    private func handle(_ event: HubTimeMachine.Event) {
        let now = MachineMoment(time)
        for case .keep(let known) in machine.withLock({ $0.handle(event, at: now) }) {
            keeping.withLock { keeping in
                guard let facts = keeping.facts else { return }
                let before = keeping.last
                keeping.last = Task {
                    await before?.value
                    // What is not kept is named again by the next response.
                    try? await facts.keep(hubTime: known)
                }
            }
        }
    }

    /// Ends when the newest time is kept. A command that ends before that would leave the next one, on a
    /// computer whose clock is wrong, without the hub's time.
    func finish() async { await keeping.withLock { $0.last }?.value }

    func hubMilliseconds() -> Int64? {
        let now = MachineMoment(time)
        return machine.withLock { $0.milliseconds(at: now) }
    }

    /// What an entry of the journal that is made now says of its time.
    @Sendable func entryClocks() -> EntryClocks {
        let now = MachineMoment(time)
        return machine.withLock { $0.entryClocks(at: now) }
    }

    func comparison() -> ClockComparison {
        let now = MachineMoment(time)
        return machine.withLock { $0.comparison(at: now) }
    }

    /// This computer's wall clock, whatever the hub's shows.
    func wallMilliseconds() -> Int64 { time.wallMilliseconds() }

    /// The clock by which the store sells: prices, offers, business days and what receipts show.
    var storeTime: any SystemTime { StoreTime(time: time, hubClock: self) }

    fileprivate func storeMilliseconds() -> Int64 {
        let now = MachineMoment(time)
        return machine.withLock { $0.storeMilliseconds(at: now) }
    }
}

/// The machine's clocks with the hub's time in the place of the wall clock, while it is known.
private struct StoreTime: SystemTime {
    let time: any SystemTime
    let hubClock: HubTimeKeeper

    func now() -> Instant { time.now() }
    func wallMilliseconds() -> Int64 { hubClock.storeMilliseconds() }
    func machineWallMilliseconds() -> Int64 { time.wallMilliseconds() }
    func suspended() -> Duration { time.suspended() }
    var bootId: String { time.bootId }
    func sleep(until instant: Instant) async throws { try await time.sleep(until: instant) }
}
