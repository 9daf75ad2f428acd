internal import Synchronization

/// A request to end the waiting for a card, made at most once and from any task.
package final class GiveUp: Sendable {
    private let requested = Atomic(false)
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Whether somebody requested it.
    package var isRequested: Bool { requested.load(ordering: .acquiring) }

    /// Requests it; more than once changes nothing.
    package func request() {
        requested.store(true, ordering: .releasing)
        signal.continuation.yield()
    }

    /// One that nobody has requested.
    package init() {}

    /// Whether it was requested; false when the task was cancelled before.
    package func wait() async -> Bool {
        if isRequested { return true }
        for await _ in signal.stream { return true }
        return isRequested
    }
}
