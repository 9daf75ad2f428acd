import Synchronization

/// Keeps a callback informed until this is cancelled or released.
///
/// Keep it as long as the callback is needed. Once ``cancel()`` has returned no new callback begins; one that
/// is running on another thread completes.
public final class ReachabilitySubscription: Sendable {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let isOver = Flag()
    private let task: Task<Void, Never>

    /// Calls `body` at `place` with each value of `stream`, one after the other.
    init<Value: Sendable>(
        reading stream: AsyncStream<Value>, at place: CallbackPlace,
        _ body: @escaping @Sendable (Value) -> Void
    ) {
        task = Task.detached { [isOver] in
            for await value in stream {
                await place.run {
                    if !isOver.isSet.load(ordering: .acquiring) { body(value) }
                }
            }
        }
    }

    deinit { cancel() }

    /// Ends the subscription; repeated calls are harmless.
    public func cancel() {
        isOver.isSet.store(true, ordering: .releasing)
        task.cancel()
    }
}
