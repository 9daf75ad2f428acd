internal import Base

/// Wakes a driver at its machine's deadline.
struct Alarm {
    private let time: any SystemTime
    private let ring: @Sendable () -> Void
    private var armed: (deadline: Instant, sleeper: Task<Void, Never>)?

    /// - Parameter ring: called on any thread at the deadline, at most once for each time it is armed.
    init(time: any SystemTime, ring: @escaping @Sendable () -> Void) {
        self.time = time
        self.ring = ring
    }

    /// A deadline that was moved does not ring at its old time, since an idle terminal is to have no
    /// wake-ups.
    ///
    /// - Parameter deadline: nil: there is nothing to wake up for.
    mutating func arm(for deadline: Instant?) {
        guard let deadline else { return stop() }
        if let armed {
            guard deadline != armed.deadline else { return }
            armed.sleeper.cancel()
        }
        let sleeper = Task { [time, ring] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            ring()
        }
        armed = (deadline, sleeper)
    }

    /// The driver has begun to handle the wake-up.
    mutating func rang() { armed = nil }

    mutating func stop() {
        armed?.sleeper.cancel()
        armed = nil
    }
}
