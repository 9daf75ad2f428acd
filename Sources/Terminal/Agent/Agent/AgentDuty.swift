internal import Synchronization

/// Why an agent in the foreground ends its work, and when it begins again.
final class AgentDuty: Sendable {
    /// What ends the work.
    enum End {
        /// SIGTERM or SIGINT: the process ends.
        case terminated
        /// Another program needs the home.
        case handedOver
    }

    private struct State {
        var waiting: CheckedContinuation<End, Never>?
        /// What came before somebody waited for it.
        var pending: End?
        var isOver = false
        var hasBegun = false
    }

    private let state = Mutex(State())

    /// Whether the process was requested to end.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Listens to the signals from here on, the first time.
    ///
    /// - Returns: whether it was the first time.
    func begin() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return false }
        let signal = TerminationSignal()
        Task {
            await signal.wait()
            self.end(.terminated)
        }
        return true
    }

    /// Ends the work; the end of the process cannot be taken back by a handover.
    func end(_ end: End) {
        let waiting = state.withLock { state in
            if end == .terminated { state.isOver = true }
            guard let waiting = state.waiting else {
                if state.pending != .terminated { state.pending = end }
                return nil as CheckedContinuation<End, Never>?
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: end)
    }

    /// Returns at the next end, or at once after one that came before.
    func ended() async -> End {
        await withCheckedContinuation { continuation in
            let pending = state.withLock { state in
                defer { state.pending = nil }
                if state.pending == nil { state.waiting = continuation }
                return state.pending
            }
            if let pending { continuation.resume(returning: pending) }
        }
    }

    /// Checks of the lock, 100 ms apart, in which the other program has to take it: it tries as often. Half
    /// of it is enough on an idle machine, twice as long leaves a till without an agent that nobody needs.
    private static let grace = 50

    /// Waits until the other program has taken the home and let it go again, or has not come for it.
    func awaitReturn(of home: TerminalHome) async {
        for _ in 0..<Self.grace where !isOver && !HomeLock.isHeld(home) {
            try? await Task.sleep(for: .milliseconds(100))
        }
        while !isOver, HomeLock.isHeld(home) { try? await Task.sleep(for: .milliseconds(100)) }
    }
}
