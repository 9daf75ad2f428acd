import OfflineCore
import Synchronization

/// The requests for the manual flag that wait for their response.
final class PendingManualRequests: Sendable {
    typealias Response = Result<ManualStatus, ManualSwitchError>

    private struct State {
        var isOpen = true
        var lastTicket: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Response, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Makes a ticket, passes it to `query`, and waits for its response.
    func wait(_ query: @Sendable (UInt64) -> Void) async -> Response {
        await withCheckedContinuation { continuation in
            let ticket: UInt64? = state.withLock { state in
                guard state.isOpen else { return nil }
                state.lastTicket += 1
                state.waiting[state.lastTicket] = continuation
                return state.lastTicket
            }
            guard let ticket else { return continuation.resume(returning: .failure(.stopped)) }
            query(ticket)
        }
    }

    func response(_ ticket: UInt64, _ response: Response) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: response)
    }

    /// There are no more responses.
    func close() {
        let left = state.withLock { state in
            state.isOpen = false
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in left { continuation.resume(returning: .failure(.stopped)) }
    }
}
