internal import Synchronization

/// Lets one task through at a time, in the order in which they came.
///
/// They stay the tasks that they were: a new one for each would leave the till's event loop. A free gate
/// costs no suspension.
public final class SerialGate: Sendable {
    private struct State {
        var isTaken = false
        var lastTicket: UInt64 = 0
        /// In the order of their tickets. A gate has a handful of waiters: removing the first of them costs
        /// less than the list that would make it free.
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    /// A gate that is free.
    public init() {}

    var isTaken: Bool { state.withLock { $0.isTaken } }
    var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` once every task that came before has left.
    ///
    /// - Returns: nil, without having run `body`, when the task was cancelled while it waited. A `body` that
    ///   runs is left to its own handling of cancellation.
    @discardableResult
    public func pass<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        guard await enter() else { return nil }
        defer { leave() }
        return try await body()
    }

    /// Runs `body` at once, if no other task has the gate.
    ///
    /// - Returns: nil, without having run `body`, when one has.
    public func passIfFree<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        let isMine = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isMine else { return nil }
        defer { leave() }
        return try await body()
    }

    /// - Returns: whether the caller has the gate now.
    private func enter(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let ticket: UInt64? = state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            state.lastTicket += 1
            return state.lastTicket
        }
        guard let ticket else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let response: Bool? = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    // Tasks that came later may have got here first.
                    let place = state.waiting.firstIndex { $0.ticket > ticket } ?? state.waiting.endIndex
                    state.waiting.insert((ticket, continuation), at: place)
                    return nil
                }
                if let response { continuation.resume(returning: response) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }
                    .map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(returning: false)
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
