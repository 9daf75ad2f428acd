internal import Synchronization

/// Counts the changes of the status, so that a watcher can wait for the next one.
final class StatusRevisions: Sendable {
    private struct State {
        var revision: Int64 = 1
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    var current: Int64 { state.withLock { $0.revision } }

    /// The status changed.
    func advance() {
        let woken = state.withLock { state in
            state.revision += 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in woken { waiter.resume() }
    }

    /// Returns when the revision is no longer `seen`, or after `limit`.
    func wait(after seen: Int64, limit: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { expire() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStale = state.withLock { state in
                    guard state.revision == seen, !Task.isCancelled else { return true }
                    state.waiters[state.nextWaiter] = continuation
                    state.nextWaiter += 1
                    return false
                }
                if isStale { continuation.resume() }
            }
        } onCancel: {
            expire()
        }
        timer.cancel()
    }

    /// Wakes every waiter without a change: each looks for itself and asks again.
    private func expire() {
        let woken = state.withLock { state in
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in woken { waiter.resume() }
    }
}
