import OfflineCore
import Synchronization

/// The published status and its subscribers.
///
/// One task publishes, so that all subscribers get the changes in the same order.
final class ModeBroadcast: Sendable {
    private struct State {
        var current: ModeStatus
        var nextID: UInt64 = 0
        var streams: [UInt64: AsyncStream<ModeStatus>.Continuation] = [:]
        var closures: [UInt64: @Sendable (ModeStatus) -> Void] = [:]
        weak var delegate: (any OfflineModeDelegate)?
        /// Nothing is published any more; a stream opened now ends after the last status.
        var isFinished = false
    }

    private let state: Mutex<State>

    init(first: ModeStatus) {
        state = Mutex(State(current: first))
    }

    var current: ModeStatus { state.withLock { $0.current } }

    func publish(_ status: ModeStatus) {
        let (closures, delegate) = state.withLock { state in
            state.current = status
            for stream in state.streams.values { stream.yield(status) }
            return (state.closures.sorted { $0.key < $1.key }.map(\.value), state.delegate)
        }
        delegate?.offlineModeDidChange(to: status)
        for closure in closures { closure(status) }
        postNotification(of: status)
    }

    /// A stream that begins with the current status; a slow reader misses steps between, never the last.
    func stream() -> AsyncStream<ModeStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ModeStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            continuation.yield(state.current)
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.streams[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// Keeps `closure` until ``forget(_:)``; it is first called by ``greet(_:)``.
    func keep(_ closure: @escaping @Sendable (ModeStatus) -> Void) -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            state.closures[state.nextID] = closure
            return state.nextID
        }
    }

    func forget(_ id: UInt64) {
        state.withLock { _ = $0.closures.removeValue(forKey: id) }
    }

    func setDelegate(_ delegate: (any OfflineModeDelegate)?) {
        state.withLock { $0.delegate = delegate }
    }

    /// Passes the current status to the closure `id`, or to the delegate when nil.
    func greet(_ id: UInt64?) {
        let (current, closure, delegate) = state.withLock { state in
            (state.current, id.flatMap { state.closures[$0] }, id == nil ? state.delegate : nil)
        }
        closure?(current)
        delegate?.offlineModeDidChange(to: current)
    }

    /// Ends every stream.
    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
