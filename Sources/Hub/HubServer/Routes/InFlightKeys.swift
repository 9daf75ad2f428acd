internal import Synchronization

/// The idempotency keys whose first request has not been answered yet.
final class InFlightKeys: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Whether the key was free; it is taken then.
    func begin(_ key: String) -> Bool {
        keys.withLock { $0.insert(key).inserted }
    }

    func end(_ key: String) {
        _ = keys.withLock { $0.remove(key) }
    }
}
