import Base
import MachineRuntime
import Synchronization
import TestKit
import Testing

/// Rings at the moment that an event names, and notes what it has handled.
private struct Bell: Machine, Sendable {
    enum Event: Hashable, Sendable {
        case moved(to: Instant?)
        case queried(String)
        case deadlineReached
        case suspended(Duration)
        case finished(String)
    }

    enum Effect: Hashable, Sendable {
        case note(String)
        case work(String)
    }

    var deadline: Instant?

    mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .moved(let deadline):
            self.deadline = deadline
            return [.note("moved")]
        case .queried(let name): return [.note("begin \(name)"), .work(name), .note("end \(name)")]
        case .deadlineReached:
            guard let due = deadline, now >= due else { return [.note("early")] }
            deadline = nil
            return [.note("rang at \(now.nanoseconds)")]
        case .suspended(let gap): return [.note("suspended \(gap.wholeMilliseconds)")]
        case .finished(let name): return [.note("finished \(name)")]
        }
    }
}

@Suite("The driver of a machine", .timeLimit(.minutes(2)))
struct MachineDriverTests {
    private let clock = HandClock()
    private let log = Log()

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func driver() -> MachineDriver<Bell> {
        MachineDriver(
            Bell(), time: clock, suspension: { .suspended($0) }, wakeUp: { [.deadlineReached] })
    }

    /// Runs `driver` and notes its effects; `work` is what takes time.
    private func run(
        _ driver: MachineDriver<Bell>, first: [Bell.Event] = [],
        work: @escaping @Sendable () async -> Void = {}
    ) async {
        await withDiscardingTaskGroup { group in
            await driver.run(first: first, in: &group) { _, effects, _ in
                effects.filter { effect in
                    guard case .note(let text) = effect else { return true }
                    log.add(text)
                    return false
                }
            } perform: { effect, _ in
                guard case .work(let name) = effect else { return }
                await work()
                driver.post(.finished(name))
            }
            group.cancelAll()
        }
    }

    private func running(
        _ driver: MachineDriver<Bell>, first: [Bell.Event] = [],
        work: @escaping @Sendable () async -> Void = {}, _ body: () async -> Void
    ) async {
        let task = Task { await run(driver, first: first, work: work) }
        await body()
        task.cancel()
        await task.value
    }

    @Test("events are handled in the order of the inbox, the first ones before what was posted meanwhile")
    func order() async {
        let driver = driver()
        driver.post(.finished("a"))
        driver.post(.finished("b"))
        await running(driver, first: [.moved(to: nil), .finished("first")]) {
            await eventually { log.all.count == 4 }
        }
        #expect(log.all == ["moved", "finished first", "finished a", "finished b"])
    }

    @Test("effects are carried out in order, and what takes time goes on beside the loop")
    func effects() async {
        let driver = driver()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        driver.post(.queried("a"))
        driver.post(.finished("meanwhile"))
        await running(driver, work: { for await _ in gate {} }) {
            await eventually { log.all.count == 3 }
            open.finish()
            await eventually { log.all.count == 4 }
        }
        #expect(log.all == ["begin a", "end a", "finished meanwhile", "finished a"])
    }

    @Test("the deadline is met at its nanosecond, and nothing rings one nanosecond before it")
    func deadline() async {
        let driver = driver()
        let due = clock.now() + .seconds(1)
        driver.post(.moved(to: due))
        await running(driver) {
            await eventually { clock.alarms == [due] }
            clock.advance(by: .seconds(1) - .nanoseconds(1))
            #expect(clock.alarms == [due])
            #expect(log.all == ["moved"])
            clock.advance(by: .nanoseconds(1))
            await eventually { log.all.count == 2 }
            #expect(log.all == ["moved", "rang at 1000000000"])
            #expect(clock.alarms.isEmpty)
        }
    }

    @Test("a deadline that moves takes its alarm along: nobody sleeps for the old one, or for none")
    func moved() async {
        let driver = driver()
        let start = clock.now()
        await running(driver) {
            for second in [5, 3, 9] {
                driver.post(.moved(to: start + .seconds(second)))
                await eventually { clock.alarms == [start + .seconds(second)] }
            }
            driver.post(.moved(to: nil))
            await eventually { clock.alarms.isEmpty }
            clock.advance(by: .seconds(10))
            driver.post(.finished("last"))
            await eventually { log.all.last == "finished last" }
        }
        #expect(log.all == ["moved", "moved", "moved", "moved", "finished last"])
    }

    @Test("an idle driver sleeps without an alarm and handles nothing")
    func idle() async {
        let driver = driver()
        await running(driver) {
            driver.post(.finished("a"))
            await eventually { log.all == ["finished a"] }
            #expect(clock.alarms.isEmpty)
            clock.advance(by: .seconds(3_600))
            #expect(log.all == ["finished a"])
        }
    }

    @Test("a suspension comes before the event that it was noticed at; 100 ms are the clocks' noise")
    func suspension() async {
        let driver = driver()
        clock.suspend(for: .milliseconds(100))
        driver.post(.finished("a"))
        await running(driver) {
            await eventually { log.all == ["finished a"] }
            clock.suspend(for: .milliseconds(1))
            driver.post(.finished("b"))
            await eventually { log.all.count == 3 }
        }
        #expect(log.all == ["finished a", "suspended 101", "finished b"])
    }

    @Test("an event outside of the inbox is handled at once, and its deadline rings once it was armed")
    func direct() async {
        let driver = driver()
        await running(driver) {
            driver.post(.finished("started"))
            await eventually { log.all == ["finished started"] }
            let due = clock.now() + .seconds(1)
            #expect(driver.handle(.moved(to: due)) == [.note("moved")])
            #expect(clock.alarms.isEmpty)
            driver.rearm()
            await eventually { clock.alarms == [due] }
            clock.advance(by: .seconds(1))
            await eventually { log.all.last == "rang at 1000000000" }
        }
    }

    @Test("a driver that does not run sets no alarm")
    func notRunning() {
        let driver = driver()
        _ = driver.handle(.moved(to: clock.now() + .seconds(1)))
        driver.rearm()
        #expect(clock.alarms.isEmpty)
        #expect(driver.withMachine { $0.deadline } != nil)
    }

    @Test("the end takes the alarm along and drops what is posted; a second run returns at once")
    func end() async {
        let driver = driver()
        driver.post(.moved(to: clock.now() + .seconds(1)))
        await running(driver) { await eventually { clock.alarms.count == 1 } }
        await eventually { clock.alarms.isEmpty }
        driver.post(.finished("late"))
        await run(driver)
        #expect(log.all == ["moved"])
    }

    @Test("work in flight at the end is cancelled by its group, and waited for")
    func cancelledWork() async {
        let driver = driver()
        let (gate, _) = AsyncStream.makeStream(of: Void.self)
        let isOver = Mutex(false)
        driver.post(.queried("a"))
        await running(
            driver,
            work: {
                for await _ in gate {}
                isOver.withLock { $0 = true }
            }
        ) { await eventually { log.all.count == 2 } }
        #expect(isOver.withLock { $0 })
        #expect(log.all == ["begin a", "end a"])
    }
}
