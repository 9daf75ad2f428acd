package import OfflineCore

/// Wakes the loop for the machine's deadline. It is set earlier at once and later only when it has rung, so
/// that traffic, which moves the deadline with each answer, costs no timers.
package struct Alarm {
    private let time: any SystemTime
    private let ring: @Sendable () -> Void
    private var armed: (Instant, Task<Void, Never>)?

    package init(time: any SystemTime, ring: @escaping @Sendable () -> Void) {
        self.time = time
        self.ring = ring
    }

    package mutating func arm(for deadline: Instant) {
        if let (earlier, task) = armed {
            guard deadline < earlier else { return }
            task.cancel()
        }
        let task = Task { [time, ring] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            ring()
        }
        armed = (deadline, task)
    }

    /// The loop took the ring.
    package mutating func rang() { armed = nil }

    package mutating func stop() {
        armed?.1.cancel()
        armed = nil
    }
}
