internal import CLinux
internal import Glibc

/// The timers of one clock, with one kernel timer that is set for the earliest of them.
struct ClockTimers: ~Copyable {
    private let clock: clockid_t
    private let kernelTimer: Descriptor
    private var heap = TimerHeap()
    /// A cancelled timer is removed from here at once, and from the heap when it reaches the top.
    private var handlers: [UInt64: () -> Void] = [:]
    private var lastSequence: UInt64 = 0
    /// What the kernel timer is set for, in the clock's nanoseconds.
    private var armedFor: Int64?

    init(_ clock: clockid_t) throws(EventLoopError) {
        self.clock = clock
        kernelTimer = try Descriptor(
            "timerfd_create", timerfd_create(clock, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
    }

    /// The kernel timer's descriptor: ready when something may be due.
    var number: Int32 { kernelTimer.number }

    mutating func schedule(at nanoseconds: Int64, _ handler: @escaping () -> Void) -> UInt64 {
        lastSequence += 1
        heap.insert(.init(nanoseconds: nanoseconds, sequence: lastSequence))
        handlers[lastSequence] = handler
        return lastSequence
    }

    mutating func schedule(after nanoseconds: Int64, _ handler: @escaping () -> Void) -> UInt64 {
        schedule(at: now() + max(0, nanoseconds), handler)
    }

    mutating func cancel(_ sequence: UInt64) {
        handlers[sequence] = nil
    }

    /// Sets the kernel timer for the earliest timer that was not cancelled.
    mutating func arm() {
        dropCancelled()
        let earliest = heap.first?.nanoseconds
        guard earliest != armedFor else { return }
        armedFor = earliest
        // Zero would disarm it; a moment in the past makes it fire at once.
        let nanoseconds = earliest.map { max(1, $0) } ?? 0
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(kernelTimer.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }

    /// The kernel timer fired and is disarmed now.
    mutating func noteRang() {
        armedFor = nil
    }

    /// Removes the earliest timer that is due and returns its handler.
    mutating func takeDue() -> (() -> Void)? {
        dropCancelled()
        guard let first = heap.first, first.nanoseconds <= now() else { return nil }
        heap.removeFirst()
        return handlers.removeValue(forKey: first.sequence)
    }

    private mutating func dropCancelled() {
        while let first = heap.first, handlers[first.sequence] == nil { heap.removeFirst() }
    }

    private func now() -> Int64 { kernelNanoseconds(of: clock) }
}
