package import Base

/// Wakes the loop at the machine's deadline. A deadline that was moved must not wake the loop at its old
/// time, since an idle terminal is to have no wake-ups.
package struct Alarm {
    private let time: any SystemTime
    private let ring: @Sendable () -> Void
    private var armed: (Instant, Task<Void, Never>)?

    package init(time: any SystemTime, ring: @escaping @Sendable () -> Void) {
        self.time = time
        self.ring = ring
    }

    /// - Parameter deadline: nil: there is nothing to wake up for.
    package mutating func arm(for deadline: Instant?) {
        guard let deadline else { return stop() }
        if let (instant, task) = armed {
            guard deadline != instant else { return }
            task.cancel()
        }
        let task = Task { [time, ring] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            ring()
        }
        armed = (deadline, task)
    }

    /// The loop has handled the wake-up.
    package mutating func rang() { armed = nil }

    package mutating func stop() {
        armed?.1.cancel()
        armed = nil
    }
}
