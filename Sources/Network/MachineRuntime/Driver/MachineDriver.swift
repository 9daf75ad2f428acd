public import Base
internal import Synchronization

/// Runs one machine: one inbox, one loop, one place that reads the clock, no decisions.
///
/// ``run(first:in:isolation:_:perform:)`` takes the events one by one, stamps each with the time, hands it to
/// the machine, passes its effects to the owner and sets the alarm for the machine's deadline. Events come
/// from ``post(_:)``, from the alarm, and from a suspension of the computer where the machine has an event
/// for it.
///
/// Nothing wakes up while nothing is posted and no deadline is due. Posting an event costs one element of the
/// inbox.
public final class MachineDriver<Driven: Machine & Sendable>: Sendable
where Driven.Event: Sendable, Driven.Effect: Sendable {
    /// What its inbox takes.
    public typealias Event = Driven.Event
    /// What its owner carries out.
    public typealias Effect = Driven.Effect

    private enum Input: Sendable {
        case event(Event)
        case alarm
    }

    private struct State {
        var machine: Driven
        var alarm: Alarm
        /// The alarm is set only while somebody takes its rings out of the inbox.
        var isRunning = false
    }

    private let time: any SystemTime
    private let wakeUp: @Sendable () -> [Event]
    private let suspension: (@Sendable (Duration) -> Event)?
    /// How long the computer had been suspended when the machine was made.
    private let suspendedBefore: Duration
    private let state: Mutex<State>
    private let inputs: AsyncStream<Input>
    private let inbox: AsyncStream<Input>.Continuation

    /// A driver that does not run yet; events may be posted from now on.
    ///
    /// - Parameters:
    ///   - machine: in its first state, made at a moment of `time`.
    ///   - suspension: the event for a suspension of the computer of that length; nil: the machine has none.
    ///   - wakeUp: the events for a deadline that has come, handled at one moment.
    public init(
        _ machine: Driven, time: any SystemTime, suspension: (@Sendable (Duration) -> Event)? = nil,
        wakeUp: @escaping @Sendable () -> [Event]
    ) {
        self.time = time
        self.suspension = suspension
        self.wakeUp = wakeUp
        suspendedBefore = time.suspended()
        let (inputs, inbox) = AsyncStream.makeStream(of: Input.self)
        (self.inputs, self.inbox) = (inputs, inbox)
        state = Mutex(State(machine: machine, alarm: Alarm(time: time) { inbox.yield(.alarm) }))
    }

    deinit { state.withLock { $0.alarm.stop() } }

    /// Puts `event` into the inbox, from any thread. After the end of the run it is dropped.
    public func post(_ event: Event) { inbox.yield(.event(event)) }

    /// The machine as it is now, in place; `body` is short and posts nothing.
    ///
    /// What `body` changes is no event: ``rearm()`` follows where it can move the deadline.
    public func withMachine<Value: Sendable>(_ body: (inout Driven) -> Value) -> Value {
        state.withLock { body(&$0.machine) }
    }

    /// Handles `event` now, outside of the inbox, for an owner that responds from the machine at once.
    ///
    /// The owner calls it from where its run loops, an actor for example, so that time does not step back
    /// between two events. The alarm stays as it is: ``rearm()`` follows where an event can bring the
    /// deadline nearer. One that is too early is harmless.
    public func handle(_ event: Event) -> [Effect] {
        let now = time.now()
        return state.withLock { $0.machine.handle(event, at: now) }
    }

    /// Sets the alarm for the machine's deadline, while it runs.
    public func rearm() {
        state.withLock { state in
            if state.isRunning { state.alarm.arm(for: state.machine.deadline) }
        }
    }

    /// Runs until the task is cancelled. To be called once; a second call returns at once.
    ///
    /// At its end the alarm is off and what is posted is dropped. Effects in flight are the group's: its
    /// owner cancels them, or waits.
    ///
    /// - Parameters:
    ///   - first: handled before what was posted meanwhile.
    ///   - group: where effects that take time run.
    ///   - carryOut: called for each event that was handled, in order, with the machine's effects and the
    ///     moment. Does at once what takes no time and returns the rest.
    ///   - perform: carries out one effect of the rest, beside the loop; its result comes back by
    ///     ``post(_:)``.
    public func run(
        first: [Event] = [], in group: inout DiscardingTaskGroup,
        isolation: isolated (any Actor)? = #isolation,
        _ carryOut: (Event, [Effect], Instant) -> [Effect],
        perform: @escaping @Sendable (Effect, Instant) async -> Void
    ) async {
        var suspended = suspendedBefore
        handle(first, at: time.now(), in: &group, carryOut, perform)
        begin()
        for await input in inputs {
            let now = time.now()
            if let suspension {
                let total = time.suspended()
                if total - suspended > Self.clockNoise {
                    handle([suspension(total - suspended)], at: now, in: &group, carryOut, perform)
                    suspended = total
                }
            }
            switch input {
            case .event(let event): handle([event], at: now, in: &group, carryOut, perform)
            case .alarm:
                state.withLock { $0.alarm.rang() }
                handle(wakeUp(), at: now, in: &group, carryOut, perform)
            }
            rearm()
        }
        end()
    }

    private func handle(
        _ events: [Event], at now: Instant, in group: inout DiscardingTaskGroup,
        _ carryOut: (Event, [Effect], Instant) -> [Effect],
        _ perform: @escaping @Sendable (Effect, Instant) async -> Void
    ) {
        for event in events {
            let effects = state.withLock { $0.machine.handle(event, at: now) }
            for effect in carryOut(event, effects, now) {
                group.addTask { await perform(effect, now) }
            }
        }
    }

    private func begin() {
        state.withLock { $0.isRunning = true }
        rearm()
    }

    private func end() {
        inbox.finish()
        state.withLock { state in
            state.isRunning = false
            state.alarm.stop()
        }
    }

    /// The two clocks are not read at one moment; a smaller difference between them is no suspension. Halved,
    /// a busy computer could make one up; doubled, a short one would count as time awake, which no rule of a
    /// second or more would notice.
    private static var clockNoise: Duration { .milliseconds(100) }
}
