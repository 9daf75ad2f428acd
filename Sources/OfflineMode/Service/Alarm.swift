package import OfflineCore

/// Wakes the loop for the machine's deadline, and moves with it: one that was put off must not ring at its
/// old time, since an idle till is to sleep through.
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

    /// The loop took the ring.
    package mutating func rang() { armed = nil }

    package mutating func stop() {
        armed?.1.cancel()
        armed = nil
    }
}
